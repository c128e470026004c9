"""Adapters of no package, for the tests: a verifier that is right, and some that are not, on torch alone."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from tests.zoo.inputs import EDGES, INPUTS
from tests.zoo.judge import Case, judge_case
from tests.zoo.records import Adapter, Kind, RowOf, Tensor

__all__ = ["fake", "judged"]

_INPUTS = {rows.name: rows for rows in (*INPUTS, *EDGES)}


def fake(verify: Callable[..., Any], kind: Kind = Kind.ROWS, claim: str = "lossless", **fields: Any) -> Adapter:
    """Return an adapter around a function."""
    described: dict[str, Any] = {"gammas": (1, 2), "declared": None, "judged": None} | fields
    return Adapter(
        key=verify.__name__,
        name=f"fake {verify.__name__}",
        package="torch==1",
        imports=("torch",),
        heavy=False,
        kind=kind,
        arithmetic="torch.float32",
        claim=claim,
        verify=verify,
        **described,
    )


@cache
def judged(verify: Callable[..., Any], name: str, gamma: int, kind: Kind = Kind.ROWS) -> Case:
    """Return what is found of a verifier that claims to be lossless, on one of the zoo's inputs; once in a run."""
    return judge_case(fake(verify, kind, probes=16), _INPUTS[name], gamma)


def token_rule(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    """The token rule; a coin is kept where it is below the ratio, never at it."""
    return _chain(target, draft, tokens, lambda coin, ratio: coin < ratio, lambda p, q: (p - q).clamp(min=0))


def at_most(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    """As `token_rule`, but the coin 0 keeps a token of target probability 0."""
    return _chain(target, draft, tokens, lambda coin, ratio: coin <= ratio, lambda p, q: (p - q).clamp(min=0))


def corrects_from_target(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    """As `token_rule`, but what was rejected is replaced from the target."""
    return _chain(target, draft, tokens, lambda coin, ratio: coin < ratio, lambda p, q: p)


def crashes(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    """As `token_rule`, but a token 0 is too much for it."""
    if int(tokens[0]) == 0:
        raise LookupError("no token 0")
    return token_rule(target, draft, tokens, rng)


def emits_drafts(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    """Keep everything: the law is the draft's, and the target's at the last position."""
    return [*tokens.tolist(), int(torch.multinomial(target[-1], 1))]


def takes_coins(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    """As `at_most` at one drafted token, with a coin that it is handed."""
    other = int(torch.multinomial((target[0] - draft[0]).clamp(min=0), 1))  # no choice can follow a coin
    token, coin = int(tokens[0]), float(rng.coins((1,), "float32")[0])
    return [token if coin * float(draft[0, token]) <= float(target[0, token]) else other]


def siblings(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> int:
    """Match: a token of the target's own."""
    return int(torch.multinomial(target, 1))


def loop(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    """One drafted token, kept or replaced, and whatever the target says after it."""
    p, q = target(()), draft(())
    token = int(torch.multinomial(q, 1))
    if bool(torch.rand(()) * q[token] < p[token]):
        return [token, int(torch.multinomial(target((token,)), 1))]
    return [int(torch.multinomial((p - q).clamp(min=0), 1))]


def biased_loop(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    """The draft's own token."""
    return [int(torch.multinomial(draft(()), 1))]


def _chain(
    target: Tensor,
    draft: Tensor,
    tokens: Tensor,
    keeps: Callable[[Tensor, Tensor], Tensor],
    residual: Callable[[Tensor, Tensor], Tensor],
) -> list[int]:
    emitted: list[int] = []
    for p, q, token in zip(target, draft, tokens, strict=False):
        if not bool(keeps(torch.rand(()) * q[token], p[token])):
            return [*emitted, int(torch.multinomial(residual(p, q), 1))]
        emitted.append(int(token))
    return [*emitted, int(torch.multinomial(target[-1], 1))]
