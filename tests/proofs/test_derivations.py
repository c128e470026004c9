"""The proofs for every V: they go through for the token rule and for no wrong kernel."""

from itertools import product

import pytest
from sympy import Expr, Rational, S, cancel

from proofs import derivations, token_rule
from proofs.induction import Traced, plain, token_cases
from proofs.mutants import MUTANTS
from proofs.rule import KERNEL, Kernel
from proofs.theorems import THEOREMS, Theorem

KERNELS = {mutant.id: mutant.kernel for mutant in MUTANTS if mutant.kernel is not None}


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_proof_is_complete(theorem: Theorem) -> None:
    proof = theorem.prove(KERNEL)
    assert proof.complete, proof.failed
    assert len(proof.goals) >= 3
    assert proof.words


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_proof_fails_for_every_kernel_that_breaks_the_theorem(theorem: Theorem) -> None:
    broken = [name for name in theorem.refutes if name in KERNELS]
    for name in broken:
        kernel = KERNELS[name]
        assert kernel is not None
        assert not theorem.prove(kernel).complete, name


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_proof_goes_through_only_where_the_theorem_holds_on_the_grid(theorem: Theorem) -> None:
    """For all kernels of mutants: proved implies not refuted."""
    for name, kernel in KERNELS.items():
        assert kernel is not None
        if theorem.prove(kernel).complete:
            assert name not in theorem.refutes


@pytest.mark.parametrize("vocabulary", [1, 2, 3])
def test_functions_of_rows_are_folds_of_the_functions_that_were_proved(vocabulary: int) -> None:
    """For V up to 3 and every case of every token: the row functions, run on symbols, are those folds.

    For larger V this is the step that the proofs argue in words.
    """
    for tokens in product(*(token_cases(str(at)) for at in range(vocabulary))):
        divisors: list[Expr] = []
        p = tuple(Traced(token.p, divisors) for token in tokens)
        q = tuple(Traced(token.q, divisors) for token in tokens)
        accept = [token_rule.accept_token(a, b) for a, b in zip(p, q, strict=True)]
        excess = [token_rule.excess_token(a, b) for a, b in zip(p, q, strict=True)]
        mass = sum(map(plain, excess), S.Zero)
        rejected = sum((plain(b) * (1 - plain(a)) for a, b in zip(accept, q, strict=True)), S.Zero)
        replaced = [token_rule.replace_token(a, e, Traced(mass, divisors)) for a, e in zip(p, excess, strict=True)]
        law = token_rule.emitted_law(p, q)
        assert all(divisor.is_positive for divisor in divisors)
        assert cancel(plain(law.alpha) - sum(plain(b) * plain(a) for a, b in zip(accept, q, strict=True))) == 0
        for b, a, r, got in zip(q, accept, replaced, law.dist, strict=True):
            expected = token_rule.emit_token(plain(b), plain(a), rejected, plain(r))
            assert cancel(plain(got) - expected) == 0


def test_right_law_with_another_acceptance_is_proved_lossless() -> None:
    """Control: 'keep iff p >= q' with its own residual is lossless; its alpha is not 1 - TV."""
    kernel = KERNELS["keep_iff_p_covers_q"]
    assert kernel is not None
    assert derivations.lossless(kernel).complete
    assert not derivations.alpha_is_one_minus_tv(kernel).complete


def test_unreachable_residual_does_not_cost_the_proof_of_lossless() -> None:
    """Control: what the residual is where p = q is never emitted."""
    kernel = KERNELS["zero_residual"]
    assert kernel is not None
    assert derivations.lossless(kernel).complete
    assert not derivations.distribution(kernel).complete


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel(accept=lambda p, q: p / q if p < q else S.One, excess=lambda p, q: S.Zero),
        Kernel(accept=lambda p, q: min(S.One, p / q)),  # divides by q where q may be zero
        Kernel(replace=lambda p, excess, mass: excess / mass),  # 0 / 0 where p = q
        Kernel(emit=lambda q, accept, rejected, replacement: q * accept + replacement),
        Kernel(emit=lambda q, accept, rejected, replacement: S.NaN),
        Kernel(accept=lambda p, q: S.One if q <= p else p / q + Rational(1, 10**9)),
        Kernel(accept=lambda p, q: S.One if q <= p else p / q * S.Half),
    ],
)
def test_more_wrong_kernels_are_not_proved_lossless(kernel: Kernel) -> None:
    assert not derivations.lossless(kernel).complete
