"""Laws of sequences: against the definition, sequence by sequence."""

from fractions import Fraction

import pytest

from proofs.errors import NotADistributionError, ShapeError
from proofs.sequences import Rows, check_law, exact_sum, process_law, sequence_law, target_law
from tests.call_laws import CallLaw, always, blind, block, by_prefix, chain, completed, drafts
from tests.enumeration import NAMED

P, Q = NAMED["I3"]
MARKOV = by_prefix(
    {(): P, (0,): Q, (1, 2): (Fraction(0), Fraction(1), Fraction(0))}, (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
)


def test_law_of_no_tokens_is_one_empty_sequence() -> None:
    assert target_law(MARKOV, 0, 3) == process_law(MARKOV, 0, 3) == {(): 1}


@pytest.mark.parametrize("length", [1, 2, 3])
def test_process_law_multiplies_the_rows_and_leaves_zeros_out(length: int) -> None:
    law = target_law(MARKOV, length, 3)
    assert law == process_law(MARKOV, length, 3) == drafts(MARKOV, length, 3)
    assert sum(law.values()) == 1
    assert (1, 2, 0) not in law


@pytest.mark.parametrize("gamma", [0, 1, 2])
@pytest.mark.parametrize("rule", [chain, block])
def test_sequence_law_is_that_of_the_definition(gamma: int, rule: object) -> None:
    law = (chain if rule is chain else block)(MARKOV, always(Q), gamma, 3)
    shifted = {(t, (*e[:-1], (e[-1] + 1) % 3)): m for (t, e), m in law.items()}
    for call in (law, shifted):
        assert sequence_law(call, MARKOV, gamma, 3) == completed(call, MARKOV, gamma + 1, 3)


def test_sequence_law_completes_what_was_not_drafted() -> None:
    law = blind(always(P), always(Q), 3)
    assert sequence_law(law, MARKOV, 2, 3) == completed(law, MARKOV, 3, 3)


def test_tokens_outside_the_vocabulary_end_a_sequence() -> None:
    law: CallLaw = {((0,), (3,)): Fraction(1, 4), ((0,), (-2, 1)): Fraction(1, 4), ((0,), (1,)): Fraction(1, 8)}
    found = sequence_law(law, MARKOV, 1, 3)
    assert sequence_law(law | {((0,), (4,)): Fraction(0)}, MARKOV, 1, 3) == found
    assert found == {
        (3,): Fraction(1, 4),
        (-2, 1): Fraction(1, 4),
        (1, 0): Fraction(1, 32),
        (1, 1): Fraction(1, 32),
        (1, 2): Fraction(1, 16),
    }


@pytest.mark.parametrize(
    ("row", "error", "words"),
    [
        ((Fraction(1, 2), Fraction(1, 2)), ShapeError, r"target\(\(\)\) has 2 entries; expected 3"),
        ((Fraction(3, 2), Fraction(-1, 2), Fraction(0)), NotADistributionError, r"target\(\(\)\)\[1\] is -1/2"),
        (
            (Fraction(1, 2), Fraction(1, 4), Fraction(0)),
            NotADistributionError,
            r"target\(\(\)\) sums to 3/4; expected exactly 1",
        ),
    ],
)
def test_rows_that_are_no_distribution_are_refused(
    row: tuple[Fraction, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        target_law(always(row), 1, 3)


def test_rows_are_asked_for_once() -> None:
    asked = []

    def process(prefix: tuple[int, ...]) -> tuple[Fraction, ...]:
        asked.append(prefix)
        return P

    rows = Rows(process, 3, "target")
    assert rows((0,)) == rows((0,)) == P
    assert asked == [(0,)]
    assert [rows.chance((0,), y) for y in (-1, 0, 3)] == [0, Fraction(1, 2), 0]
    assert rows.holds((0, 2))
    assert not rows.holds((0, 3))
    assert not rows.holds((-1,))


@pytest.mark.parametrize(
    ("key", "mass", "words"),
    [
        (((0,), (0,)), Fraction(1), "1 drafted tokens in .* gamma = 2"),
        (((0, 0), ()), Fraction(1), "0 emitted tokens"),
        (((0, 0), (0, 0, 0, 0)), Fraction(1), "4 emitted tokens in .*; expected 1 to gamma . 1 = 3"),
        (((0, 0), (0,)), Fraction(-1), "is -1; expected a mass >= 0"),
    ],
)
def test_what_is_no_law_of_a_call_is_refused(
    key: tuple[tuple[int, ...], tuple[int, ...]], mass: Fraction, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        check_law({key: mass}, 2)
    with pytest.raises(ValueError, match=words):
        sequence_law({key: mass}, MARKOV, 2, 3)


def test_exact_sum_is_the_sum() -> None:
    numbers = [Fraction(1, 3), Fraction(-5, 7), Fraction(2), Fraction(0), Fraction(1, 2**80)]
    for count in range(len(numbers) + 1):
        assert exact_sum(numbers[:count]) == sum(numbers[:count])
    assert isinstance(exact_sum([]), Fraction)
