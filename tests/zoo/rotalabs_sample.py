"""rotalabs-accel's rejection_sample: one drafted token, with its probability but no draft row; called in a chain."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "rotalabs-accel rejection_sample"
PACKAGE = "rotalabs-accel==1.1.1"
IMPORTS = ("torch", "rotalabs_accel.speculative.sampling")
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, sampling = modules(IMPORTS)
    emitted = []
    for p, q, token in zip(target, draft, tokens, strict=False):
        kept, last = sampling.rejection_sample(p[token], q[token], token, p.log())
        emitted.append(int(last))
        if not kept:
            return emitted
    return [*emitted, int(torch.multinomial(target[-1], 1))]
