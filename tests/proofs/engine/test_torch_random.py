"""Every random operator of torch has its exact law, and generators share or keep apart their draws."""

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine.signals import Kind, Refusal
from proofs.engine.torch_random import Streams, state_of
from proofs.engine.torch_words import stream
from tests.proofs.engine.torch_programs import exactly, is_refused, law_of, reasons

F = Fraction
WORDS = 1 << 32
PRIVATE = torch.Generator()
OTHER = torch.Generator()
FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def _share(p: Fraction, bits: int) -> Fraction:
    """The share of the coins k/2^bits that are below p."""
    return F(math.ceil(p * 2**bits), 2**bits)


def _one(share: Fraction) -> dict[Any, Fraction]:
    return {1: share, 0: 1 - share}


# --- uniforms

UNIFORMS: dict[str, Callable[[], Any]] = {
    "rand": lambda: torch.rand(1),
    "rand of a shape": lambda: torch.rand((1, 1)),
    "rand without axes": lambda: torch.rand(()),
    "rand with a generator": lambda: torch.rand(1, generator=PRIVATE),
    "rand_like": lambda: torch.rand_like(torch.zeros(1)),
    "uniform_": lambda: torch.empty(1).uniform_(),
    "uniform_ of a view": lambda: torch.zeros(3)[1:2].uniform_(),
    "rand out": lambda: torch.rand(1, out=torch.empty(1)),
    "Uniform": lambda: torch.distributions.Uniform(0.0, 1.0).sample((1,)),
    "init": lambda: torch.nn.init.uniform_(torch.empty(1)),
    "new": lambda: torch.zeros(1).new_empty(1).uniform_(0, 1),
}


@pytest.mark.parametrize("name", UNIFORMS)
def test_spelling_of_a_uniform(name: str) -> None:
    found = exactly(lambda: bool((UNIFORMS[name]() < 0.3).reshape(-1)[0]))
    assert found == {True: _share(F(torch.tensor(0.3).item()), 24), False: 1 - _share(F(torch.tensor(0.3).item()), 24)}


@pytest.mark.parametrize(
    ("dtype", "share"), [*zip(FLOATS, (F(1, 2**53), F(1, 2**24), F(32769, 2**24), F(4097, 2**24)), strict=True)]
)
def test_zero_has_the_mass_that_its_dtype_gives_it(dtype: torch.dtype, share: Fraction) -> None:
    assert exactly(lambda: bool(torch.rand(1, dtype=dtype) <= 0)) == {True: share, False: 1 - share}


def test_uniform_between_ends() -> None:
    assert exactly(lambda: bool(torch.empty(1).uniform_(-1, 1) < 0)) == {True: F(1, 2), False: F(1, 2)}
    assert exactly(lambda: bool(torch.distributions.Uniform(1.0, 3.0).sample() < 1.5)) == {
        True: F(1, 4),
        False: F(3, 4),
    }
    assert exactly(lambda: float(torch.empty(1).uniform_(2, 2))) == {2.0: F(1)}


def test_source_in_the_middle_of_a_buffer() -> None:
    def program() -> Any:
        buffer = torch.full((2, 2), 0.5)
        buffer[:, 0].uniform_()
        return tuple((buffer < 0.25).reshape(-1).tolist()), buffer[0, 1].item()

    low, high = F(1, 4), F(3, 4)
    assert exactly(program) == {
        ((a, False, b, False), 0.5): (low if a else high) * (low if b else high)
        for a, b in itertools.product((True, False), repeat=2)
    }


def test_drawing_again_into_a_buffer_draws_again() -> None:
    def program() -> Any:
        buffer = torch.empty(1)
        return bool(buffer.uniform_() < 0.5), bool(buffer.uniform_() < 0.5)

    assert exactly(program) == dict.fromkeys(itertools.product((True, False), repeat=2), F(1, 4))


def test_errors_of_torch_are_raised() -> None:
    found = law_of(lambda: torch.empty(1).uniform_(1, 0))
    assert [crash.exception for crash in found.crashes] == ["RuntimeError"]
    assert law_of(lambda: torch.multinomial(torch.tensor([0.0, 0.0]), 1)).crashes[0].probability == 1
    assert law_of(lambda: torch.bernoulli(torch.tensor([1.5]))).crashes[0].probability == 1


# --- bernoulli

P32 = F(torch.tensor(0.3).item())
BERNOULLIS: dict[str, tuple[Callable[[], Any], Fraction]] = {
    "tensor": (lambda: torch.bernoulli(torch.tensor([0.3])), _share(P32, 24)),
    "method": (lambda: torch.tensor([0.3]).bernoulli(), _share(P32, 24)),
    "float64": (lambda: torch.bernoulli(torch.tensor([0.3], dtype=torch.float64)), _share(F(0.3), 53)),
    "number": (lambda: torch.bernoulli(torch.zeros(1), 0.3), _share(F(0.3), 53)),
    "in place, a number": (lambda: torch.zeros(1).bernoulli_(0.3), _share(F(0.3), 53)),
    "in place, a tensor": (lambda: torch.zeros(1).bernoulli_(torch.tensor([0.3])), _share(P32, 24)),
    "in place, of integers": (lambda: torch.zeros(1, dtype=torch.int64).bernoulli_(0.3), _share(F(0.3), 53)),
    "in place, a half": (lambda: torch.zeros(1).bernoulli_(), F(1, 2)),
    "out": (lambda: torch.bernoulli(torch.tensor([0.3]), out=torch.empty(1)), _share(P32, 24)),
    "generator": (lambda: torch.bernoulli(torch.tensor([0.3]), generator=PRIVATE), _share(P32, 24)),
    "Bernoulli": (lambda: torch.distributions.Bernoulli(torch.tensor([0.3])).sample(), _share(P32, 24)),
    "certain": (lambda: torch.bernoulli(torch.ones(1)), F(1)),
    "bfloat16": (lambda: torch.bernoulli(torch.tensor([0.3]).bfloat16()), F(torch.tensor(0.3).bfloat16().item())),
}  # fmt: skip


@pytest.mark.parametrize("name", BERNOULLIS)
def test_spelling_of_a_bernoulli(name: str) -> None:
    program, share = BERNOULLIS[name]
    expected = {outcome: mass for outcome, mass in _one(share).items() if mass}
    assert exactly(lambda: int(program())) == expected


def test_bernoulli_of_several() -> None:
    found = exactly(lambda: tuple(map(int, torch.bernoulli(torch.tensor([0.25, 0.5])).tolist())))
    assert found == {(1, 1): F(1, 8), (1, 0): F(1, 8), (0, 1): F(3, 8), (0, 0): F(3, 8)}


def test_bernoulli_over_real_coins_is_its_probability() -> None:
    assert law_of(lambda: int(torch.zeros(1).bernoulli_(0.1))).over_reals == _one(F(0.1))


def test_undrawn_probabilities_are_refused() -> None:
    assert is_refused(lambda: int(torch.bernoulli(torch.rand(1))), "with undrawn numbers as probabilities")
    assert is_refused(lambda: int(torch.multinomial(torch.rand(2), 1)), "with undrawn numbers as probabilities")
    assert is_refused(lambda: int(torch.zeros(1).bernoulli_(torch.rand(1))), "with undrawn numbers as probabilities")


def test_bernoulli_over_an_undrawn_buffer() -> None:
    assert exactly(lambda: int(torch.rand(1).bernoulli_(0.25))) == _one(F(1, 4))


def test_dropout_keeps_by_its_coins() -> None:
    found = exactly(lambda: bool(torch.nn.functional.dropout(torch.ones(1), 0.25) == 0))
    assert found == {True: F(1, 4), False: F(3, 4)}


# --- multinomial

ROW = [1.0, 2.0, 5.0]
IDEAL = {at: F(x) / 8 for at, x in enumerate(ROW)}


@pytest.mark.parametrize(
    "draw",
    [
        lambda: torch.multinomial(torch.tensor(ROW), 1), lambda: torch.tensor(ROW).multinomial(1, True),
        lambda: torch.multinomial(torch.tensor([ROW]), 1), lambda: torch.tensor(ROW).double().multinomial(1),
        lambda: torch.multinomial(torch.tensor(ROW), 1, generator=PRIVATE),
        lambda: torch.multinomial(torch.tensor(ROW), 1, out=torch.empty(1, dtype=torch.int64)),
        lambda: torch.distributions.Categorical(torch.tensor(ROW)).sample(),
        lambda: torch.distributions.Categorical(probs=torch.tensor(ROW) / 8).sample((1,)),
        lambda: torch.distributions.OneHotCategorical(torch.tensor(ROW)).sample().argmax(),
    ],
)  # fmt: skip
def test_spelling_of_a_categorical(draw: Any) -> None:
    assert exactly(lambda: int(draw())) == IDEAL


def test_multinomial_without_replacement() -> None:
    found = exactly(lambda: tuple(torch.multinomial(torch.tensor(ROW), 2).tolist()))
    assert found == {(a, b): IDEAL[a] * IDEAL[b] / (1 - IDEAL[a]) for a, b in itertools.permutations(range(3), 2)}


def test_multinomial_with_replacement_has_coins_of_float64() -> None:
    """The first entry that is not below the coin: coin 0 belongs to the first, so each end is one coin further."""
    ends = [0, 2**50 + 1, 2**50 * 3 + 1, 2**53]
    one = {at: F(ends[at + 1] - ends[at], 2**53) for at in range(3)}
    found = exactly(lambda: tuple(torch.multinomial(torch.tensor(ROW), 2, replacement=True).tolist()))
    assert found == {(a, b): one[a] * one[b] for a, b in itertools.product(range(3), repeat=2)}


def test_weight_zero_in_front_can_be_drawn_with_replacement() -> None:
    found = exactly(lambda: torch.multinomial(torch.tensor([0.0, 1.0]), 2, replacement=True).tolist()[0])
    assert found == {0: F(1, 2**53), 1: 1 - F(1, 2**53)}


def test_multinomial_of_a_batch() -> None:
    rows = torch.tensor([[1.0, 3.0], [1.0, 1.0]])
    found = exactly(lambda: tuple(torch.multinomial(rows, 1).reshape(-1).tolist()))
    assert found == {(0, 0): F(1, 8), (0, 1): F(1, 8), (1, 0): F(3, 8), (1, 1): F(3, 8)}


def test_multinomial_of_float16_can_return_weight_zero() -> None:
    found = law_of(lambda: int(torch.multinomial(torch.tensor([0.0, 1.0], dtype=torch.float16), 1)))
    assert any(mark.kind is Kind.OPAQUE and "weight zero" in mark.reason for mark in found.marks)
    assert exactly(lambda: int(torch.multinomial(torch.tensor([1.0, 1.0], dtype=torch.float16), 1))) == _one(F(1, 2))


# --- integers


def _words(count: int) -> list[Fraction]:
    return [F(WORDS // count + (at < WORDS % count), WORDS) for at in range(count)]


@pytest.mark.parametrize(
    ("draw", "low", "count"),
    [
        (lambda: torch.randint(3, (1,)), 0, 3), (lambda: torch.randint(2, 7, (1,)), 2, 5),
        (lambda: torch.randint(-3, 0, (1,)), -3, 3), (lambda: torch.randint_like(torch.zeros(1), 3), 0, 3),
        (lambda: torch.empty(1, dtype=torch.int64).random_(3), 0, 3), (lambda: torch.empty(1).random_(2, 5), 2, 3),
        (lambda: torch.randint(3, (1,), generator=PRIVATE), 0, 3),
        (lambda: torch.randint(3, (1,), out=torch.empty(1).long()), 0, 3),
    ],
)  # fmt: skip
def test_integers(draw: Any, low: int, count: int) -> None:
    assert exactly(lambda: int(draw())) == {low + at: share for at, share in enumerate(_words(count))}


def test_permutation() -> None:
    found = exactly(lambda: tuple(torch.randperm(3).tolist()))
    assert found.keys() == set(itertools.permutations(range(3)))
    assert sum(found.values()) == 1
    assert {found[order] for order in found if order[0] == 0} == {_words(3)[0] * _words(2)[0]}
    assert law_of(lambda: tuple(torch.randperm(3).tolist())).over_reals == dict.fromkeys(found, F(1, 6))


def test_permutation_agrees_with_torch_on_its_own_words() -> None:
    for words in itertools.product((0, 5, WORDS - 1), repeat=3):
        order = list(range(4))
        for at, word in enumerate(words):
            other = at + word % (4 - at)
            order[at], order[other] = order[other], order[at]
        generator = stream(np.array(words, dtype=np.uint32), 0).generator
        assert torch.randperm(4, generator=generator).tolist() == order


def test_too_many_options_are_refused() -> None:
    assert is_refused(lambda: int(torch.randint(5000, (1,))), "at most 4096")
    assert is_refused(lambda: tuple(torch.randperm(9).tolist()), "more than 4096 orders")
    assert is_refused(lambda: int(torch.empty(1).random_()), "without bounds")
    assert is_refused(lambda: int(torch.multinomial(torch.ones(5000), 1)), "at most 4096")


# --- noise


@pytest.mark.parametrize(
    "noise",
    [
        lambda: torch.empty(3).exponential_(), lambda: torch.empty(3).exponential_(2.0),
        lambda: torch.zeros(6)[::2].exponential_(),
        lambda: torch.empty(3, dtype=torch.float64).exponential_(),
        lambda: torch.empty(3).exponential_(generator=PRIVATE),
        lambda: torch.distributions.Exponential(torch.ones(3)).sample(),
    ],
)  # fmt: skip
def test_exponential_noise_races_by_the_weights(noise: Any) -> None:
    assert exactly(lambda: int((torch.tensor(ROW) / noise()).argmax())) == IDEAL


def test_rate_of_exponential_noise() -> None:
    def program() -> Any:
        return bool(torch.empty(1).exponential_(3.0) < torch.empty(1).exponential_(1.0))

    assert exactly(program) == {True: F(3, 4), False: F(1, 4)}


def test_noise_of_a_half_type_can_be_zero() -> None:
    found = law_of(lambda: int(torch.empty(2, dtype=torch.bfloat16).exponential_().argmax()))
    assert any(mark.kind is Kind.OPAQUE for mark in found.marks)
    assert "can be zero" in reasons(found)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: torch.randn(1), lambda: torch.normal(0.0, 1.0, (1,)), lambda: torch.empty(1).normal_(),
        lambda: torch.poisson(torch.ones(1)), lambda: torch.empty(1).geometric_(0.5), lambda: torch.empty(1).cauchy_(),
        lambda: torch.distributions.Gamma(1.0, 1.0).sample((1,)),
        lambda: torch.binomial(torch.ones(1), torch.ones(1) / 2),
    ],
)  # fmt: skip
def test_other_random_operators_are_refused_by_their_name(draw: Any) -> None:
    assert is_refused(lambda: bool(draw() < 1), "draws random numbers and is not modelled")


# --- generators


def _low(generator: Any = None) -> bool:
    return bool(torch.rand(1, generator=generator) < 0.25)


APART = {
    (a, b): (F(1, 4) if a else F(3, 4)) * (F(1, 4) if b else F(3, 4)) for a in (True, False) for b in (True, False)
}
TOGETHER = {(True, True): F(1, 4), (False, False): F(3, 4)}


def test_generators_are_apart() -> None:
    assert exactly(lambda: (_low(), _low())) == APART
    assert exactly(lambda: (_low(), _low(PRIVATE))) == APART
    assert exactly(lambda: (_low(PRIVATE), _low(PRIVATE))) == APART


def test_fresh_generators_of_one_seed_that_are_reached_share_their_coins() -> None:
    PRIVATE.manual_seed(5)
    OTHER.manual_seed(5)
    assert exactly(lambda: (_low(PRIVATE), _low(OTHER))) == TOGETHER


def test_state_that_is_put_back_draws_the_same_again() -> None:
    def rewound() -> Any:
        state = torch.get_rng_state()
        first = _low()
        torch.set_rng_state(state)
        return first, _low()

    def forked() -> Any:
        with torch.random.fork_rng():
            first = _low()
        return first, _low()

    def private() -> Any:
        state = PRIVATE.get_state()
        first = _low(PRIVATE)
        PRIVATE.set_state(state)
        return first, _low(PRIVATE)

    def handed_over() -> Any:
        OTHER.set_state(torch.default_generator.get_state())
        return _low(), _low(OTHER)

    def cloned() -> Any:
        twin = PRIVATE.clone_state()
        return _low(PRIVATE), _low(twin)

    for program in (rewound, forked, private, handed_over, cloned):
        found = law_of(program)
        assert dict(found) == TOGETHER
        # Whoever reads a state could do anything with it.
        assert {mark.kind for mark in found.marks} <= {Kind.GRID, Kind.SINGLE, Kind.OPAQUE}


def test_equal_states_that_draw_differently_are_refused() -> None:
    def program() -> Any:
        state = torch.get_rng_state()
        first = _low()
        torch.set_rng_state(state)
        return first, bool(torch.rand(2)[1] < 0.5)

    assert is_refused(program, "two generators of one state draw differently")


@pytest.mark.parametrize(
    "seed",
    [
        lambda: torch.manual_seed(3), lambda: torch.random.manual_seed(3),
        lambda: torch.default_generator.manual_seed(3),
        lambda: torch.set_rng_state(torch.Generator().manual_seed(3).get_state()),
        lambda: torch.manual_seed(torch.initial_seed()),
    ],
)  # fmt: skip
def test_constant_seed_is_said(seed: Any) -> None:
    def program() -> Any:
        seed()
        return _low(), _low()

    found = law_of(program)
    assert not found or all(mark.kind in (Kind.CONSTANT, Kind.HIDDEN) for mark in found.marks)
    assert {mark.kind for mark in found.marks} & {Kind.CONSTANT, Kind.HIDDEN}


def test_constant_seed_draws_what_it_draws_in_life() -> None:
    private = torch.Generator().manual_seed(3)
    expected = tuple(bool(torch.rand(1, generator=private) < 0.25) for _ in range(3))

    def program() -> Any:
        torch.manual_seed(3)
        return _low(), _low(), _low()

    found = law_of(program)
    assert dict(found) == {expected: F(1)}
    assert {mark.kind for mark in found.marks} == {Kind.CONSTANT}


def test_generator_made_by_the_program_is_a_constant() -> None:
    found = law_of(lambda: _low(torch.Generator()))
    assert [mark.kind for mark in found.marks] == [Kind.CONSTANT]
    assert found.missing == 0


def test_seed_from_the_system_is_hidden_randomness() -> None:
    def own() -> Any:
        generator = torch.Generator()
        generator.seed()
        return torch.rand(1, generator=generator).item()

    def everybodys() -> Any:
        torch.seed()
        return torch.rand(1).item()

    for program in (own, everybodys):
        found = law_of(program)
        assert found.missing == 1
        assert Kind.HIDDEN in {mark.kind for mark in found.marks}


def test_seed_from_another_source_is_no_constant() -> None:
    found = law_of(lambda: _low(torch.Generator().manual_seed(random.getrandbits(20))))
    assert found.missing == 1


def test_generators_are_put_back() -> None:
    torch.manual_seed(11)
    before = state_of(torch.default_generator), state_of(PRIVATE)
    exactly(lambda: (_low(), _low(PRIVATE)))
    assert (state_of(torch.default_generator), state_of(PRIVATE)) == before


# --- the states


def test_streams_name_states() -> None:
    a, b = torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)
    streams = Streams([state_of(a), state_of(b), state_of(a)])
    assert (streams.place(a), streams.place(b)) == (0, 1)
    torch.rand(1, generator=a)
    assert streams.place(a) is None
    streams.moved(a)
    assert streams.place(a) == 2
    assert streams.place(torch.Generator().manual_seed(1)) == 0


def test_streams_know_constants() -> None:
    generator = torch.Generator().manual_seed(1)
    streams = Streams([])
    assert streams.is_constant(generator)
    torch.rand(1, generator=generator)
    assert not streams.is_constant(generator)
    streams.moved(generator, constant=True)
    assert streams.is_constant(generator)
    assert streams.place(generator) is None


def test_streams_compare_what_is_drawn_from_one_state() -> None:
    streams = Streams([])
    streams.draws(0, "a")
    streams.draws(0, "a")
    with pytest.raises(Refusal, match="one state draw differently"):
        streams.draws(0, "b")
