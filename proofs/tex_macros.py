r"""Numbers of a result as LaTeX macros, so that what a paper prints is what a run found.

Names are letters alone, ``\SpecdecAlphaLeast``; the digits of a row's number are spelled, ``\SpecdecAlphaRowOneTwo``.
Everything is a number, a hash or an escaped text on one line: no content of a result can act as a command.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proofs.errors import ProofsError
from proofs.markup import escape_tex
from proofs.result_files import ROWS, Result, field, rational

__all__ = ["PREFIX", "decimal_of", "macros", "spelled"]

PREFIX = "Specdec"
_PLACES = 6
_LONGEST = 60  # digits of a fraction that is also given exactly
_EACH = 100  # rows or inputs that have macros of their own
_FINE = 10**60  # the mean is summed in these parts, so that its denominator does not grow with the rows
_DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_RULES = (
    f"Decimals have {_PLACES} places, or {_PLACES + 1} significant digits below 1/10000, half to even; what is not 0 "
    "or 1 is not rounded to it.",
    f"A name with Exact behind it is the fraction itself; there is none where it has more than {_LONGEST} digits.",
    f"Each row and each input has names of its own where there are at most {_EACH} of them.",
)


def macros(result: Result, prefix: str = PREFIX) -> Iterator[str]:
    r"""Return a LaTeX file of macros.

    Parameters
    ----------
    result : Result
        Of `proofs.result_files.read_result`.
    prefix : str
        What the names begin with, letters alone.

    Returns
    -------
    iterator of str
        Lines: where the numbers are from, then one ``\newcommand`` each, the same bytes for the same file. A name
        that is taken already is an error of LaTeX, not a number from elsewhere.

    Raises
    ------
    ProofsError
        If the prefix is none, or a number in the result is missing or out of its range.
    """
    if not re.fullmatch("[A-Za-z]{1,40}", prefix):
        raise ProofsError(f"prefix is {prefix!a}; expected 1 to 40 letters, such as {PREFIX}")
    found = dict(_of_rows(result) if result.schema == ROWS else _of_check(result))
    yield f"% Numbers of a result, schema {result.schema}; written by specdec cite --macros, not by hand."
    yield f"% sha256 of the result file: {result.digest}"
    yield from (f"% {rule}" for rule in _RULES)
    yield from (rf"\newcommand{{\{prefix}{name}}}{{{value}}}" for name, value in found.items())


def _of_rows(result: Result) -> Iterator[tuple[str, str]]:
    document = result.document
    rows = document["rows"]
    alphas = [rational(row, "alpha") for row in rows]
    yield from _common(document, result.digest)
    yield "Rows", str(len(rows))
    yield "Files", str(len({row["file"] for row in rows}))
    yield from _number("AlphaLeast", min(alphas))
    yield "AlphaMean", decimal_of(_mean(alphas))
    yield from _number("AlphaGreatest", max(alphas))
    yield from _number("TotalVariationLeast", 1 - max(alphas))
    yield "TotalVariationMean", decimal_of(1 - _mean(alphas))
    yield from _number("TotalVariationGreatest", 1 - min(alphas))
    sums = [rational(row, "sums", at, most=None) for row in rows for at in (0, 1)]
    yield "SumDefectGreatest", decimal_of(max(abs(total - 1) for total in sums))
    for at, name in enumerate(("ZerosTarget", "ZerosDraft")):
        yield name, str(sum(field(row, "zeros", at, kind=int) for row in rows))
    if len(rows) <= _EACH:
        several = len({row["file"] for row in rows}) > 1
        for row, alpha in zip(rows, alphas, strict=True):
            file = f"File{spelled(row['file'])}" if several else ""
            yield from _number(f"Alpha{file}Row{spelled(row['row'])}", alpha)


def _of_check(result: Result) -> Iterator[tuple[str, str]]:
    document = result.document
    yield from _common(document, result.digest)
    yield "Verifier", escape_tex(field(document, "spec", kind=str))
    yield "Status", escape_tex(document["status"])
    yield "Reason", escape_tex(field(document, "reason", kind=str))
    for name in ("inputs", "paths"):
        yield name.capitalize(), str(document[name])
    yield from _number("Worst", rational(document, "worst"))
    if field(document, "options", "within", kind=(str, type(None))) is not None:
        yield from _number("Bound", rational(document, "options", "within", most=None))
    if document["counterexample"] is not None:
        yield from _number("Counterexample", rational(document, "counterexample", "total_variation"))
    accepted = field(document, "acceptance", kind=list)
    if len(accepted) <= _EACH:
        for number, one in enumerate(accepted, start=1):
            yield f"Input{spelled(number)}", escape_tex(field(one, "input", kind=str))
            yield from _number(f"Accepted{spelled(number)}", rational(one, "expected", most=None))
            yield from _number(f"Best{spelled(number)}", rational(one, "best", most=None))


def _common(document: dict[str, Any], digest: str) -> Iterator[tuple[str, str]]:
    yield "Digest", digest
    yield "Verdict", escape_tex(field(document, "verdict", "word", kind=str))
    yield "Scope", escape_tex(field(document, "verdict", "scope", kind=str))


def _number(name: str, value: Fraction) -> Iterator[tuple[str, str]]:
    yield name, decimal_of(value)
    if len(f"{value.numerator}{value.denominator}") <= _LONGEST:
        whole = value.denominator == 1
        exact = str(value.numerator) if whole else rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
        yield f"{name}Exact", rf"\ensuremath{{{exact}}}"


def _mean(values: list[Fraction]) -> Fraction:
    return Fraction(sum(value.numerator * _FINE // value.denominator for value in values), _FINE * len(values))


def spelled(number: int) -> str:
    """Return the digits of a number as words, for a name that has letters alone.

    Parameters
    ----------
    number : int
        At least 0.

    Returns
    -------
    str

    Raises
    ------
    ProofsError
        If it is negative.

    Examples
    --------
    >>> spelled(120)
    'OneTwoZero'
    """
    if number < 0:
        raise ProofsError(f"number is {number}; expected at least 0")
    return "".join(_DIGITS[int(digit)] for digit in str(number))


def decimal_of(value: Fraction) -> str:
    r"""Return a number as a decimal for LaTeX, which is 0 or 1 for these alone.

    Parameters
    ----------
    value : Fraction
        At least 0.

    Returns
    -------
    str
        Six places; a power of ten where that would be 0, and one minus it where it would be 1.

    Raises
    ------
    ProofsError
        If it is negative.

    Examples
    --------
    >>> print(decimal_of(Fraction(2, 3)), decimal_of(Fraction(0)))
    0.666667 0
    >>> print(decimal_of(Fraction(1, 2**25)))
    \ensuremath{2.980232 \times 10^{-8}}
    """
    if value < 0:
        raise ProofsError(f"value is {value}; expected at least 0")
    if value.denominator == 1:
        return str(value.numerator)
    if value < Fraction(1, 10_000):
        return rf"\ensuremath{{{_power(value)}}}"
    places = round(value * 10**_PLACES)  # of a fraction, half to even
    if abs(value - 1) < Fraction(1, 10_000) and places == 10**_PLACES:
        return rf"\ensuremath{{1 {'-' if value < 1 else '+'} {_power(abs(value - 1))}}}"
    return f"{places // 10**_PLACES}.{places % 10**_PLACES:0{_PLACES}d}"


def _power(value: Fraction) -> str:
    """Return seven significant digits and a power of ten."""
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    while value < Fraction(10) ** exponent:
        exponent -= 1
    digits = round(value / Fraction(10) ** exponent * 10**_PLACES)
    if digits == 10 ** (_PLACES + 1):
        digits, exponent = digits // 10, exponent + 1
    return rf"{digits // 10**_PLACES}.{digits % 10**_PLACES:0{_PLACES}d} \times 10^{{{exponent}}}"
