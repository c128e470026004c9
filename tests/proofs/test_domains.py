"""The grids are what they are said to be, in the order that makes witnesses small."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from sympy import S

from proofs import domains
from proofs.cases import Case
from proofs.distributions import Row
from proofs.domains import Domain
from tests import enumeration


def _fractions(row: Row) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(x.p), int(x.q)) for x in row)


def test_grid_is_every_pair_and_nothing_twice() -> None:
    """k/6 at V = 1, 2, 3: 1 + 7 * 7 + 28 * 28 pairs."""
    expected = {pair for vocabulary in (1, 2, 3) for pair in product(enumeration.rows(vocabulary, 6), repeat=2)}
    cases = [(_fractions(case.p), _fractions(case.q)) for case in domains.PAIRS.grid()]
    assert len(cases) == len(expected) == 834
    assert set(cases) == expected


def test_smallest_cases_come_first() -> None:
    cases = list(domains.PAIRS.grid())
    assert [len(case.p) for case in cases] == sorted(len(case.p) for case in cases)
    denominators = [max(x.q for x in (*case.p, *case.q)) for case in cases if len(case.p) == 3]
    assert denominators == sorted(denominators)


CONDITIONS: dict[str, Callable[[Case], bool]] = {
    "EQUAL": lambda case: case.p == case.q,
    "DRAFT_ZERO": lambda case: any(x == 0 for x in case.q),
    "TARGET_ZERO": lambda case: any(x == 0 for x in case.p),
    "DISJOINT": lambda case: all(a * b == 0 for a, b in zip(case.p, case.q, strict=True)),
    "ONE_HOT_DRAFT": lambda case: max(case.q) == 1,
    "ONE_HOT_TARGET": lambda case: max(case.p) == 1,
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_special_domain_is_every_pair_of_the_grid_with_the_property(name: str) -> None:
    domain: Domain = getattr(domains, name)
    assert list(domain.grid()) == [case for case in domains.PAIRS.grid() if CONDITIONS[name](case)]
    assert list(domain.grid())


def test_couplings_are_every_table_with_its_marginals() -> None:
    """Tables of sixths: 1 at V = 1, C(9, 3) = 84 at V = 2, C(14, 8) = 3003 at V = 3."""
    cases = list(domains.COUPLINGS.grid())
    assert len(cases) == len(set(cases)) == 1 + 84 + 3003
    for case in cases:
        size = len(case.p)
        assert sum(map(sum, case.extra)) == 1
        assert all(case.q[x] == sum(case.extra[x]) for x in range(size))
        assert all(case.p[y] == sum(case.extra[x][y] for x in range(size)) for y in range(size))


def test_acceptances_hold_every_vector_that_is_promised() -> None:
    cases = list(domains.ACCEPTANCES.grid())
    assert len(cases) == len(set(cases)) == 1 * 3 + 49 * 5 + 784 * 9
    assert {x for case in cases for x in case.extra} == {0, 1, S.Half}


def test_named_pairs_are_the_classical_ones() -> None:
    for name, (p, q) in enumeration.NAMED.items():
        assert (_fractions(domains.NAMED[name].p), _fractions(domains.NAMED[name].q)) == (p, q)
    assert domains.NAMED.keys() == enumeration.NAMED.keys()
