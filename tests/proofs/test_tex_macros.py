r"""Macros: names of letters, exact values, decimals that mislead nobody, and no content that acts as a command."""

import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.errors import ProofsError
from proofs.result_files import CHECK, ROWS, Result
from proofs.tex_macros import decimal_of, macros, spelled
from tests.latex_structure import problems

DIGEST = "0123456789abcdef" * 4
HOSTILE = "\\input{/etc/passwd} a_b % c # d & e ~ f ^^5c $x$ }{ \n\\end{document} \u00fc"


def _rows(*alphas: str, **changes: Any) -> Result:
    rows = [
        {"file": 1, "row": at, "alpha": alpha, "sums": ["1/1", "3/2"], "zeros": [1, 2], **changes}
        for at, alpha in enumerate(alphas)
    ]
    document = {"rows": rows, "verdict": {"word": "VERIFIED", "scope": "rows", "exit_status": 0}}
    return Result(ROWS, document, 0, DIGEST)


def _check(**changes: Any) -> Result:
    document: dict[str, Any] = {
        "spec": "mine.py:verify",
        "status": "lossless",
        "reason": "as it is",
        "inputs": 2,
        "paths": 9,
        "worst": "0/1",
        "options": {"within": None},
        "counterexample": None,
        "acceptance": [{"input": "I2", "expected": "2/3", "best": "2/3"}],
        "verdict": {"word": "VERIFIED", "scope": "all", "exit_status": 0},
    }
    return Result(CHECK, document | changes, 0, DIGEST)


def _defined(result: Result, prefix: str = "Specdec") -> dict[str, str]:
    lines = [line for line in macros(result, prefix) if not line.startswith("% ")]
    found = [re.fullmatch(r"\\newcommand\{\\([A-Za-z]+)\}\{(.*)\}", line) for line in lines]
    assert all(found)
    names = [one[1] for one in found if one is not None]
    assert len(names) == len(set(names))
    return {one[1].removeprefix(prefix): one[2] for one in found if one is not None}


def test_numbers_of_rows() -> None:
    assert _defined(_rows("1/3", "1/1", "1/2")) == {
        "Digest": DIGEST,
        "Verdict": "VERIFIED",
        "Scope": "rows",
        "Rows": "3",
        "Files": "1",
        "AlphaLeast": "0.333333",
        "AlphaLeastExact": r"\ensuremath{\frac{1}{3}}",
        "AlphaMean": "0.611111",
        "AlphaGreatest": "1",
        "AlphaGreatestExact": r"\ensuremath{1}",
        "TotalVariationLeast": "0",
        "TotalVariationLeastExact": r"\ensuremath{0}",
        "TotalVariationMean": "0.388889",
        "TotalVariationGreatest": "0.666667",
        "TotalVariationGreatestExact": r"\ensuremath{\frac{2}{3}}",
        "SumDefectGreatest": "0.500000",
        "ZerosTarget": "3",
        "ZerosDraft": "6",
        "AlphaRowZero": "0.333333",
        "AlphaRowZeroExact": r"\ensuremath{\frac{1}{3}}",
        "AlphaRowOne": "1",
        "AlphaRowOneExact": r"\ensuremath{1}",
        "AlphaRowTwo": "0.500000",
        "AlphaRowTwoExact": r"\ensuremath{\frac{1}{2}}",
    }


def test_rows_of_several_files_have_names_of_their_own() -> None:
    result = _rows("1/2", "1/3")
    result.document["rows"][1] |= {"file": 12, "row": 0}
    found = _defined(result)
    assert found["Files"] == "2"
    assert found["AlphaFileOneRowZero"] == "0.500000"
    assert found["AlphaFileOneTwoRowZero"] == "0.333333"


def test_many_rows_have_the_summary_alone() -> None:
    assert any("Row" in name.removeprefix("Rows") for name in _defined(_rows(*["1/2"] * 100)))
    assert not any("Row" in name.removeprefix("Rows") for name in _defined(_rows(*["1/2"] * 101)))


def test_numbers_of_a_check() -> None:
    found = _defined(_check())
    assert found["Verifier"] == "mine.py:verify"
    assert found["Status"] == "lossless"
    assert (found["Inputs"], found["Paths"], found["Worst"]) == ("2", "9", "0")
    assert (found["InputOne"], found["AcceptedOne"], found["BestOneExact"]) == (
        "I2",
        "0.666667",
        r"\ensuremath{\frac{2}{3}}",
    )
    assert "Bound" not in found
    assert "Counterexample" not in found
    biased = _defined(_check(worst="1/8", counterexample={"total_variation": "1/4"}, options={"within": "1/16"}))
    assert (biased["Worst"], biased["CounterexampleExact"], biased["Bound"]) == (
        "0.125000",
        r"\ensuremath{\frac{1}{4}}",
        "0.062500",
    )


def test_hostile_texts_are_printed_and_do_nothing(tmp_path: Path) -> None:
    verdict = {"word": HOSTILE, "scope": HOSTILE, "exit_status": 0}
    acceptance = [{"input": HOSTILE, "expected": "1/1", "best": "1/1"}]
    result = _check(spec=HOSTILE, status=HOSTILE, reason=HOSTILE, verdict=verdict, acceptance=acceptance)
    lines = list(macros(result))
    assert all(line.startswith(("% ", "\\newcommand{\\Specdec")) for line in lines)
    assert not any("\\input" in line or "\\end" in line or "^^" in line for line in lines)
    for text in _defined(result).values():
        assert problems(text) == []
    if shutil.which("pdflatex") is not None:
        uses = " ".join(f"\\Specdec{name}" for name in _defined(result))
        (tmp_path / "numbers.tex").write_text("\n".join(lines), encoding="ascii")
        text = f"\\documentclass{{article}}\\input{{numbers}}\\begin{{document}}{uses}\\end{{document}}"
        (tmp_path / "a.tex").write_text(text, encoding="ascii")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 0, run.stdout[-1500:]
        assert "(/etc/passwd" not in run.stdout, "it was opened"


@given(st.text())
def test_any_text_is_one_harmless_argument(text: str) -> None:
    for value in _defined(_check(spec=text, reason=text)).values():
        assert problems(value) == []


@pytest.mark.parametrize(
    "prefix", ["", "a1", "a_b", "\\def", "a b", "\N{LATIN SMALL LETTER U WITH DIAERESIS}", "a" * 41]
)
def test_prefix_that_is_none_is_refused(prefix: str) -> None:
    with pytest.raises(ProofsError, match="expected 1 to 40 letters"):
        list(macros(_check(), prefix))


def test_prefix_is_that_asked_for() -> None:
    assert "Verifier" in _defined(_check(), "Mine")


def test_bytes_are_the_same_for_the_same_file() -> None:
    one = list(macros(_check()))
    document = json.loads(json.dumps(_check().document, sort_keys=True))
    assert list(macros(Result(CHECK, document, 0, DIGEST))) == one


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0"),
        ("1", "1"),
        ("3", "3"),
        ("1/2", "0.500000"),
        ("2/3", "0.666667"),
        ("17/16", "1.062500"),
        ("1/2000000", r"\ensuremath{5.000000 \times 10^{-7}}"),
        ("1/10000", "0.000100"),
        ("99999/1000000000", r"\ensuremath{9.999900 \times 10^{-5}}"),
        ("99999999/1000000000000", r"\ensuremath{1.000000 \times 10^{-4}}"),
        ("9999999/10000000", r"\ensuremath{1 - 1.000000 \times 10^{-7}}"),
        ("10000001/10000000", r"\ensuremath{1 + 1.000000 \times 10^{-7}}"),
        ("999999/1000000", "0.999999"),
        ("1/8000000", r"\ensuremath{1.250000 \times 10^{-7}}"),
        ("5/16777216", r"\ensuremath{2.980232 \times 10^{-7}}"),
        ("1000001/2000000", "0.500000"),  # a tie, to even
        ("1000003/2000000", "0.500002"),
    ],
)
def test_decimals(value: str, shown: str) -> None:
    assert decimal_of(Fraction(value)) == shown


@given(st.fractions(min_value=0, max_value=2, max_denominator=10**12))
def test_decimal_is_near_and_neither_zero_nor_one_by_rounding(value: Fraction) -> None:
    text = decimal_of(value)
    assert (text == "0") is (value == 0)
    assert (text == "1") is (value == 1)
    plain = re.sub(r" \\times 10\^\{(-?\d+)\}", r"e\1", text).removeprefix(r"\ensuremath{").rstrip("}").replace(" ", "")
    base, sign, rest = re.fullmatch(r"(1(?=[-+]\d))?([-+])?(.+)", plain).groups()  # type: ignore[union-attr]
    read = Fraction(base or 0) + (-1 if sign == "-" else 1) * Fraction(rest)
    error = abs(read - value)
    assert error <= Fraction(1, 2 * 10**6)
    assert error * 10**6 <= min(abs(value), abs(value - 1)) or "ensuremath" not in text


def test_numbers_are_spelled_in_letters() -> None:
    assert [spelled(number) for number in (0, 7, 10, 1305)] == ["Zero", "Seven", "OneZero", "OneThreeZeroFive"]
    for wrong in (-1,):
        with pytest.raises(ProofsError, match="expected at least 0"):
            spelled(wrong)
    with pytest.raises(ProofsError, match="expected at least 0"):
        decimal_of(Fraction(-1, 2))


def test_long_fractions_are_given_as_decimals_alone() -> None:
    found = _defined(_rows(f"1/{3 * 10**70}", "1/2"))
    assert "AlphaLeastExact" not in found
    assert found["AlphaLeast"] == r"\ensuremath{3.333333 \times 10^{-71}}"
    assert found["AlphaRowOneExact"] == r"\ensuremath{\frac{1}{2}}"


@pytest.mark.parametrize("changes", [{"zeros": [1]}, {"zeros": [True, 1]}, {"sums": ["1/1"]}, {"sums": [1, 1]}])
def test_row_that_lacks_something_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ProofsError, match="the file is cut or was edited"):
        list(macros(_rows("1/2", **changes)))
