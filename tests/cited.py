"""Citations of every theorem without a run of everything: real proofs, and one case of each grid."""

from functools import cache

from proofs.citation import RunCitation, TheoremCitation, cite_run, cite_theorem
from proofs.rule import KERNEL
from proofs.runner import REGISTRY, Run, TheoremResult
from proofs.theorems import Theorem

DIGEST = "0123456789abcdef" * 4


def result_of(theorem: Theorem) -> TheoremResult:
    """Return what a run would find, with one case of the grid."""
    proof = None if theorem.prove is None else theorem.prove(KERNEL)
    asked = 100 if theorem.domain.strategy else 0
    return TheoremResult(theorem, proof, 1, 5 if theorem.domain.named else 0, asked, asked, None)


@cache
def whole_run() -> Run:
    """Return a run of the registry without its mutants."""
    return Run(REGISTRY, REGISTRY, [result_of(theorem) for theorem in REGISTRY.theorems])


@cache
def citation_of(theorem: str) -> TheoremCitation:
    """Return the citation of a theorem, or of the run."""
    return cite_theorem(whole_run(), theorem, "1.2.3", DIGEST)


@cache
def citation_of_the_run() -> RunCitation:
    """Return the citation of the whole run."""
    return cite_run(whole_run(), "1.2.3", DIGEST)
