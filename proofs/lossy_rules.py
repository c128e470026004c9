r"""Rules that are lossy on purpose, over exact rationals: the law that each of them declares.

None of them is lossless, and none of them is broken: each emits another law than the target's, which is known exactly.
A drafted token :math:`x \sim q` is kept with a probability a(x), and a replacement is drawn after a rejection; a rule
says which a and which replacement. `proofs.lossy_reports` says how far a law is from the target, beside the
acceptance that any rule may have that stays so near.

Every function of a rule takes `target` and `draft` as rows of V exact numbers (what `proofs.exact` takes), non-negative
with the exact sum one, and returns an `EmittedDistribution`; a callable prefix -> row is asked for its first row. The
drafted token must have been drawn from `draft`; no rule here asks for a one-hot draft, and every one takes it.
"""

from collections.abc import Iterable
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.distributions import Row, check_pair, check_rows
from proofs.entropy import exceeds_typical
from proofs.parameters import check_fraction, check_name
from proofs.processes import Process, Weights, as_rational, check_count, first_rows
from proofs.token_rule import EmittedDistribution, emitted_law

__all__ = [
    "cascade",
    "ensemble",
    "lenience",
    "relaxed",
    "relaxed_tokens",
    "sglang_thresholds",
    "synthetic",
    "typical",
    "typical_tokens",
]


def lenience(target: Any, draft: Any, leniency: Any, residual: str = "difference") -> EmittedDistribution:
    r"""Lenience: keep x with :math:`\min(1, p(x) / (l q(x)))`.

    The residual is not pinned down by the acceptance, and the two in use give different laws: name the one you mean.

    Parameters
    ----------
    target, draft : row of V exact numbers
    leniency : exact number in (0, 1]
        l; 1 is the token rule.
    residual : {"difference", "scaled"}
        ``"difference"`` replaces from :math:`(p - q)_+`, ``"scaled"`` from :math:`(p - l q)_+`, normalised.

    Returns
    -------
    EmittedDistribution
        ``alpha`` is :math:`\sum_x \min(q(x), p(x) / l)`. Where `target` equals `draft` all is kept.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `leniency` is not in (0, 1] or `residual` is none of the two.

    References
    ----------
    Leviathan, Kalman and Matias, arXiv:2211.17192, appendix on lenience (source unverified).

    Examples
    --------
    >>> lenience(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], "3/4")
    EmittedDistribution(dist=(4/9, 1/3, 2/9), alpha=13/18)
    >>> lenience(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], "3/4", residual="scaled").dist
    (13/33, 38/99, 2/9)
    """
    p, q = _pair(target, draft)
    scale = check_fraction(leniency, "leniency", positive=True)
    check_name(residual, "residual", _RESIDUALS)
    subtracted = tuple(scale * b for b in q) if residual == "scaled" else q
    keep = tuple(_ONE if scale * b <= a else a / (scale * b) for a, b in zip(p, q, strict=True))
    return _emitted(q, keep, _normalised(_excess(p, subtracted), p))


def synthetic(target: Any, draft: Any, rate: Any) -> EmittedDistribution:
    r"""Synthetic acceptance: keep whatever is drafted with probability r, else draw from the target.

    The law is :math:`(1 - r) p + r q`, at a total variation of exactly :math:`r \, TV(p, q)` from the target.
    `ensemble` with the weight 1 - r has the same law and keeps at least as much.

    Parameters
    ----------
    target, draft : row of V exact numbers
    rate : exact number in [0, 1]
        r; with 0 nothing is kept and the law is the target's.

    Returns
    -------
    EmittedDistribution
        ``alpha`` is `rate`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `rate` is not in [0, 1].

    References
    ----------
    A mode of serving engines for benchmarks, there with a rate for each position (source unverified).

    Examples
    --------
    >>> synthetic(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], "1/2")
    EmittedDistribution(dist=(1/3, 1/3, 1/3), alpha=1/2)
    """
    p, q = _pair(target, draft)
    chance = check_fraction(rate, "rate")
    return _emitted(q, (chance,) * len(p), p)


def ensemble(target: Any, draft: Any, weight: Any) -> EmittedDistribution:
    r"""Ensemble verification: the token rule against the mixture :math:`w p + (1 - w) q`.

    Parameters
    ----------
    target, draft : row of V exact numbers
    weight : exact number in [0, 1]
        w of the target; with 1 it is the token rule, with 0 everything is kept. In a chain the bonus position, which
        has no draft, is the target's own.

    Returns
    -------
    EmittedDistribution
        The mixture, and :math:`\alpha = 1 - w \, TV(p, q)`: the most that any rule with this law can keep.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `weight` is not in [0, 1].

    References
    ----------
    After `assistant_ensemble_weight` of Hugging Face Transformers 5.24.

    Examples
    --------
    >>> ensemble(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], "3/4")
    EmittedDistribution(dist=(5/12, 1/3, 1/4), alpha=3/4)
    """
    p, q = _pair(target, draft)
    share = check_fraction(weight, "weight")
    mixture = _row(share * a + (1 - share) * b for a, b in zip(p, q, strict=True))
    return emitted_law(mixture, _row(q))


def cascade(target: Any, declared: Any, draft: Any) -> EmittedDistribution:
    r"""Cascade: the token rule against a declared row :math:`\pi` in the target's place.

    Parameters
    ----------
    target : row of V exact numbers
        What the declared row departs from; it is checked, and changes nothing.
    declared : row of V exact numbers
        The row that is verified against: the target, the draft, a mixture, or one of the two by a deferral rule.
    draft : row of V exact numbers

    Returns
    -------
    EmittedDistribution
        The law is `declared`, and ``alpha`` one minus its total variation from `draft`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    References
    ----------
    Narasimhan et al., "Faster Cascades via Speculative Decoding" (source unverified).

    Examples
    --------
    >>> cascade(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"], [0, "1/2", "1/2"])
    EmittedDistribution(dist=(1/4, 1/4, 1/2), alpha=3/4)
    """
    _, q = first_rows(target, draft)
    return emitted_law(*check_pair(Process(declared, "declared").row(()), q, ("declared", "draft")))


def sglang_thresholds(target: Any, draft: Any, threshold_single: Any, threshold_acc: Any) -> EmittedDistribution:
    r"""SGLang's acceptance thresholds at one drafted token.

    Modelled after the target-only kernel for a chain (one candidate a position): x is kept if
    :math:`p(x) \ge s`, or else with probability :math:`\min(1, p(x) / t)`; after a rejection of x the target without x,
    normalised, is drawn from. The draft's row is never read. The kernel compares its coin by `<=`, which on
    ideal coins is the same.

    Parameters
    ----------
    target, draft : row of V exact numbers
    threshold_single : exact number in [0, 1]
        s; with 0 everything is kept.
    threshold_acc : exact number in (0, 1]
        t. With both thresholds 1 the law is the target's, for every draft.

    Returns
    -------
    EmittedDistribution
        With both thresholds 1 ``alpha`` is :math:`\sum_x p(x) q(x)`. A token with p(x) = 1 is never rejected.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If a threshold is out of its range.

    References
    ----------
    After `tree_speculative_sampling_target_only` of SGLang.

    Examples
    --------
    >>> sglang_thresholds(["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"], 1, "1/2")
    EmittedDistribution(dist=(1/2, 5/24, 7/24), alpha=5/8)
    """
    p, q = _pair(target, draft)
    single = check_fraction(threshold_single, "threshold_single")
    total = check_fraction(threshold_acc, "threshold_acc", positive=True)
    keep = tuple(_ONE if a >= single else min(_ONE, a / total) for a in p)
    # After a rejection of x every other token comes with p(y) / (1 - p(x)): summed over x once, less its own share.
    shares = tuple(_ZERO if a == 1 else b * (1 - k) / (1 - a) for a, b, k in zip(p, q, keep, strict=True))
    every = sum(shares, _ZERO)
    law = _row(b * k + a * (every - own) for a, b, k, own in zip(p, q, keep, shares, strict=True))
    return EmittedDistribution(law, _kept(q, keep))


def relaxed(target: Any, draft: Any, top_n: Any, delta: Any, replacement: str = "top") -> EmittedDistribution:
    r"""Relaxed acceptance: keep x iff it is among the top N of p and :math:`p(x) \ge \max p - \delta`.

    Parameters
    ----------
    target, draft : row of V exact numbers
    top_n : int
        N of at least 1; of equal tokens those with the lower id come first. From V on it asks nothing.
    delta : exact number in [0, 1]
    replacement : {"top", "target", "kept"}
        What is emitted after a rejection: ``"top"`` the token that p gives most (the lowest of equals), as TensorRT-LLM
        does; ``"target"`` a token from p; ``"kept"`` one from p on the tokens that would have been kept.

    Returns
    -------
    EmittedDistribution
        ``alpha`` is the draft's mass of `relaxed_tokens`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `top_n` is below 1, `delta` not in [0, 1] or `replacement` none of the three.

    References
    ----------
    After the relaxed acceptance for the thinking phase of TensorRT-LLM.

    Examples
    --------
    >>> relaxed(["1/2", "3/8", "1/8"], ["1/4", "1/4", "1/2"], 2, "1/8")
    EmittedDistribution(dist=(3/4, 1/4, 0), alpha=1/2)
    """
    p, q = _pair(target, draft)
    return _by_set(p, q, _relaxed(p, top_n, delta), replacement)


def relaxed_tokens(target: Any, top_n: Any, delta: Any) -> tuple[bool, ...]:
    """Say which tokens `relaxed` keeps.

    Parameters
    ----------
    target : row of V exact numbers
    top_n, delta
        As of `relaxed`.

    Returns
    -------
    tuple of bool, length V
        The token that the target gives most is always among them.

    Raises
    ------
    InexactError, NotADistributionError, ProofsError
        As of `relaxed`.

    Examples
    --------
    >>> relaxed_tokens(["1/4", "1/2", "1/4"], 2, 1)
    (True, True, False)
    """
    return _relaxed(_weights(check_rows(target, "target")), top_n, delta)


def typical(target: Any, draft: Any, epsilon: Any, delta: Any, replacement: str = "target") -> EmittedDistribution:
    r"""Typical acceptance: keep x iff :math:`p(x) > \min(\varepsilon, \delta e^{-H(p)})`, H the entropy of p.

    Parameters
    ----------
    target, draft : row of V exact numbers
    epsilon, delta : exact number in [0, 1]
    replacement : {"target", "kept", "top"}
        What is emitted after a rejection: ``"target"`` a token from p; ``"kept"`` one from p on the tokens that would
        have been kept (from p where there are none); ``"top"`` the one that p gives most (the lowest of equals).

    Returns
    -------
    EmittedDistribution
        ``alpha`` is the draft's mass of `typical_tokens`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If a parameter is out of its range, or a comparison is too close to decide (see `typical_tokens`).

    References
    ----------
    Cai et al., "Medusa", arXiv:2401.10774, section on typical acceptance (source unverified).

    Examples
    --------
    >>> typical(["3/4", "1/8", "1/8"], ["1/4", "1/4", "1/2"], "1/2", "1/2")
    EmittedDistribution(dist=(13/16, 3/32, 3/32), alpha=1/4)
    """
    p, q = _pair(target, draft)
    return _by_set(p, q, _typical(p, epsilon, delta), replacement)


def typical_tokens(target: Any, epsilon: Any, delta: Any) -> tuple[bool, ...]:
    r"""Say which tokens `typical` keeps, exactly.

    No logarithm is rounded into a decision. With a common denominator D, :math:`p(x) > \delta e^{-H}` is
    :math:`p(x)^D > \delta^D \prod_i p_i^{D p_i}`, a comparison of integers; where those are too large, logarithms
    between bounds decide, at rising precision.

    Parameters
    ----------
    target : row of V exact numbers
    epsilon, delta
        As of `typical`.

    Returns
    -------
    tuple of bool, length V
        With delta = 1, none for a uniform row of entries at most epsilon.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact or the row no distribution.
    ProofsError
        If a parameter is out of its range, or a comparison of enormous integers is too close to decide.

    Examples
    --------
    >>> typical_tokens(["3/4", "1/8", "1/8"], "1/2", "1/2")
    (True, False, False)
    """
    return _typical(_weights(check_rows(target, "target")), epsilon, delta)


_ZERO, _ONE = MPQ(0), MPQ(1)
_RESIDUALS = ("difference", "scaled")
_REPLACEMENTS = ("target", "kept", "top")


def _pair(target: Any, draft: Any) -> tuple[Weights, Weights]:
    p, q = first_rows(target, draft)
    return _weights(p), _weights(q)


def _weights(row: Row) -> Weights:
    return tuple(MPQ(entry.p, entry.q) for entry in row)


def _row(weights: Iterable[MPQ]) -> Row:
    return tuple(map(as_rational, weights))


def _excess(p: Weights, subtracted: Weights) -> Weights:
    return tuple(max(_ZERO, a - b) for a, b in zip(p, subtracted, strict=True))


def _normalised(weights: Weights, otherwise: Weights) -> Weights:
    mass = sum(weights, _ZERO)
    return tuple(weight / mass for weight in weights) if mass else otherwise


def _kept(q: Weights, keep: Weights) -> Rational:
    return as_rational(sum((b * k for b, k in zip(q, keep, strict=True)), _ZERO))


def _emitted(q: Weights, keep: Weights, replacement: Weights) -> EmittedDistribution:
    """Law and alpha of keeping with `keep` and replacing from one row, whichever token was rejected."""
    rejected = sum((b * (1 - k) for b, k in zip(q, keep, strict=True)), _ZERO)
    law = (b * k + rejected * r for b, k, r in zip(q, keep, replacement, strict=True))
    return EmittedDistribution(_row(law), _kept(q, keep))


def _by_set(p: Weights, q: Weights, kept: tuple[bool, ...], replacement: str) -> EmittedDistribution:
    """Law and alpha of keeping the tokens of a set."""
    check_name(replacement, "replacement", _REPLACEMENTS)
    row = p
    if replacement == "top":
        top = p.index(max(p))
        row = tuple(_ONE if x == top else _ZERO for x in range(len(p)))
    elif replacement == "kept":
        row = _normalised(tuple(a if stays else _ZERO for a, stays in zip(p, kept, strict=True)), p)
    return _emitted(q, tuple(_ONE if stays else _ZERO for stays in kept), row)


def _relaxed(p: Weights, top_n: Any, delta: Any) -> tuple[bool, ...]:
    count = check_count(top_n, "top_n", 1, "tokens")
    slack = check_fraction(delta, "delta")
    first = set(sorted(range(len(p)), key=lambda x: -p[x])[:count])  # sorting is stable: equals by their id
    least = max(p) - slack
    return tuple(x in first and a >= least for x, a in enumerate(p))


def _typical(p: Weights, epsilon: Any, delta: Any) -> tuple[bool, ...]:
    ceiling = check_fraction(epsilon, "epsilon")
    factor = check_fraction(delta, "delta")
    above = exceeds_typical(p, factor)
    return tuple(a > ceiling or above(a) for a in p)
