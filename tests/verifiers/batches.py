"""Verifiers of batches, right ones and mutants: rows [B, positions, V], a row of tokens for each request."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

__all__ = ["FAULTS", "RIGHT", "TORCH_FAULTS", "TORCH_RIGHT", "drops_the_second_bonus"]

Verify = Callable[..., Any]


def _request(p: Any, q: Any, tokens: Any, rng: Any, coins: Any = None) -> list[Any]:
    for i, x in enumerate(tokens):
        if not (rng.random() if coins is None else coins[i]) * q[i, x] < p[i, x]:
            rest = np.maximum(p[i] - q[i], 0)
            return [*tokens[:i], rng.choice(len(rest), p=rest / rest.sum())]
    return [*tokens, rng.choice(p.shape[1], p=p[-1])]


def _loop(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Treat the requests one after the other."""
    return [_request(*request, rng) for request in zip(target, draft, tokens, strict=True)]


def _padded(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    output = np.full((len(tokens), tokens.shape[1] + 1), -1)
    for place, emitted in enumerate(_loop(target, draft, tokens, rng)):
        output[place, : len(emitted)] = emitted
    return output


def _vectorised(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    count, gamma = tokens.shape
    at = tokens[..., np.newaxis]
    p, q = (np.take_along_axis(rows, at, axis=2)[..., 0] for rows in (target[:, :gamma], draft))
    kept = np.cumprod(rng.random((count, gamma)) * q < p, axis=1).sum(axis=1)
    output = np.full((count, gamma + 1), -1)
    for b, n in enumerate(kept):
        row = target[b, n] if n == gamma else np.maximum(target[b, n] - draft[b, n], 0)
        output[b, :n] = tokens[b, :n]
        output[b, n] = rng.choice(len(row), p=row / row.sum())
    return output


RIGHT: Mapping[str, Verify] = MappingProxyType({"loop": _loop, "padded": _padded, "vectorised": _vectorised})


def _shares_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    coins = rng.random(tokens.shape[1])
    return [_request(*request, rng, coins) for request in zip(target, draft, tokens, strict=True)]


def _rows_of_the_first(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return [_request(target[0], q, x, rng) for q, x in zip(draft, tokens, strict=True)]


def _stops_together(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Let every request draw a replacement where the first of them rejects."""
    count, gamma = tokens.shape
    for i in range(gamma):
        kept = [bool(rng.random() * draft[b, i, tokens[b, i]] < target[b, i, tokens[b, i]]) for b in range(count)]
        if not all(kept):
            return [[*tokens[b, :i], _replacement(target[b, i], draft[b, i], rng)] for b in range(count)]
    return [[*tokens[b], rng.choice(target.shape[2], p=target[b, -1])] for b in range(count)]


def _replacement(p: Any, q: Any, rng: Any) -> Any:
    rest = np.maximum(p - q, 0)
    return rng.choice(len(p), p=rest / rest.sum() if rest.sum() else p)


def _exchanges(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return _loop(target, draft, tokens, rng)[::-1]


def _zero_for_the_second_bonus(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    output = np.array(_padded(target, draft, tokens, rng))
    output[1:, -1] = np.where(output[1:, -1] >= 0, 0, -1)
    return output


def _pads_with_zero(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return np.maximum(_padded(target, draft, tokens, rng), 0)


def _pads_in_front(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    rows = [row.tolist() for row in _padded(target, draft, tokens, rng)]
    return [[-1] * row.count(-1) + [x for x in row if x != -1] for row in rows]


def drops_the_second_bonus(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Leave out the second request's bonus token: the next call draws it, so that this is right and slow."""
    emitted = _loop(target, draft, tokens, rng)
    gamma = tokens.shape[1]
    return [emitted[0], *(row[:gamma] for row in emitted[1:])]


FAULTS: Mapping[str, tuple[Verify, str]] = MappingProxyType(
    {
        "one coin for the batch": (_shares_coins, "biased"),
        "rows of the first request": (_rows_of_the_first, "biased"),
        "stops together": (_stops_together, "biased"),
        "tokens exchanged": (_exchanges, "biased"),
        "second bonus is token 0": (_zero_for_the_second_bonus, "biased"),
        "padded with 0": (_pads_with_zero, "biased"),
        "padded in front": (_pads_in_front, "unverified"),
    }
)


def _in_torch(target: Any, draft: Any, tokens: Any, coins: Any) -> Any:
    count, gamma = tokens.shape
    p, q = (rows.gather(2, tokens[..., None])[..., 0] for rows in (target[:, :gamma], draft))
    kept = (coins * q < p).long().cumprod(1).sum(1)
    rest = torch.cat([(target[:, :gamma] - draft).clamp(min=0), target[:, gamma:]], dim=1)[torch.arange(count), kept]
    rest = torch.where(rest.sum(-1, keepdim=True) > 0, rest, target[torch.arange(count), kept])
    output = torch.full((count, gamma + 1), -1)
    output[:, :gamma] = torch.where(torch.arange(gamma)[None] < kept[:, None], tokens, -1)
    output[torch.arange(count), kept] = torch.multinomial(rest, 1)[:, 0]
    return output


def _torch_right(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return _in_torch(target, draft, tokens, torch.rand(tokens.shape))


def _torch_shares_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return _in_torch(target, draft, tokens, torch.rand(1, tokens.shape[1]))


TORCH_RIGHT: Mapping[str, Verify] = MappingProxyType({"vectorised": _torch_right})
TORCH_FAULTS: Mapping[str, Verify] = MappingProxyType({"one coin for the batch": _torch_shares_coins})
