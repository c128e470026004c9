"""The grids of the theorems about siblings are what they say."""

from proofs.domains import NAMED
from proofs.families import siblings


def test_grids_have_the_cases_that_they_name() -> None:
    pairs = list(siblings.PAIRS.grid())
    assert len(pairs) == 1 + 5**2 + 10**2 + len(NAMED)
    assert {(case.p, case.q) for case in NAMED.values()} <= {(case.p, case.q) for case in pairs}
    assert len(list(siblings.SIBLINGS.grid())) == 3 * len(pairs)
    assert len(list(siblings.RHO.grid())) == 8 * len(pairs)


def test_grids_begin_with_the_smallest_case() -> None:
    for theorem in siblings.THEOREMS:
        sizes = [case.size for case in theorem.domain.grid()]
        assert sizes[0][0] == 1


def test_candidates_repeat() -> None:
    tokens = {case.extra[0] for case in siblings.CANDIDATES.grid()}
    assert {(), (0, 0), (1, 0, 1), (2, 1)} <= tokens
