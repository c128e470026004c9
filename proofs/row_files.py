"""Rows of probabilities from files, one pair at a time, each number at its exact value.

Nothing is unpickled and no file is held in memory: ``.npy`` files are memory-mapped, the members
of ``.npz`` files and the lines of ``.jsonl`` files are read as they come. NumPy is imported when
an array is read, SymPy never.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from proofs.errors import NotADistributionError, ProofsError, ShapeError

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

__all__ = ["ExactRow", "Format", "RowPair", "exact_row", "read_pairs"]

_FRACTION = re.compile(r"[0-9]+(/[0-9]*[1-9][0-9]*)?")


@dataclass(frozen=True)
class Format:
    """How the numbers of a file are meant.

    Attributes
    ----------
    p_key, q_key : str
        Names of target and draft in ``.npz`` and ``.jsonl`` files.
    logits : bool
        Whether the rows are logits: softmax in float64 makes them probabilities, exact from there.
    """

    p_key: str = "p"
    q_key: str = "q"
    logits: bool = False


class ExactRow(NamedTuple):
    """A row of rationals over one denominator."""

    weights: list[int]
    denominator: int

    def total(self) -> Fraction:
        """Add up the row, exactly."""
        return Fraction(sum(self.weights), self.denominator)


class RowPair(NamedTuple):
    """One target and one draft row as they stand in the file: arrays, or lists from JSON."""

    number: int
    p: Any
    q: Any


def read_pairs(path: str, form: Format) -> Iterator[RowPair]:
    """Yield the pairs of rows of a file.

    Parameters
    ----------
    path : str
        ``.npz`` with two arrays of shape [rows, V] or [V]; ``.npy`` of shape [2, rows, V];
        ``.jsonl`` with one object a line, its rows lists of numbers or of strings such as "3/8".
    form : Format

    Raises
    ------
    ProofsError
        If the file cannot be read, or does not hold pairs of rows.
    """
    readers = {".npz": _read_npz, ".npy": _read_npy, ".jsonl": _read_jsonl}
    reader = readers.get(Path(path).suffix.lower())
    if reader is None:
        raise ProofsError(f"has none of the known endings; expected {', '.join(readers)}")
    try:
        yield from reader(path, form)
    except ProofsError:
        raise
    except OSError as error:
        raise ProofsError(f"cannot be read: {error.strerror or error}") from error
    except Exception as error:  # zipfile, zlib and NumPy raise a dozen kinds for a damaged file
        raise ProofsError(
            f"is not a {Path(path).suffix} file of plain arrays ({type(error).__name__}); "
            "save the rows with numpy.savez(FILE, p=target, q=draft)"
        ) from error


def exact_row(row: Any, name: str, form: Format) -> ExactRow:
    """Return the row at its exact value.

    Raises
    ------
    NotADistributionError
        If an entry is no finite number >= 0 (with logits: NaN or +inf), or there is no mass.
    """
    if not len(row):
        raise NotADistributionError(f"{name} is empty; expected V >= 1 entries")
    exact = _list_row(row, name, form) if isinstance(row, list) else _array_row(row, name, form)
    if not any(exact.weights):
        raise NotADistributionError(f"{name} has no mass: all {len(exact.weights)} entries are 0")
    return exact


def _array_row(row: "Array", name: str, form: Format) -> ExactRow:
    import numpy as np

    digits = {2: 11, 4: 24, 8: 53}[row.dtype.itemsize]  # of the significand
    with np.errstate(all="ignore"):  # a signalling NaN is found below
        wide = row.astype(np.float64)
    if form.logits:
        wide, digits = _softmax(wide, name), 53
    bad = ~((wide >= 0) & (wide < np.inf))  # a NaN is neither
    if bad.any():
        at = int(bad.argmax())
        raise NotADistributionError(f"{name}[{at}] = {wide[at]!s} is not a probability; expected a finite number >= 0")
    significand, exponent = np.frexp(wide)
    whole = np.ldexp(significand, digits).astype(np.int64)
    shift = exponent.astype(np.int64) - digits
    lowest = int(shift[whole != 0].min(initial=0))
    shifts = np.where(whole != 0, shift - lowest, 0)
    # Python integers: a row of floats spans more binary digits than 64 bits hold.
    return ExactRow([w << s for w, s in zip(whole.tolist(), shifts.tolist(), strict=True)], 1 << -lowest)


def _softmax(logits: "Array", name: str) -> "Array":
    import numpy as np

    bad = np.isnan(logits) | (logits == np.inf)
    if bad.any():
        at = int(bad.argmax())
        raise NotADistributionError(f"{name}[{at}] = {logits[at]!s} is not a logit; expected a finite number or -inf")
    if not (logits > -np.inf).any():
        raise NotADistributionError(f"{name} has no mass: all {logits.size} logits are -inf")
    with np.errstate(all="ignore"):  # differences and powers may leave the range: they are -inf and 0 then
        powers = np.exp(logits - logits.max())
        return np.asarray(powers / powers.sum())


def _list_row(row: list[Any], name: str, form: Format) -> ExactRow:
    if form.logits:
        import numpy as np

        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in row):
            raise NotADistributionError(f"{name} holds entries that are no logits; expected numbers")
        try:
            return _array_row(np.array(row, dtype=np.float64), name, form)
        except OverflowError as error:
            raise NotADistributionError(f"{name} holds an integer that no float64 holds") from error
    values = [_json_number(value, f"{name}[{i}]") for i, value in enumerate(row)]
    denominator = lcm(*(value.denominator for value in values))
    return ExactRow([v.numerator * (denominator // v.denominator) for v in values], denominator)


def _json_number(value: Any, where: str) -> Fraction:
    if isinstance(value, str) and _FRACTION.fullmatch(value) and len(value) < 2000:
        return Fraction(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf"):
        return Fraction(value)
    raise NotADistributionError(
        f"{where} = {value!r:.40} is not a probability; expected a number >= 0 or a string such as '3/8'"
    )


def _read_npz(path: str, form: Format) -> Iterator[RowPair]:
    with zipfile.ZipFile(path) as archive:
        names = sorted(name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy"))
        if len(set(names)) < len(names):
            raise ProofsError("has two arrays of one name")
        missing = [key for key in (form.p_key, form.q_key) if key not in names]
        if missing:
            raise ProofsError(
                f"has no array named {' or '.join(missing)}, only {', '.join(names) or 'nothing'}; "
                "name them with --p-key and --q-key"
            )
        with archive.open(f"{form.p_key}.npy") as p, archive.open(f"{form.q_key}.npy") as q:
            yield from _paired(_Member(p, form.p_key), _Member(q, form.q_key))


def _read_npy(path: str, _: Format) -> Iterator[RowPair]:
    import numpy as np

    both = np.load(path, mmap_mode="r", allow_pickle=False)
    if both.ndim != 3 or both.shape[0] != 2 or both.shape[2] == 0:
        raise ShapeError(f"holds an array of shape {both.shape}; expected [2, rows, V]: targets, then drafts")
    _check_dtype(both.dtype, "the array")
    for index in range(both.shape[1]):
        yield RowPair(index, _floats(both[0, index]), _floats(both[1, index]))


def _read_jsonl(path: str, form: Format) -> Iterator[RowPair]:
    with open(path, encoding="utf-8-sig", errors="backslashreplace") as file:
        for index, line in enumerate(line for line in file if line.strip()):
            try:
                document = json.loads(line, object_pairs_hook=_without_duplicates)
                yield RowPair(index, _plain_list(document[form.p_key]), _plain_list(document[form.q_key]))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                wanted = f"expected an object with {form.p_key!a} and {form.q_key!a}, lists of numbers or strings"
                message = f"line is refused ({type(error).__name__}); {wanted}"
                yield RowPair(index, NotADistributionError(message), None)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError("two entries of one name")
    return document


def _plain_list(row: Any) -> list[Any]:
    if not isinstance(row, list) or any(isinstance(value, list | dict) for value in row):
        raise TypeError("not a plain list")
    return row


class _Member:
    """The rows of one array inside an ``.npz`` file, read one after another."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        import numpy as np

        version = np.lib.format.read_magic(stream)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in readers:
            raise ProofsError(f"array {name} has a header of version {version}; expected 1.0 or 2.0")
        self.shape, fortran, self.dtype = readers[version](stream)
        self.name, self._stream = name, stream
        _check_dtype(self.dtype, f"array {name}")
        if len(self.shape) not in (1, 2) or self.shape[-1] < 1 or min(self.shape) < 0:
            raise ShapeError(f"array {name} has shape {self.shape}; expected [rows, V] or [V] with V >= 1")
        if fortran and len(self.shape) == 2 and min(self.shape) > 1:
            raise ShapeError(f"array {name} is in Fortran order; save it with numpy.ascontiguousarray")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.shape[0]) if len(self.shape) == 2 else 1

    def next_row(self) -> "Array":
        """Read the next row."""
        import numpy as np

        size = self.dtype.itemsize * self.shape[-1]
        content = self._stream.read(size)
        if len(content) < size:
            raise ProofsError(f"ends within array {self.name}")
        return _floats(np.frombuffer(content, self.dtype))

    def check_end(self) -> None:
        """Raise `ProofsError` if there is more than the header says."""
        if self._stream.read(1):
            raise ProofsError(f"holds more bytes than the header of array {self.name} says")


def _paired(p: _Member, q: _Member) -> Iterator[RowPair]:
    if p.shape != q.shape:
        raise ShapeError(f"{p.name} has shape {p.shape} and {q.name} has shape {q.shape}; expected one shape")
    for index in range(p.rows):
        yield RowPair(index, p.next_row(), q.next_row())
    p.check_end()
    q.check_end()


def _check_dtype(dtype: "np.dtype[Any]", what: str) -> None:
    if not (dtype.kind == "f" and dtype.itemsize <= 8) and not _is_bfloat16(dtype):
        raise ProofsError(f"{what} has dtype {dtype}; expected float16, float32, float64 or bfloat16")


def _is_bfloat16(dtype: "np.dtype[Any]") -> bool:
    # NumPy has no name for it: ml_dtypes saves it as two bytes of no type.
    return dtype.kind == "V" and dtype.itemsize == 2 and dtype.fields is None


def _floats(row: "Array") -> "Array":
    import numpy as np

    if not _is_bfloat16(row.dtype):
        return row
    # The upper half of a float32.
    return (np.ascontiguousarray(row).view("<u2").astype(np.uint32) << 16).view(np.float32)
