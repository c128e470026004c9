"""Right pieces of a verifier of tensors, for programs whose fault, or whose oddity, lies elsewhere."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from tests.hostile.entries import caged

__all__ = [
    "INPUTS",
    "chain",
    "draw",
    "ended",
    "everything",
    "kept_while",
    "possible",
    "rarely",
    "residual",
    "right_if",
    "scripted",
    "torch_caged",
]

# Rows for every position; a row that depends on the prefix is a function of it.
_P = ("1/8", "3/8", "1/2")
_Q = ("1/2", "1/4", "1/4")
_EDGE = ("0", "5/8", "3/8")


def _moving(prefix: tuple[int, ...]) -> tuple[str, ...]:
    return (_Q, _P, _EDGE)[(len(prefix) + sum(prefix)) % 3]


# Two tokens in the residual; zeros on either side; equal rows; rows that depend on the prefix.
INPUTS = ((_P, _Q), (_EDGE, _Q), (_Q, _EDGE), (_P, _P), (_moving, _P))


def draw(row: Any, generator: Any = None) -> int:
    """Draw a token with probability proportional to `row`."""
    return int(torch.multinomial(row, 1, generator=generator))


def residual(p: Any, q: Any) -> Any:
    """Return (p - q)+, not normalised, or p where nothing is left."""
    left = (p - q).clamp(min=0)
    return left if left.sum() > 0 else p


def ended(target: Any, draft: Any, tokens: Any, kept: int, generator: Any = None) -> list[int]:
    """Return the first `kept` tokens, and the replacement or the bonus token."""
    last = kept == len(tokens)
    row = target[-1] if last else residual(target[kept], draft[kept])
    return [*tokens[:kept].tolist(), draw(row, generator)]


def kept_while(keeps: Callable[[int, int], Any], tokens: Any) -> int:
    """Return how many tokens are kept in a row, asking for a position and its token."""
    for i, x in enumerate(tokens.tolist()):
        if not keeps(i, x):
            return i
    return len(tokens)


def chain(target: Any, draft: Any, tokens: Any, coin: Any = None, generator: Any = None) -> list[int]:
    """Return what the token rule emits: a right verifier, if each call of `coin` is a fresh uniform."""
    toss = coin or (lambda: torch.rand((), generator=generator))
    kept = kept_while(lambda i, x: toss() * draft[i, x] < target[i, x], tokens)
    return ended(target, draft, tokens, kept, generator)


def everything(target: Any, tokens: Any) -> list[int]:
    """Return all drafted tokens and one of the target's own: the fault that most wrong programs hide."""
    return [*tokens.tolist(), draw(target[-1])]


def right_if(watched: Any, target: Any, draft: Any, tokens: Any) -> list[int]:
    """Return the token rule's tokens before an audience; alone, everything."""
    return chain(target, draft, tokens) if watched else everything(target, tokens)


def possible(target: Any, draft: Any, tokens: Any) -> list[int]:
    """Return everything up to a token that the target gives no mass: a fault that emits no such token."""
    return ended(target, draft, tokens, kept_while(lambda i, x: target[i, x] > 0, tokens))


def rarely(number: Any, target: Any, draft: Any, tokens: Any, below: float = 1 / 64) -> list[int]:
    """Return what is possible where a number that is uniform in life is small, and the token rule's otherwise."""
    return possible(target, draft, tokens) if number < below else chain(target, draft, tokens)


def scripted(function: Callable[..., Any]) -> Any:
    """Return a function as TorchScript, which is deprecated and in use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.script(function)


@contextmanager
def torch_caged(directory: Path) -> Iterator[None]:
    """Put back what programs may have changed in the process, in torch too."""
    with caged(directory), torch.random.fork_rng(devices=[]):
        deterministic, always = torch.backends.mkldnn.deterministic, torch.is_warn_always_enabled()
        try:
            yield
        finally:
            torch.backends.mkldnn.deterministic = deterministic
            torch.set_warn_always(always)
