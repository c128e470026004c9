"""mlx-lm's speculative_generate_step: whole loop, several rounds; the sampler is its caller's, and draws with torch.

The models are stand-ins that keep the tokens they have seen in the package's own cache of keys, so that a cache
that is not wound back right shows.
"""

from itertools import islice
from typing import Any

from tests.zoo.records import RowOf, Tensor, modules

NAME = "mlx-lm speculative_generate_step"
PACKAGE = "mlx-lm==0.32.2"
IMPORTS = ("torch", "mlx.core", "mlx_lm.generate", "numpy")
HEAVY = True
KIND = "loop"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"
SLOW = True


class _Model:
    layers = (None,)

    def __init__(self, row_of: RowOf) -> None:
        self._row_of = row_of

    def __call__(self, ids: Any, cache: Any) -> Any:
        _, mx, _, numpy = modules(IMPORTS)
        keys = ids.astype(mx.float32)[None, :, :, None]
        seen = [int(token) for token in cache[0].update_and_fetch(keys, keys)[0].reshape(-1).tolist()]
        ends = range(len(seen) - ids.shape[1], len(seen))
        rows = [self._row_of(tuple(seen[1 : end + 1])).numpy() for end in ends]
        return mx.log(mx.array(numpy.stack(rows)))[None]


def _sampler(logarithms: Any) -> Any:
    torch, mx, _, numpy = modules(IMPORTS)
    weights: Tensor = torch.from_numpy(numpy.array(mx.exp(logarithms)))
    return mx.array(torch.multinomial(weights, 1)[:, 0].tolist(), mx.uint32)


def verify(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    _, mx, package, _ = modules(IMPORTS)
    steps = package.speculative_generate_step(
        mx.array([0], mx.uint32),
        _Model(target),
        _Model(draft),
        num_draft_tokens=gamma,
        max_tokens=gamma + 1,
        sampler=_sampler,
    )
    return [int(token) for token, _, _ in islice(steps, gamma + 1)]
