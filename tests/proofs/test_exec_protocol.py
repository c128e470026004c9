"""The line protocol: what is read, what is refused and in which words, and numbers that come back as they were."""

import json
import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.exec_process import ExecError
from proofs.exec_protocol import PROTOCOL, Answer, Greeting, read_answer, read_greeting, request_line


def _greeting(**changes: object) -> bytes:
    return json.dumps({"protocol": PROTOCOL, "coins": "gamma + 1"} | changes).encode()


@pytest.mark.parametrize(
    ("coins", "counts"),
    [
        ("gamma + 1", (1, 2, 4)),
        ("gamma+1", (1, 2, 4)),
        ("gamma", (0, 1, 3)),
        ("2 * gamma + 1", (1, 3, 7)),
        ("2*gamma", (0, 2, 6)),
        ("0", (0, 0, 0)),
        ("12", (12, 12, 12)),
    ],
)
def test_numbers_of_coins(coins: str, counts: tuple[int, ...]) -> None:
    greeting = read_greeting(_greeting(coins=coins))
    assert tuple(greeting.coins(gamma) for gamma in (0, 1, 3)) == counts


def test_greeting_says_what_the_coins_are() -> None:
    assert read_greeting(_greeting()) == Greeting(1, 1, "float64", exact=False)
    assert read_greeting(_greeting(dtype="float32", exact=True, name="mine")) == Greeting(1, 1, "float32", exact=True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"hello", r"greeted with 'hello'; expected a JSON object on a line, and everything else on stderr"),
        (b"[]", r"greeted with '\[\]'; expected a JSON object"),
        (b"", "greeted with ''; expected a JSON object"),
        (b"\xff\xfe", "greeted with .*; expected a JSON object"),
        (b"[" * 100_000, r"greeted with '\[{120}'\.\.\.; expected a JSON object"),
        (b'{"protocol": "specdec-proofs/exec/1", "coins": "0", "coins": "1"}', "expected a JSON object"),
        (_greeting(protocol="specdec-proofs/exec/2"), "expected the protocol 'specdec-proofs/exec/1'"),
        (b"{}", "expected the protocol 'specdec-proofs/exec/1'"),
        (_greeting(coins=3), "wants 3 coins; expected a text such as 'gamma . 1'"),
        (_greeting(coins="gamma - 1"), "wants 'gamma - 1' coins; expected a text"),
        (_greeting(coins="gamma + 1\n"), "coins; expected a text"),
        (_greeting(coins="gamma * 2"), "coins; expected a text"),
        (_greeting(coins="\u0663"), "coins; expected a text"),
        (_greeting(dtype="float16"), "wants coins of dtype 'float16'; expected one of float64, float32"),
        (_greeting(dtype=None), "wants coins of dtype None"),
        (_greeting(exact=1), "says exact: 1; expected true or false"),
    ],
)
def test_what_is_no_greeting(line: bytes, words: str) -> None:
    with pytest.raises(ExecError, match=words):
        read_greeting(line)


floats = st.floats(0, 1) | st.sampled_from([5e-324, 2.0**-1022, 1 - 2.0**-53, 0.1, 1 / 3])


@given(st.lists(floats), st.lists(st.integers(0, 9)))
def test_numbers_come_back_bit_for_bit(numbers: list[float], tokens: list[int]) -> None:
    line = request_line(7, [numbers, numbers], [numbers], tokens, numbers, exact=True)
    assert line.count(b"\n") == 1 == line.endswith(b"\n")
    found = json.loads(line)
    assert list(found) == ["id", "target", "draft", "tokens", "coins", "target_exact", "draft_exact", "coins_exact"]
    assert (found["id"], found["tokens"]) == (7, tokens)
    bits = struct.pack(f"{len(numbers)}d", *numbers)
    for row in (*found["target"], *found["draft"], found["coins"]):
        assert struct.pack(f"{len(row)}d", *row) == bits
    for row in (*found["target_exact"], *found["draft_exact"], found["coins_exact"]):
        assert all("/" in x for x in row)
        assert [Fraction(x) for x in row] == [Fraction(x) for x in numbers]


def test_fractions_are_sent_on_request_alone() -> None:
    assert json.loads(request_line(1, [[1.0]], [], [], [0.5])) == {
        "id": 1, "target": [[1.0]], "draft": [], "tokens": [], "coins": [0.5],
    }  # fmt: skip


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_numbers_that_json_does_not_have(number: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        request_line(1, [[number]], [], [], [])


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b'{"id": 7, "tokens": [0, 2]}', Answer((0, 2))),
        (b' {"tokens":[-1,12345678901234567890],"id":7,"seconds":0.1}\r', Answer((-1, 12345678901234567890))),
        (b'{"id": 7, "tokens": []}', Answer(())),
        (b'{"id": 7, "error": "why"}', Answer(error="why")),
        (b'{"id": 7, "error": null}', Answer(error="None")),
    ],
)
def test_answers(line: bytes, answer: Answer) -> None:
    assert read_answer(line, 7) == answer


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"debug", r"^answered 'debug'; expected a JSON object on a line, and everything else on stderr$"),
        (b"7", "expected a JSON object"),
        (b'{"id": 7, "tokens": [0]} {}', "expected a JSON object"),
        (b'{"id": 7, "tokens": [0], "tokens": [1]}', "expected a JSON object"),
        (b'{"tokens": [0]}', "expected the id 7"),
        (b'{"id": 8, "tokens": [0]}', r"answered '.*8.*'; expected the id 7"),
        (b'{"id": 7.0, "tokens": [0]}', "expected the id 7"),
        (b'{"id": "7", "tokens": [0]}', "expected the id 7"),
        (b'{"id": 7}', "expected either tokens or an error"),
        (b'{"id": 7, "tokens": [0], "error": "x"}', "expected either tokens or an error"),
        (b'{"id": 7, "tokens": 0}', "expected tokens to be a list of ints"),
        (b'{"id": 7, "tokens": null}', "expected tokens to be a list of ints"),
        (b'{"id": 7, "tokens": [1.0]}', "expected tokens to be a list of ints"),
        (b'{"id": 7, "tokens": [true]}', "expected tokens to be a list of ints"),
        (b'{"id": 7, "tokens": ["1"]}', "expected tokens to be a list of ints"),
        (b'{"id": 7, "tokens": [NaN]}', "expected tokens to be a list of ints"),
    ],
)
def test_what_is_no_answer(line: bytes, words: str) -> None:
    with pytest.raises(ExecError, match=words):
        read_answer(line, 7)


def test_id_true_is_not_one() -> None:
    with pytest.raises(ExecError, match="expected the id 1"):
        read_answer(b'{"id": true, "tokens": [0]}', 1)
