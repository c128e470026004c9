"""Paths force, take and leave open the options of their choices; coins narrow."""

from fractions import Fraction

import pytest

from proofs.engine.choices import MAX_OPTIONS, Arithmetic, Coin, Path, Step, TooLongError
from proofs.engine.signals import Kind, Refusal, collecting
from proofs.engine.weights import ONE, Weight, to_fraction, weight

HALVES = (weight(Fraction(1, 2)),) * 2
ROW = (weight(Fraction(1, 4)), weight(0), weight(Fraction(3, 4)))


def _step(option: int, options: int, share: Weight) -> Step:
    return Step(option, options, share, share)


def _path(*forced: Step, draws: int = 100, arithmetic: Arithmetic = Arithmetic.EXACT) -> Path:
    return Path(forced, arithmetic, draws)


def test_a_choice_takes_its_first_option_and_leaves_the_possible_others_open() -> None:
    path = _path()
    assert path.branch(HALVES) == 0
    assert path.branch(ROW) == 0
    assert to_fraction(path.weight) == Fraction(1, 8)
    assert [(to_fraction(mass), tuple(step.option for step in steps)) for mass, steps in path.open] == [
        (Fraction(1, 2), (1,)),
        (Fraction(3, 8), (0, 2)),
    ]


def test_impossible_options_are_never_taken() -> None:
    path = _path()
    assert path.branch((weight(0), ONE)) == 1
    assert (path.open, path.weight) == ([], ONE)


def test_forced_steps_are_taken_and_open_nothing() -> None:
    path = _path(_step(2, 3, ROW[2]))
    assert path.branch(ROW) == 2
    assert (to_fraction(path.weight), path.open) == (Fraction(3, 4), [])
    assert path.branch(HALVES) == 0
    assert len(path.open) == 1


@pytest.mark.parametrize("weights", [HALVES, (ROW[0], ROW[2], weight(0)), (*HALVES, weight(0))])
def test_another_choice_than_the_forced_one_is_refused(weights: tuple[object, ...]) -> None:
    path = _path(_step(2, 3, ROW[2]), _step(0, 2, HALVES[0]))
    with collecting(path.marks), pytest.raises(Refusal, match="did not repeat itself"):
        path.branch(weights)
    assert [mark.kind for mark in path.marks] == [Kind.HIDDEN]
    assert to_fraction(path.mass) == Fraction(3, 8)


def test_a_path_that_ends_before_its_forced_steps_is_marked_and_keeps_its_mass() -> None:
    path = _path(_step(1, 2, HALVES[1]), _step(0, 3, ROW[0]))
    path.branch(HALVES)
    path.ended()
    assert [mark.kind for mark in path.marks] == [Kind.HIDDEN]
    assert to_fraction(path.mass) == Fraction(1, 8)
    whole = _path(_step(1, 2, HALVES[1]))
    whole.branch(HALVES)
    whole.ended()
    assert (whole.marks, whole.mass) == ([], whole.weight)


def test_a_real_coin_splits_by_length_and_remembers() -> None:
    path = _path()
    coin = Coin(path, None)
    assert coin.below(weight(Fraction(3, 4)))
    assert coin.below(weight(Fraction(3, 4)))
    assert coin.below(weight(2))
    assert not coin.below(weight(0))
    assert not coin.below(weight(-1))
    assert coin.below(weight(Fraction(1, 4)))
    assert to_fraction(path.weight) == Fraction(1, 4)
    assert (to_fraction(coin.low), to_fraction(coin.high)) == (Fraction(0), Fraction(1, 4))
    assert coin.witness() == (0.125, True)


def test_the_other_half_of_a_coin() -> None:
    path = _path(_step(1, 2, weight(Fraction(1, 4))))
    coin = Coin(path, None)
    assert not coin.below(weight(Fraction(3, 4)))
    assert coin.witness() == (0.875, True)


def test_a_narrow_interval_leaves_no_room_for_rounding() -> None:
    coin = Coin(_path(), None)
    assert coin.below(weight(Fraction(1, 2**38)))
    assert coin.witness()[1] is False


def test_a_coin_on_a_grid_counts() -> None:
    path = _path(arithmetic=Arithmetic.FLOAT64)
    coin = Coin(path, 8)
    assert coin.below(3)
    assert coin.below(1)
    assert to_fraction(path.weight) == Fraction(1, 8)
    assert (coin.low, coin.high) == (0, 1)
    assert coin.witness() == (0.0, True)
    for k in range(8):
        point = Coin(path, 8)
        point.low, point.high = k, k + 1
        assert point.witness()[0] == k / 8


def test_a_coin_is_compared_or_becomes_noise_and_not_both() -> None:
    path = _path()
    compared, noise = Coin(path, None), Coin(path, None)
    compared.below(weight(Fraction(1, 2)))
    noise.become_noise("-log(u)")
    noise.become_noise("-log(u)")
    with pytest.raises(Refusal):
        compared.become_noise("-log(u)")
    with pytest.raises(Refusal):
        noise.below(weight(Fraction(1, 2)))
    with pytest.raises(Refusal):
        noise.become_noise("-log(1 - u)")


def test_equal_keys_draw_the_same() -> None:
    path = _path()
    assert path.draw_coin("a", None) is path.draw_coin("a", None)
    assert path.draw_coin("b", None) is not path.draw_coin("a", None)
    assert path.draw_option("c", HALVES) == path.draw_option("c", HALVES)
    assert path.draw_noise("d") == path.draw_noise("d") != path.draw_noise("e")
    assert path.draw_integer("f", 10**6) == path.draw_integer("f", 10**6)
    assert len(path.steps) == 1
    assert [event.kind for event in path.events] == ["coin"] * 4 + ["option"] * 2 + ["noise"] * 3 + ["integer"] * 2


def test_equal_keys_that_draw_differently_are_refused() -> None:
    path = _path()
    path.draw_coin("a", None)
    path.draw_option("b", HALVES, "choice")
    path.draw_noise("c", "float64")
    for draw in (
        lambda: path.draw_noise("a"),
        lambda: path.draw_coin("a", 2**24),
        lambda: path.draw_option("b", ROW, "choice"),
        lambda: path.draw_option("b", HALVES, "binomial"),
        lambda: path.draw_noise("c", "float32"),
    ):
        with pytest.raises(Refusal, match="one seed"):
            draw()


def test_a_choice_of_too_many_options_is_refused_by_count() -> None:
    count = MAX_OPTIONS + 1
    with pytest.raises(Refusal, match=f"{count} options; at most {MAX_OPTIONS}"):
        _path().draw_option("a", [ONE / count] * count)


def test_too_many_draws_give_the_path_up() -> None:
    path = _path(draws=2)
    path.draw_coin("a", None)
    path.draw_noise("b")
    assert not path.given_up
    with pytest.raises(TooLongError):
        path.draw_integer("c", 10**6)
    assert path.given_up


def test_races_and_comparisons_multiply_and_leave_their_rules() -> None:
    path = _path()
    weights = {1: weight(1), 2: weight(3), 3: weight(0)}
    assert path.win(weights) == 1
    assert path.at_least(1, weight(1), 2) is False  # E_1 won with a third of the weight: E_2 >= 3 E_1
    assert to_fraction(path.weight) == Fraction(1, 4)
    assert path.constraints[0] == (2, weight(3), 1)


def test_kept_values_come_back_by_their_number() -> None:
    path = _path()
    assert [path.keep("x"), path.keep("y")] == [0, 1]
    assert path.kept == ["x", "y"]
