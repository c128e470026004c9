"""Result files: read back as they were written, and refused when something in them is not so."""

import copy
import hashlib
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs import command_line
from proofs.errors import ProofsError
from proofs.result_files import CHECK, ROWS, field, rational, read_result

DATA = Path(__file__).parents[1] / "data"
VERIFIER = """
def right(target, draft, tokens, rng):
    return [int(rng.choice(target.shape[1], p=target[0]))]
def wrong(target, draft, tokens, rng):
    return [int(tokens[0])]
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return what the commands wrote: of rows, of a right verifier, of a wrong one and of one within its bound."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "mine.py").write_text(VERIFIER, encoding="utf-8")
    small = ["--gamma", "1", "--vocabulary", "2", "--paths", "0"]
    spec = str(folder / "mine.py")
    asked = {
        "rows": ["rows", str(DATA / "real_rows.npz")],
        "right": ["check", f"{spec}:right", *small],
        "wrong": ["check", f"{spec}:wrong", *small],
        "within": ["check", f"{spec}:wrong", *small, "--within", "1"],
        "unverified": ["check", f"{spec}:right", *small, "--max-paths", "1"],
        "bad": ["rows", str(DATA / "bad_rows.npz")],
    }
    paths = {name: folder / f"{name}.json" for name in asked}
    statuses = [command_line.main([*arguments, "--json", str(paths[name])]) for name, arguments in asked.items()]
    assert statuses == [0, 0, 1, 0, 5, 2]
    return paths


def test_results_are_read(results: dict[str, Path]) -> None:
    for name, schema, status in (("rows", ROWS, 0), ("right", CHECK, 0), ("wrong", CHECK, 1), ("within", CHECK, 0)):
        result = read_result(str(results[name]))
        assert (result.schema, result.exit_status) == (schema, status)
        assert result.digest == hashlib.sha256(results[name].read_bytes()).hexdigest()
        assert result.document["verdict"]["exit_status"] == status


@pytest.mark.parametrize("name", ["unverified", "bad"])
def test_run_without_a_verdict_has_no_numbers(results: dict[str, Path], name: str) -> None:
    with pytest.raises(ProofsError, match="expected a run that came to a verdict"):
        read_result(str(results[name]))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[]", "holds \\[\\]; expected an object"),
        (b"{}", "schema is None; expected"),
        (b'{"schema": "specdec-proofs/rows/2"}', "schema is 'specdec-proofs/rows/2'"),
        (b'{"schema": ["specdec-proofs/rows/1"]}', "schema is \\["),
        (b'{"schema": "specdec-proofs/rows/1"}', "verdict.exit_status is missing"),
        (b'{"schema": 1, "schema": 2}', "a key occurs twice"),
        (b'{"schema": NaN}', "NaN is no number"),
        (b'{"schema": Infinity}', "Infinity is no number"),
        (b'{"schema": "\xff"}', "no JSON in ASCII"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"schema": ' + b"1" * 5000 + b"}", "no JSON"),
        (b'{"schema": "specdec-proofs/check/1", "verdict": {"exit_status": true}}', "exit_status is True"),
        (b'{"schema": "specdec-proofs/check/1", "verdict": {"exit_status": 0.0}}', "exit_status is '0.0'"),
        (b'{"schema": "specdec-proofs/rows/1", "verdict": {"exit_status": 0}, "rows": []}', "holds no rows"),
        (b'{"schema": "specdec-proofs/rows/1", "verdict": {"exit_status": 0}, "rows": [1]}', "rows.0.file is missing"),
    ],
)
def test_file_that_is_no_result_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(ProofsError, match=words):
        read_result(str(tmp_path / "a.json"))


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.json", "a\0b"):
        with pytest.raises(ProofsError, match="cannot be read"):
            read_result(str(path))


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("rows", lambda d: d["rows"].append(d["rows"][0])),
        ("rows", lambda d: d["rows"][3].update(dist_equals_p=False)),
        ("rows", lambda d: d["rows"][3].update(alpha_equals_one_minus_tv="true")),
        ("rows", lambda d: d["rows"][3].update(outcome="differs")),
        ("rows", lambda d: d["rows"][3].update(alpha="3/2")),
        ("rows", lambda d: d["rows"][3].update(alpha="1/0")),
        ("rows", lambda d: d["rows"][3].update(alpha="-1/2")),
        ("rows", lambda d: d["rows"][3].update(alpha=" 1/2")),
        ("rows", lambda d: d["rows"][3].update(alpha="1/2\n")),
        ("rows", lambda d: d["rows"][3].update(alpha="\N{ARABIC-INDIC DIGIT ONE}/2")),
        ("rows", lambda d: d["rows"][3].update(alpha=None)),
        ("rows", lambda d: d["rows"][3].update(row=-1)),
        ("rows", lambda d: d["rows"][3].pop("file")),
        ("rows", lambda d: d["verdict"].update(exit_status=1)),
        ("rows", lambda d: d.update(rows={})),
        ("right", lambda d: d.update(status="biased")),
        ("right", lambda d: d.update(status="unverified")),
        ("right", lambda d: d.update(status="within the bound")),
        ("right", lambda d: d.update(exit_status=1)),
        ("right", lambda d: d.update(inputs=0)),
        ("right", lambda d: d.update(paths=True)),
        ("right", lambda d: d.update(worst="2/1")),
        ("right", lambda d: d.update(counterexample={"total_variation": "1/2"})),
        ("right", lambda d: d["options"].update(within="1/2")),
        ("right", lambda d: d["verdict"].update(exit_status=5)),
        ("right", lambda d: d.pop("verdict")),
        ("wrong", lambda d: d.update(status="lossless")),
        ("wrong", lambda d: d["verdict"].update(exit_status=0)),
        ("wrong", lambda d: d["counterexample"].update(total_variation="3/2")),
        ("within", lambda d: d["options"].update(within=None)),
        ("within", lambda d: d["options"].update(within="1/1000")),
    ],
)
def test_result_that_contradicts_itself_is_refused(
    results: dict[str, Path], tmp_path: Path, name: str, change: Change
) -> None:
    document = json.loads(results[name].read_text(encoding="ascii"))
    before = copy.deepcopy(document)
    change(document)
    assert document != before
    (tmp_path / "a.json").write_text(json.dumps(document), encoding="ascii")
    with pytest.raises(ProofsError):
        read_result(str(tmp_path / "a.json"))


def test_cut_files_are_refused(results: dict[str, Path], tmp_path: Path) -> None:
    data = results["rows"].read_bytes()
    for end in range(0, len(data) - 2, len(data) // 50):
        (tmp_path / "a.json").write_bytes(data[:end])
        with pytest.raises(ProofsError):
            read_result(str(tmp_path / "a.json"))


def test_place_and_value_are_named() -> None:
    document = {"a": [{"b": "5/4"}]}
    assert field(document, "a", 0, "b", kind=str) == "5/4"
    assert rational(document, "a", 0, "b", most=None) == Fraction(5, 4)
    with pytest.raises(ProofsError, match="a.0.b is '5/4'; expected at most 1"):
        rational(document, "a", 0, "b")
    with pytest.raises(ProofsError, match="a.1 is missing; expected dict or null"):
        field(document, "a", 1, kind=(dict, type(None)))
