"""Verifiers that people ship, driven unmodified: one adapter a verifier, in an environment of their own.

`install.sh` makes the environment; `python -m tests.zoo` prints the table; `python -m tests.zoo.simulate` draws from
the packages with their own generators. `specdec_program` is no adapter but a program for `python -m proofs check
--exec`.
"""

from tests.zoo.records import Adapter, Kind, load

__all__ = ["KEYS", "Adapter", "Kind", "load"]

KEYS = (
    "flashspec_sample",
    "flashspec_step",
    "flashspec_onehot",
    "economize_chain",
    "economize_batch",
    "economize_onehot",
    "economize_batch_onehot",
    "economize_tree",
    "economize_siblings",
    "economize_typical",
    "dflash_rejection",
    "dflash_indexed",
    "lucidrains_loop",
    "lucidrains_rounds",
    "lucidrains_lenience",
    "seqspec_standard",
    "seqspec_naive",
    "seqspec_capped",
    "rotalabs_sample",
    "rotalabs_verify",
    "rotalabs_verify_whole",
    "mini_infer_step",
    "transformers_sampling",
    "transformers_ensemble",
    "transformers_generate",
    "transformers_confidence",
    "transformers_tempered",
    "transformers_lookup",
    "specdec_verify",
    "mlx_match",
    "sglang_token",
    "sglang_block",
    "vllm_keep",
    "vllm_both",
    "tpu_rejection",
    "tpu_onehot",
)
