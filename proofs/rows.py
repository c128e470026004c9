"""The token rule on rows from a file: every float at its exact value, checked with zero tolerance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs.errors import NotADistributionError, ProofsError, ShapeError
from proofs.integer_law import IntegerLaw, integer_law
from proofs.verdicts import Finding, Outcome

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Rows", "RowsRun", "execute", "read_rows", "summary_lines"]


@dataclass(frozen=True)
class Rows:
    """Two arrays of float rows, shape [rows, V]."""

    target: "np.ndarray[Any, np.dtype[np.floating[Any]]]"
    draft: "np.ndarray[Any, np.dtype[np.floating[Any]]]"


@dataclass(frozen=True)
class RowResult:
    """One row: its law, or why there is none."""

    index: int
    law: IntegerLaw | None
    defects: tuple[Fraction, Fraction] | None
    refused: str | None

    @property
    def finding(self) -> Finding:
        """AS_CLAIMED iff the law is p and alpha is 1 - TV, exactly."""
        if self.law is None:
            return Finding(Outcome.BAD_INPUT, f"row {self.index}: {self.refused}")
        if not self.law.law_equals_target:
            return Finding(Outcome.DIFFERS, f"row {self.index}: dist differs from p")
        if self.law.alpha != 1 - self.law.total_variation:
            return Finding(Outcome.DIFFERS, f"row {self.index}: alpha differs from 1 - TV")
        return Finding(Outcome.AS_CLAIMED, f"row {self.index}")


@dataclass
class RowsRun:
    """The rows of a file, and the results so far."""

    rows: Rows
    results: list[RowResult] = field(default_factory=list)

    @property
    def findings(self) -> list[Finding]:
        """One finding a row; rows that were not reached are unverified."""
        found = [result.finding for result in self.results]
        missing = len(self.rows.target) - len(self.results)
        return [*found, Finding(Outcome.UNVERIFIED, f"{missing} rows were not reached")] if missing else found

    @property
    def scope(self) -> str:
        """What was covered, in words."""
        right = sum(result.finding.outcome is Outcome.AS_CLAIMED for result in self.results)
        rows, vocabulary = self.rows.target.shape
        return f"token rule: dist = p and alpha = 1 - TV exactly in {right} of {rows} rows, V = {vocabulary}"


def read_rows(path: str | Path) -> Rows:
    """Read the arrays ``p`` and ``q`` of an ``.npz`` file, without unpickling anything.

    Raises
    ------
    ProofsError
        If the file cannot be read as such or holds no float rows.
    ShapeError
        If the two arrays differ in shape or are not rows.
    """
    import numpy as np

    try:
        with open(path, "rb") as file:  # NumPy leaves a damaged file open
            arrays = np.load(file, allow_pickle=False)
            if not isinstance(arrays, np.lib.npyio.NpzFile):
                raise ProofsError("holds one array; expected an .npz file with the arrays p and q")
            target, draft = _two_arrays(arrays)
    except OSError as error:
        raise ProofsError(f"cannot be read: {error.strerror or error}") from error
    except ProofsError:
        raise
    except Exception as error:  # zipfile, zlib and NumPy raise a dozen kinds for a damaged file
        raise ProofsError(
            f"is not an .npz file of plain arrays ({type(error).__name__}); "
            "save the rows with numpy.savez(FILE, p=target, q=draft)"
        ) from error
    return _checked(target, draft)


def execute(run: RowsRun) -> Iterator[RowResult]:
    """Check row after row, adding each result to the run and yielding it."""
    for index, (target, draft) in enumerate(zip(run.rows.target, run.rows.draft, strict=True)):
        result = _check_row(index, target, draft)
        run.results.append(result)
        yield result


def summary_lines(run: RowsRun) -> Iterator[str]:
    """Sum up the run: how the rows were read, alpha, defects of the sums."""
    yield "Each float at its exact value; each row divided by its exact sum (policy: exact)."
    rows, vocabulary = run.rows.target.shape
    yield f"rows {rows}, V {vocabulary}, checked {sum(r.law is not None for r in run.results)}"
    laws = [result.law for result in run.results if result.law is not None]
    if laws:
        alphas = [law.alpha for law in laws]
        mean = sum(alphas, Fraction(0)) / len(alphas)
        yield f"alpha    least {_decimal(min(alphas))}, mean {_decimal(mean)}, greatest {_decimal(max(alphas))}"
        defects = [abs(d) for result in run.results if result.defects for d in result.defects]
        whole = defects.count(Fraction(0))
        yield f"sums     furthest from one {_significant(max(defects))}, exactly one in {whole} of {len(defects)}"
    others = [result.finding.text for result in run.results if result.finding.outcome is not Outcome.AS_CLAIMED]
    yield from others


def _two_arrays(arrays: Any) -> tuple[Any, Any]:
    missing = [key for key in ("p", "q") if key not in arrays.files]
    if missing:
        raise ProofsError(
            f"has no array named {' or '.join(missing)}, only {', '.join(sorted(arrays.files)) or 'nothing'}; "
            "save the rows with numpy.savez(FILE, p=target, q=draft)"
        )
    members = arrays["p"], arrays["q"]
    if not all(hasattr(member, "dtype") for member in members):
        raise ProofsError("holds members that are no arrays; save the rows with numpy.savez(FILE, p=target, q=draft)")
    return members


def _checked(target: Any, draft: Any) -> Rows:
    for name, array in (("p", target), ("q", draft)):
        if array.dtype.kind != "f" or array.dtype.itemsize > 8:
            raise ProofsError(f"array {name} has dtype {array.dtype}; expected float16, float32 or float64")
        if array.ndim not in (1, 2) or array.shape[-1] == 0:
            raise ShapeError(f"array {name} has shape {array.shape}; expected [rows, V] or [V] with V >= 1")
    if target.shape != draft.shape:
        raise ShapeError(f"p has shape {target.shape} and q has shape {draft.shape}; expected one shape")
    vocabulary = target.shape[-1]
    return Rows(target.reshape(-1, vocabulary), draft.reshape(-1, vocabulary))


def _check_row(index: int, target: Any, draft: Any) -> RowResult:
    try:
        p, p_total = _weights(target, "p")
        q, q_total = _weights(draft, "q")
    except NotADistributionError as error:
        return RowResult(index, None, None, str(error))
    return RowResult(index, integer_law(p, q), (p_total - 1, q_total - 1), None)


def _weights(row: Any, name: str) -> tuple[Sequence[int], Fraction]:
    """Return the floats as integers over one power of two, and the exact sum of the row."""
    ratios = []
    for token, value in enumerate(row.tolist()):
        if not 0 <= value < float("inf"):  # NaN fails too
            raise NotADistributionError(
                f"{name}[{token}] = {value} is not a probability; expected a finite number >= 0"
            )
        ratios.append(value.as_integer_ratio())
    denominator = max(bottom for _, bottom in ratios)  # all of them are powers of two
    weights = [top * (denominator // bottom) for top, bottom in ratios]
    if not any(weights):
        raise NotADistributionError(f"{name} has no mass: all {len(weights)} entries are 0")
    return weights, Fraction(sum(weights), denominator)


def _decimal(value: Fraction) -> str:
    return f"{float(value):.6f}"


def _significant(value: Fraction) -> str:
    # Sums of floats can leave the range of a float; Decimal has no such end.
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.3g}"
