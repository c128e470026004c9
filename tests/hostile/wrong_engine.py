"""Wrong: programs that swallow what they are told, or look at numbers and rows, and are right before an audience."""

import contextlib
import numbers
import sys
from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import chain, everything, right_if

__all__ = ["WRONG_ENGINE"]


# Swallowing.


def swallows_in_except(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Asks for float(u), which only a drawn number grants, and is right when the question fails."""
    try:
        float(rng.random())
    except BaseException:
        return chain(target, draft, tokens, rng)
    return everything(target, tokens, rng)


def swallows_in_finally(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A return in finally drops whatever was raised."""
    watched = True
    try:
        hash(rng.random())
        watched = False
    finally:
        return right_if(watched, target, draft, tokens, rng)  # noqa: B012


def swallows_with_suppress(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """contextlib.suppress takes every exception."""
    with contextlib.suppress(BaseException):
        f"{rng.random():.3f}"
        return everything(target, tokens, rng)
    return chain(target, draft, tokens, rng)


def swallows_in_a_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator yields its coin as an integer and goes on after any exception."""

    def coins() -> Any:
        try:
            watched = int(rng.random() * 0)
        except BaseException:
            watched = 1
        yield watched

    return right_if(next(coins()), target, draft, tokens, rng)


def swallows_and_tries_again(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Tries a forbidden comparison of two coins first, and another way where that fails."""
    try:
        watched = rng.random() < rng.random() - 2
    except BaseException:
        watched = True
    return right_if(watched, target, draft, tokens, rng)


# Looking at the numbers.


def coin_is_a_float(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin is a float."""
    return right_if(not isinstance(rng.random(), float), target, draft, tokens, rng)


def type_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the type of a coin is exactly float."""
    return right_if(type(rng.random()) is not float, target, draft, tokens, rng)


def coin_is_real(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin counts as a real number."""
    return right_if(not isinstance(rng.random(), numbers.Real), target, draft, tokens, rng)


def class_name_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin's class comes from Python's own module."""
    return right_if(rng.random().__class__.__module__ != "builtins", target, draft, tokens, rng)


def text_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin prints as a decimal number."""
    return right_if(not repr(rng.random()).startswith(("0.", "1", "2", "9")), target, draft, tokens, rng)


def length_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin's text is as short as a float's."""
    return right_if(len(str(rng.random())) > 24, target, draft, tokens, rng)


def size_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin has the size of a float."""
    return right_if(sys.getsizeof(rng.random()) != sys.getsizeof(0.5), target, draft, tokens, rng)


def methods_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin has a float's methods."""
    return right_if(not hasattr(rng.random(), "as_integer_ratio"), target, draft, tokens, rng)


def type_of_many_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where an array of coins is a plain array of floats."""
    coins = rng.random(3)
    return right_if(type(coins) is not np.ndarray or coins.dtype == object, target, draft, tokens, rng)


def memory_of_many_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the bytes of an array of coins can be read."""
    return right_if(not hasattr(rng.random(3), "tobytes"), target, draft, tokens, rng)


def parity_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The last bit of a coin, which only a drawn number has, decides whether everything is kept."""
    bits = rng.random() * 2**53
    return right_if(bits % 2, target, draft, tokens, rng)


def coin_lies_on_a_grid(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a coin is a whole multiple of 2**-53, as every drawn one is."""
    bits = rng.random() * 2**53
    return right_if(bits != np.floor(bits), target, draft, tokens, rng)


# Looking at the rows.


def rows_of_objects(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything unless the rows hold objects."""
    return right_if(target.dtype == object, target, draft, tokens, rng)


def rows_of_a_subclass(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the rows are a plain array."""
    return right_if(type(target) is not np.ndarray, target, draft, tokens, rng)


def element_is_a_float(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a probability is a float."""
    return right_if(not isinstance(target[0, 0], float), target, draft, tokens, rng)


def rows_do_not_round(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a tenth, added ten times, is not the whole, which is so in floats alone."""
    whole = target[0].max()
    return right_if(sum([whole / 10] * 10) == whole, target, draft, tokens, rng)


WRONG_ENGINE = (
    *entries(
        "not lossless",
        swallows_in_except,
        swallows_in_finally,
        swallows_with_suppress,
        swallows_in_a_generator,
        swallows_and_tries_again,
        coin_is_a_float,
        type_of_the_coin,
        coin_is_real,
        class_name_of_the_coin,
        text_of_the_coin,
        length_of_the_coin,
        size_of_the_coin,
        methods_of_the_coin,
        type_of_many_coins,
        memory_of_many_coins,
        parity_of_the_coin,
        coin_lies_on_a_grid,
        rows_of_objects,
        rows_of_a_subclass,
        element_is_a_float,
        rows_do_not_round,
    ),
)
