"""The proofs for every V: they go through for the token rule and for no wrong kernel."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sympy import Float, Rational, S, cancel

from proofs import derivations, token_rule
from proofs.induction import Proof, Trace, Traced, plain, token_cases
from proofs.mutants import MUTANTS
from proofs.rule import KERNEL, Kernel
from proofs.theorems import THEOREMS, Theorem

DATA = Path(__file__).parents[1] / "data"


def _prove(theorem: Theorem, kernel: Kernel) -> Proof:
    """Every theorem of the token rule has a derivation."""
    assert theorem.prove is not None
    return theorem.prove(kernel)


KERNELS = {mutant.id: mutant.kernel for mutant in MUTANTS if mutant.kernel is not None}


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_proof_is_complete(theorem: Theorem) -> None:
    proof = _prove(theorem, KERNEL)
    assert proof.complete, proof.failed
    assert len(proof.goals) >= 3
    assert proof.words


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_proof_fails_for_every_kernel_that_breaks_the_theorem(theorem: Theorem) -> None:
    broken = [name for name in theorem.refutes if name in KERNELS]
    for name in broken:
        kernel = KERNELS[name]
        assert kernel is not None
        assert not _prove(theorem, kernel).complete, name


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_proof_goes_through_only_where_the_theorem_holds_on_the_grid(theorem: Theorem) -> None:
    """For all kernels of mutants: proved implies not refuted."""
    for name, kernel in KERNELS.items():
        assert kernel is not None
        if _prove(theorem, kernel).complete:
            assert name not in theorem.refutes


@pytest.mark.parametrize("vocabulary", [1, 2, 3])
def test_functions_of_rows_are_folds_of_the_functions_that_were_proved(vocabulary: int) -> None:
    """For V up to 3 and every case of every token: the row functions, run on symbols, are those folds.

    For larger V this is the step that the proofs argue in words.
    """
    for tokens in product(*(token_cases(str(at)) for at in range(vocabulary))):
        trace = Trace()
        p = tuple(Traced(token.p, trace) for token in tokens)
        q = tuple(Traced(token.q, trace) for token in tokens)
        accept = [token_rule.accept_token(a, b) for a, b in zip(p, q, strict=True)]
        excess = [token_rule.excess_token(a, b) for a, b in zip(p, q, strict=True)]
        mass = sum(map(plain, excess), S.Zero)
        rejected = sum((plain(b) * (1 - plain(a)) for a, b in zip(accept, q, strict=True)), S.Zero)
        replaced = [token_rule.replace_token(a, e, Traced(mass, trace)) for a, e in zip(p, excess, strict=True)]
        law = token_rule.emitted_law(p, q)
        assert all(divisor.is_positive for divisor in trace.divisors)
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


def _ratio(p: Any, q: Any) -> Any:
    return S.One if q <= p else p / q


def _excess(p: Any, q: Any) -> Any:
    return p - q if q < p else S.Zero


FALSE: list[tuple[str, Kernel]] = [
    ("lossless", Kernel(accept=lambda p, q: p / q if p < q else S.One, excess=lambda p, q: S.Zero)),
    ("lossless", Kernel(accept=lambda p, q: min(S.One, p / q))),  # divides by q where q may be zero
    ("lossless", Kernel(replace=lambda p, excess, mass: excess / mass)),  # 0 / 0 where p = q
    ("lossless", Kernel(emit=lambda q, accept, rejected, replacement: S.NaN)),
    ("lossless", Kernel(accept=lambda p, q: S.One if q <= p else p / q + Rational(1, 10**9))),
    ("lossless", Kernel(accept=lambda p, q: S.One if q <= p else p / q * S.Half)),
    # Truth of a symbolic zero: wrong where p = 0, at ties, where nothing is rejected.
    ("lossless", Kernel(accept=lambda p, q: _ratio(p, q) if p else S.Half)),
    ("lossless", Kernel(accept=lambda p, q: _ratio(p, q) if p - q else S.Zero)),
    ("lossless", Kernel(excess=lambda p, q: _excess(p, q) if p - q else S.One)),
    ("lossless", Kernel(emit=lambda q, a, rejected, r: q * a + rejected * r if rejected else S.Zero)),
    ("distribution", Kernel(replace=lambda p, e, mass: (e / mass if mass != 0 else p) if mass else S.Zero)),
    ("completion", Kernel(complete=lambda p, s, j: (s / j if j != 0 else p) if s else S.One)),
    ("completion", Kernel(shortfall=lambda p, q, a: p - q * a if p - q * a else -S.One)),
    ("optimal", Kernel(joint=lambda q, a, r, same: (q * a if same else 0) + q * (1 - a) * r if r else q)),
    # Two faults that make up for each other in one formula and not in the sampler.
    (
        "lossless",
        Kernel(
            replace=lambda p, e, mass: 2 * e / mass if mass != 0 else p,
            emit=lambda q, a, rejected, r: q * a + rejected * r / 2,
        ),
    ),
    ("lossless", Kernel(replace=lambda p, e, mass: p, emit=lambda q, a, rejected, r: r)),
    ("alpha_is_one_minus_tv", Kernel(accept=lambda p, q: S.One, distance=lambda p, q: p - q)),
    ("alpha_is_one_minus_tv", Kernel(accept=lambda p, q: S.Zero, distance=lambda p, q: p + q)),
    ("alpha_is_one_minus_tv", Kernel(accept=lambda p, q: S.Half, distance=lambda p, q: p)),
    # A keep-probability that is none.
    ("lossless", Kernel(accept=lambda p, q: p / q if q != 0 else S.One, excess=lambda p, q: p if q == 0 else S.Zero)),
    ("lossless", Kernel(accept=lambda p, q: -S.One, excess=lambda p, q: p + q)),
    ("closed_form_is_sampler", Kernel(accept=lambda p, q: Rational(42))),
    # Values that are not exact.
    ("lossless", Kernel(accept=lambda p, q: 1.0 if q <= p else p / q)),
    ("lossless", Kernel(excess=lambda p, q: _excess(p, q) + Float("1e-17") * _excess(p, q))),
    ("lossless", Kernel(accept=lambda p, q: "1" if q <= p else p / q)),
    ("identical_draft", Kernel(replace=lambda p, e, mass: e / mass if mass != 0 else S.NaN)),
]


@pytest.mark.parametrize(("theorem", "kernel"), FALSE, ids=[f"{name}-{at}" for at, (name, _) in enumerate(FALSE)])
def test_what_is_false_of_a_kernel_is_not_proved(theorem: str, kernel: Kernel) -> None:
    proof = getattr(derivations, theorem)(kernel)
    assert not proof.complete


RIGHT = [
    Kernel(accept=lambda p, q: S.One if q == 0 else min(S.One, p / q)),
    Kernel(accept=lambda p, q: min(p, q) / q if q else S.One),
    Kernel(excess=lambda p, q: max(p - q, 0)),
    Kernel(excess=lambda p, q: (abs(p - q) + p - q) / 2),
    Kernel(replace=lambda p, excess, mass: excess / mass if mass else p),
    Kernel(distance=lambda p, q: abs(p - q)),
    Kernel(emit=lambda q, accept, rejected, replacement: replacement * rejected + accept * q),
]


@pytest.mark.parametrize("kernel", RIGHT, ids=range(len(RIGHT)))
@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_right_kernel_in_another_style_is_proved(theorem: Theorem, kernel: Kernel) -> None:
    """No false alarm: the same functions written otherwise."""
    proof = _prove(theorem, kernel)
    assert proof.complete, proof.failed


def test_goals_are_the_recorded_ones() -> None:
    """A goal that is dropped or emptied shows here; the file is read when a proof is read."""
    recorded = (DATA / "goals.txt").read_text(encoding="ascii")
    assert "\n".join(_goal_lines()) + "\n" == recorded


def _goal_lines() -> list[str]:
    return [f"{theorem.id}: {goal.claim}" for theorem in THEOREMS for goal in _prove(theorem, KERNEL).goals]
