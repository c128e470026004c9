"""The token rule on rows from files: every number at its exact value, checked with zero tolerance.

Rows are taken one after another and only sums are kept, so that the memory does not grow with
their number.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, NamedTuple

from proofs.errors import NotADistributionError, ProofsError
from proofs.integer_law import IntegerLaw, integer_law, law_as_given, mixture
from proofs.policies import POLICIES
from proofs.row_files import ExactRow, Format, RowPair, exact_row, read_pairs
from proofs.verdicts import Finding, Outcome
from proofs.workers import ordered_map

__all__ = [
    "FastError",
    "Options",
    "RowResult",
    "RowsRun",
    "check_pair",
    "execute",
    "fast_error",
    "opening_line",
    "ratio_text",
    "row_line",
    "summary_lines",
    "to_json",
]

_NAMED = 2  # findings of a kind that are named on the last line; the others are counted


@dataclass(frozen=True)
class Options:
    """How rows are read, what is done about a sum that is not one, and by how many processes.

    The policies are those of `proofs.from_floats`; more processes change no result.
    """

    form: Format = field(default_factory=Format)
    policy: str = "exact"
    jobs: int = 1

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise ProofsError(f"{self.policy!r} is not a policy; expected one of {', '.join(POLICIES)}")


class FastError(NamedTuple):
    """Absolute errors of `specdec.emitted_distribution` on a pair, in units of eps of its dtype."""

    dist: float
    alpha: float


@dataclass(frozen=True)
class RowResult:
    """What was found on one pair of rows.

    Attributes
    ----------
    index : int
    law : IntegerLaw or None
        None for a row that could not be read.
    sums : tuple of two Fractions
        Exact sums of target and draft as they stand in the file.
    zeros : tuple of two ints
        How many entries of each are exactly 0.
    fast : FastError, "refused" or None
        The float law beside the exact one; "refused" where it refuses the rows, None where the
        rows are no float32 or float64 arrays.
    problem : str or None
        Why there is no law, or why the law counts for nothing.
    vocabulary : int
    """

    index: int
    law: IntegerLaw | None
    sums: tuple[Fraction, Fraction] | None = None
    zeros: tuple[int, int] = (0, 0)
    fast: FastError | str | None = None
    problem: str | None = None
    vocabulary: int = 0

    @property
    def finding(self) -> Finding:
        """AS_CLAIMED iff the law is p and alpha is 1 - TV, exactly, on rows that are distributions."""
        if self.law is None:
            return Finding(Outcome.BAD_INPUT, f"row {self.index}: {self.problem}")
        if self.problem is not None:
            return Finding(Outcome.UNVERIFIED, f"row {self.index}: {self.problem}")
        if not self.law.law_equals_target:
            return Finding(Outcome.DIFFERS, f"row {self.index}: dist differs from p")
        if self.law.alpha != 1 - self.law.total_variation:
            return Finding(Outcome.DIFFERS, f"row {self.index}: alpha differs from 1 - TV")
        return Finding(Outcome.AS_CLAIMED, f"row {self.index}")


@dataclass
class RowsRun:
    """Sums over the rows done so far.

    Attributes
    ----------
    count : dict of Outcome to int
    named : list of Finding
        The first findings of each kind other than AS_CLAIMED.
    """

    count: dict[Outcome, int] = field(default_factory=dict)
    named: list[Finding] = field(default_factory=list)
    vocabularies: set[int] = field(default_factory=set)
    least: Fraction | None = None
    greatest: Fraction | None = None
    alphas: Fraction = Fraction(0)  # the sum of alpha rounded to floats: dyadic, so it stays short
    laws: int = 0
    furthest: Fraction = Fraction(0)
    whole: int = 0
    zeros: tuple[int, int] = (0, 0)
    fast: FastError = field(default_factory=lambda: FastError(0.0, 0.0))
    compared: int = 0
    refused: int = 0

    @property
    def rows(self) -> int:
        """How many pairs were looked at."""
        return sum(self.count.values())

    @property
    def findings(self) -> list[Finding]:
        """What the verdict is made of: named findings, and one for all others of their kind."""
        found = list(self.named)
        for outcome, count in self.count.items():
            named = sum(finding.outcome is outcome for finding in self.named)
            if count > named:
                found.append(Finding(outcome, f"{count - named} other rows"))
        return found

    @property
    def scope(self) -> str:
        """What was covered, in words."""
        right = self.count.get(Outcome.AS_CLAIMED, 0)
        sizes = ", ".join(map(str, sorted(self.vocabularies))) or "none"
        return f"token rule: dist = p and alpha = 1 - TV exactly in {right} of {self.rows} rows, V = {sizes}"

    def add(self, result: RowResult) -> None:
        """Take one result into the sums."""
        finding = result.finding
        self.count[finding.outcome] = self.count.get(finding.outcome, 0) + 1
        if finding.outcome is not Outcome.AS_CLAIMED and self._named(finding.outcome) < _NAMED:
            self.named.append(finding)
        if result.law is None or result.sums is None:
            return
        alpha = result.law.alpha
        self.vocabularies.add(result.vocabulary)
        self.laws += 1
        self.alphas += Fraction(_rounded(alpha))
        self.least = alpha if self.least is None else min(self.least, alpha)
        self.greatest = alpha if self.greatest is None else max(self.greatest, alpha)
        defects = [abs(total - 1) for total in result.sums]
        self.furthest = max(self.furthest, *defects)
        self.whole += defects.count(Fraction(0))
        self.zeros = (self.zeros[0] + result.zeros[0], self.zeros[1] + result.zeros[1])
        self._add_fast(result.fast)

    def _named(self, outcome: Outcome) -> int:
        return sum(finding.outcome is outcome for finding in self.named)

    def _add_fast(self, fast: FastError | str | None) -> None:
        if isinstance(fast, FastError):
            self.compared += 1
            self.fast = FastError(*map(max, self.fast, fast))
        elif fast is not None:
            self.refused += 1


def execute(path: str, runs: Sequence[RowsRun], options: Options) -> Iterator[RowResult]:
    """Check the pairs of a file one after another, adding each result to every run and yielding it."""
    check = partial(check_pair, options=options)
    for result in ordered_map(check, read_pairs(path, options.form), options.jobs):
        for run in runs:
            run.add(result)
        yield result


def check_pair(pair: RowPair, options: Options) -> RowResult:
    """Compute the exact law of one pair and compare."""
    try:
        if isinstance(pair.p, Exception):
            raise pair.p
        if len(pair.p) != len(pair.q):
            raise NotADistributionError(f"p has {len(pair.p)} tokens and q has {len(pair.q)}; expected as many")
        p, q = exact_row(pair.p, "p", options.form), exact_row(pair.q, "q", options.form)
        sums = (p.total(), q.total())
        if options.policy == "strict":
            for name, total in zip("pq", sums, strict=True):
                if total != 1:
                    raise NotADistributionError(f"{name} is off one by {_significant(total - 1)}, policy strict")
    except (NotADistributionError, TypeError) as error:
        return RowResult(pair.number, None, problem=str(error))
    given = options.policy == "as-given"
    return RowResult(
        pair.number,
        law_as_given(*_over_one(p, q)) if given else integer_law(p.weights, q.weights),
        sums,
        (p.weights.count(0), q.weights.count(0)),
        None if options.form.logits or isinstance(pair.p, list) else fast_error(pair.p, pair.q, p, q),
        _given_problem(sums) if given else None,
        len(p.weights),
    )


def summary_lines(run: RowsRun, name: str = "") -> Iterator[str]:
    """Sum up the rows: how many, alpha, defects of the sums, zeros, the fast laws' errors."""
    sizes = ", ".join(map(str, sorted(run.vocabularies))) or "none"
    yield f"{name}rows {run.rows}, V {sizes}, checked {run.laws}"
    if run.least is None or run.greatest is None:
        return
    mean = run.alphas / run.laws
    yield f"alpha    least {_decimal(run.least)}, mean {_decimal(mean)}, greatest {_decimal(run.greatest)}"
    yield f"sums     furthest from one {_significant(run.furthest)}, exactly one in {run.whole} of {2 * run.laws}"
    yield f"zeros    {run.zeros[0]} entries of p, {run.zeros[1]} of q"
    if run.compared or run.refused:
        errors = f"dist within {run.fast.dist:.2f} eps, alpha within {run.fast.alpha:.2f} eps" if run.compared else ""
        refused = f"{run.refused} rows refused" if run.refused else ""
        yield f"floats   {', '.join(filter(None, (errors, refused)))}"


def row_line(result: RowResult) -> str:
    """One row in one line: exact alpha, both comparisons, the float laws' errors."""
    if result.law is None:
        return result.finding.text
    law, fast = result.law, result.fast
    equal = {True: "=", False: "differs from"}
    errors = f"dist {fast.dist:.2f} eps, alpha {fast.alpha:.2f} eps" if isinstance(fast, FastError) else fast
    return (
        f"row {result.index}: alpha {ratio_text(law.alpha)} ({_decimal(law.alpha)}), "
        f"dist {equal[law.law_equals_target]} p, alpha {equal[law.alpha == 1 - law.total_variation]} 1 - TV"
        f"{f'; floats: {errors}' if errors else ''}{f'; {result.problem}' if result.problem else ''}"
    )


def opening_line(options: Options) -> str:
    """Say how the numbers were taken."""
    source = (
        "Softmax of the logits in float64, each value exact from there"
        if options.form.logits
        else ("Each number at its exact value")
    )
    return f"{source}; {POLICIES[options.policy]} (policy: {options.policy})."


def _over_one(p: ExactRow, q: ExactRow) -> tuple[list[int], list[int], int]:
    denominator = lcm(p.denominator, q.denominator)
    return _scaled(p, denominator), _scaled(q, denominator), denominator


def _scaled(row: ExactRow, denominator: int) -> list[int]:
    factor = denominator // row.denominator
    return row.weights if factor == 1 else [w * factor for w in row.weights]


def _given_problem(sums: tuple[Fraction, Fraction]) -> str:
    defects = " and ".join(_significant(total - 1) for total in sums)
    return f"taken as given, p and q off one by {defects}: never called lossless"


def fast_error(p: Any, q: Any, exact_p: ExactRow, exact_q: ExactRow) -> FastError | str | None:
    """Compare the float law with the same formula over the floats as rationals.

    Parameters
    ----------
    p, q : ndarray, shape (V,)
        The floats.
    exact_p, exact_q : ExactRow
        The same rows, exactly.

    Returns
    -------
    FastError, "refused" or None
        None for half precision, which the float laws do not take.
    """
    if min(p.dtype.itemsize, q.dtype.itemsize) < 4:
        return None
    import numpy as np

    import specdec

    try:
        dist, alpha = specdec.emitted_distribution(p, q)
    except ValueError:
        return "refused"
    given_p, given_q, denominator = _over_one(exact_p, exact_q)
    parts = mixture(given_p, given_q, denominator)
    top, bottom = parts.scale.as_integer_ratio()
    fast = exact_row(dist, "dist", Format())
    left, right = denominator * bottom, fast.denominator
    kept_factor, excess_factor = bottom * right, top * right
    # Where p <= q nothing is replaced and the law is p(x): a float equal to it has no error. (With
    # p <= q everywhere the residual is the row p.)
    below = p <= q
    tokens = np.flatnonzero(~(below & (dist == p)) | below.all())
    errors = (
        abs(fast.weights[x] * left - parts.kept[x] * kept_factor - parts.excess[x] * excess_factor)
        for x in tokens.tolist()
    )
    worst = max(errors, default=0)
    eps = Fraction(float(np.finfo(dist.dtype).eps))
    alpha_error = abs(Fraction(float(alpha)) - Fraction(sum(parts.kept), denominator))
    return FastError(float(Fraction(worst, left * right) / eps), float(alpha_error / eps))


def _rounded(value: Fraction) -> float:
    """Return the nearest float; the greatest where rows taken as given lead beyond it."""
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max


def _decimal(value: Fraction) -> str:
    return f"{float(value):.6f}" if value < 2 else _significant(value)


def _significant(value: Fraction) -> str:
    # Sums of floats can leave the range of a float; Decimal has no such end.
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.3g}"


def to_json(result: RowResult, file: int) -> dict[str, Any]:
    """Return one result as JSON values, every rational as "num/den"."""
    law = result.law
    return {
        "file": file,
        "row": result.index,
        "outcome": result.finding.outcome.name.lower(),
        "problem": result.problem,
        "alpha": None if law is None else ratio_text(law.alpha),
        "dist_equals_p": None if law is None else law.law_equals_target,
        "alpha_equals_one_minus_tv": None if law is None else law.alpha == 1 - law.total_variation,
        "sums": None if result.sums is None else [ratio_text(total) for total in result.sums],
        "zeros": list(result.zeros),
        "fast_error_eps": result.fast if isinstance(result.fast, str | None) else result.fast._asdict(),
    }


def ratio_text(value: Any) -> str:
    """Return a rational as "num/den" for JSON, in hexadecimal where Python writes no more decimal digits."""
    try:
        return f"{value.numerator}/{value.denominator}"
    except ValueError:  # more decimal digits than Python writes
        return f"{value.numerator:#x}/{value.denominator:#x}"
