"""The program for another process: how it turns coins into tokens, and what it answers."""

from typing import Any

import pytest

from tests.zoo.specdec_program import GREETING, _inverse, answer

WEIGHTS = [0.0, 0.25, 0.5, 0.25, 0.0]


@pytest.mark.parametrize(
    ("coin", "token"), [(0.0, 1), (0.25 - 2**-24, 1), (0.25, 2), (0.75 - 2**-24, 2), (0.75, 3), (1 - 2**-24, 3)]
)
def test_inverse_cdf_is_right_at_every_threshold(coin: float, token: int) -> None:
    assert _inverse(WEIGHTS, coin) == token
    assert _inverse([3 * weight for weight in WEIGHTS], coin) == token


def test_it_asks_for_a_coin_more_than_there_are_drafts() -> None:
    assert GREETING["coins"] == "gamma + 1"


class _Torch:
    int64 = float32 = None

    def __getattr__(self, name: str) -> Any:
        return lambda value, **_: value


class _Decoder:
    def verify(self, prompt: Any, tokens: list[int], rows: Any) -> list[int]:
        raise LookupError("reached")


def test_the_package_is_what_answers() -> None:
    request = {"target": [], "draft": [], "tokens": [0], "coins": [0.5, 0.5]}
    with pytest.raises(LookupError, match="reached"):
        answer(_Torch(), _Decoder, request)
