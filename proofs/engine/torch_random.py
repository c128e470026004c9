"""Torch's random operators: each branches, or returns undrawn numbers.

Every operator is run first as it is, so that its generator goes on and what it raises is raised; then what it
drew is replaced. Where a generator stands names its draws: streams of equal states share their coins, however
they came to be equal. A state that no draw of the path led to was seeded, and its draws are the constants
that they are in life.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch

from proofs.engine.choices import MAX_OPTIONS
from proofs.engine.noise_nodes import NoiseNode
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.torch_grids import Grid, uniform_grid
from proofs.engine.torch_nodes import TorchNode
from proofs.engine.torch_shadows import Shadows, is_plain
from proofs.engine.torch_tables import Operation, name_of, tensors_in
from proofs.engine.torch_weights import bernoulli_weight, integer_weights, replacement_weights, shuffles
from proofs.engine.weights import ONE, ZERO, Weight, weight

__all__ = ["MODELLED", "Streams", "TorchRandom", "state_of"]

_Generator = torch.Generator
_list_of = torch.Tensor.tolist
_array_of = torch.Tensor.numpy


def state_of(generator: Any) -> bytes:
    """Return the state of a generator."""
    return bytes(_array_of(generator.get_state()))


class Streams:
    """The states that the generators of a path went through.

    Parameters
    ----------
    starts : sequence of bytes
        The states in which the path found its generators.

    Attributes
    ----------
    seeds : list of int
        Of the generators that drew constants, in the order of the draws.
    """

    def __init__(self, starts: Sequence[bytes]) -> None:
        self._places = {state: place for place, state in enumerate(dict.fromkeys(starts))}
        self._drawn: dict[int, Any] = {}
        self._constant: set[bytes] = set()
        self.seeds: list[int] = []

    def place(self, generator: Any) -> int | None:
        """Return the number of the state in which a generator stands; None for one that no draw led to."""
        return self._places.get(state_of(generator))

    def is_constant(self, generator: Any) -> bool:
        """Tell whether a generator stands where a seed, and draws from there, led it."""
        state = state_of(generator)
        seeded = state_of(_Generator().manual_seed(generator.initial_seed()))
        return state in self._constant or state == seeded

    def draws(self, place: int, what: Any) -> None:
        """Remember what is drawn from a state; another draw from an equal state must be the same."""
        if self._drawn.setdefault(place, what) != what:
            refuse("two generators of one state draw differently, so that their numbers are related in another way")

    def moved(self, generator: Any, *, constant: bool = False) -> None:
        """Remember the state that a draw led to."""
        if constant:
            self._constant.add(state_of(generator))
        else:
            self._places.setdefault(state_of(generator), len(self._places))


class TorchRandom:
    """The random operators of one run.

    Parameters
    ----------
    draws : Exploring or Replaying
    shadows : Shadows
    streams : Streams
    replaying : bool
    """

    def __init__(self, draws: Any, shadows: Shadows, streams: Streams, *, replaying: bool) -> None:
        self._draws = draws
        self._shadows = shadows
        self._streams = streams
        self._replaying = replaying

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a modelled operator."""
        called = Operation(func, name_of(func), args, kwargs)
        name, arguments = called.name, called.named()
        others = [tensor for tensor in called.tensors() if not is_plain(tensor)]
        if others:
            return _of_another_kind(called, others[0])
        generator = arguments.get("generator") or torch.default_generator
        place = self._streams.place(generator)
        self._look_at_operands(name, arguments)
        if place is None:
            return self._constant(called, generator)
        found = called.run()
        if not is_plain(found) or not found.numel():
            return found
        self._streams.draws(place, (name, tuple(found.shape), found.stride(), found.dtype))
        self._streams.moved(generator)
        keys = ((("torch", place), at) for at in itertools.count())
        MODELLED[name](self, arguments, found, keys)
        return found

    def _constant(self, called: Operation, generator: Any) -> Any:
        """Let a generator that was seeded draw what it draws in life."""
        constant = self._streams.is_constant(generator)
        found = called.run()
        self.drew_constants(called.name, found, generator, seeded=constant)
        return found

    def is_seeded(self, generator: Any) -> bool:
        """Tell whether what a generator draws next is a constant."""
        return self._streams.place(generator) is None and self._streams.is_constant(generator)

    def drew_constants(self, name: str, found: Any, generator: Any, *, seeded: bool = True) -> None:
        """Take what an operator drew from a generator that was seeded as it is, and say so."""
        self._streams.seeds.append(generator.initial_seed())
        if seeded:
            mark(Kind.CONSTANT, f"torch.{name} of a generator with a seed that was not drawn: the same in every run")
        else:
            mark(Kind.HIDDEN, f"torch.{name} of a generator in a state that no draw of the run led to")
        self._streams.moved(generator, constant=True)
        for tensor in tensors_in((found,)):
            self._shadows.forget(tensor)

    def _look_at_operands(self, name: str, arguments: dict[str, Any]) -> None:
        read = _READ.get(name, ())
        for operand in read:
            tensor = arguments.get(operand)
            if isinstance(tensor, torch.Tensor) and self._shadows.undrawn(tensor) is not None:
                refuse(f"torch.{name} with undrawn numbers as probabilities")

    # --- what is drawn

    def uniforms(self, found: Any, grid: Grid | None, keys: Any) -> None:
        """Let every element be a coin on the grid."""
        if grid is None:
            refuse(f"uniforms of {found.dtype}: the installed torch was not seen to draw them on a known grid")
        self._draws.grid(grid.name, single=found.dtype != torch.float64)
        coins = [self._draws.coin(next(keys), grid.size) for _ in range(found.numel())]
        if self._replaying:
            points = torch.tensor(coins, dtype=torch.int64)
            found.copy_(grid.values(points).reshape(found.shape))
        else:
            # Of equal ends nothing is undrawn.
            one = _list_of(grid.values(torch.tensor([0, grid.size - 1])))
            self._put(found, [TorchNode(coin, grid) if one[0] != one[1] else one[0] for coin in coins])

    def exponentials(self, found: Any, rate: float, keys: Any) -> None:
        """Let every element be ideal exponential noise."""
        if found.dtype in (torch.float16, torch.bfloat16):
            mark(Kind.OPAQUE, f"exponential noise of {found.dtype}, which can be zero")
        mark(Kind.GRID, "exponential noise: ideal", "")
        names = [self._draws.noise(next(keys), str(found.dtype)) for _ in range(found.numel())]
        if self._replaying:
            found.copy_(torch.tensor(names, dtype=torch.float64).div(rate).reshape(found.shape))
        else:
            scale = ONE / weight(rate)
            self._put(found, [NoiseNode(self._draws.path, name, scale) for name in names])

    def _put(self, found: Any, elements: Sequence[Any]) -> None:
        self._shadows.forget(found)
        self._shadows.deliver(found, dict(enumerate(elements)))

    def option(self, keys: Any, weights: Sequence[Weight], what: str, reals: Sequence[Weight] | None = None) -> int:
        """Branch; `reals` are the weights if coins were real numbers."""
        if len(weights) > MAX_OPTIONS:
            refuse(f"{what} among {len(weights)} options; at most {MAX_OPTIONS} can be branched over")
        return int(self._draws.option(next(keys), weights, what, reals))

    def numbers(self, found: Any, values: Sequence[Any]) -> None:
        """Let the elements be numbers."""
        self._shadows.forget(found)
        found.copy_(torch.tensor(values, dtype=found.dtype).reshape(found.shape))


def _of_another_kind(called: Operation, tensor: Any) -> Any:
    """Let torch trace a program with tensors that have no numbers; anything else that is no plain tensor is refused."""
    if tensor.device.type != "meta" and type(tensor).__name__ not in ("FakeTensor", "FunctionalTensor"):
        refuse(f"torch.{called.name} draws for {type(tensor).__name__} ({tensor.layout}, {tensor.device})")
    return called.run()


# --- the models: (random, arguments, what was drawn, keys)


def _rand(random: TorchRandom, _: Any, found: Any, keys: Any) -> None:
    random.uniforms(found, uniform_grid(found.dtype), keys)


def _uniform(random: TorchRandom, arguments: Any, found: Any, keys: Any) -> None:
    random.uniforms(found, uniform_grid(found.dtype, float(arguments["from"]), float(arguments["to"])), keys)


def _exponential(random: TorchRandom, arguments: Any, found: Any, keys: Any) -> None:
    random.exponentials(found, float(arguments["lambd"]), keys)


def _bernoulli(random: TorchRandom, arguments: Any, found: Any, keys: Any) -> None:
    p = arguments.get("p", 0.5)
    is_number = isinstance(arguments.get("p"), float | int)
    if is_number:
        chances, dtype = [float(p)] * found.numel(), None
    else:
        tensor = p if isinstance(p, torch.Tensor) else arguments["self"]
        chances, dtype = _list_of(tensor.expand(found.shape).reshape(-1)), tensor.dtype
    weights = [bernoulli_weight(chance, dtype) for chance in chances]
    if any(each is None for each in weights):
        refuse("torch.bernoulli: the installed torch was not seen to draw as is known")
    bits = 53 if dtype in (None, torch.float64) else 24
    mark(Kind.GRID, f"torch.bernoulli: coins k/2^{bits}", "")
    random.numbers(found, [_one(random, keys, *pair) for pair in zip(weights, map(weight, chances), strict=True)])


def _one(random: TorchRandom, keys: Any, share: Weight, real: Weight) -> int:
    return 1 - random.option(keys, (share, ONE - share), "torch.bernoulli", (real, ONE - real))


def _randint(random: TorchRandom, arguments: Any, found: Any, keys: Any) -> None:
    low, high = arguments.get("low") or arguments.get("from") or 0, arguments.get("high", arguments.get("to"))
    if high is None:
        refuse("torch.random_ without bounds")
    random.numbers(found, [low + _integer(random, keys, high - low, "randint") for _ in range(found.numel())])


def _integer(random: TorchRandom, keys: Any, count: int, name: str) -> int:
    weights = integer_weights(count) if count <= MAX_OPTIONS else None
    if weights is None:
        refuse(f"torch.{name} among {count}; at most {MAX_OPTIONS} can be branched over, where torch draws as is known")
    mark(Kind.GRID, f"torch.{name}: words below 2^32", "")
    return random.option(keys, weights, f"torch.{name}", [ONE / count] * count)


def _randperm(random: TorchRandom, arguments: Any, found: Any, keys: Any) -> None:
    count = int(arguments["n"])
    if math.factorial(min(count, 20)) > MAX_OPTIONS:
        refuse(f"torch.randperm({count}): more than {MAX_OPTIONS} orders cannot be branched over")
    if count > 1 and not shuffles(count):
        refuse("torch.randperm: the installed torch was not seen to draw as is known")
    order = list(range(count))
    for at in range(count - 1):
        other = at + _integer(random, keys, count - at, "randperm")
        order[at], order[other] = order[other], order[at]
    random.numbers(found, order)


def _multinomial(random: TorchRandom, arguments: Any, found: Any, keys: Any) -> None:
    rows = arguments["self"].detach()
    if rows.dtype is torch.float16 and bool((rows == 0).any()):
        mark(Kind.OPAQUE, "torch.multinomial of float16 can return an index of weight zero")
    count = int(arguments["num_samples"])
    replacement = bool(arguments["replacement"]) and count > 1
    if replacement:
        mark(Kind.GRID, "torch.multinomial: coins k/2^53", "")
    else:
        mark(Kind.GRID, "torch.multinomial: ideal weights", "")
    drawn: list[int] = []
    for row in rows.reshape(-1, rows.shape[-1]).unbind():
        drawn += _row(random, row, count, replacement, keys)
    random.numbers(found, drawn)


def _row(random: TorchRandom, row: Any, count: int, replacement: bool, keys: Any) -> list[int]:
    if replacement:
        weights = replacement_weights(row)
        if weights is None:
            refuse("torch.multinomial with replacement: the installed torch was not seen to draw as is known")
        ideal = [weight(x) for x in _list_of(row)]
        reals = [x / sum(ideal, ZERO) for x in ideal]
        return [random.option(keys, weights, "torch.multinomial", reals) for _ in range(count)]
    left = {at: weight(x) for at, x in enumerate(_list_of(row))}
    if sum(1 for x in left.values() if x) < count:
        refuse("torch.multinomial without replacement of more samples than there are positive weights")
    drawn: list[int] = []
    for _ in range(count):
        total = sum(left.values(), ZERO)
        places = list(left)
        drawn.append(places[random.option(keys, [left[at] / total for at in places], "torch.multinomial")])
        del left[drawn[-1]]
    return drawn


MODELLED: Mapping[str, Callable[[TorchRandom, Any, Any, Any], None]] = MappingProxyType(
    {
        "rand": _rand, "rand_like": _rand, "uniform": _uniform, "uniform_": _uniform, "exponential": _exponential,
        "exponential_": _exponential, "bernoulli": _bernoulli, "bernoulli_": _bernoulli, "randint": _randint,
        "randint_like": _randint, "random_": _randint, "randperm": _randperm, "multinomial": _multinomial,
    }
)  # fmt: skip
# The operands whose values an operator reads, rather than writing over them or looking at their shape.
_READ: Mapping[str, tuple[str, ...]] = MappingProxyType({"bernoulli": ("self", "p"), "bernoulli_": ("p",),
                                                         "multinomial": ("self",)})  # fmt: skip
