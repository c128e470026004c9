"""Weights hold exact values, whatever counts with them, and leave as fractions."""

import builtins
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from proofs.engine import weights
from proofs.engine.weights import ONE, ZERO, is_weight, to_fraction, weight

LARGE = Fraction(2**200 + 1, 3**99)
VALUES = [
    (3, Fraction(3)), (True, Fraction(1)), (-7, Fraction(-7)), (2**200, Fraction(2**200)), (LARGE, LARGE),
    (0.1, Fraction(3602879701896397, 2**55)), (-0.0, Fraction(0)), (5e-324, Fraction(1, 2**1074)),
    (np.int8(-3), Fraction(-3)), (np.float32(0.1), Fraction(13421773, 2**27)), (Decimal("0.1"), Fraction(1, 10)),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_weight_is_the_exact_value_and_leaves_as_it(value: Any, expected: Fraction) -> None:
    found = weight(value)
    assert is_weight(found)
    assert weight(found) is found
    assert to_fraction(found) == expected
    assert type(to_fraction(found)) is Fraction
    assert {type(to_fraction(found).numerator), type(to_fraction(found).denominator)} == {int}


def test_weights_count_exactly() -> None:
    third = weight(Fraction(1, 3))
    assert to_fraction(third + third * third / 2 - ONE) == Fraction(-11, 18)
    assert third - third == ZERO
    assert 3 * third == ONE
    assert ZERO < third < ONE


@pytest.mark.parametrize("value", ["1/2", None, 1j, [1]])
def test_what_has_no_exact_value_is_named(value: Any) -> None:
    with pytest.raises(TypeError, match="is no number with an exact value"):
        weight(value)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), np.float64("-inf")])
def test_infinity_and_nan_are_pythons_errors(value: float) -> None:
    with pytest.raises((OverflowError, ValueError)):
        weight(value)


def test_other_numbers_are_no_weights() -> None:
    assert not any(is_weight(value) for value in (0.5, "1", None))


@pytest.fixture
def without_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = builtins.__import__

    def load(name: str, *rest: Any) -> ModuleType:
        if name in ("gmpy2", "flint"):
            raise ModuleNotFoundError(name)
        return whole(name, *rest)

    monkeypatch.setattr(builtins, "__import__", load)
    for name in ("gmpy2", "flint"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("without_libraries")
def test_without_libraries_fractions_count() -> None:
    kind, make, leave = weights._backend()
    assert kind is Fraction
    assert leave(make(6, 4)) == Fraction(3, 2)


@pytest.mark.parametrize("name", ["gmpy2", "flint"])
def test_each_library_counts_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(name)
    whole = builtins.__import__

    def load(wanted: str, *rest: Any) -> ModuleType:
        if wanted in ("gmpy2", "flint") and wanted != name:
            raise ModuleNotFoundError(wanted)
        return whole(wanted, *rest)

    monkeypatch.setattr(builtins, "__import__", load)
    kind, make, leave = weights._backend()
    assert kind.__module__.partition(".")[0] == name
    found: Any = make(LARGE.numerator, LARGE.denominator)
    assert (leave(found), type(leave(found))) == (LARGE, Fraction)
    assert leave(found * 3 - 1) == LARGE * 3 - 1
    assert type(found) is kind


LAWS = """
import sys
for name in {hidden}:
    sys.modules[name] = None
import proofs
from proofs.engine.weights import ONE
from tests.verifiers.chains import scalar_loop, vectorised_searchsorted

def retries(rng):
    count = 0
    while rng.random() < 1 / 3 and count < 5:
        count += 1
    return count, int(rng.choice(3, p=[0.5, 0.25, 0.25])), int(([1, 2, 3] / rng.exponential(size=3)).argmax())

print(proofs.law(retries))
for verify in (scalar_loop, vectorised_searchsorted):
    for arithmetic in ("exact", "float64"):
        verdict = proofs.check(verify, arithmetic=arithmetic, paths=0)
        print(verdict.status, verdict.scope, verdict.worst, verdict.acceptance)
print(type(ONE).__module__, file=sys.stderr)
"""


def _run(hidden: list[str]) -> tuple[str, str]:
    code = LAWS.format(hidden=hidden)
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return run.stdout, run.stderr.strip()


def test_laws_and_verdicts_are_the_same_with_fractions_alone() -> None:
    """The whole engine, in two interpreters."""
    fast, library = _run([])
    slow, plain = _run(["gmpy2", "flint"])
    assert (library, plain) == ("gmpy2", "fractions")
    assert fast == slow
    assert "lossless" in fast
