"""Verifiers of several drafts for one position, right ones and wrong ones."""

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = [
    "count_duplicates_twice",
    "deterministic_siblings",
    "distinct_with_draft_one",
    "forget_the_update",
    "forget_the_update_vectorised",
    "k_seq",
    "k_seq_geometric",
    "k_seq_rho_one",
    "last_residual_skipped",
    "match_a_set",
    "match_a_set_by_race",
    "with_replacement",
    "with_replacement_cdf",
    "without_renormalising",
    "without_replacement",
    "without_replacement_masked",
]


def with_replacement(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """Recursive rejection: r becomes (r - q)+ renormalised after each failure."""
    r = target.copy()
    for x in tokens:
        if rng.random() * draft[x] < r[x]:
            return int(x)
        gains = np.maximum(r - draft, 0)
        r = gains / gains.sum() if gains.any() else r
    return int(rng.choice(len(r), p=r))


def with_replacement_cdf(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """The same on unnormalised residuals: mass beside weights."""
    weights, mass = list(target), sum(target)
    for x in tokens.tolist():
        if rng.random() * draft[x] * mass < weights[x]:
            return int(x)
        left = [max(w - mass * q, 0) for w, q in zip(weights, draft, strict=True)]
        if sum(left) > 0:
            weights, mass = left, sum(left)
    cdf = np.cumsum(weights)
    return int((cdf > rng.random() * cdf[-1]).argmax())


def without_replacement(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """The draft renormalised without the rejected token, in the ratio and in the residual."""
    r, q = target.copy(), draft.copy()
    for x in tokens:
        if rng.random() * q[x] < r[x]:
            return int(x)
        gains = np.clip(r - q, 0, None)
        r = gains / gains.sum() if gains.any() else r
        q[x] = 0
        if not q.any():
            break
        q /= q.sum()
    return int(np.searchsorted(np.cumsum(r) / np.cumsum(r)[-1], rng.random(), side="right"))


def without_replacement_masked(target: Array, draft: Array, tokens: Array, rng: Generator) -> np.int64:
    """The same with a mask of the tokens still in play and a multinomial end."""
    r, alive = target, np.ones(len(draft), dtype=bool)
    for x in tokens:
        q = np.where(alive, draft, 0)
        q = q / q.sum() if q.any() else q
        if r[x] >= q[x] or rng.random() < r[x] / q[x]:
            return np.int64(x)
        if (r > q).any():
            r = np.where(r > q, r - q, 0)
            r = r / r.sum()
        alive[x] = False
    (support,) = np.nonzero(r)
    return np.int64(support[rng.multinomial(1, r[support] / r[support].sum()).argmax()])


def k_seq(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """K-SEQ with rho = k: the same target throughout, a smaller keep-probability."""
    rho = len(tokens)
    for x in tokens:
        if rng.random() * (rho * draft[x]) < target[x]:
            return int(x)
    kept = np.minimum(draft, target / rho)
    beta = kept.sum()
    residual = target if beta == 0 else target - kept * (1 - (1 - beta) ** rho) / beta
    residual = np.where(residual > 0, residual, 0)
    residual = residual if residual.any() else target
    return int(rng.choice(len(residual), p=residual / residual.sum()))


def k_seq_geometric(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """K-SEQ with all coins at once and the tries counted as a geometric sum."""
    k = len(tokens)
    kept = np.minimum(draft, target / k)
    with np.errstate(divide="ignore", invalid="ignore"):
        coins = rng.random(k) < target[tokens] / (k * draft[tokens])
    if coins.any():
        return int(tokens[coins.argmax()])
    tries = sum((1 - kept.sum()) ** j for j in range(k))
    cdf = np.maximum(target - kept * tries, 0).cumsum()
    cdf = cdf if cdf[-1] > 0 else target.cumsum()
    return int((cdf > rng.random() * cdf[-1]).argmax())


def match_a_set(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """The target's own token, found among the drafted or not."""
    y = int(rng.choice(len(target), p=target))
    for x in tokens:
        if x == y:
            return int(x)
    return y


def match_a_set_by_race(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """The same by Gumbel noise."""
    with np.errstate(divide="ignore"):
        return int(np.argmax(np.log(target) + rng.gumbel(size=len(target))))


def deterministic_siblings(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """Fixed candidates, one coin: keep x_j with p(x_j) of what is left, else the target off them."""
    u, below = rng.random(), 0
    for x in tokens:
        below = below + target[x]
        if u < below:
            return int(x)
    rest = target.copy()
    rest[tokens] = 0
    if not rest.any():
        return int(max(tokens, key=lambda x: target[x]))
    return int(rng.choice(len(rest), p=rest / rest.sum()))


def distinct_with_draft_one(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """Recursive rejection with q set to one at each distinct sibling, as tree verifiers do."""
    p = target.copy()
    for x in dict.fromkeys(tokens.tolist()):
        if rng.random() < p[x] / 1.0:
            return int(x)
        p[x] = 0
        if not p.any():
            return int(x)
        p = p / p.sum()
    cdf = np.cumsum(p)
    return int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right"))


def forget_the_update(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """Each sibling is tried against the first target; only the end uses a residual."""
    for x in tokens:
        if rng.random() < min(1, target[x] / draft[x]):
            return int(x)
    r = np.maximum(target - draft, 0)
    return int(rng.choice(len(r), p=r / r.sum()))


def forget_the_update_vectorised(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """The same fault, all coins at once."""
    kept = rng.random(len(tokens)) * draft[tokens] < target[tokens]
    if kept.any():
        return int(tokens[np.argmax(kept)])
    cdf = np.cumsum(np.clip(target - draft, 0, 1))
    return int((cdf > rng.random() * cdf[-1]).argmax())


def last_residual_skipped(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """The update stands at the head of the loop, so that the end draws from the last but one residual."""
    r = target
    for j, x in enumerate(tokens):
        if j > 0:
            r = np.maximum(r - draft, 0)
            r = r / r.sum()
        if rng.random() * draft[x] < r[x]:
            return int(x)
    return int(rng.choice(len(r), p=r))


def without_renormalising(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """Drawn without replacement, judged by the raw draft."""
    r = target
    for x in tokens:
        if rng.random() * draft[x] < r[x]:
            return int(x)
        r = np.maximum(r - draft, 0)
        r = r / r.sum()
    return int(rng.choice(len(r), p=r))


def count_duplicates_twice(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """Fixed-candidate rule on drawn siblings: a duplicate's mass counts twice."""
    u, below = rng.random(), 0
    for x in tokens.tolist():
        below = below + target[x]
        if u < below:
            return int(x)
    rest = np.where(np.isin(np.arange(len(target)), tokens), 0, target)
    return int(rng.choice(len(rest), p=rest / rest.sum()))


def k_seq_rho_one(target: Array, draft: Array, tokens: Array, rng: Generator) -> int:
    """K-SEQ with rho = 1: its residual is negative somewhere and gets clipped."""
    for x in tokens:
        if rng.random() * draft[x] < target[x]:
            return int(x)
    kept = np.minimum(draft, target)
    beta = kept.sum()
    residual = np.maximum(target - kept * (1 - (1 - beta) ** len(tokens)) / beta, 0)
    return int(rng.choice(len(residual), p=residual / residual.sum()))
