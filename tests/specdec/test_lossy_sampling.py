"""Lossy verifiers: the engine finds the law that the rule declares, in exact arithmetic and in floats."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

import proofs
from proofs import lossy_rules
from specdec import lossy_sampling
from specdec.errors import NotADistributionError, ShapeError, SpecdecError, TokenError
from tests import lossy_enumeration as brute
from tests.enumeration import NAMED

Declare = Callable[[Any, Any], Any]
THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


def _declared(rule: Callable[..., Any], arguments: tuple[Any, ...], bonus: Callable[[Any], Any]) -> Declare:
    """What the rule declares at a position: its law, and at the bonus, where there is no draft, another row."""

    def declare(target: Any, draft: Any) -> Any:
        if draft is None:
            return bonus(target)
        return [Fraction(int(x.p), int(x.q)) for x in rule(target, draft, *arguments).dist]

    return declare


def _own(row: Any) -> Any:
    return row


def _top(row: Any) -> Any:
    return [Fraction(x == list(row).index(max(row))) for x in range(len(row))]


EXACT: dict[str, tuple[Callable[..., Any], Declare]] = {
    "lenience": (
        partial(lossy_sampling.verify_lenience, leniency=Fraction(3, 4)),
        _declared(lossy_rules.lenience, ("3/4",), _own),
    ),
    "lenience, scaled": (
        partial(lossy_sampling.verify_lenience, leniency=HALF, residual="scaled"),
        _declared(lossy_rules.lenience, (HALF, "scaled"), _own),
    ),
    "synthetic": (
        partial(lossy_sampling.verify_synthetic, rate=THIRD),
        _declared(lossy_rules.synthetic, (THIRD,), _own),
    ),
    "ensemble": (
        partial(lossy_sampling.verify_ensemble, weight=THIRD),
        _declared(lossy_rules.ensemble, (THIRD,), _own),
    ),
    "cascade": (
        partial(lossy_sampling.verify_cascade, declare=lambda p, q: q if q.max() > p.max() else p),
        _declared(lambda p, q: lossy_rules.cascade(p, q if max(q) > max(p) else p, q), (), _own),
    ),
    "SGLang thresholds": (
        partial(lossy_sampling.verify_sglang_thresholds, threshold_single=Fraction(5, 8), threshold_acc=Fraction(3, 4)),
        _declared(lossy_rules.sglang_thresholds, ("5/8", "3/4"), _own),
    ),
    "relaxed": (
        partial(lossy_sampling.verify_relaxed, top_n=2, delta=Fraction(1, 8)),
        _declared(lossy_rules.relaxed, (2, "1/8"), _top),
    ),
    "relaxed, target": (
        partial(lossy_sampling.verify_relaxed, top_n=2, delta=Fraction(1, 8), replacement="target"),
        _declared(lossy_rules.relaxed, (2, "1/8", "target"), _own),
    ),
}


@pytest.mark.parametrize("gamma", [0, 1, 2])
@pytest.mark.parametrize("name", EXACT)
def test_law_of_the_verifier_is_the_declared_one(name: str, gamma: int) -> None:
    """On the core battery, exactly: one call and then the declared rows give the declared law of gamma + 1 tokens."""
    verify, declare = EXACT[name]
    verdict = proofs.check(verify, gamma=gamma, arithmetic="exact", target_of=declare, paths=0)
    assert verdict, verdict


@pytest.mark.parametrize("name", EXACT)
def test_law_is_the_declared_one_in_floats(name: str) -> None:
    verify, declare = EXACT[name]
    verdict = proofs.check(verify, gamma=1, arithmetic="float64", target_of=declare, paths=0)
    assert verdict, verdict


@pytest.mark.parametrize("name", ["lenience", "synthetic", "SGLang thresholds", "relaxed"])
def test_undeclared_it_is_biased(name: str) -> None:
    verdict = proofs.check(EXACT[name][0], gamma=1, arithmetic="exact", paths=0)
    assert verdict.status.value == "biased", verdict


@pytest.mark.parametrize("replacement", ["target", "kept", "top"])
def test_typical_in_floats(replacement: str) -> None:
    """An entropy is no rational number: the law in float64 is the one that the exact rule declares."""
    verify = partial(lossy_sampling.verify_typical, epsilon=0.3, delta=0.7, replacement=replacement)
    end = {"target": _own, "kept": lambda row: _kept(row), "top": _top}[replacement]
    declare = _declared(lossy_rules.typical, (Fraction(0.3), Fraction(0.7), replacement), end)
    verdict = proofs.check(verify, gamma=(1, 2), arithmetic="float64", target_of=declare, paths=0)
    assert verdict, verdict


def _kept(row: Any) -> Any:
    exactly = [Fraction(x) for x in row]
    flags = lossy_rules.typical_tokens(exactly, Fraction(0.3), Fraction(0.7))
    mass = sum(x for x, stays in zip(exactly, flags, strict=True) if stays)
    return [x / mass if stays else Fraction(0) for x, stays in zip(exactly, flags, strict=True)]


@pytest.mark.parametrize("name", ["I2", "I3", "I5", "B0"])
def test_first_token_on_named_pairs(name: str) -> None:
    """On I2, I3, I5 and B0: the law of the first token is the formula's, and so is the acceptance."""
    pair = NAMED[name]
    for verify, declare in (EXACT[key] for key in ("lenience", "lenience, scaled", "synthetic", "SGLang thresholds")):
        law = proofs.law(lambda rng, verify=verify: _first(verify, pair, rng))
        declared = declare(*pair)
        assert {x: mass for x, mass in enumerate(declared) if mass} == {
            x: law[x] for x in range(len(declared)) if law[x]
        }


def _first(verify: Callable[..., Any], pair: Any, rng: Any) -> int:
    p, q = (np.array(row, dtype=object) for row in pair)
    x = int(rng.choice(len(q), p=q))
    return int(verify(np.array([p, p]), np.array([q]), [x], rng)[0])


TABLE = {(): "1/2 1/3 1/6", (0,): "1/6 1/2 1/3", (1,): "1/4 1/4 1/2", (2,): "2/3 0 1/3"}
DRAFTS = {(): "1/6 1/3 1/2", (0,): "1/2 1/2 0", (1,): "1/3 1/3 1/3", (2,): "1/6 2/3 1/6"}
KEPT: dict[str, tuple[Any, str]] = {
    "lenience": (brute.lenience(Fraction(3, 4), "difference"), "5/4"),
    "lenience, scaled": (brute.lenience(HALF, "scaled"), "17/12"),
    "synthetic": (brute.synthetic(THIRD), "4/9"),
    "ensemble": (brute.ensemble(THIRD), "134/81"),
    "SGLang thresholds": (brute.sglang(Fraction(5, 8), Fraction(3, 4)), "83/162"),
    "relaxed": (brute.relaxed(2, Fraction(1, 8), "top"), "1/4"),
}


def _row(table: dict[tuple[int, ...], str], prefix: tuple[int, ...]) -> tuple[Fraction, ...]:
    """A row that depends on the last token."""
    return tuple(map(Fraction, table[prefix[-1:]].split()))


@pytest.mark.parametrize("name", KEPT)
def test_markov_pair(name: str) -> None:
    """Gamma 2 on a Markov pair: the declared law, and E[accepted] by every drafted block and coin."""
    (verify, declare), ((keep, _), golden) = EXACT[name], KEPT[name]
    pair = partial(_row, TABLE), partial(_row, DRAFTS)
    verdict = proofs.check(verify, gamma=2, arithmetic="exact", target_of=declare, inputs=[pair])
    assert verdict, verdict
    kept = Fraction(0)
    for x, y in product(range(3), repeat=2):
        (p, q), (r, s) = ((row(()) for row in pair), (row((x,)) for row in pair))
        first = q[x] * keep(p, q, x)
        kept += s[y] * first * (1 + (keep(r, s, y) if s[y] else 0))
    assert verdict.acceptance[0].expected == kept == Fraction(golden)


def test_within_its_declared_distance() -> None:
    """Synthetic acceptance is within r TV of the target at each position: within 1/8 of it at gamma 1 and r = 1/8."""
    verify = partial(lossy_sampling.verify_synthetic, rate=Fraction(1, 8))
    proofs.assert_within(verify, total_variation="1/8", gamma=1, arithmetic="exact", paths=0)
    with pytest.raises(proofs.NotLossless):
        proofs.assert_within(verify, total_variation="1/100", gamma=1, arithmetic="exact", paths=0)


ROW = [0.5, 0.5]
VERIFIERS: list[Callable[..., Any]] = [
    partial(lossy_sampling.verify_lenience, leniency=0.5),
    partial(lossy_sampling.verify_synthetic, rate=0.5),
    partial(lossy_sampling.verify_ensemble, weight=0.5),
    partial(lossy_sampling.verify_cascade, declare=lambda p, q: p),
    partial(lossy_sampling.verify_sglang_thresholds, threshold_single=1, threshold_acc=1),
    partial(lossy_sampling.verify_relaxed, top_n=1, delta=0),
    partial(lossy_sampling.verify_typical, epsilon=0.5, delta=0.5),
]


@pytest.mark.parametrize("verify", VERIFIERS, ids=lambda verify: verify.func.__name__)
def test_calls_that_do_not_fit_are_refused(verify: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ShapeError, match="one row of the target for each drafted token"):
        verify([ROW], [ROW], [0], rng)
    with pytest.raises(TokenError, match=r"tokens\[0\] = 2 is not a token"):
        verify([ROW, ROW], [ROW], [2], rng)
    with pytest.raises(NotADistributionError, match="sums to 0.75"):
        verify([ROW, [0.5, 0.25]], [ROW], [0], rng)
    exact = np.array([[HALF, HALF]] * 2, dtype=object)
    for call, error, message in (
        ((exact, exact, [0]), ShapeError, "draft has shape .2, 2.; expected .gamma, V. = .1, 2."),
        ((exact, exact[:1], [0, 1]), ShapeError, "one row of the target for each drafted token"),
        (
            (exact / 2, exact[:1], [0]),
            NotADistributionError,
            "target has dtype object, and a row that does not sum to one exactly",
        ),
        ((exact, exact[:1], [5]), TokenError, r"tokens\[0\] = 5"),
    ):
        with pytest.raises(error, match=message):
            verify(*call, rng)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("verify", VERIFIERS, ids=lambda verify: verify.func.__name__)
def test_seeded_generator_makes_it_reproducible(verify: Callable[..., Any], dtype: str) -> None:
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet([1.0] * 4, size=3).astype(dtype), rng.dirichlet([1.0] * 4, size=2).astype(dtype)
    runs = [[verify(p, q, [0, 3], np.random.default_rng(seed)) for seed in range(20)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert all(1 <= len(emitted) <= 3 and all(type(x) is int for x in emitted) for emitted in runs[0])
    assert all(emitted[:-1] == [0, 3][: len(emitted) - 1] for emitted in runs[0])


def test_parameters_out_of_range_are_refused() -> None:
    call = ([ROW, ROW], [ROW], [0], np.random.default_rng(0))
    with pytest.raises(SpecdecError, match="leniency = 0.0"):
        lossy_sampling.verify_lenience(*call, 0)
    with pytest.raises(SpecdecError, match="residual = 'p'"):
        lossy_sampling.verify_lenience(*call, 1, "p")
    with pytest.raises(NotADistributionError, match="declared sums to 1.5"):
        lossy_sampling.verify_cascade(*call, lambda p, q: p + q / 2)
    with pytest.raises(SpecdecError, match="replacement = 'p'"):
        lossy_sampling.verify_relaxed(*call, 1, 0, "p")
    with pytest.raises(SpecdecError, match="delta = 2.0"):
        lossy_sampling.verify_typical(*call, 1, 2)


def test_nothing_drafted() -> None:
    for verify in VERIFIERS:
        assert verify([[0.0, 1.0]], [], [], np.random.default_rng(0)) == [1]
