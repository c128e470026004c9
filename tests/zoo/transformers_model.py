"""A model for Transformers' generate whose logits are the logarithms of given rows.

It keeps the tokens that it has seen as keys in the library's own cache: a cache that is not cropped right shows.
"""

from functools import cache
from typing import Any

from tests.zoo.records import RowOf, Tensor, modules

__all__ = ["model"]


@cache
def _class() -> Any:
    torch, transformers, outputs = modules(("torch", "transformers", "transformers.modeling_outputs"))

    class Rows(transformers.PreTrainedModel, transformers.GenerationMixin):  # type: ignore[name-defined, misc]
        config_class = transformers.PretrainedConfig
        _supports_cache_class = True

        def __init__(self, config: Any, row_of: RowOf, start: int) -> None:
            super().__init__(config)
            self.row_of, self.start = row_of, start
            self.where = torch.nn.Parameter(torch.zeros(1))  # the library asks the parameters for their device

        def forward(self, input_ids: Tensor, **given: Any) -> Any:
            keys = input_ids.to(torch.float32)[:, None, :, None]
            seen = given["cache"].update(keys, keys, 0)[0].flatten().to(torch.int64).tolist()
            ends = range(len(seen) - input_ids.shape[1], len(seen))
            logits = torch.stack([self.row_of(tuple(seen[self.start : end + 1])) for end in ends]).log()
            return outputs.CausalLMOutputWithPast(logits=logits[None], cache=given["cache"])

    return Rows


def model(row_of: RowOf, start: int = 1) -> Any:
    """Return a model in evaluation mode, with one layer and the vocabulary of the rows, after a prompt of `start`."""
    (transformers,) = modules(("transformers",))
    config = transformers.PretrainedConfig(
        vocab_size=len(row_of(())), num_hidden_layers=1, hidden_size=1, num_attention_heads=1, is_encoder_decoder=False
    )
    return _class()(config, row_of, start).eval()
