"""The law on integers over a common denominator, held to the exact twin and to enumeration."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import proofs
from proofs import integer_law as module
from proofs.integer_law import integer_law, law_as_given, mixture
from proofs.token_rule import emitted_law
from tests.enumeration import token_rule_law

weights = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=6).filter(
    lambda pairs: any(a for a, _ in pairs) and any(b for _, b in pairs)
)


@given(weights)
@example([(1, 0), (0, 1)])
@example([(2, 3), (4, 6)])
def test_agrees_with_the_exact_twin(pairs: list[tuple[int, int]]) -> None:
    """For all integer weights: alpha, TV and the equality are those of the normalised rows."""
    target, draft = zip(*pairs, strict=True)
    p = [Fraction(w, sum(target)) for w in target]
    q = [Fraction(w, sum(draft)) for w in draft]
    law = integer_law(target, draft)
    twin = proofs.emitted_distribution(p, q)
    assert proofs.exact(law.alpha) == twin.alpha
    assert law.alpha == token_rule_law(p, q)[1]
    assert proofs.exact(law.total_variation) == proofs.total_variation(p, q)
    assert law.law_equals_target is (twin.dist == tuple(map(proofs.exact, p))) is True


def test_equality_is_computed_and_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a wrong minimum the same code says that the law differs."""
    right = module.mixture

    def keeps_everything(p: Any, q: Any, denominator: int) -> module.Mixture:
        return right(q, q, denominator)

    monkeypatch.setattr(module, "mixture", keeps_everything)
    assert not integer_law([1, 7], [4, 4]).law_equals_target


def test_large_integers_do_not_overflow() -> None:
    huge = 10**400
    law = integer_law([huge, 3 * huge], [3, 1])
    assert law.alpha == Fraction(1, 2) == 1 - law.total_variation
    assert law.law_equals_target


@pytest.mark.parametrize(
    ("target", "draft", "message"),
    [
        ([1], [1, 2], "target has 1 tokens and draft has 2"),
        ([0, 0], [1, 2], "target has no mass"),
        ([1], [], "draft has no mass"),
        ([1, 2], [3, -1], r"draft\[1\] is negative"),
    ],
)
def test_bad_weights_are_refused(target: Any, draft: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        integer_law(target, draft)


@given(weights)
def test_rows_as_given_follow_the_formula(pairs: list[tuple[int, int]]) -> None:
    """For all rows over one denominator, whatever their sums: the exact twin's formula without its door."""
    p, q = zip(*pairs, strict=True)
    denominator = 60
    law = law_as_given(p, q, denominator)
    rational_p, rational_q = (tuple(proofs.exact(Fraction(w, denominator)) for w in row) for row in (p, q))
    twin = emitted_law(rational_p, rational_q)
    assert proofs.exact(law.alpha) == twin.alpha
    assert law.law_equals_target is (twin.dist == rational_p)
    parts = mixture(p, q, denominator)
    values = (Fraction(k + parts.scale * e, denominator) for k, e in zip(parts.kept, parts.excess, strict=True))
    assert tuple(map(proofs.exact, values)) == twin.dist
