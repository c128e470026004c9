"""What a run of the zoo found, as JSON lines: written, read, and compared with what was found before.

`expected.jsonl` holds what is expected. A run agrees with it if version, words, forbidden outcomes, crashes and what
happens on a row of NaN are the same, and distances differ by no more than rounding in float32 explains: logarithms
differ in their last bits from processor to processor.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from proofs.verdicts import Outcome, Status, combine, decide_within
from tests.zoo.confirm import Confirmation
from tests.zoo.inputs import EDGES
from tests.zoo.judge import Case, tolerance
from tests.zoo.records import Adapter

__all__ = ["EXPECTED", "Record", "differences", "read_records", "record_of", "word", "written"]

EXPECTED = Path(__file__).with_name("expected.jsonl")

Record: TypeAlias = dict[str, Any]

_VOCABULARY = 3
_SAME = ("version", "claim", "verdict", "edges", "nan")
_CASE_SAME = ("status", "forbidden", "crashes")
_AS_DECLARED = {
    Outcome.AS_CLAIMED: "as declared",
    Outcome.DIFFERS: "not as declared",
    Outcome.UNVERIFIED: "unverified",
}


def word(adapter: Adapter, cases: Sequence[Case]) -> str:
    """Return the verdict over some inputs: one of the three words, or for a lossy mode whether it is what it declares.

    A mode that is lossy on purpose and says by which law is held to that law, within rounding. One that does not say
    is held to the target's, and where it differs, that is what it declares.
    """
    if not cases:
        return "not tried"
    status = combine(case.status for case in cases)
    if adapter.claim == "lossless":
        return status.value
    if adapter.declared is None:
        return {Status.BIASED: "another law, as declared", Status.LOSSLESS: "the target's law here"}.get(
            status, status.value
        )
    worst = max(cases, key=lambda case: case.distance - tolerance(case.length, _VOCABULARY))
    held = decide_within(
        worst.distance,
        tolerance(worst.length, _VOCABULARY),
        missing=sum((case.missing for case in cases), Fraction(0)),
        reasons=[case.reason for case in cases if case.status is Status.UNVERIFIED],
    )
    forbidden = any(case.forbidden for case in cases)
    return _AS_DECLARED[Outcome.DIFFERS if forbidden else held]


def record_of(
    adapter: Adapter, cases: Sequence[Case], confirmed: Mapping[tuple[str, int], Confirmation], nan: Sequence[str]
) -> Record:
    """Return what was found about one adapter."""
    edges = {rows.name for rows in EDGES}
    return {
        "key": adapter.key,
        "name": adapter.name,
        "package": adapter.package.partition("==")[0],
        "version": adapter.version(),
        "claim": adapter.claim,
        "verdict": word(adapter, [case for case in cases if case.input not in edges]),
        "edges": word(adapter, [case for case in cases if case.input in edges]),
        "grids": sorted({grid for case in cases for grid in case.grids}),
        "nan": list(nan),
        "cases": [_case(case) for case in cases],
        "confirmed": [
            {"input": name, "gamma": gamma, **_confirmation(found)} for (name, gamma), found in confirmed.items()
        ],
    }


def _case(case: Case) -> Record:
    found: Record = {"input": case.input, "gamma": case.gamma, "length": case.length, "status": case.status.value}
    found["distance"] = str(case.distance)
    if case.plain is not None:
        found["plain"] = str(case.plain)
    if case.reason and case.status is not Status.LOSSLESS:
        found["reason"] = case.reason
    if case.distance > tolerance(case.length, _VOCABULARY):
        found["law"] = _masses(case.law)
    found["forbidden"], found["crashes"] = _masses(case.forbidden), _masses(case.crashes)
    return found


def _masses(law: Mapping[Any, Fraction]) -> dict[str, str]:
    return {" ".join(map(str, y)) if isinstance(y, tuple) else y: str(law[y]) for y in sorted(law)}


def _confirmation(found: Confirmation) -> Record:
    if found.unknown:
        return {"unknown": found.unknown}
    rare = {} if found.provoked is None else {"at coin 0": found.provoked}
    return {"draws": found.draws, "sigma": round(found.sigma, 2), "agrees": found.agrees, **rare}


def written(records: Iterable[Record]) -> str:
    """Return records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def read_records(path: Path) -> dict[str, Record]:
    """Return the records of a file by key; none where there is no file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {record["key"]: record for record in map(json.loads, lines)}


def differences(found: Record, expected: Record | None) -> list[str]:
    """Return what of a record is not as expected, one line each.

    Parameters
    ----------
    found, expected : dict
        `expected` is None where nothing is.

    Returns
    -------
    list of str
        Empty if they agree; it says too where the simulation does not confirm what was found.
    """
    key = found["key"]
    told = [f"{key}: the simulation does not agree, {each}" for each in found["confirmed"] if not _holds(each)]
    if expected is None:
        return [*told, f"{key}: nothing is expected yet; python -m tests.zoo {key} --update writes it"]
    told += [
        f"{key}: {name} is {found[name]!r}, expected {expected[name]!r}"
        for name in _SAME
        if found[name] != expected[name]
    ]
    before = {(case["input"], case["gamma"]): case for case in expected["cases"]}
    for case in found["cases"]:
        told += [f"{key}: {line}" for line in _case_differences(case, before.pop((case["input"], case["gamma"]), None))]
    return told + [f"{key}: {name}, gamma {gamma} was not tried" for name, gamma in before]


def _holds(confirmed: Record) -> bool:
    return confirmed.get("agrees") is not False and confirmed.get("at coin 0") is not False


def _case_differences(found: Record, expected: Record | None) -> list[str]:
    place = f"{found['input']}, gamma {found['gamma']}"
    if expected is None:
        return [f"{place} is not expected"]
    told = [
        f"{place}: {name} is {found[name]!r}, expected {expected[name]!r}"
        for name in _CASE_SAME
        if not _alike(found[name], expected[name])
    ]
    allowed = tolerance(found["length"], _VOCABULARY)
    for name in ("distance", "plain"):
        here, before = (Fraction(case.get(name, 0)) for case in (found, expected))
        if abs(here - before) > allowed:
            told.append(f"{place}: {name} is {here}, expected {before}")
    return told


def _alike(here: Any, before: Any) -> bool:
    """Words must be the same; masses those of the same outcomes, but for rounding, in proportion."""
    if isinstance(here, str) or here.keys() != before.keys():
        return bool(here == before)
    return all(abs(Fraction(here[y]) - Fraction(before[y])) <= Fraction(before[y]) / 2**16 for y in here)
