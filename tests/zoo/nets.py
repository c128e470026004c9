"""Stand-ins for language models: the logits of every position are the logarithms of given rows.

The prompt is one token; the prefix of a position is what stands between the prompt and it.
"""

from collections.abc import Callable
from typing import Any

from tests.zoo.records import RowOf, Tensor, modules

__all__ = ["logits_along", "net", "prompt"]


def prompt() -> Tensor:
    """Return the prompt, [1, 1]."""
    (torch,) = modules(("torch",))
    return torch.zeros((1, 1), dtype=torch.int64)


def logits_along(row_of: RowOf, ids: Tensor) -> Tensor:
    """Return the logits [1, L, V] after each of the tokens [1, L], the first of which is the prompt."""
    (torch,) = modules(("torch",))
    tokens = tuple(ids[0].tolist()[1:])
    return torch.stack([row_of(tokens[:i]) for i in range(len(tokens) + 1)]).log()[None]


def net(row_of: RowOf, wrap: Callable[[Tensor], Any]) -> Callable[..., Any]:
    """Return a model ``net(ids, ...)`` that gives `wrap` of the logits and ignores all other arguments."""

    def forward(ids: Tensor, *_: Any, **__: Any) -> Any:
        return wrap(logits_along(row_of, ids))

    return forward
