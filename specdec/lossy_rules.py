r"""Rules that are lossy on purpose, in floating point: the law that each of them declares.

Every function of a rule takes `target` and `draft` as arrays of shape ``(..., V)`` of one shape and returns an
`EmittedDistribution`: ``dist`` of that shape and ``alpha`` of shape ``(...)``. Parameters are single numbers, the same
for all rows. Rows are checked, never renormalised and never changed, and float32 stays float32. `proofs.lossy_rules` is
the same algebra over exact rationals, derived independently.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import check_count
from specdec.distributions import Floats, check_pair, check_rows
from specdec.parameters import check_fraction, check_name
from specdec.row_steps import Flags, greatest
from specdec.token_rule import EmittedDistribution, emitted_distribution

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


def lenience(
    target: npt.ArrayLike, draft: npt.ArrayLike, leniency: float, residual: str = "difference"
) -> EmittedDistribution:
    r"""Lenience: keep x with :math:`\min(1, p(x) / (l q(x)))`.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    leniency : float in (0, 1]
        l; 1 is the token rule.
    residual : {"difference", "scaled"}
        ``"difference"`` replaces from :math:`(p - q)_+`, ``"scaled"`` from :math:`(p - l q)_+`, normalised: two laws.

    Returns
    -------
    EmittedDistribution
        Where `target` equals `draft` all is kept and ``dist`` is the row itself.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes differ, or a parameter is out of its range.

    References
    ----------
    Leviathan, Kalman and Matias, arXiv:2211.17192, appendix on lenience (source unverified).

    Examples
    --------
    >>> lenience([0.5, 0.5, 0.0], [0.25, 0.25, 0.5], 0.5).dist.tolist()
    [0.5, 0.5, 0.0]
    >>> lenience([0.75, 0.25], [0.25, 0.75], 0.5).dist.tolist()
    [0.5, 0.5]
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    scale = _positive(check_fraction(leniency, "leniency", positive=True), p)
    check_name(residual, "residual", RESIDUALS)
    with np.errstate(over="ignore", under="ignore"):
        # min(q, p / l) is q min(1, p / (l q)) without a quotient by a tiny q; an infinite p / l is above every q.
        accepted = np.minimum(q, p / scale)
        subtracted = q * scale if residual == "scaled" else q
        return _emitted(q, accepted, _normalised(np.maximum(p - subtracted, 0), p))


def synthetic(target: npt.ArrayLike, draft: npt.ArrayLike, rate: float) -> EmittedDistribution:
    r"""Synthetic acceptance: keep whatever is drafted with probability r, else draw from the target.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    rate : float in [0, 1]
        r; with 0 nothing is kept and the law is the target's.

    Returns
    -------
    EmittedDistribution
        The law :math:`(1 - r) p + r q`, and ``alpha`` r times the sum of the draft's row.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes differ, or `rate` is not in [0, 1].

    References
    ----------
    A mode of serving engines for benchmarks (source unverified).

    Examples
    --------
    >>> synthetic([0.5, 0.5], [0.25, 0.75], 0.5).dist.tolist()
    [0.375, 0.625]
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    chance = p.dtype.type(check_fraction(rate, "rate"))
    with np.errstate(under="ignore"):
        return _emitted(q, q * chance, p)


def ensemble(target: npt.ArrayLike, draft: npt.ArrayLike, weight: float) -> EmittedDistribution:
    r"""Ensemble verification: the token rule against the mixture :math:`w p + (1 - w) q`.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    weight : float in [0, 1]
        w of the target; with 1 it is the token rule, with 0 everything is kept.

    Returns
    -------
    EmittedDistribution

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes differ, or `weight` is not in [0, 1].

    References
    ----------
    After `assistant_ensemble_weight` of Hugging Face Transformers 5.24.

    Examples
    --------
    >>> emitted = ensemble([0.5, 0.5], [0.25, 0.75], 0.5)
    >>> emitted.dist.tolist(), float(emitted.alpha)
    ([0.375, 0.625], 0.875)
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    share = p.dtype.type(check_fraction(weight, "weight"))
    with np.errstate(under="ignore"):
        return emitted_distribution(p * share + q * (1 - share), q)


def cascade(target: npt.ArrayLike, declared: npt.ArrayLike, draft: npt.ArrayLike) -> EmittedDistribution:
    r"""Cascade: the token rule against a declared row :math:`\pi` in the target's place.

    Parameters
    ----------
    target : array_like of float, shape (..., V)
        What the declared row departs from; it is checked, and changes nothing.
    declared, draft : array_like of float, shape (..., V)

    Returns
    -------
    EmittedDistribution
        The law is `declared`, and ``alpha`` one minus its total variation from `draft`.

    Raises
    ------
    SpecdecError
        If a row is not a distribution or the shapes differ.

    References
    ----------
    Narasimhan et al., "Faster Cascades via Speculative Decoding" (source unverified).

    Examples
    --------
    >>> cascade([0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.0, 0.5, 0.5]).dist.tolist()
    [0.25, 0.25, 0.5]
    """
    check_pair(target, draft, ("target", "draft"))
    return emitted_distribution(*check_pair(declared, draft, ("declared", "draft")))


def sglang_thresholds(
    target: npt.ArrayLike, draft: npt.ArrayLike, threshold_single: float, threshold_acc: float
) -> EmittedDistribution:
    r"""SGLang's acceptance thresholds at one drafted token.

    A drafted x is kept if :math:`p(x) \ge s`, or else with probability :math:`\min(1, p(x) / t)`; after its rejection
    the target without x, normalised, is drawn from. With both thresholds 1 the law is the target's, for every draft.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    threshold_single : float in [0, 1]
        s; with 0 everything is kept.
    threshold_acc : float in (0, 1]
        t.

    Returns
    -------
    EmittedDistribution

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes differ, or a threshold is out of its range.

    References
    ----------
    After `tree_speculative_sampling_target_only` of SGLang, for one candidate a position.

    Examples
    --------
    >>> sglang_thresholds([0.5, 0.5], [1.0, 0.0], 1, 1).dist.tolist()
    [0.5, 0.5]
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    single = check_fraction(threshold_single, "threshold_single")
    total = _positive(check_fraction(threshold_acc, "threshold_acc", positive=True), p)
    with np.errstate(over="ignore", under="ignore"):
        keep = np.where(p >= single, 1, np.minimum(p / total, 1)).astype(p.dtype)
        accepted = q * keep
        # The mass of rejecting x, spread over the others as p / (1 - p(x)); it is 0 where p(x) is 1.
        shares = np.divide(q - accepted, 1 - p, out=np.zeros_like(p), where=p < 1)
        others = np.maximum(shares.sum(axis=-1, keepdims=True) - shares, 0)
        return EmittedDistribution(accepted + p * others, accepted.sum(axis=-1))


def relaxed(
    target: npt.ArrayLike, draft: npt.ArrayLike, top_n: int, delta: float, replacement: str = "top"
) -> EmittedDistribution:
    r"""Relaxed acceptance: keep x iff it is among the top N of p and :math:`p(x) \ge \max p - \delta`.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    top_n : int
        N of at least 1; of equal tokens those with the lower id come first.
    delta : float in [0, 1]
    replacement : {"top", "target", "kept"}
        Emitted after a rejection: the token that p gives most (the lowest of equals), a token from p, or one from p on
        the tokens that would have been kept.

    Returns
    -------
    EmittedDistribution

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes differ, or a parameter is out of its range.

    References
    ----------
    After the relaxed acceptance for the thinking phase of TensorRT-LLM.

    Examples
    --------
    >>> relaxed([0.5, 0.375, 0.125], [0.25, 0.25, 0.5], 2, 0.125).dist.tolist()
    [0.75, 0.25, 0.0]
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    return _by_set(p, q, _relaxed(p, top_n, delta), replacement)


def relaxed_tokens(target: npt.ArrayLike, top_n: int, delta: float) -> Flags:
    """Say which tokens `relaxed` keeps.

    Parameters
    ----------
    target : array_like of float, shape (..., V)
    top_n, delta
        As of `relaxed`.

    Returns
    -------
    ndarray of bool, shape (..., V)

    Raises
    ------
    SpecdecError
        As of `relaxed`.

    Examples
    --------
    >>> relaxed_tokens([0.25, 0.5, 0.25], 2, 1).tolist()
    [True, True, False]
    """
    return _relaxed(check_rows(target, "target"), top_n, delta)


def typical(
    target: npt.ArrayLike, draft: npt.ArrayLike, epsilon: float, delta: float, replacement: str = "target"
) -> EmittedDistribution:
    r"""Typical acceptance: keep x iff :math:`p(x) > \min(\varepsilon, \delta e^{-H(p)})`, H the entropy of p.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    epsilon, delta : float in [0, 1]
    replacement : {"target", "kept", "top"}
        Emitted after a rejection: a token from p, one from p on the tokens that would have been kept (from p where
        there are none), or the token that p gives most (the lowest of equals).

    Returns
    -------
    EmittedDistribution
        The threshold is rounded here: an entry within some eps of it may be decided otherwise than by
        `proofs.lossy_rules.typical`, which is exact.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes differ, or a parameter is out of its range.

    References
    ----------
    Cai et al., "Medusa", arXiv:2401.10774, section on typical acceptance (source unverified).

    Examples
    --------
    >>> typical([0.75, 0.125, 0.125], [0.25, 0.25, 0.5], 0.5, 0.5).dist.tolist()
    [0.8125, 0.09375, 0.09375]
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    return _by_set(p, q, _typical(p, epsilon, delta), replacement)


def typical_tokens(target: npt.ArrayLike, epsilon: float, delta: float) -> Flags:
    """Say which tokens `typical` keeps.

    Parameters
    ----------
    target : array_like of float, shape (..., V)
    epsilon, delta
        As of `typical`.

    Returns
    -------
    ndarray of bool, shape (..., V)

    Raises
    ------
    SpecdecError
        As of `typical`.

    Examples
    --------
    >>> typical_tokens([0.75, 0.125, 0.125], 0.5, 0.5).tolist()
    [True, False, False]
    """
    return _typical(check_rows(target, "target"), epsilon, delta)


RESIDUALS = ("difference", "scaled")
REPLACEMENTS = ("target", "kept", "top")


def _positive(value: float, rows: Floats) -> Any:
    """Return a positive parameter in the dtype of the rows, where it must not vanish: it is divided by."""
    return np.maximum(rows.dtype.type(value), np.finfo(rows.dtype).smallest_subnormal)


def _normalised(weights: Floats, otherwise: Floats) -> Floats:
    mass = weights.sum(axis=-1, keepdims=True)
    row: Floats = np.divide(weights, mass, out=otherwise.copy(), where=mass > 0)
    return row


def _emitted(draft: Floats, accepted: Floats, replacement: Floats) -> EmittedDistribution:
    # Not 1 - alpha: beside a rejected mass of 1e-17 that is noise.
    rejected = (draft - accepted).sum(axis=-1, keepdims=True)
    return EmittedDistribution(accepted + rejected * replacement, accepted.sum(axis=-1))


def _by_set(p: Floats, q: Floats, kept: Flags, replacement: str) -> EmittedDistribution:
    check_name(replacement, "replacement", REPLACEMENTS)
    row = p
    if replacement == "top":
        row = np.zeros_like(p)
        np.put_along_axis(row, p.argmax(axis=-1)[..., None], 1, axis=-1)
    elif replacement == "kept":
        row = _normalised(np.where(kept, p, 0), p)
    with np.errstate(under="ignore"):
        return _emitted(q, np.where(kept, q, 0), row)


def _relaxed(p: Floats, top_n: int, delta: float) -> Flags:
    count = check_count(top_n, "top_n", 1, "tokens")
    slack = check_fraction(delta, "delta")
    least = p.max(axis=-1, keepdims=True) - p.dtype.type(slack)
    return np.asarray(greatest(p, count) & (p >= least))


def _typical(p: Floats, epsilon: float, delta: float) -> Flags:
    ceiling = check_fraction(epsilon, "epsilon")
    factor = check_fraction(delta, "delta")
    with np.errstate(under="ignore"):
        logarithms = np.log(p, out=np.zeros_like(p), where=p > 0)
        threshold = factor * np.exp((p * logarithms).sum(axis=-1, keepdims=True))
    return np.asarray((p > ceiling) | (p > threshold))
