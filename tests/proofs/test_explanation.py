"""Sentences: each one where it is true, none where it is not."""

from fractions import Fraction

from proofs import explanation as say
from proofs.evidence import Breach, DrafterDifference, Excess, Node
from proofs.sequences import Rows
from tests.call_laws import always

HALF, QUARTER, EIGHTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)
ZERO, ONE = Fraction(0), Fraction(1)
ROWS = Rows(always((HALF, HALF, ZERO)), 3, "target")


def test_acceptance_is_too_high_where_more_is_kept_than_the_target_allows() -> None:
    root = Node((), {0: HALF + EIGHTH, 1: EIGHTH}, {1: QUARTER})
    deep = Node((0,), {1: HALF}, {0: EIGHTH})
    sentence = say.acceptance_sentence([root, deep], ROWS, ZERO, ZERO)
    assert sentence == (
        "The acceptance is too high after (0,): token 1 is kept with mass 1/2, the target allows 5/8 * 1/2 = 5/16; "
        "no residual can repair it."
    )
    assert say.acceptance_sentence([root], ROWS, ZERO, EIGHTH) is None
    assert say.acceptance_sentence([root], ROWS, QUARTER, ZERO) is None
    assert str(say.acceptance_sentence([root], ROWS, ZERO, ZERO)).startswith("The acceptance is too high after ()")
    assert say.acceptance_sentence([], ROWS, ZERO, ZERO) is None


def test_acceptance_at_its_limit_is_admissible() -> None:
    assert say.acceptance_sentence([Node((), {0: HALF}, {1: HALF})], ROWS, ZERO, ZERO) is None


def test_stop_is_shown_beside_the_right_law() -> None:
    node = Node((), {0: QUARTER}, {0: HALF, 1: QUARTER})
    assert say.stop_sentence([node], ROWS, 1, ZERO) == (
        "The acceptance is admissible. The replacement, after (), has on average the law (2/3, 1/3, 0); "
        "the only right one is (1/3, 2/3, 0)."
    )
    assert "The token after the last position, after ()," in str(say.stop_sentence([node], ROWS, 0, ZERO))
    assert say.stop_sentence([node], ROWS, 1, QUARTER) is None
    assert say.stop_sentence([Node((), {0: QUARTER}, {0: QUARTER, 1: HALF})], ROWS, 1, ZERO) is None
    assert say.stop_sentence([Node((), {}, {7: ONE})], ROWS, 1, ZERO) is not None


def test_worst_node_is_named_and_of_equals_the_first() -> None:
    good = Node((), {}, {0: HALF, 1: HALF})
    equal = [Node((x,), {}, {0: EIGHTH}) for x in (0, 1)]
    assert "after (0,)" in str(say.stop_sentence([good, *equal], ROWS, 1, ZERO))
    assert "after (1,)" in str(say.stop_sentence([good, equal[0], Node((1,), {}, {0: QUARTER})], ROWS, 1, ZERO))


def test_forbidden_token_is_named() -> None:
    assert say.forbidden_sentence([Node((), {2: EIGHTH}, {2: EIGHTH, 0: 3 * QUARTER})], ROWS) == (
        "Token 2 after () has target probability zero and is emitted with mass 1/4."
    )
    assert say.forbidden_sentence([Node((), {}, {-4: HALF, 2: QUARTER})], ROWS) == (
        "Token -4 after () is outside the vocabulary and is emitted with mass 1/2."
    )
    assert say.forbidden_sentence([Node((), {}, {0: ONE}), Node((9,), {}, {2: ONE})], ROWS) is None


def test_joint_sentence_needs_every_marginal_right() -> None:
    allowed: dict[tuple[int, ...], Fraction] = {(x, y): QUARTER for x in range(2) for y in range(2)}
    assert say.joint_sentence({(0, 0): HALF, (1, 1): HALF}, allowed, 2, ZERO) is not None
    assert say.joint_sentence({(0, 0): HALF, (1, 0): HALF}, allowed, 2, ZERO) is None
    assert say.joint_sentence({(0, 1): HALF, (0, 0): HALF}, allowed, 2, ZERO) is None
    assert say.joint_sentence({(0,): HALF, (1, 1): HALF}, allowed, 2, ZERO) is None
    assert say.joint_sentence({(0,): ONE}, {(0,): HALF, (1,): HALF}, 1, ONE) is None


def test_breaches_are_counted_together_and_the_first_is_shown() -> None:
    assert list(say.breach_sentences([], None)) == []
    breaches = [Breach((0, 0), (0, 1, 1), 1, HALF), Breach((1, 0), (0, 1), 0, QUARTER)]
    (sentence,) = say.breach_sentences(breaches, None)
    assert sentence == (
        "Emitted tokens are not the drafted ones, with mass 3/4: drafted (0, 0), emitted (0, 1, 1), whose token 1 at "
        "position 1 is not the last; no row was given for what follows it."
    )


def test_numbers_are_exact_unless_nobody_could_read_them() -> None:
    assert say.excess_sentence(Excess((0, 1), Fraction(11, 64), EIGHTH)) == (
        "The sequence (0, 1) has mass 11/64; the target allows 1/8."
    )
    assert say.missing_sentence(Fraction(1, 2**53)).startswith("Mass 1/9007199254740992 is missing")
    assert "0.25 (rounded)" in say.missing_sentence(QUARTER + Fraction(1, 2**106))
    assert "4.94066e-324 (rounded)" in say.missing_sentence(Fraction(1, 2**1074))
    assert "law (1,), the reported row is (1,)." in say.drafter_sentence(DrafterDifference((), (ONE,), (ONE,)))
