import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.engine.noise import LIMIT, Noise, TooHard
from proofs.engine.weights import ONE, Weight, is_weight, to_fraction, weight
from tests.proofs.engine.cells import Cell, Comparison, cut, fresh, mass

Row = Sequence[int | Fraction]
I5 = ((4, 3, 2, 1), (1, 2, 3, 4))
B0 = ((1, 3, 4), (2, 1, 1))


class Question:
    """Something asked of the noise: its odds, what it adds, and what it says in comparisons."""

    def __init__(self, kind: str, *data: int | Fraction) -> None:
        self.kind, self.data = kind, data
        self.weights = {i: weight(w) for i, w in enumerate(data)}

    def __repr__(self) -> str:
        return f"{self.kind}{self.data}"

    def odds(self, noise: Noise) -> dict[int, Weight]:
        if self.kind == "first":
            return noise.odds_first(self.weights)
        if self.kind == "last":
            return noise.odds_last(self.weights)
        i, c, j = self.data
        yes = noise.odds_at_least(i, c, j)
        return {outcome: odds for outcome, odds in ((1, yes), (0, ONE - yes)) if odds}

    def after(self, noise: Noise, outcome: int) -> Noise:
        if self.kind in ("first", "last"):
            return (noise.first if self.kind == "first" else noise.last)(self.weights, outcome)
        return (noise.at_least if outcome else noise.less)(*self.data)

    def comparisons(self, outcome: int) -> list[Comparison]:
        if self.kind == "compare":
            i, c, j = self.data
            return [(int(i), Fraction(c), int(j))] if outcome else [(int(j), 1 / Fraction(c), int(i))]
        rest = [(i, Fraction(w), Fraction(self.data[outcome])) for i, w in enumerate(self.data) if w and i != outcome]
        if self.kind == "first":
            return [(i, w / own, outcome) for i, w, own in rest]
        return [(outcome, own / w, i) for i, w, own in rest]

    def outcomes(self) -> list[int]:
        return [0, 1] if self.kind == "compare" else [i for i, w in enumerate(self.data) if w]


def _paths(questions: Sequence[Question]) -> Iterator[tuple[tuple[int, ...], Weight]]:
    """Every path: its outcomes and its exact weight, the product of the odds."""
    stack: list[tuple[tuple[int, ...], Weight, Noise]] = [((), ONE, Noise())]
    while stack:
        seen, share, noise = stack.pop()
        if len(seen) == len(questions):
            yield seen, share
            continue
        question = questions[len(seen)]
        stack += [((*seen, x), share * odds, question.after(noise, x)) for x, odds in question.odds(noise).items()]


def _law(questions: Sequence[Question]) -> dict[tuple[int, ...], Fraction]:
    return {seen: to_fraction(share) for seen, share in _paths(questions)}


def _law_by_cells(questions: Sequence[Question], n: int) -> dict[tuple[int, ...], Fraction]:
    cells: dict[tuple[int, ...], list[Cell]] = {(): fresh(n)}
    for question in questions:
        cells = {
            (*seen, x): cut(before, *question.comparisons(x))
            for seen, before in cells.items()
            for x in question.outcomes()
        }
    return {seen: mass(parts) for seen, parts in cells.items() if parts}


def _marginal(law: dict[tuple[int, ...], Fraction], place: int, n: int) -> list[Fraction]:
    return [sum((w for seen, w in law.items() if seen[place] == x), start=Fraction(0)) for x in range(n)]


def _shares(row: Row) -> list[Fraction]:
    return [Fraction(w) / sum(row) for w in row]


def _questions(n: int) -> st.SearchStrategy[Question]:
    first = st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any).map(lambda row: Question("first", *row))
    last = st.lists(st.integers(1, 4), min_size=n, max_size=n).map(lambda row: Question("last", *row))
    c = st.builds(Fraction, st.integers(1, 4), st.integers(1, 4))
    pair = st.permutations(range(n)).map(lambda order: order[:2])
    compare = st.builds(lambda ij, c: Question("compare", ij[0], c, ij[1]), pair, c)
    return st.one_of(first, last, compare)


@settings(max_examples=80, deadline=None)
@given(st.lists(_questions(3), min_size=1, max_size=4))
def test_any_history_has_the_law_of_the_cells(questions: list[Question]) -> None:
    assert _law(questions) == _law_by_cells(questions, 3)


@settings(max_examples=25, deadline=None)
@given(st.lists(_questions(4), min_size=1, max_size=3))
def test_any_history_of_four_has_the_law_of_the_cells(questions: list[Question]) -> None:
    assert _law(questions) == _law_by_cells(questions, 4)


@settings(max_examples=40, deadline=None)
@given(st.lists(_questions(5), min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_the_order_of_the_questions_does_not_matter(questions: list[Question], source: random.Random) -> None:
    order = source.sample(range(len(questions)), len(questions))
    other = {
        tuple(seen[order.index(k)] for k in range(len(order))): share
        for seen, share in _law([questions[k] for k in order]).items()
    }
    assert other == _law(questions)


@settings(max_examples=40, deadline=None)
@given(st.lists(_questions(5), max_size=3), _questions(5), st.data())
def test_odds_are_positive_and_sum_to_one(before: list[Question], question: Question, data: st.DataObject) -> None:
    noise = Noise()
    for earlier in before:
        outcome = data.draw(st.sampled_from(sorted(earlier.odds(noise))))
        noise = earlier.after(noise, outcome)
    odds = question.odds(noise)
    assert sum(odds.values()) == ONE
    assert all(is_weight(value) and value > 0 for value in odds.values())
    for outcome in set(question.outcomes()) - set(odds):
        with pytest.raises(ValueError, match="has probability zero after this history"):
            question.after(noise, outcome)


@settings(max_examples=40, deadline=None)
@given(st.lists(_questions(4), max_size=2), _questions(4), st.data())
def test_an_outcome_that_was_seen_is_sure(before: list[Question], question: Question, data: st.DataObject) -> None:
    noise = Noise()
    for earlier in [*before, question]:
        outcome = data.draw(st.sampled_from(sorted(earlier.odds(noise))))
        noise = earlier.after(noise, outcome)
    assert question.odds(noise) == {outcome: ONE}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "races"), [(4, 3), (6, 3), (3, 4), (5, 2)])
def test_each_race_keeps_its_own_law_and_winners_are_a_multiset(n: int, races: int, seed: int) -> None:
    """Generic weights: of all winner tuples, one for each multiset is possible."""
    source = random.Random(seed)
    rows = [[source.randint(1, 10**6) for _ in range(n)] for _ in range(races)]
    law = _law([Question("first", *row) for row in rows])
    assert [_marginal(law, k, n) for k in range(races)] == [_shares(row) for row in rows]
    assert len(law) == comb(n + races - 1, races)
    assert len({tuple(sorted(seen)) for seen in law}) == len(law)


def _reused(target: Row, draft: Row) -> list[Fraction]:
    """Law of the token rule when the residual's race runs on the draft's own noise."""
    p, q, n = _shares(target), _shares(draft), len(target)
    residual = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
    emitted = [Fraction(0)] * n
    for x, drafted in Noise().odds_first(_weights(q)).items():
        keep = min(Fraction(1), p[x] / q[x])
        emitted[x] += to_fraction(drafted) * keep
        if keep < 1:
            noise = Noise().first(_weights(q), x)
            for y, odds in noise.odds_first(_weights(residual)).items():
                emitted[y] += to_fraction(drafted * odds) * (1 - keep)
    return emitted


def _weights(row: Row) -> dict[int, Weight]:
    return {i: weight(w) for i, w in enumerate(row)}


def test_residual_on_the_noise_of_the_draft_golden() -> None:
    assert _reused(*B0) == [Fraction(1, 8), Fraction(7, 20), Fraction(21, 40)]
    assert _reused(*I5) == [Fraction(13, 30), Fraction(4, 15), Fraction(1, 5), Fraction(1, 10)]


def test_gumbel_match_golden() -> None:
    for (p, q), expected in ((I5, Fraction(19, 35)), (((3, 2, 1), (1, 2, 3)), Fraction(7, 12))):
        law = _law([Question("first", *q), Question("first", *p)])
        assert sum(share for (x, y), share in law.items() if x == y) == expected


@pytest.mark.parametrize("row", [(1, 2, 3, 4), (5, 1, 1, 2)])
def test_sorting_is_drawing_without_replacement(row: Row) -> None:
    """Repeated races on what remains: each is decided by the weights that remain."""
    for order in permutations(range(len(row))):
        noise, left = Noise(), _weights(row)
        for x in order:
            assert noise.odds_first(left) == {i: w / sum(left.values()) for i, w in left.items()}
            noise = noise.first(left, x)
            del left[x]


def test_noise_that_nothing_connects_is_independent() -> None:
    row = {("a", i): weight(i + 1) for i in range(3)}
    other = {("b", i): weight(i + 1) for i in range(3)}
    seen = Noise().first(row, ("a", 0)).first({**row, ("a", 0): weight(9)}, ("a", 0))
    assert seen.odds_first(other) == {("b", 0): ONE / 6, ("b", 1): ONE / 3, ("b", 2): ONE / 2}
    both = seen.first(other, ("b", 2))
    assert both.odds_first({**row, ("a", 1): weight(7)}) == seen.odds_first({**row, ("a", 1): weight(7)})


def test_a_history_is_never_changed() -> None:
    noise = Noise()
    seen = noise.first(_weights(I5[0]), 1)
    odds = seen.odds_first(_weights(I5[1]))
    seen.first(_weights(I5[1]), 3).last(_weights(I5[0]), 2).at_least(0, ONE / 3, 1)
    assert seen.odds_first(_weights(I5[1])) == odds
    assert noise.odds_first(_weights(I5[0])) == {i: weight(w) / 10 for i, w in enumerate(I5[0])}


def test_ids_of_weight_zero_never_win_and_stay_fresh() -> None:
    noise = Noise().first({"a": 1, "b": 0, "c": 2}, "c")
    assert noise.odds_first({"a": 0, "b": 1, "c": 0}) == {"b": ONE}
    assert noise.odds_first({"b": 1, "d": 3}) == {"b": ONE / 4, "d": 3 * ONE / 4}
    with pytest.raises(ValueError, match="winner is 'b'; expected one of the 2 ids with a positive weight"):
        noise.first({"a": 1, "b": 0, "c": 2}, "b")


def test_one_pair() -> None:
    noise = Noise()
    assert noise.odds_at_least("a", 3, "b") == ONE / 4
    assert noise.at_least("a", 3, "b").odds_at_least("a", 2, "b") == ONE
    assert noise.less("a", 2, "b").odds_at_least("a", 3, "b") == 0
    assert noise.less("a", 3, "b").odds_at_least("a", 2, "b") == (ONE / 3 - ONE / 4) / (3 * ONE / 4)
    assert noise.odds_last({"a": 1, "b": 3}) == {"a": 3 * ONE / 4, "b": ONE / 4}


@pytest.mark.parametrize("c", [Fraction(1, 2), 1])
def test_one_variable_against_a_smaller_multiple_of_itself(c: Fraction) -> None:
    noise = Noise()
    assert noise.odds_at_least("a", c, "a") == ONE
    assert noise.at_least("a", c, "a") is noise
    with pytest.raises(ValueError, match=r"the outcome E\['a'\] < .* E\['a'\] has probability zero"):
        noise.less("a", c, "a")


def test_one_variable_against_a_greater_multiple_of_itself() -> None:
    noise = Noise()
    assert noise.odds_at_least("a", 2, "a") == 0
    assert noise.less("a", 2, "a") is noise
    with pytest.raises(ValueError, match=r"the outcome E\['a'\] >= 2 E\['a'\] has probability zero"):
        noise.at_least("a", 2, "a")


def test_a_race_of_one_is_sure() -> None:
    noise = Noise()
    assert noise.odds_first({"a": 2}) == noise.odds_last({"a": 2}) == {"a": ONE}
    assert noise.first({"a": 2, "b": 0}, "a") is noise


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda noise: noise.odds_first({"a": 1, "b": -1}), r"weights\['b'\] is -1; expected a weight >= 0"),
        (lambda noise: noise.odds_first({"a": 0, "b": 0}), "no positive weight among 2"),
        (lambda noise: noise.first({}, "a"), "no positive weight among 0"),
        (lambda noise: noise.odds_last({"a": 1, "b": 0}), r"weights\['b'\] is 0, so that E / 0 is infinite"),
        (lambda noise: noise.last({"a": 1, "b": 1}, "c"), "winner is 'c'; expected one of the 2 ids"),
        (lambda noise: noise.odds_at_least("a", 0, "b"), "c is 0; expected a factor > 0"),
        (lambda noise: noise.less("a", -2, "b"), "c is -2; expected a factor > 0"),
        (lambda noise: noise.odds_first({"a": float("nan")}), "NaN"),
        (lambda noise: noise.at_least("a", 2, "b").less("a", 2, "b"), "has probability zero after this history"),
    ],
)
def test_bad_questions(ask: Callable[[Noise], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(Noise())


def _entangled(limit: int) -> Noise:
    noise = Noise(limit)
    for k in range(8):
        noise = noise.at_least(k, ONE / (k + 2), k + 1).less(k, weight(k + 3), k + 1)
    return noise


def test_limit_is_carried_along_and_refuses() -> None:
    row = _weights(range(1, 10))
    assert sum(_entangled(LIMIT).odds_first(row).values()) == ONE
    with pytest.raises(TooHard, match="limit=100 steps"):
        _entangled(100).odds_first(row)
    with pytest.raises(TooHard, match="limit=20 steps"):
        Noise(20).odds_last({i: 2**i for i in range(9)})
    assert issubclass(TooHard, ValueError)


def test_decided_questions_need_no_work() -> None:
    noise = Noise(0).at_least(0, 1, 1).at_least(1, 1, 2).at_least(0, 5, 3)
    assert noise.odds_at_least(0, 1, 2) == ONE
    assert noise.odds_at_least(2, 2, 0) == 0
    assert noise.odds_last({0: 1, 1: 1, 2: 1, 3: 1}) == {0: ONE}


def test_many_ids_are_quick_where_races_do_not_share_much() -> None:
    n = 2000
    row, other = _weights(range(n)), _weights(range(n, 0, -1))
    noise = Noise().first(row, 7)
    assert sum(noise.odds_first(other).values()) == ONE


def test_simulation_agrees() -> None:
    """Five questions at one fixed seed; the bound is six standard deviations."""
    questions = [
        Question("first", 5, 1, 2, 3),
        Question("compare", 0, Fraction(1, 2), 2),
        Question("first", 1, 4, 0, 3),
        Question("last", 2, 1, 1, 3),
    ]
    law, source, runs = _law(questions), random.Random(20), 20_000
    counts = dict.fromkeys(law, 0)
    for _ in range(runs):
        e = [source.expovariate(1) for _ in range(4)]
        counts[
            min(range(4), key=lambda i: e[i] / (5, 1, 2, 3)[i]),
            int(e[0] >= e[2] / 2),
            min((0, 1, 3), key=lambda i: e[i] / (1, 4, 0, 3)[i]),
            max(range(4), key=lambda i: e[i] / (2, 1, 1, 3)[i]),
        ] += 1
    for seen, share in law.items():
        expected = runs * float(share)
        assert abs(counts[seen] - expected) <= 6 * (expected + 1) ** 0.5, seen
