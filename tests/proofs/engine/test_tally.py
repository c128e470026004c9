"""Where the mass of a path goes: to an outcome, a crash, or what is lost; and none of it gets away."""

from fractions import Fraction

import pytest

from proofs.engine.choices import Arithmetic, Path, Step
from proofs.engine.laws import Crash
from proofs.engine.signals import Kind, Mark
from proofs.engine.swept import Lost, Swept
from proofs.engine.tally import Crashed, Found
from proofs.engine.weights import weight

HALF = Fraction(1, 2)


def _path(*, given_up: bool = False, kind: Kind = Kind.NOTE) -> Path:
    path = Path((Step(0, 2, weight(HALF), weight(HALF)),), Arithmetic.FLOAT64, 100)
    path.branch((weight(HALF), weight(HALF)))
    path.given_up = given_up
    path.marks.append(Mark(kind, "why", ""))
    return path


def test_a_path_has_its_mass_in_one_place() -> None:
    found = Found()
    for path, outcome in ((_path(), "a"), (_path(), "a"), (_path(), Crashed(ValueError()))):
        found.add(path, outcome)
    found.add(_path(given_up=True), "a")
    found.add(_path(kind=Kind.REFUSED), Crashed(ValueError()))
    law = found.law()
    assert dict(law) == {"a": 1}
    assert law.crashes == (Crash("ValueError", "", HALF),)
    assert (law.remaining, law.refused) == (HALF, HALF)


def test_a_swept_path_is_shared_out() -> None:
    found = Found()
    shares = {"a": HALF, Crashed(KeyError()): HALF / 4, Lost.KEPT_OUT: HALF / 4, Lost.GIVEN_UP: HALF / 2}
    found.add_swept(_path(), Swept(shares, {"a": (HALF,), Crashed(KeyError()): (HALF,)}, 7))
    found.paths = 1
    law = found.law()
    assert dict(law) == {"a": HALF / 2}
    assert (law.crashes[0].probability, law.refused, law.remaining) == (HALF / 8, HALF / 8, HALF / 4)
    assert law.total + law.crashes[0].probability + law.refused + law.remaining == HALF
    assert (law.coins, law.paths) == ({"a": (HALF,)}, 8)


@pytest.mark.parametrize(("other", "same"), [(ValueError("x"), True), (TypeError(), False), ("ValueError", False)])
def test_crashes_are_equal_by_their_type(other: object, same: bool) -> None:
    crash = Crashed(other) if isinstance(other, BaseException) else other
    assert (Crashed(ValueError()) == crash) is same
    assert not same or hash(crash) == hash(Crashed(ValueError()))
