"""The proofs for every V: they go through for the token rule and for no wrong kernel."""

import pytest
from sympy import Rational, S

from proofs import derivations
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
