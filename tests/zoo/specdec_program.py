"""specdec's SpecDecoder.verify in a process of its own, for ``python -m proofs check --exec``.

Run it with the interpreter of the zoo's environment. The package is unmodified; torch's two random functions that it
calls take the coins of the request instead: `rand` the first gamma, `multinomial` the last, by inverse CDF.
"""

import json
import sys
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

__all__ = ["answer", "main"]

GREETING = {"protocol": "specdec-proofs/exec/1", "coins": "gamma + 1", "dtype": "float32"}


def _inverse(weights: list[float], coin: float) -> int:
    """Index of the first cumulative sum above the coin's share of the whole; the last of some weight at the end."""
    sums = list(accumulate(weights))
    above = (index for index, upto in enumerate(sums) if upto > coin * sums[-1])
    return next(above, max(index for index, weight in enumerate(weights) if weight > 0))


def answer(torch: Any, decoder_class: Any, request: dict[str, Any]) -> list[int]:
    """Return the tokens that the package emits on the rows, tokens and coins of a request."""
    coins, gamma = request["coins"], len(request["tokens"])
    torch.rand = lambda count, **_: torch.tensor(coins[:count], dtype=torch.float32)
    torch.multinomial = lambda row, **_: torch.tensor([_inverse(row.tolist(), coins[gamma])])
    target, draft = (torch.tensor(request[name], dtype=torch.float32) for name in ("target", "draft"))
    decoder = decoder_class.__new__(decoder_class)
    decoder.device = "cpu"
    decoder.big_model = lambda ids: SimpleNamespace(logits=target.log()[None])
    emitted = decoder.verify(torch.zeros((1, 1), dtype=torch.int64), request["tokens"], [row[None] for row in draft])
    return [int(token) for token in emitted]


def main() -> None:
    """Greet, and answer requests, one line each, until there are none."""
    sys.path.insert(0, str(Path(sys.prefix) / "apart"))
    import torch
    from specdec.decoder import SpecDecoder  # type: ignore[import-not-found]

    print(json.dumps(GREETING), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answered: dict[str, Any] = {"tokens": answer(torch, SpecDecoder, request)}
        except Exception as crash:
            answered = {"error": f"{type(crash).__name__}: {crash}"}
        print(json.dumps({"id": request["id"], **answered}), flush=True)


if __name__ == "__main__":
    main()
