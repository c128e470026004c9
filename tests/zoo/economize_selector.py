"""The selector that the adapters of economize hand over: the caller's part, which says what law a row of logits means.

The package calls it through its documented protocol. This one takes the "logits" for the law itself, so that no
softmax rounds, and has no generator of its own, so that the verifier draws from torch's.
"""

from tests.zoo.records import Tensor, modules

__all__ = ["Rows"]


class Rows:
    """Selector that samples the row it is given."""

    greedy = False
    generator = None

    def __call__(self, logits: Tensor, history: Tensor) -> int:
        (torch,) = modules(("torch",))
        return int(torch.multinomial(logits, 1))

    def select_many(self, logits: Tensor) -> Tensor:
        (torch,) = modules(("torch",))
        return torch.multinomial(logits, 1)[:, 0]

    def distribution(self, logits: Tensor, history: Tensor) -> Tensor:
        return logits

    def distributions(self, logits: Tensor) -> Tensor:
        return logits
