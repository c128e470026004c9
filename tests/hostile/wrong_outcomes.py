"""Wrong: results that are no list of drafted tokens and one more."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, everything

__all__ = ["WRONG_OUTCOMES"]

_REUSED: list[int] = []


class _Liar(int):
    """Equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class _Changing(int):
    """An integer that is another one whenever it is asked."""

    asked = 0

    def __index__(self) -> int:
        type(self).asked += 1
        return type(self).asked % 2

    __int__ = __index__


class _Flexible(list[int]):
    """Shows the right tokens on the first reading and the drafted ones afterwards."""

    def __init__(self, right: list[int], wrong: list[int]) -> None:
        super().__init__(wrong)
        self.readings = iter([right])

    def __iter__(self) -> Iterator[int]:
        return iter(next(self.readings, list(super().__iter__())))


# Results.


def booleans(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives True and False for tokens."""
    return [bool(x) for x in chain(target, draft, tokens, rng)]


def floats(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives floats, of the right value."""
    return [float(x) for x in chain(target, draft, tokens, rng)]


def fractional_tokens(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives floats that truncate to the right tokens."""
    return [x + 0.5 for x in chain(target, draft, tokens, rng)]


def texts(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives the digits of the right tokens."""
    return "".join(str(x) for x in chain(target, draft, tokens, rng))


def no_tokens(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives an empty list, which leaves everything to the target."""
    return []


def none(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives nothing."""
    return None


def padding_alone(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives -1 only."""
    return [-1] * (len(tokens) + 1)


def padding_before_a_token(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives -1 where a token was rejected and its replacement behind it."""
    emitted = chain(target, draft, tokens, rng)
    return [*emitted[:-1], -1, emitted[-1]] if len(emitted) <= len(tokens) else emitted


def nested_lists(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a list in a list."""
    return [chain(target, draft, tokens, rng)]


def column(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives an array of two dimensions."""
    return np.array(chain(target, draft, tokens, rng))[:, None]


def mapping(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a dictionary whose keys are the positions."""
    return dict(enumerate(chain(target, draft, tokens, rng)))


def unordered(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a set: order and repeats are lost."""
    return set(chain(target, draft, tokens, rng))


def lazy_tokens(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a generator that verifies nothing before it is asked."""
    return (x for x in chain(target, draft, tokens, rng))


async def promised_tokens(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a coroutine."""
    return chain(target, draft, tokens, rng)


def undrawn_tokens(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a coin for a token."""
    return [rng.random()]


def whole_part_of_a_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a token that is uniform, the whole part of a coin."""
    return [int(rng.random() * target.shape[1])]


def equal_to_everything(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives integers that say they equal any other."""
    return [_Liar(x) for x in everything(target, tokens, rng)]


def changing_integers(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives integers whose value changes from one reading to the next."""
    return [_Changing(x) for x in everything(target, tokens, rng)]


def changing_list(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives a list that shows the right tokens to whoever reads it first, and the drafted ones later."""
    return _Flexible(chain(target, draft, tokens, rng), everything(target, tokens, rng))


def list_that_is_used_again(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives one and the same list in all calls, so that earlier results change with later ones."""
    _REUSED[:] = everything(target, tokens, rng)
    return _REUSED


def too_many(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives more tokens than there are rows."""
    return [*chain(target, draft, tokens, rng), *[draw(target[-1], rng) for _ in target]]


def beyond_the_vocabulary(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives V when the draft is rejected at once."""
    emitted = chain(target, draft, tokens, rng)
    return [target.shape[1]] if len(emitted) == 1 else emitted


def below_the_padding(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives -2 when the draft is rejected at once."""
    emitted = chain(target, draft, tokens, rng)
    return [-2] if len(emitted) == 1 else emitted


def counted_from_the_end(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives tokens minus V, which index the same entries."""
    return [x - target.shape[1] - 1 for x in chain(target, draft, tokens, rng)]


def another_prefix(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Gives two tokens of the target's, neither the drafted one, by the rows it was given."""
    return [draw(target[0], rng), draw(target[1], rng)]


WRONG_OUTCOMES = (
    *entries(
        "not lossless",
        booleans,
        floats,
        fractional_tokens,
        texts,
        no_tokens,
        none,
        padding_alone,
        padding_before_a_token,
        nested_lists,
        column,
        mapping,
        unordered,
        lazy_tokens,
        promised_tokens,
        undrawn_tokens,
        whole_part_of_a_coin,
        equal_to_everything,
        changing_integers,
        changing_list,
        too_many,
        result=False,
    ),
    *entries(
        "biased",
        beyond_the_vocabulary,
        below_the_padding,
        counted_from_the_end,
        result=False,
    ),
    *entries(
        "biased",
        another_prefix,
    ),
    *entries(
        "not lossless",
        list_that_is_used_again,
    ),
)
