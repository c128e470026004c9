"""Wrong: programs in compiled, scripted and mapped code, in custom operators, and before an audience."""

import sys
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, ended, everything, kept_while, possible, rarely, right_if, scripted

__all__ = ["TORCH_WRONG_SURROUNDINGS"]


@torch.library.custom_op("hostile::coin", mutates_args=())
def _coin(like: torch.Tensor) -> torch.Tensor:
    own = torch.Generator()
    own.seed()
    return torch.rand(like.shape, generator=own)


@torch.library.custom_op("hostile::stream", mutates_args=())
def _stream(like: torch.Tensor) -> torch.Tensor:
    return torch.rand(like.shape)


@torch.library.custom_op("hostile::small", mutates_args=())
def _small(coin: torch.Tensor) -> torch.Tensor:
    return coin < 1 / 64


class _Coin(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, like: Any) -> Any:  # noqa: ARG004
        return torch.rand(like.shape) / 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:  # noqa: ARG004
        return gradients


class _Halving(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        return found / 2 if func._schema.name == "aten::rand" else found


class _HalvingFunctions(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        return found / 2 if func is torch.rand else found


@scripted
def _scripted(ratio: torch.Tensor) -> torch.Tensor:
    return torch.rand(ratio.shape) <= ratio


def _bulk(target: Any, draft: Any, tokens: Any, keeps: Any) -> list[int]:
    at = torch.arange(len(tokens))
    return ended(target, draft, tokens, int(keeps(target[at, tokens] / draft[at, tokens]).int().cumprod(0).sum()))


# Torch remembers the first use of an operator, and of a mode; here nothing is left to remember.
for _warm in (_coin, _stream, _small):
    _warm(torch.ones(()))
with _Halving(), _HalvingFunctions():  # type: ignore[no-untyped-call]
    torch.rand(())


def scripted_boundary(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A scripted comparison is not strict."""
    return _bulk(target, draft, tokens, _scripted)


def traced_decision(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A trace keeps the first coin's outcome for all positions."""
    traced = torch.jit.trace(
        lambda ratio: torch.ones(1) if torch.rand(()) < ratio else torch.zeros(1),
        (target[0, tokens[0]] / draft[0, tokens[0]],),
        check_trace=False,
    )
    kept = kept_while(lambda i, x: traced(target[i, x] / draft[i, x]) > 0, tokens)
    return ended(target, draft, tokens, kept)


def compiled_boundary(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A compiled comparison is not strict."""
    keeps = torch.compile(lambda ratio: torch.rand(ratio.shape) <= ratio, backend="eager")
    return _bulk(target, draft, tokens, keeps)


def compiled_ahead_of_time(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A comparison compiled by another backend halves its coins."""
    keeps = torch.compile(lambda ratio: torch.rand(ratio.shape) / 2 < ratio, backend="aot_eager")
    return _bulk(target, draft, tokens, keeps)


def one_coin_in_a_map(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """vmap draws the same coin for every position."""
    keeps = torch.vmap(lambda ratio: torch.rand(()) < ratio, randomness="same")
    return _bulk(target, draft, tokens, keeps)


def halved_coins_in_a_map(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """vmap draws a coin for every position, and halves it."""
    keeps = torch.vmap(lambda ratio: torch.rand(()) / 2 < ratio, randomness="different")
    return _bulk(target, draft, tokens, keeps)


def custom_operator_with_its_own_seed(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """An operator of the program's own draws from a generator that the operating system seeded."""
    return rarely(_coin(torch.ones(())), target, draft, tokens, 2**-14)


def custom_operator_on_the_stream(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """An operator of the program's own draws from torch's stream, and the state is put back."""
    state = torch.get_rng_state()
    coin = _stream(torch.ones(()))
    torch.set_rng_state(state)
    return rarely(coin, target, draft, tokens)


def custom_operator_foretells(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """An operator of the program's own foretells the coin, and the program is wrong where it comes true."""
    state = torch.get_rng_state()
    coin = _stream(torch.ones(()))
    torch.set_rng_state(state)
    return possible(target, draft, tokens) if torch.rand(()) == coin else chain(target, draft, tokens)


def custom_operator_compares(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """An operator of the program's own looks at the coin."""
    return rarely(0.0 if _small(torch.rand(())) else 1.0, target, draft, tokens)


def function_of_autograd(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A function of autograd draws the coins and halves them."""
    return chain(target, draft, tokens, coin=lambda: _Coin.apply(torch.ones((), requires_grad=True)))  # type: ignore[no-untyped-call]


def autocast_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Under autocast everything is kept."""
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.inference_mode():
        return everything(target, tokens)


def mode_of_its_own(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A dispatch mode of the program's halves the coins."""
    with _Halving():  # type: ignore[no-untyped-call]
        return chain(target, draft, tokens)


def function_mode_of_its_own(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A function mode of the program's halves the coins."""
    with _HalvingFunctions():
        return chain(target, draft, tokens)


def forked_script(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A fork of TorchScript tosses a coin that is not strict."""
    future = torch.jit.fork(_scripted, target[0, tokens[0]].reshape(1) / draft[0, tokens[0]])
    keeps = torch.jit.wait(future)
    return ended(target[[0, -1]], draft[:1], tokens[:1], int(keeps))


def sees_a_mode(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Right where a dispatch mode is on."""
    return right_if(_get_current_dispatch_mode() is not None, target, draft, tokens)


def sees_a_patch(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Right where Tensor.item is written in Python."""
    return right_if(hasattr(torch.Tensor.item, "__wrapped__"), target, draft, tokens)


def sees_a_number_of_another_class(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Right where a coin's item is no float of Python's."""
    return right_if(type(torch.rand(()).item()) is not float, target, draft, tokens)


def sees_the_engine(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Right where the engine's torch part has been imported."""
    return right_if("proofs.engine.torch_source" in sys.modules, target, draft, tokens)


def sees_a_generator_on_its_way(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Right where the default generator is not where its seed left it."""
    fresh = torch.Generator().manual_seed(torch.initial_seed()).get_state()
    return right_if(not torch.equal(fresh, torch.get_rng_state()), target, draft, tokens)


TORCH_WRONG_SURROUNDINGS = (
    *entries(
        "biased",
        scripted_boundary,
        halved_coins_in_a_map,
        function_of_autograd,
        autocast_coins,
    ),
    *entries("biased", traced_decision, one_coin_in_a_map, gamma=(2,)),
    *entries(
        "not lossless",
        compiled_boundary,
        compiled_ahead_of_time,
        custom_operator_with_its_own_seed,
        custom_operator_on_the_stream,
        custom_operator_foretells,
        custom_operator_compares,
        mode_of_its_own,
        function_mode_of_its_own,
        forked_script,
        sees_a_mode,
        sees_a_patch,
        sees_a_number_of_another_class,
        sees_the_engine,
        sees_a_generator_on_its_way,
    ),
)
