"""A verifier that is a program of its own, and the ways in which one can fail. Standard library alone.

python program.py BEHAVIOUR
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from fractions import Fraction
from typing import Any, TypeAlias

Request: TypeAlias = dict[str, Any]

GREETING = {"protocol": "specdec-proofs/exec/1", "coins": "gamma + 1", "dtype": "float64"}


def draw(weights: list[Any], coin: Any) -> int:
    bound, total = coin * sum(weights), 0
    for token, weight in enumerate(weights):
        total += weight
        if total > bound:
            return token
    raise ValueError("a row without mass")


def right(request: Request, *, strict: bool = True) -> list[int]:
    target, draft, tokens, coins = (request[name] for name in ("target", "draft", "tokens", "coins"))
    for i, x in enumerate(tokens):
        p, q = target[i], draft[i]
        if not (coins[i] * q[x] < p[x] or (not strict and coins[i] * q[x] == p[x])):
            return [*tokens[:i], draw([max(a - b, 0) for a, b in zip(p, q, strict=True)], coins[i + 1])]
    return [*tokens, draw(target[-1], coins[-1])]


def not_strict(request: Request) -> list[int]:
    return right(request, strict=False)


def in_fractions(request: Request) -> list[int]:
    for name in ("target", "draft"):
        request[name] = [[Fraction(x) for x in row] for row in request[f"{name}_exact"]]
    request["coins"] = [Fraction(x) for x in request["coins_exact"]]
    return right(request)


def sloppy(request: Request) -> list[int]:
    return [*request["tokens"], draw(request["target"][-1], request["coins"][-1])]


def greedy(request: Request) -> list[int]:
    best = [row.index(max(row)) for row in request["target"]]
    kept = next((i for i, x in enumerate(request["tokens"]) if x != best[i]), len(request["tokens"]))
    return best[: kept + 1]


def hang(request: Request) -> list[int]:
    time.sleep(60)
    return right(request)


def hang_on_two(request: Request) -> list[int]:
    return hang(request) if len(request["tokens"]) == 2 else right(request)


def slow(request: Request) -> list[int]:
    time.sleep(0.2)
    return right(request)


def drip(request: Request) -> list[int]:
    for _ in range(100):
        print(" ", end="", flush=True)
        time.sleep(0.05)
    return right(request)


def die(request: Request) -> list[int]:
    print("about to\nleave", file=sys.stderr)
    sys.exit(3)


def die_by_signal(request: Request) -> list[int]:
    os.kill(os.getpid(), signal.SIGKILL)
    return []


def die_in_a_line(request: Request) -> list[int]:
    print('{"id": 1, "tok', end="", flush=True)
    sys.exit(0)


def close_stdout(request: Request) -> list[int]:
    os.close(1)
    time.sleep(60)
    return []


def debug(request: Request) -> list[int]:
    print("debug: tokens are", request["tokens"])
    return right(request)


def two_lines(request: Request) -> list[int]:
    sys.stdout.write(json.dumps({"id": request["id"], "tokens": right(request)}) + "\nand more\n")
    return right(request)


def wrong_id(request: Request) -> list[int]:
    request["id"] += 1
    return right(request)


def float_token(request: Request) -> list[Any]:
    return [float(x) for x in right(request)]


def none(request: Request) -> None:
    return None


def nothing(request: Request) -> list[int]:
    return []


def long(request: Request) -> list[int]:
    return [0] * 2_000_000


def lucky(request: Request) -> list[int]:
    return [random.randrange(len(request["target"][0]))]


def counting(request: Request) -> list[int]:
    """Right for a while, then not."""
    return right(request) if request["id"] < 100 else sloppy(request)


def remembering(request: Request) -> list[int]:
    """Answers by the request before the last one that differed: asked twice at once, it says the same."""
    coins = request["coins"]
    if not SEEN or SEEN[-1] != coins:
        SEEN.append(coins)
    return right(request) if len(SEEN) < 4 else [(right(request)[0] + 1) % 3]


SEEN: list[Any] = []


def noisy(request: Request) -> list[int]:
    print("x" * 200_000, file=sys.stderr, flush=True)
    return right(request)


def crash(request: Request) -> list[int]:
    raise ArithmeticError("negative \u2013 weight")


def reads_no_more(request: Request) -> list[int]:
    os.close(0)
    return right(request)


def child(request: Request) -> list[int]:
    """Leave something behind that would live on, and say its number."""
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    print("child", left.pid, file=sys.stderr, flush=True)
    return right(request)


def stays(request: Request) -> list[int]:
    return right(request)


def waits_without_coins(request: Request) -> list[int]:
    """Say its number in a file, and hang."""
    with open("pid", "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    return hang(request)


def hang_without_coins(request: Request) -> list[int]:
    return hang(request)


def die_without_coins(request: Request) -> list[int]:
    return die(request)


GREETINGS: dict[str, Any] = {
    "in_fractions": GREETING | {"exact": True, "dtype": "float32"},
    "greedy": GREETING | {"coins": "0"},
    "other_protocol": GREETING | {"protocol": "specdec-proofs/exec/9"},
    "no_coins": {"protocol": "specdec-proofs/exec/1"},
}


def main(behaviour: str) -> None:
    if behaviour == "silent":
        time.sleep(60)
    if behaviour == "stillborn":
        sys.exit("no such device")
    greeting = GREETING | ({"coins": "0"} if behaviour.endswith("without_coins") else {})
    print("hello" if behaviour == "chatty" else json.dumps(GREETINGS.get(behaviour, greeting)), flush=True)
    verify = globals()[behaviour]
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"tokens": verify(request)}
        except ArithmeticError as error:
            answer = {"error": str(error)}
        print(json.dumps({"id": request["id"], **answer}), flush=True)
    if behaviour == "stays":
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1])
