"""Right: the token rule in the styles in which people write torch."""

import functools
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, ended, kept_while, scripted

__all__ = ["TORCH_RIGHT_STYLES"]


@scripted
def _scripted(ratio: torch.Tensor) -> torch.Tensor:
    return torch.rand(ratio.shape) < ratio


@scripted
def _scripted_chain(target: torch.Tensor, draft: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    kept = 0
    for i in range(tokens.size(0)):
        x = int(tokens[i])
        if float(torch.rand(1)) * float(draft[i, x]) >= float(target[i, x]):
            break
        kept += 1
    row = target[kept]
    if kept < tokens.size(0):
        left = (target[kept] - draft[kept]).clamp(min=0.0)
        if float(left.sum()) > 0.0:
            row = left
    return torch.cat([tokens[:kept], torch.multinomial(row, 1)])


def _ratios(target: Any, draft: Any, tokens: Any) -> Any:
    picked = target[:-1].gather(-1, tokens[:, None]) / draft.gather(-1, tokens[:, None])
    return picked.squeeze(-1)


def scripted_comparison(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A scripted function tosses all coins."""
    kept = int(_scripted(_ratios(target, draft, tokens)).int().cumprod(0).sum())
    return ended(target, draft, tokens, kept)


def scripted_rule(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The whole rule is TorchScript."""
    return _scripted_chain(target, draft, tokens).tolist()


def mapped_comparison(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """vmap tosses a coin for every position."""
    keeps = torch.vmap(lambda ratio: torch.rand(()) < ratio, randomness="different")
    return ended(target, draft, tokens, int(keeps(_ratios(target, draft, tokens)).int().cumprod(0).sum()))


def inference_mode(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Under inference_mode."""
    with torch.inference_mode():
        return chain(target, draft, tokens)


@torch.no_grad()
def without_gradients(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Under no_grad, as a decorator."""
    return chain(target, draft, tokens)


def under_autocast(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Under autocast, which touches nothing here."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return chain(target, draft, tokens)


def rows_with_gradients(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The target's rows want gradients."""
    rows = target.clone().requires_grad_()
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < rows[i, x], tokens)
    return ended(rows, draft, tokens, kept)


def in_bulk_with_padding(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Everything in bulk, into a padded tensor."""
    gamma = len(tokens)
    keeps = torch.rand(gamma) < _ratios(target, draft, tokens)
    kept = keeps.long().cumprod(0).sum()
    emitted = torch.full((gamma + 1,), -1)
    emitted[:gamma] = torch.where(torch.arange(gamma) < kept, tokens, -1)
    padded = torch.cat([draft, torch.zeros_like(draft[:1])])
    left = (target - padded).clamp_min(0)[kept]
    emitted[kept] = torch.multinomial(torch.where(left.sum() > 0, left, target[kept]), 1)[0]
    return emitted


def batch_of_one(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A batch of one, as models have it."""
    p, q, ids = target[None], draft[None], tokens[None]
    at = ids.unsqueeze(-1)
    ratios = (p[:, :-1].gather(-1, at) / q.gather(-1, at)).squeeze(-1)
    rejected = torch.rand_like(ratios) >= ratios
    kept = int((rejected.cumsum(-1) < 1).sum(-1))
    return ended(p[0], q[0], ids[0], kept)


def along_an_axis(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Masses are taken by take_along_dim and index_select."""
    picked = torch.take_along_dim(target[:-1], tokens[:, None], dim=1).flatten()
    other = torch.stack([row.index_select(0, x.reshape(1)) for row, x in zip(draft, tokens, strict=True)]).flatten()
    keeps = torch.rand(len(tokens)) * other < picked
    return ended(target, draft, tokens, int(keeps.int().cumprod(0).sum()))


def first_rejection(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The first rejection is found by nonzero."""
    rejected = (torch.rand(len(tokens)) >= _ratios(target, draft, tokens)).nonzero()
    return ended(target, draft, tokens, int(rejected[0]) if len(rejected) else len(tokens))


def one_hot_products(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Masses are products with one-hot rows, by einsum."""
    chosen = nn.functional.one_hot(tokens, target.shape[-1]).to(target.dtype)
    p = torch.einsum("gv,gv->g", target[:-1], chosen)
    q = torch.einsum("gv,gv->g", draft, chosen)
    kept = kept_while(lambda i, x: torch.rand(()) < p[i] / q[i], tokens)
    return ended(target, draft, tokens, kept)


def halves_are_widened(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The rows go through half precision, which holds their dyadic numbers, and back."""
    return chain(target.half().float(), draft.half().float(), tokens)


def double_rows(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Everything is made double first."""
    kept = kept_while(lambda i, x: torch.rand((), dtype=torch.float64) < target[i, x] / draft[i, x], tokens)
    return ended(target.double(), draft.double(), tokens, kept)


class _Verifier(nn.Module):
    def forward(self, target: Any, draft: Any, tokens: Any) -> Any:
        keeps = torch.rand(tokens.shape) < _ratios(target, draft, tokens)
        return ended(target, draft, tokens, int(keeps.int().cumprod(0).sum()))


_MODULE = _Verifier()


def module(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A module of the file's."""
    return _MODULE(target, draft, tokens)


def fresh_module(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A module made in the call."""
    return _Verifier().eval()(target, draft, tokens)


@dataclass(frozen=True)
class _Block:
    target: Any
    draft: Any
    tokens: Any

    def emitted(self) -> list[int]:
        return chain(self.target, self.draft, self.tokens)


def data_class(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A dataclass holds the rows."""
    return _Block(target, draft, tokens).emitted()


_partial = functools.partial(chain, coin=functools.partial(torch.rand, ()))


def partial_functions(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The rule and its coin are partials of the file's."""
    return _partial(target, draft, tokens)


def state_put_back_unused(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A draw in a fork is thrown away, and the stream goes on as if it had not been."""
    with torch.random.fork_rng(devices=[]):
        torch.rand(())
    return chain(target, draft, tokens)


def nan_in_unused_lanes(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Ratios of the whole vocabulary, 0/0 among them, of which one is looked at."""
    ratios = target[:-1] / draft
    kept = kept_while(lambda i, x: torch.rand(()) < ratios[i, x].nan_to_num(nan=0.0), tokens)
    return ended(target, draft, tokens, kept)


def coins_in_a_dictionary(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Coins for all tokens of the vocabulary, of which one is looked at."""
    coins = dict(enumerate(torch.rand(target.shape)))
    kept = kept_while(lambda i, x: coins[i][x] * draft[i, x] < target[i, x], tokens)
    return ended(target, draft, tokens, kept)


def whole_vocabulary_compared(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """One coin a position, expanded over the vocabulary."""
    keeps = torch.rand(len(tokens), 1).expand(-1, target.shape[-1]) * draft < target[:-1]
    picked = keeps[torch.arange(len(tokens)), tokens]
    return ended(target, draft, tokens, int(picked.int().cumprod(0).sum()))


def tensors_of_one(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The emitted tokens are tensors in a list."""
    return [torch.tensor(x) for x in chain(target, draft, tokens)]


def coin_as_a_python_float(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin becomes a Python float by float()."""
    kept = kept_while(lambda i, x: float(torch.rand(1)) < float(target[i, x] / draft[i, x]), tokens)
    return ended(target, draft, tokens, kept)


def coins_gathered_by_a_list(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Coins are put together from single ones by torch.tensor."""
    coins = torch.tensor([torch.rand(()).item() for _ in tokens])
    kept = kept_while(lambda i, x: coins[i] * draft[i, x] < target[i, x], tokens)
    return ended(target, draft, tokens, kept)


TORCH_RIGHT_STYLES = (
    *entries(
        "lossless",
        mapped_comparison,
        inference_mode,
        without_gradients,
        under_autocast,
        rows_with_gradients,
        in_bulk_with_padding,
        batch_of_one,
        along_an_axis,
        first_rejection,
        one_hot_products,
        halves_are_widened,
        double_rows,
        module,
        fresh_module,
        data_class,
        partial_functions,
        nan_in_unused_lanes,
        coins_in_a_dictionary,
        whole_vocabulary_compared,
        tensors_of_one,
    ),
    # A state that is read could be a coin; and conversions to numbers of C, in which a coin cannot stay undrawn.
    *entries(
        "not biased",
        state_put_back_unused,
        scripted_comparison,
        scripted_rule,
        coin_as_a_python_float,
        coins_gathered_by_a_list,
    ),
)
