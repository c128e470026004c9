"""tpu-inference's rejection_sample: flat rows; JAX draws, from a key that is drawn here."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "tpu-inference rejection_sample"
PACKAGE = "tpu-inference==0.32.0"
IMPORTS = ("torch", "jax.numpy", "jax.random", "tests.zoo.tpu_sampler")
HEAVY = True
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, numbers, random, sampler = modules(IMPORTS)
    gamma = len(tokens)
    bonus = numbers.array(torch.multinomial(target[gamma], 1).numpy())
    key = random.PRNGKey(int(torch.randint(2**31, ())))
    ids, count = numbers.array(tokens.numpy()), numbers.array([gamma])
    q, p = numbers.array(draft.numpy()), numbers.array(target[:gamma].numpy())
    emitted = sampler.compiled(ids, count, q, p, bonus, do_sampling=True, key=key)
    return [int(token) for token in emitted.tolist() if token >= 0]
