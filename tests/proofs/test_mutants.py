"""The mutants do what they are said to do: their exact laws on the classical pairs."""

import re
from typing import Any

import pytest
from sympy import Rational

import proofs
from proofs.domains import NAMED
from proofs.mutants import MUTANTS, Mutant
from proofs.rule import law_of_sampler

BY_ID = {mutant.id: mutant for mutant in MUTANTS}
B0 = NAMED["B0"]

# Laws on B0, computed by hand.
LAWS = {
    "accept_everything": ("1/2", "1/4", "1/4"),
    "greedy_drafter": ("1/4", "1/4", "1/2"),
    "resample_from_p": ("11/64", "25/64", "7/16"),
    "residual_at_drafted_token": ("1/8", "23/56", "13/28"),
    "inverted_ratio": ("1/2", "17/72", "19/72"),
    "absolute_residual": ("5/16", "5/16", "3/8"),
    "reversed_residual": ("1/2", "1/4", "1/4"),
    "argmax_residual": ("1/8", "1/4", "5/8"),
    "unnormalised_residual": ("1/8", "19/64", "11/32"),
    "keep_iff_p_covers_q": ("1/8", "3/8", "1/2"),
    "zero_residual": ("1/8", "3/8", "1/2"),
    "uniform_residual": ("1/8", "3/8", "1/2"),
    "zero_ratio": ("1/8", "3/8", "1/2"),
}
ALPHAS = {
    "keep_iff_p_covers_q": "1/2",
    "match_acceptance": "9/32",
    "mean_ratio": "3/4",
    "target_weighted_ratio": "29/32",
    "clipped_ratio": "31/50",
    "accept_everything": "1",
}


def _exact(values: Any) -> tuple[Rational, ...]:
    return tuple(map(proofs.exact, values))


@pytest.mark.parametrize("name", LAWS)
def test_golden_law(name: str) -> None:
    rule = BY_ID[name].rule
    assert rule.emitted_distribution(B0.p, B0.q).dist == _exact(LAWS[name])
    assert law_of_sampler(rule.sampler, B0.p, B0.q).dist == _exact(LAWS[name])


def test_emission_without_the_factor_has_too_much_mass() -> None:
    rule = BY_ID["unscaled_replacement"].rule
    assert rule.emitted_distribution(B0.p, B0.q).dist == _exact(("1/8", "7/12", "11/12"))
    assert law_of_sampler(rule.sampler, B0.p, B0.q).dist == B0.p


@pytest.mark.parametrize("name", ALPHAS)
def test_golden_alpha(name: str) -> None:
    assert BY_ID[name].rule.emitted_distribution(B0.p, B0.q).alpha == proofs.exact(ALPHAS[name])


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_entry_is_complete(mutant: Mutant) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", mutant.id)
    assert mutant.fault
    assert mutant.source
    assert (mutant.fault + mutant.source).isascii()


def test_every_fault_of_the_family_is_there() -> None:
    assert len(MUTANTS) == len(BY_ID) == 27
