"""Records: what is compared with what was found before, and what the table makes of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.zoo import KEYS, __main__, examine, fakes, golden, load
from tests.zoo.confirm import Confirmation
from tests.zoo.golden import Record, differences, read_records, record_of, word, written
from tests.zoo.inputs import B0, EDGES, MOVING, Input
from tests.zoo.judge import Case, judge_case
from tests.zoo.records import Adapter
from tests.zoo.summary import result_of

RARE = next(rows for rows in EDGES if rows.name == "token without target")
DONE = Confirmation(1000, 1.5)


def _record(verify: Callable[..., Any], *inputs: Input, **fields: Any) -> Record:
    adapter = fakes.fake(verify, **fields)
    cases = [_judged(adapter, rows, gamma) for rows in inputs or (B0,) for gamma in (1, 2)]
    record = record_of(adapter, cases, {("B0", 1): DONE}, ["RuntimeError"])
    return {**record, "torch": "2", "run": "2020-01-02"}


def _judged(adapter: Adapter, rows: Input, gamma: int) -> Case:
    if adapter.declared is None:
        return fakes.judged(adapter.verify, rows.name, gamma)
    return judge_case(adapter, rows, gamma)


def _again(record: Record) -> Record:
    """Return a copy, as it is written and read."""
    copied: Record = json.loads(json.dumps(record))
    return copied


def test_record_agrees_with_itself(tmp_path: Path) -> None:
    record = _record(fakes.at_most, B0, MOVING, RARE)
    path = tmp_path / "records.jsonl"
    path.write_text(written([record]), encoding="utf-8")
    assert read_records(path) == {"at_most": record}
    assert differences(record, read_records(path)["at_most"]) == []
    assert read_records(tmp_path / "none") == {}


def test_laws_are_kept_where_they_are_not_the_targets() -> None:
    right, biased = _record(fakes.token_rule), _record(fakes.corrects_from_target)
    assert "law" not in right["cases"][0]
    law = {y: Fraction(mass) for y, mass in biased["cases"][0]["law"].items()}
    assert len(law) == 9
    assert sum(law.values()) == 1
    assert biased["cases"][0]["reason"]


@pytest.mark.parametrize(("name", "value"), [("version", "9"), ("verdict", "biased"), ("nan", []), ("edges", "biased")])
def test_another_word_is_a_difference(name: str, value: object) -> None:
    record = _record(fakes.token_rule)
    assert [name in line for line in differences({**record, name: value}, record)] == [True]


def test_another_case_is_a_difference() -> None:
    record = _record(fakes.at_most, B0, RARE)
    for name, value in (("status", "unverified"), ("forbidden", {}), ("crashes", {"A": "1/2"}), ("distance", "1/100")):
        other = _again(record)
        other["cases"][3][name] = value
        (line,) = differences(record, other)
        assert line.startswith("at_most: token without target, gamma 2: ")
        assert name in line


def test_rounding_is_no_difference() -> None:
    record = _record(fakes.at_most, RARE)
    other = _again(record)
    (first, *_) = other["cases"][0]["forbidden"]
    mass = Fraction(other["cases"][0]["forbidden"][first])
    other["cases"][0]["forbidden"][first] = str(mass * (1 + Fraction(1, 2**20)))
    other["cases"][0]["distance"] = str(Fraction(record["cases"][0]["distance"]) + Fraction(1, 2**22))
    assert differences(record, other) == []
    other["cases"][0]["forbidden"][first] = str(2 * mass)
    assert len(differences(record, other)) == 1


def test_cases_that_are_missing_or_new_are_differences() -> None:
    record = _record(fakes.token_rule)
    fewer = {**record, "cases": record["cases"][:1]}
    assert differences(record, fewer) == ["token_rule: B0, gamma 2 is not expected"]
    assert differences(fewer, record) == ["token_rule: B0, gamma 2 was not tried"]
    assert "nothing is expected yet" in differences(record, None)[0]


@pytest.mark.parametrize("found", [Confirmation(100, 9.0, agrees=False), Confirmation(100, 1.0, provoked=False)])
def test_simulation_that_disagrees_is_a_difference(found: Confirmation) -> None:
    adapter = fakes.fake(fakes.token_rule)
    record = record_of(adapter, [_judged(adapter, B0, 1)], {("B0", 1): found}, [])
    assert "does not agree" in differences(record, record)[0]


def _words(adapter: Adapter, rows: Input = B0) -> str:
    return word(adapter, [_judged(adapter, rows, 1)])


def test_words() -> None:
    assert _words(fakes.fake(fakes.token_rule)) == "lossless"
    assert _words(fakes.fake(fakes.corrects_from_target)) == "biased"
    assert _words(fakes.fake(fakes.crashes)) == "unverified"
    assert word(fakes.fake(fakes.token_rule), []) == "not tried"


def test_words_of_lossy_modes() -> None:
    draft: Any = {"claim": "lossy: the draft", "declared": lambda p, q: p if q is None else q}
    assert _words(fakes.fake(fakes.emits_drafts, **draft)) == "as declared"
    assert _words(fakes.fake(fakes.token_rule, **draft)) == "not as declared"
    assert _words(fakes.fake(fakes.crashes, **{**draft, "declared": lambda p, q: p})) == "unverified"
    assert _words(fakes.fake(fakes.at_most, **{**draft, "declared": lambda p, q: p}), RARE) == "not as declared"
    assert _words(fakes.fake(fakes.emits_drafts, claim="lossy: somehow")) == "another law, as declared"
    assert _words(fakes.fake(fakes.token_rule, claim="lossy: somehow")) == "the target's law here"


def test_line_of_the_table() -> None:
    line = result_of(_again(_record(fakes.corrects_from_target)))
    assert line.computes == "another law: (0, 2) has 11/128, the target 1/16 [B0, gamma 1]"
    assert line.verdict == "biased"
    assert line.distances[1] == Fraction(1, 16)
    assert line.note == "NaN row: RuntimeError"


def test_line_of_a_rare_token() -> None:
    line = result_of(_again(_record(fakes.at_most, B0, RARE)))
    assert line.verdict == "lossless; edge rows: biased"
    assert line.computes == "the target's law"
    assert isinstance(line.distances[2], float)
    assert "a token of target probability 0 is emitted with probability 3/67108864 [token" in line.note


def test_lines_of_a_crash_and_of_a_lossy_mode() -> None:
    crash = result_of(_again(_record(fakes.crashes)))
    assert crash.computes == "not known in whole"
    assert not crash.distances
    assert "an exception with probability 1/2 (LookupError) [B0, gamma 1]" in crash.note
    fields: Any = {"claim": "lossy: the draft", "declared": lambda p, q: p if q is None else q}
    lossy = result_of(_again(_record(fakes.emits_drafts, **fields)))
    assert (lossy.verdict, lossy.computes) == ("as declared", "the draft")
    assert lossy.distances == {1: 0, 2: 0}
    assert "TV from the target itself: 3/8, " in lossy.note


@pytest.fixture
def zoo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A zoo of two adapters, and a file of what is expected."""
    animals = {found.key: found for found in (fakes.fake(fakes.token_rule), fakes.fake(fakes.at_most))}
    monkeypatch.setattr(__main__, "KEYS", tuple(animals))
    monkeypatch.setattr(__main__, "load", animals.__getitem__)
    monkeypatch.setattr(examine, "load", animals.__getitem__)
    monkeypatch.setattr(examine, "judge_case", _judged)  # which keeps what it found
    monkeypatch.setattr(examine, "MOVING", B0)
    monkeypatch.setattr(examine, "INPUTS", ())
    monkeypatch.setattr(examine, "EDGES", (RARE,))
    monkeypatch.setattr(__main__, "EXPECTED", tmp_path / "expected.jsonl")
    return tmp_path


QUICK = ["--draws", "200"]


def test_run_is_compared_with_what_is_expected(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(QUICK) == 1
    assert "nothing is expected yet" in capsys.readouterr().out
    assert __main__.main([*QUICK, "--update", "--results", str(zoo / "found.jsonl")]) == 0
    first = capsys.readouterr().out
    assert "2 as expected" in first
    assert __main__.main(QUICK) == 0
    assert capsys.readouterr().out == first
    assert list(read_records(zoo / "found.jsonl")) == ["token_rule", "at_most"]


def test_run_that_differs_fails(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    __main__.main([*QUICK, "--update"])
    path = zoo / "expected.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"biased"', '"lossless"'), encoding="utf-8")
    assert __main__.main([*QUICK, "token_rule"]) == 0
    assert __main__.main(QUICK) == 1
    assert "edges is 'biased', expected 'lossless'" in capsys.readouterr().out


def test_table_is_made_of_what_is_expected(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    __main__.main([*QUICK, "--update", "at_most"])
    capsys.readouterr()
    assert __main__.main(["--markdown"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Made by `python -m tests.zoo` on ")
    assert "fake at_most" in out
    assert "fake token_rule" not in out


def test_package_that_is_not_installed(zoo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(__main__, "load", lambda key: replace(fakes.fake(fakes.at_most), package="no-such-package==1"))
    with pytest.raises(SystemExit, match=r"at_most: its package is not installed; .*install.sh"):
        __main__.main(["at_most"])


def test_groups_and_unknown_adapters(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["--heavy"]) == 0
    assert "0 as expected" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no adapter"):
        __main__.main(["none"])


def test_every_record_that_is_expected_is_of_an_adapter() -> None:
    records = read_records(golden.EXPECTED)
    assert list(records) == [key for key in KEYS if key in records]
    for key, record in records.items():
        adapter = load(key)
        assert record["name"] == adapter.name
        assert record["version"] == adapter.package.partition("==")[2]
        assert record["claim"] == adapter.claim
        assert differences(record, record) == []
