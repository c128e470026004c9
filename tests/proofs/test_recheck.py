"""The file that rechecks certificates, on certificates by hand and on thousands that were changed."""

import ast
import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs import recheck
from proofs.certificates import certificate_of_run
from proofs.check_certificates import certificate_of_check
from proofs.checking import verdict_on
from proofs.recheck_table import RECHECK, table, with_table
from proofs.row_certificates import certificate_of_rows, row_claims
from proofs.rows import Options, RowsRun
from proofs.runner import REGISTRY, Run, execute, select
from proofs.sealing import STATEMENTS, project, sealed

CODE = {"function": "verify", "name": "mine.py", "sha256": "0" * 64}


def accept_everything(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    return [*tokens, rng.choice(len(target[-1]), p=target[-1])]


def ignore_drafts(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    return [rng.choice(len(target[0]), p=target[0])]


def crash_at_times(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    if rng.random() < 0.25:
        raise ValueError
    return [rng.choice(len(target[0]), p=target[0])]


def certificate_of(verify: Any, **options: Any) -> dict[str, Any]:
    records: list[Any] = []
    asked = {"gamma": 1, "vocabulary": 2, "paths": 0, "shrink": False, "drawn": False, **options}
    verdict = verdict_on(verify, record=lambda run, found: records.append((run, found)), **asked)
    return certificate_of_check(verdict, records, code=CODE, redo="certify --check mine.py:verify")


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Small certificates of every kind, and the directory where their files are."""
    directory = tmp_path_factory.mktemp("certificates")
    run = Run(REGISTRY, select(REGISTRY, "lossless"))
    for _ in execute(run, 1):
        pass
    rows = directory / "rows.jsonl"
    wide = ", ".join(['"1/70"'] * 70)
    rows.write_text(f'{{"p": ["1/4", "3/4"], "q": ["2/3", "1/2"]}}\n{{"p": [{wide}], "q": [{wide}]}}\n')
    read = RowsRun()
    claims = list(row_claims(str(rows), 1, Options(), read))
    pairs = [(["1/4", "3/4"], ["1/2", "1/2"]), ([["1/2", "1/2"], ["1/8", "7/8"]], ["1/4", "3/4"])]
    return directory, {
        "run": certificate_of_run(run),
        "machine": certificate_of_run(run, {"lossless": {"TokenRule.v": "a" * 64}}),
        "rows": certificate_of_rows(claims, [(str(rows), 2)], Options()),
        "biased": certificate_of(accept_everything, inputs=pairs),
        "lossless": certificate_of(ignore_drafts, inputs=pairs[:1], gamma=(1, 2)),
        "floats": certificate_of(ignore_drafts, inputs=pairs[:1], arithmetic="float64"),
        "crash": certificate_of(crash_at_times, inputs=pairs[:1]),
    }


def passes(document: Any, directory: Path) -> dict[str, None] | None:
    """Return what is listed as not rechecked, None where the file is refused."""
    try:
        return recheck.recheck(reseal(document), directory)[2]
    except Exception:
        return None


def reseal(document: Any) -> bytes:
    """Make the bytes of a changed document right again, as a forger would."""
    if isinstance(document, dict):
        document = {key: value for key, value in document.items() if key != "sha256"}
        document["sha256"] = hashlib.sha256(recheck.canonical(document)).hexdigest()
    return bytes(recheck.canonical(document))


def test_file_is_short_and_stands_alone() -> None:
    source = RECHECK.read_text(encoding="ascii")
    assert source.count("\n") < 250
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
        elif isinstance(node, ast.Name):
            assert node.id not in ("eval", "exec", "compile", "__import__")
    assert names <= set(sys.stdlib_module_names)


def test_table_of_statements_and_version() -> None:
    assert [recheck.tabled([*key, says], recheck.STATEMENTS) for key, says in STATEMENTS.items()] == recheck.STATEMENTS
    assert project() == recheck.PROJECT
    assert len(recheck.THEOREMS) == len(REGISTRY.theorems)


@pytest.mark.slow
def test_table_is_the_registry() -> None:
    from proofs.recheck_table import claims

    source = RECHECK.read_text(encoding="ascii")
    assert with_table(source, table(claims())) == source


def test_every_kind_passes(documents: Any) -> None:
    directory, found = documents
    for name, document in found.items():
        outcome, done, left = recheck.recheck(sealed(document), directory)
        assert all(done), name
        assert outcome == document["outcome"]
        assert ("machine-checked sources" in left) is (name == "machine")
    assert found["biased"]["outcome"] == "biased"
    assert found["lossless"]["outcome"] == "lossless"
    assert found["crash"]["outcome"] == "unverified"


def test_grid_is_counted_again() -> None:
    assert recheck.grid() == {
        "lossless": 834,
        "distribution": 834,
        "alpha_is_one_minus_tv": 834,
        "token_never_proposed": 518,
        "token_never_wanted": 518,
    }


def handmade(status: str, law: dict[str, str], **changes: Any) -> dict[str, Any]:
    """Return a certificate that was written by hand: gamma 1, V = 2, target (1/4, 3/4), draft (1/2, 1/2)."""
    says = {key: text for key, text in STATEMENTS.items() if key[1] == status}
    shared = {"evidence": [{"kind": "computed"}], "status": status, "reasons": []}
    claim = {
        "id": "input 1, exact",
        "kind": "input",
        "statement": says["input", status],
        "reach": {"arithmetic": "exact", "gamma": 1, "vocabulary": 2, "name": "by hand"},
        "inputs": {
            "target": {"": ["1/4", "3/4"], "0": ["1/4", "3/4"], "1": ["1/4", "3/4"]},
            "draft": {"": ["1/2", "1/2"]},
        },
        "law": law,
        "missing": {},
        "tolerance": "0/1",
        **shared,
        **changes,
    }
    last = {
        "id": "verdict",
        "kind": "verdict",
        "statement": says["verdict", status],
        "reach": {"arithmetic": ["exact"], "gamma": [1], "vocabulary": [2]},
        "inputs": 1,
        "total_variation": claim["total_variation"],
        **shared,
    }
    return {
        "schema": recheck.SCHEMA,
        "project": recheck.PROJECT,
        "kind": "check",
        "claims": [claim, last],
        "outcome": status,
        "code": CODE,
        "redo": "by hand",
    }


# Keep the draft, whatever it is, and add a token of the target's: the law of two tokens is q p.
EVERYTHING = {"0|0 0": "1/8", "0|0 1": "3/8", "1|1 0": "1/8", "1|1 1": "3/8"}
# Token rule: ratios 1/2 and 1, residual (0, 1).
TOKEN_RULE = {"0|0 0": "1/16", "0|0 1": "3/16", "0|1": "1/4", "1|1 0": "1/8", "1|1 1": "3/8"}


def test_by_hand(tmp_path: Path) -> None:
    assert passes(handmade("biased", EVERYTHING, accepted="1/1", total_variation="1/4"), tmp_path) is not None
    assert passes(handmade("lossless", TOKEN_RULE, accepted="3/4", total_variation="0/1"), tmp_path) is not None


@pytest.mark.parametrize(
    ("status", "law", "changes"),
    [
        ("lossless", EVERYTHING, {"accepted": "1/1", "total_variation": "1/4"}),
        ("lossless", EVERYTHING, {"accepted": "1/1", "total_variation": "0/1"}),
        ("biased", TOKEN_RULE, {"accepted": "3/4", "total_variation": "0/1"}),
        # A dropped path, and weights that are not the draft's.
        (
            "lossless",
            {k: w for k, w in TOKEN_RULE.items() if k != "0|1"},
            {"accepted": "3/4", "total_variation": "0/1"},
        ),
        ("lossless", {"0|0 0": "1/16", "0|0 1": "3/16", "0|1": "3/4"}, {"accepted": "1/4", "total_variation": "0/1"}),
        # The target's own law, from drafts that are none of the draft's.
        ("lossless", {"0|0": "1/4", "0|1": "3/4"}, {"accepted": "0/1", "total_variation": "0/1"}),
        ("lossless", {**TOKEN_RULE, "-1|1": "1/4"}, {"accepted": "3/4", "total_variation": "0/1"}),
        # Emitted tokens that are not the drafted ones.
        ("lossless", {"0|1": "1/2", "1|0 1": "1/8", "1|0 0": "1/8", "1|1": "1/4"}, {"accepted": "1/4"}),
    ],
)
def test_wrong_by_hand(tmp_path: Path, status: str, law: dict[str, str], changes: dict[str, str]) -> None:
    assert passes(handmade(status, law, **{"total_variation": "0/1", **changes}), tmp_path) is None


def test_biased_without_distance(tmp_path: Path) -> None:
    """A breach of structure is biased whatever the law is: the second token was not drafted."""
    law = {"0|0": "1/8", "0|1 0": "3/32", "0|1 1": "9/32", "1|0": "1/8", "1|1": "3/8"}
    assert passes(handmade("biased", law, accepted="3/8", total_variation="0/1"), tmp_path) is not None
    assert passes(handmade("lossless", law, accepted="3/8", total_variation="0/1"), tmp_path) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data.replace(b'"2/3"', b'"4/6"', 1),
        lambda data: data.replace(b'"2/3"', b"0.5", 1),
        lambda data: data.replace(b'"2/3"', b"NaN", 1),
        lambda data: data.replace(b'"2/3"', b"Infinity", 1),
        lambda data: data.replace(b'"2/3"', b"1e400", 1),
        lambda data: data.replace(b"834", b"9" * 5000, 1),
        lambda data: data.replace(b'"kind"', b'"id"', 1),
        lambda data: data.replace(b'"kind": "proof run"', b'"kind": "proof run",\n "kind": "proof run"', 1),
        lambda data: data.replace(b"certificate/1", b"certificate/2"),
        lambda data: data.replace(b"token", "\u0442oken".encode(), 1),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"[" * 100_000,
        lambda data: b'{"a":' * 100_000,
        lambda data: b'"' + b'\\"' * 100_000,
        lambda data: b"null\n",
        lambda data: b'{\n "sha256": 1\n}\n',
        lambda data: data + b"\n",
        lambda data: b" " * (recheck.BYTES + 1),
    ],
)
def test_refused_bytes(documents: Any, change: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cert.json"
    file.write_bytes(change(sealed(documents[1]["run"])))
    assert recheck.main([str(file)]) == 1
    assert capsys.readouterr().out.startswith("REFUSED: ")


@pytest.mark.parametrize(
    "value",
    [
        "1/2 ", "2/4", "1/0", "-0/1", "+1/2", "1/-2", "01/2", "1", "0.5", "1/2/3", "1_0/3", "\u0661/2", 1, None, True,
        ["1/2"], "1" * 5000 + "/3", "1/" + "3" * 5000,
    ],
)  # fmt: skip
def test_refused_numbers(documents: Any, value: Any) -> None:
    directory, found = documents
    document = deepcopy(found["biased"])
    document["claims"][0]["accepted"] = value
    assert passes(document, directory) is None
    document = deepcopy(found["biased"])
    document["claims"][0]["inputs"]["draft"][""][0] = value
    assert passes(document, directory) is None


def test_command(documents: Any, tmp_path: Path) -> None:
    """Copied elsewhere, without this package."""
    alone = tmp_path / "recheck.py"
    alone.write_text(RECHECK.read_text(encoding="ascii"))
    (tmp_path / "cert.json").write_bytes(sealed(documents[1]["biased"]))
    (tmp_path / "rows.json").write_bytes(sealed(documents[1]["rows"]))

    def status(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-I", str(alone), *arguments]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "Traceback" not in run.stderr
        return run.returncode, run.stdout

    assert status("cert.json")[0] == 0
    assert status("cert.json")[1].splitlines()[-1].startswith("not rechecked: 'mine.py', which is not beside")
    assert status()[0] == 2
    assert status("missing.json")[0] == 2
    assert status(".")[0] == 2
    assert status("cert.json", "cert.json")[0] == 2
    (tmp_path / "mine.py").write_text("another file")
    assert status("cert.json")[0] == 1
    assert status("rows.json")[0] == 0  # a row in full is enough
    (tmp_path / "rows.jsonl").write_text("{}")
    assert status("rows.json")[0] == 1


def test_nothing_recomputed(documents: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = deepcopy(documents[1]["rows"])
    (tmp_path / "rows.jsonl").write_text("no rows")
    document["claims"] = document["claims"][1:]
    document["claims"][0]["id"] = "file 1, row 0"
    document["claims"][0]["reach"]["row"] = 0
    document["files"][0] |= {"rows": 1, "sha256": hashlib.sha256(b"no rows").hexdigest()}
    (tmp_path / "cert.json").write_bytes(reseal(document))
    assert recheck.main([str(tmp_path / "cert.json")]) == 5
    assert "rows of 'rows.jsonl'" in capsys.readouterr().out.splitlines()[-1]


# What is not rechecked, by the words that are listed for it.
THIRD = {
    ("redo",): "command to redo it",
    ("code", "function"): "names of function",
    ("code", "name"): "which is not beside",
    ("code", "sha256"): "which is not beside",
    ("keys",): "names of the arrays",
    ("files", 0, "name"): "which is not beside",
    ("files", 0, "sha256"): "which is not beside",
    ("claims", "*", "reach", "name"): "names of function and inputs",
    ("claims", "*", "reasons"): "reasons",
    ("claims", "*", "missing", "key"): "kinds of missing mass",
    ("claims", "*", "tolerance"): "tolerances",
    ("claims", "*", "machine_checked"): "machine-checked sources",
}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from leaves(child, (*path, key))


def parent(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        document = document[key]
    return document


def changed_leaf(value: Any, draw: random.Random) -> Any:
    if isinstance(value, str) and "/" in value and draw.random() < 0.7 and value.replace("/", "").isdigit():
        exact = Fraction(value) + draw.choice([1, -1]) * Fraction(1, draw.choice([1, 2, 3, 8, 10**6]))
        return recheck.text(exact)
    if isinstance(value, str) and value:
        at = draw.randrange(len(value))
        return value[:at] + draw.choice("0123456789abc/- ") + value[at + 1 :]
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, int):
        return draw.choice([value + 1, value - 1, -value, 10 ** draw.randrange(30), bool(value), str(value)])
    return draw.choice([[], {}, None, "1/1", 0])


def mutate(document: Any, draw: random.Random) -> None:
    """Change one thing."""
    path = draw.choice([path for path in leaves(document) if path])
    home, key = parent(document, path), path[-1]
    kind = draw.randrange(9)
    if kind == 0:
        del home[key]
    elif kind == 1 and isinstance(home, list):
        home.insert(draw.randrange(len(home) + 1), deepcopy(home[key]))
    elif kind == 2 and isinstance(home, list):
        draw.shuffle(home)
    elif kind == 3 and isinstance(home, dict):
        renamed = changed_leaf(key, draw)
        home[renamed if isinstance(renamed, str) else "x"] = home.pop(key)
    elif kind == 4:
        apart = [other for other in leaves(document) if other and other[: len(path)] != path != path[: len(other)]]
        other = draw.choice([other for other in apart if path[: len(other)] != other] or [path])
        away = parent(document, other)
        home[key], away[other[-1]] = away[other[-1]], home[key]
    elif kind == 5:
        home[key] = draw.choice([None, True, 1, [], {}, "", "1/1", 1.5, [home[key]], {"": home[key]}])
    elif kind == 6 and isinstance(home[key], dict):
        home[key][draw.choice(["x", "kind", "status", "0|0"])] = draw.choice([0, "1/1", None])
    else:
        home[key] = changed_leaf(home[key], draw)


def differences(one: Any, other: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if type(one) is type(other) is dict:
        for key in {*one, *other}:
            if key in one and key in other:
                yield from differences(one[key], other[key], (*path, key))
            else:
                yield (*path, "key") if path[-1:] == ("missing",) else (*path, key)
    elif type(one) is type(other) is list and len(one) == len(other):
        for at, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            yield from differences(mine, theirs, (*path, at))
    elif recheck.canonical(one) != recheck.canonical(other):
        yield path


def listed(path: tuple[Any, ...], left: dict[str, None], document: Any) -> bool:
    """Tell whether a path is of the third kind, and said to be."""
    if document["kind"] == "rows" and path[:2] == ("claims", 1):  # it holds digests, and the file is away
        return any("which is not beside" in text or "rows of" in text for text in left)
    if document["kind"] == "check" and path[:1] == ("claims",) and path[2:3] in (("inputs",), ("law",)):
        # Another law, or another input, with which all numbers agree: nothing but the code could tell.
        return any("that the code has these laws on these inputs" in text for text in left)
    shape = tuple("*" if at == 1 and path[0] == "claims" else key for at, key in enumerate(path))
    for third, words in THIRD.items():
        if shape[: len(third)] == third:
            return any(words in text for text in left)
    return False


def fuzzed(documents: Any, times: int, seed: int) -> dict[str, int]:
    """Change certificates, and return how often each came through; fail where what changed was not listed."""
    directory, found = documents
    draw, through = random.Random(seed), dict.fromkeys(found, 0)
    originals = {name: json.dumps(document) for name, document in found.items()}
    for at in range(times):
        name = list(found)[at % len(found)]
        document = json.loads(originals[name])
        for _ in range(draw.choice([1, 1, 1, 2])):
            if len(list(leaves(document))) > 1:
                mutate(document, draw)
        changed = list(differences(found[name], document))
        left = passes(document, directory) if changed else None
        if left is not None:
            through[name] += 1
            if changed == [("claims", 0, "machine_checked")] and "machine_checked" not in document["claims"][0]:
                continue  # less is claimed, and that is whole
            assert all(listed(path, left, found[name]) for path in changed), (name, changed)
            if found[name]["kind"] == "check":  # one change of a law or its input alone never agrees with the rest
                assert [path[2:3] in (("inputs",), ("law",)) for path in changed].count(True) != 1, (name, changed)
    return through


def test_ten_thousand_changes(documents: Any) -> None:
    through = fuzzed(documents, 10_000, 7)
    assert through["run"] == 0  # a proof run has nothing of the third kind
    assert 0 < sum(through.values()) < 3_000
