"""The line of the table that a record makes: neutral words, and the fractions behind what rounding blurs."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from tests.zoo.golden import Record
from tests.zoo.inputs import EDGES
from tests.zoo.judge import tolerance
from tests.zoo.table import Result

__all__ = ["markdown_head", "result_of"]

_VOCABULARY = 3
_SMALL = 4096  # the greatest denominator that is looked for behind rounding
_LONGEST = 12  # characters of a fraction that is shown as it is
_GAMMAS = (1, 2)


def result_of(record: Record) -> Result:
    """Return the line of the table for a record of `tests.zoo.golden`."""
    verdict = record["verdict"]
    if record["edges"] not in (verdict, "not tried"):
        verdict += f"; edge rows: {record['edges']}"
    distances = {gamma: worst for gamma in _GAMMAS if (worst := _worst(record, gamma, "distance")) is not None}
    return Result(record["name"], record["version"], _computes(record), verdict, distances, "; ".join(_notes(record)))


def markdown_head(records: list[Record]) -> str:
    """Return what stands above the table: when it was made, and with what."""
    run = sorted({record["run"] for record in records})
    torch = sorted({record["torch"] for record in records})
    return f"Made by `python -m tests.zoo` on {' and '.join(run)}, torch {' and '.join(torch)}.\n\n" if records else ""


def _usual(record: Record) -> list[Record]:
    edges = {rows.name for rows in EDGES}
    return [case for case in record["cases"] if case["input"] not in edges]


def _worst(record: Record, gamma: int, name: str) -> Fraction | float | None:
    """Return the greatest distance over the usual rows; nothing where a law is not known."""
    of_gamma = [case for case in _usual(record) if case["gamma"] == gamma and name in case]
    if not of_gamma or any(case["status"] == "unverified" for case in of_gamma):
        return None
    worst = max(of_gamma, key=lambda case: Fraction(case[name]))
    return _plain(Fraction(worst[name]), tolerance(worst["length"], _VOCABULARY))


def _plain(distance: Fraction, allowed: Fraction) -> Fraction | float:
    """Return the simplest fraction that differs by rounding alone; a distance that is all rounding as a float."""
    if distance == 0:
        return distance
    for largest in range(1, _SMALL + 1):
        near = distance.limit_denominator(largest)
        if near and abs(near - distance) <= allowed:
            return near
    return float(distance)


def _computes(record: Record) -> str:
    if record["claim"] != "lossless":
        return str(record["claim"]).removeprefix("lossy: ")
    different = [case for case in _usual(record) if case["status"] != "lossless"]
    first = min(different, key=lambda case: (case["gamma"], case["input"]), default=None)
    if first is None:
        return "the target's law"
    if first["status"] == "unverified":
        return "not known in whole"
    return f"another law: {_greatest(first)} [{first['input']}, gamma {first['gamma']}]"


def _greatest(case: Record) -> str:
    """Name the sequence whose probability exceeds the target's most."""
    reason: str = case["reason"].partition(";")[0]
    sequence, _, masses = reason.partition(" has probability ")
    found, _, allowed = masses.partition(", the target's is ")
    return f"{sequence} has {_shown(found)}, the target {_shown(allowed)}"


def _shown(mass: str) -> str:
    mass, _, rounded = mass.partition(" (")
    if rounded:
        return f"{float(mass):.3g}"
    return mass if len(mass) <= _LONGEST else f"{float(Fraction(mass)):.3g}"


def _notes(record: Record) -> Iterator[str]:
    """Yield what the other columns do not say."""
    plain = [worst for gamma in _GAMMAS if (worst := _worst(record, gamma, "plain")) is not None]
    if plain and record["claim"] != "lossless":
        yield f"TV from the target itself: {', '.join(map(_number, plain))}"
    yield from _unverified(record)
    yield from _of_masses(record, "forbidden", "a token of target probability 0 is emitted with probability")
    yield from _of_masses(record, "crashes", "an exception with probability")
    yield from (grid.removesuffix(" of each") for grid in record["grids"] if "swept" in grid)
    if record["nan"]:
        yield f"NaN row: {', '.join(record['nan'])}"


def _number(distance: Fraction | float) -> str:
    return str(distance) if isinstance(distance, Fraction) else f"{distance:.2e}"


def _unverified(record: Record) -> Iterator[str]:
    """Say why a law is not known: what is said of most of the inputs."""
    open_ones = [case for case in record["cases"] if case["status"] == "unverified" and not case["crashes"]]
    reasons = Counter(case["reason"].partition("\n")[0] for case in open_ones)
    yield from (reason for reason, _ in reasons.most_common(1))


def _of_masses(record: Record, name: str, words: str) -> Iterator[str]:
    """Say how much there is of it in the case that has the most."""
    with_some = [case for case in record["cases"] if case[name]]
    if not with_some:
        return
    most = max(with_some, key=lambda case: sum(map(Fraction, case[name].values())))
    mass = sum(map(Fraction, most[name].values()), Fraction(0))
    who = f" ({', '.join(most[name])})" if name == "crashes" else ""
    yield f"{words} {_shown(str(mass))}{who} [{most['input']}, gamma {most['gamma']}]"
