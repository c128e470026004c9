"""Programs as verifiers: their verdicts under the law engine, and what becomes of those that fail."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proofs
from proofs import ProofsError, Verdict
from proofs.exec_verifier import External, ExternalVerifierError, external
from tests.external.coins import INPUT, ZERO, FixedCoins, GridCoins, on_grid

PROGRAM = str(Path(__file__).parents[1] / "external" / "program.py")
ONE_HOT = ([0, 1, 0], ["1/4", "1/4", "1/2"])
pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes and pipes of POSIX")

P, Q, X = np.array([[0.25, 0.375, 0.375], [0.5, 0.5, 0]]), np.array([[0.5, 0.25, 0.25]]), np.array([0])


def _command(behaviour: str) -> list[str]:
    return [sys.executable, PROGRAM, behaviour]


def _check(
    behaviour: str, *inputs: Any, timeout: float = 20, gamma: int | tuple[int, ...] = 1, **options: Any
) -> Verdict:
    with external(_command(behaviour), timeout=timeout) as verify:
        found = inputs or (INPUT, ZERO)
        return proofs.check(on_grid(verify), gamma=gamma, inputs=found, arithmetic="float64", **options)


@pytest.mark.parametrize("behaviour", ["right", "in_fractions", "noisy"])
def test_right_program_is_lossless(behaviour: str) -> None:
    verdict = _check(behaviour, gamma=(0, 1))
    assert verdict, verdict
    assert verdict.worst == 0


def test_fault_is_found_with_its_exact_law() -> None:
    verdict = _check("sloppy", INPUT, shrink=False)
    assert verdict.status.value == "biased"
    assert verdict.reason.startswith(
        "(0, 1) has probability 3/16, the target's is 3/32; total variation 1/4 [inputs[0]"
    )


def test_token_without_mass_that_is_kept_at_coin_zero() -> None:
    """Drafted with probability 1/4, and kept on one coin of eight."""
    verdict = _check("not_strict", ZERO, shrink=False)
    assert verdict.status.value == "biased"
    assert verdict.counterexample is not None
    law = verdict.counterexample.law
    assert sum(mass for sequence, mass in law.items() if sequence[0] == 2) == Fraction(1, 32)


def test_program_without_coins_draws_none_and_is_exact() -> None:
    with external(_command("greedy")) as verify:
        assert proofs.check(verify, gamma=(0, 1, 2), inputs=[ONE_HOT], arithmetic="float64")
        biased = proofs.check(verify, gamma=1, inputs=[INPUT], arithmetic="float32", shrink=False)
        assert biased.status.value == "biased"
        automatic = proofs.check(verify, gamma=1, inputs=[ONE_HOT])
        assert automatic
        assert "exact arithmetic was left after 1 paths: an external verifier takes floats" in automatic.scope
        exact = proofs.check(verify, gamma=1, inputs=[ONE_HOT], arithmetic="exact")
        assert exact.status.value == "unverified"


UNVERIFIED = {
    "hang": r"the external verifier gave no answer within 0\.4 s \(request 1\) \(tokens \[0\], coins \[0\.0, 0\.0\]\)",
    "drip": r"the external verifier gave no answer within 0\.4 s \(request 1\)",
    "die": r"the external verifier ended with exit status 3 \(request 1\)",
    "die_by_signal": r"the external verifier ended by signal 9 \(request 1\)",
    "die_in_a_line": r"the external verifier ended with exit status 0, in the middle of '{.id.: 1, .tok' \(request 1\)",
    "close_stdout": r"the external verifier closed its standard output \(request 1\)",
    "debug": r"the external verifier (answered|wrote more than one line:) 'debug: tokens are \[0\]'",
    "two_lines": r"the external verifier wrote more than one line: '{.id.: 1, .tokens.: \[0, 0\]}', then 'and more",
    "wrong_id": r"the external verifier answered '.*'; expected the id 1 \(request 1\)",
    "float_token": r"the external verifier answered '.*'; expected tokens to be a list of ints \(request 1\)",
    "none": r"the external verifier answered '.*'; expected tokens to be a list of ints",
    "long": r"the external verifier wrote more than 1048576 bytes for one answer",
    "nothing": "the verifier returned no token",
    "lucky": r"asked the same again, the external verifier answered \[.\] and not \[.\] \(tokens",
    "counting": r"asked the same again, the external verifier answered \[",
    "remembering": r"asked the same again, the external verifier answered \[",
    "crash": r"ExternalVerifierError with probability 1 ",
    "reads_no_more": r"the external verifier ended with exit status 1 \(request 2\)",
}


@pytest.mark.parametrize("behaviour", UNVERIFIED)
def test_program_that_fails_is_unverified_and_why_is_said(behaviour: str) -> None:
    verdict = _check(behaviour, INPUT, timeout=0.4 if behaviour in ("hang", "drip") else 20, shrink=False)
    assert verdict.status.value == "unverified"
    assert re.match(UNVERIFIED[behaviour], verdict.reason), verdict.reason


def test_program_that_hangs_at_last_is_not_waited_for_twice() -> None:
    begin = time.monotonic()
    verdict = _check("hang_on_two", INPUT, gamma=(1, 2), timeout=0.5, max_paths=30)
    assert time.monotonic() - begin < 20
    assert verdict.status.value == "unverified"


def test_slow_program_is_waited_for() -> None:
    with external(_command("slow"), timeout=20) as verify:
        assert verify(P, Q, X, FixedCoins([0.75, 0.5])) == [2]


def test_error_of_the_program_is_a_crash_with_its_words() -> None:
    with external(_command("crash")) as verify, pytest.raises(ExternalVerifierError, match="negative . weight"):
        verify(P, Q, X, FixedCoins([0.0, 0.0]))
    verdict = _check("crash", INPUT, shrink=False)
    assert any(
        "the external verifier answered with an error: negative \\u2013 weight" in note for note in verdict.notes
    )


def test_coins_are_drawn_once_a_call_and_as_the_greeting_says() -> None:
    for behaviour, dtype in (("right", "float64"), ("in_fractions", "float32")):
        with external(_command(behaviour)) as verify:
            rng = FixedCoins([0.75, 0.5])
            assert verify(P, Q, X, rng) == [2]
            assert rng.asked == [((2,), dtype)]


def test_generator_of_numpy_draws_the_coins() -> None:
    with external(_command("right")) as verify:
        drawn = [verify(P, Q, X, np.random.default_rng(seed)) for seed in range(8)]
        coins = [np.random.default_rng(seed).random((2,), "float64").tolist() for seed in range(8)]
        assert drawn == [verify(P, Q, X, FixedCoins(c)) for c in coins]


def test_numbers_that_are_not_finite_are_refused_and_the_program_stays() -> None:
    def verify_logits(verify: External) -> Callable[..., Any]:
        def adapted(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
            with np.errstate(divide="ignore"):
                return verify(np.log(target), draft, tokens, GridCoins(rng))

        return adapted

    with external(_command("right")) as verify:
        verdict = proofs.check(verify_logits(verify), gamma=1, inputs=[ZERO], arithmetic="float64", shrink=False)
        assert "an external verifier takes finite numbers: JSON has no others" in verdict.reason
        assert verify(P, Q, X, FixedCoins([0.75, 0.5])) == [2]


def _runs(pid: int) -> bool:
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(listed.strip()) and not listed.startswith("Z")


@pytest.mark.parametrize("behaviour", ["right", "stays", "child"])
def test_program_and_its_children_are_ended(behaviour: str) -> None:
    with external(_command(behaviour)) as verify:
        verify(P, Q, X, FixedCoins([0.75, 0.5]))
        pids = [verify._process.pid]
        assert _runs(pids[0])
    pids += [int(line.split()[1]) for line in verify.last_errors() if line.startswith("child")]
    time.sleep(0.2)
    assert len(pids) == (3 if behaviour == "child" else 1)  # every request is asked twice at first
    assert not any(map(_runs, pids))


def test_program_is_ended_when_something_else_fails() -> None:
    pids = []

    def fail(verify: External) -> None:
        pids.append(verify._process.pid)
        raise LookupError

    with pytest.raises(LookupError), external(_command("stays")) as verify:
        fail(verify)
    assert not _runs(pids[0])


def test_last_lines_of_stderr() -> None:
    with external(_command("die")) as verify, pytest.raises(BaseException, match="ended with exit status 3"):
        verify(P, Q, X, FixedCoins([0.0, 0.0]))
    assert verify.last_errors() == ["about to", "leave"]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("silent", r"^the external verifier gave no answer within 0\.5 s, where its greeting was due$"),
        ("stillborn", r"ended with exit status 1, where .*; the last line of its stderr: 'no such device'$"),
        ("chatty", r"^the external verifier greeted with 'hello'; expected a JSON object"),
        ("other_protocol", r"expected the protocol 'specdec-proofs/exec/1'"),
        ("no_coins", r"wants None coins; expected a text such as 'gamma \+ 1'"),
    ],
)
def test_program_that_does_not_greet(behaviour: str, words: str) -> None:
    limit = 0.5 if behaviour == "silent" else 20
    with pytest.raises(ProofsError, match=words), external(_command(behaviour), start_timeout=limit):
        pass


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("", {}, "the command is empty"),
        ([], {}, "the command is empty"),
        ("a 'b", {}, "cannot be split: No closing quotation"),
        ("./no-such-program -x", {}, "'./no-such-program' cannot be started: No such file or directory"),
        (["a\0b"], {}, "cannot be started: embedded null byte"),
        ("true", {"timeout": 0}, "timeout = 0; expected seconds, more than 0"),
        ("true", {"timeout": float("nan")}, "timeout = nan; expected seconds"),
        ("true", {"start_timeout": float("inf")}, "start_timeout = inf; expected seconds"),
    ],
)
def test_arguments_that_make_no_sense(command: Any, options: dict[str, float], words: str) -> None:
    with pytest.raises(ProofsError, match=words), external(command, **options):
        pass


def test_no_shell_is_involved(tmp_path: Path) -> None:
    text = f"{sys.executable} {PROGRAM} right ; touch {tmp_path}/made"
    with external(text) as verify:  # the program ignores what follows its behaviour
        assert verify(P, Q, X, FixedCoins([0.75, 0.5])) == [2]
    assert not list(tmp_path.iterdir())


def test_program_in_trouble_is_ended_at_once_and_says_the_same_ever_after() -> None:
    with external(_command("hang"), timeout=0.3) as verify:
        for coins in ([0.0, 0.0], [0.5, 0.5]):
            with pytest.raises(BaseException, match=r"gave no answer within 0\.3 s \(request 1\)$"):
                verify(P, Q, X, FixedCoins(coins))
            assert not _runs(verify._process.pid)
