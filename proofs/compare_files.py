"""What several drafts or positions would gain on rows from files, exactly: sums over whole vocabularies.

On a row there is no prefix: figures for gamma drafted positions are those of the same row at every position.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from sympy import Rational

from proofs import block_pair, sibling_rule, token_rule
from proofs.errors import NotADistributionError, ProofsError
from proofs.processes import Process
from proofs.rationals import shown
from proofs.row_files import Format, RowPair, exact_row, read_pairs
from proofs.verdicts import Finding, Outcome
from proofs.workers import ordered_map

__all__ = ["FIGURES", "FilesRun", "RowFigures", "compare_file", "figures_of"]

FIGURES = {
    "alpha": "one draft, token rule: alpha",
    "siblings": "{k} siblings, recursive rejection: alpha",
    "best": "{k} siblings, best possible: alpha",
    "chain": "gamma 2, token rule: E[accepted]",
    "block": "gamma 2, block verification: E[accepted]",
}


@dataclass(frozen=True)
class RowFigures:
    """The figures of one pair of rows, by the names of `FIGURES`; none for a pair that could not be read.

    Attributes
    ----------
    index, vocabulary : int
    values : dict of str -> Fraction
    problem : str or None
        Why there are no figures.
    """

    index: int
    vocabulary: int = 0
    values: dict[str, Fraction] = field(default_factory=dict)
    problem: str | None = None

    @property
    def finding(self) -> Finding:
        """AS_CLAIMED iff more drafts never lower what is kept, and nothing exceeds the best possible."""
        if self.problem is not None:
            return Finding(Outcome.BAD_INPUT, f"row {self.index}: {self.problem}")
        values = self.values
        for less, more in (("alpha", "siblings"), ("siblings", "best"), ("chain", "block")):
            if values[less] > values[more]:
                above = f"{less} {shown(values[less])} above {more} {shown(values[more])}"
                return Finding(Outcome.DIFFERS, f"row {self.index}: {above}")
        return Finding(Outcome.AS_CLAIMED, f"row {self.index}")


@dataclass
class FilesRun:
    """Sums over the rows done so far: least, greatest and the sum of the rounded values of every figure."""

    looked_at: int = 0
    rows: int = 0  # with figures
    vocabularies: set[int] = field(default_factory=set)
    sums: dict[str, Fraction] = field(default_factory=dict)
    least: dict[str, Fraction] = field(default_factory=dict)
    greatest: dict[str, Fraction] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add(self, result: RowFigures) -> None:
        """Take one result into the sums."""
        self.looked_at += 1
        self.findings.append(result.finding)
        if result.problem is not None:
            return
        self.rows += 1
        self.vocabularies.add(result.vocabulary)
        values = result.values
        gains = {"gain": values["siblings"] - values["alpha"], "block gain": values["block"] - values["chain"]}
        for name, value in (values | gains).items():
            # A float is dyadic: the sum stays short.
            self.sums[name] = self.sums.get(name, Fraction(0)) + Fraction(float(value))
            self.least[name] = min(self.least.get(name, value), value)
            self.greatest[name] = max(self.greatest.get(name, value), value)

    @property
    def as_claimed(self) -> int:
        """How many rows showed nothing wrong."""
        return sum(finding.outcome is Outcome.AS_CLAIMED for finding in self.findings)

    def mean(self, name: str) -> float:
        """Return the mean of a figure over the rows."""
        return float(self.sums[name] / self.rows)


def compare_file(path: str, form: Format, k: int, jobs: int = 1) -> Iterator[RowFigures]:
    """Yield the figures of every pair of rows of a file.

    Parameters
    ----------
    path : str
    form : Format
    k : int
        Siblings.
    jobs : int
        Worker processes; more change no result.

    Raises
    ------
    ProofsError
        If the file cannot be read, or does not hold pairs of rows.
    """
    yield from ordered_map(partial(figures_of, form=form, k=k), read_pairs(path, form), jobs)


def figures_of(pair: RowPair, form: Format, k: int) -> RowFigures:
    """Return the figures of one pair, each row divided by its exact sum."""
    try:
        if isinstance(pair.p, Exception):
            raise pair.p
        p, q = (_divided(row, name, form) for row, name in ((pair.p, "p"), (pair.q, "q")))
        if len(p) != len(q):
            raise NotADistributionError(f"p has {len(p)} tokens and q has {len(q)}; expected as many")
        target, draft = Process(p, "p"), Process(q, "q")  # looked at once for all rules
        values = {
            "alpha": (alpha := token_rule.acceptance_probability(p, q)),
            "siblings": sibling_rule.acceptance(target, draft, k),
            "best": sibling_rule.optimal_acceptance(target, draft, k),
            "chain": alpha + alpha**2,
            "block": block_pair.expected_accepted_of_two(target, draft),
        }
    except ProofsError as error:
        return RowFigures(pair.number, problem=str(error))
    return RowFigures(pair.number, len(p), {name: Fraction(int(x.p), int(x.q)) for name, x in values.items()})


def _divided(values: Any, name: str, form: Format) -> Sequence[Rational]:
    row = exact_row(values, name, form)
    total = sum(row.weights)
    return [Rational(weight, total) for weight in row.weights]
