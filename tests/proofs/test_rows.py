"""Rows from files: every float exact, bad rows named, nothing passed that was not checked."""

import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs import rows
from proofs.errors import ProofsError, ShapeError
from proofs.integer_law import IntegerLaw
from proofs.verdicts import Outcome, conclude
from tests.enumeration import token_rule_law

REAL = Path(__file__).parents[1] / "data" / "real_rows.npz"


def _run(path: Path) -> rows.RowsRun:
    run = rows.RowsRun(rows.read_rows(path))
    list(rows.execute(run))
    return run


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    def write(**arrays: Any) -> Path:
        np.savez(tmp_path / "rows.npz", **arrays)
        return tmp_path / "rows.npz"

    return write


def test_rows_of_a_language_model() -> None:
    """On 50 rows of SmolLM2 against six drafts: dist = p and alpha = 1 - TV, exactly."""
    run = _run(REAL)
    conclusion = conclude(run.findings, run.scope)
    assert str(conclusion) == "VERIFIED: token rule: dist = p and alpha = 1 - TV exactly in 50 of 50 rows, V = 1024"
    with np.load(REAL) as file:
        recorded = file["alpha_full"]
    for result, full in zip(run.results, recorded, strict=True):
        assert result.law is not None
        # Lumping the tail into one column never lowers alpha; the float sums are off by 1e-7.
        assert float(result.law.alpha) >= full - 1e-6


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_each_float_counts_at_its_exact_value(save: Callable[..., Path], dtype: str) -> None:
    p, q = np.array([[0.1, 0.2, 0.7]], dtype), np.array([[0.3, 0.3, 0.4]], dtype)
    (result,) = _run(save(p=p, q=q)).results
    exact_p, exact_q = ([Fraction(float(x)) for x in row[0]] for row in (p, q))
    alpha = token_rule_law([x / sum(exact_p) for x in exact_p], [x / sum(exact_q) for x in exact_q])[1]
    assert result.law is not None
    assert result.law.alpha == alpha
    assert result.defects == (sum(exact_p) - 1, sum(exact_q) - 1)


def test_one_row_without_a_batch_axis(save: Callable[..., Path]) -> None:
    run = _run(save(p=np.array([0.5, 0.5]), q=np.array([1.0, 0.0])))
    assert run.rows.target.shape == (1, 2)


def test_edge_rows(save: Callable[..., Path]) -> None:
    """Equal rows, disjoint rows, subnormals, values sixty orders of magnitude apart, rows off one."""
    p = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [5e-324, 0.0, 1.0], [1e-60, 1.0, 0.0], [0.25, 0.25, 0.0]])
    q = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 5e-324, 1.0], [1.0, 1e-60, 0.0], [0.5, 0.25, 0.25]])
    run = _run(save(p=p, q=q))
    assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED
    alphas = [result.law.alpha for result in run.results if result.law]
    assert alphas[:2] == [1, 0]
    assert 0 < 1 - alphas[2] < Fraction(1, 2**1000)
    assert 0 < alphas[3] < Fraction(1, 10**59)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([np.nan, 1.0], "row 1: p[0] = nan is not a probability"),
        ([0.5, np.inf], "row 1: p[1] = inf is not a probability"),
        ([-0.25, 1.25], "row 1: p[0] = -0.25 is not a probability"),
        ([0.0, 0.0], "row 1: p has no mass"),
    ],
)
def test_bad_row_is_named_and_the_others_are_checked(save: Callable[..., Path], bad: list[float], message: str) -> None:
    good = [0.5, 0.5]
    run = _run(save(p=np.array([good, bad, good]), q=np.array([good] * 3)))
    assert [finding.outcome for finding in run.findings] == [
        Outcome.AS_CLAIMED,
        Outcome.BAD_INPUT,
        Outcome.AS_CLAIMED,
    ]
    assert conclude(run.findings, run.scope).exit_status == 2
    assert any(line.startswith(message) for line in rows.summary_lines(run))


def test_sums_beyond_the_range_of_floats_are_no_error(save: Callable[..., Path]) -> None:
    """Finite weights of any size are rows under the policy that divides by the sum; the defect is printed."""
    run = _run(save(p=np.array([[1.7e308, 1.7e308]]), q=np.array([[1.0, 3.0]])))
    assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED
    assert any("furthest from one 3.40e+308" in line for line in rows.summary_lines(run))


def test_whole_rows_of_the_model() -> None:
    """Two pairs over the whole vocabulary of 49,152 tokens, not lumped."""
    with np.load(REAL) as file:
        run = rows.RowsRun(rows.Rows(file["p_full"], file["q_full"]))
    list(rows.execute(run))
    assert str(conclude(run.findings, run.scope)).endswith("exactly in 2 of 2 rows, V = 49152")


def test_differing_law_outranks_a_bad_row() -> None:
    run = rows.RowsRun(rows.Rows(np.eye(2), np.eye(2)))
    wrong = IntegerLaw(Fraction(1, 2), Fraction(1, 2), law_equals_target=False)
    run.results += [rows.RowResult(0, None, None, "nan"), rows.RowResult(1, wrong, None, None)]
    assert conclude(run.findings, run.scope).outcome is Outcome.DIFFERS


def test_alpha_that_is_not_one_minus_tv_differs() -> None:
    law = IntegerLaw(Fraction(1, 2), Fraction(1, 3), law_equals_target=True)
    assert rows.RowResult(0, law, None, None).finding.outcome is Outcome.DIFFERS


def test_no_rows_and_unreached_rows_are_unverified(save: Callable[..., Path]) -> None:
    run = _run(save(p=np.empty((0, 3)), q=np.empty((0, 3))))
    assert conclude(run.findings, run.scope).outcome is Outcome.UNVERIFIED
    assert list(rows.summary_lines(run))
    assert conclude(rows.RowsRun(rows.Rows(np.eye(3), np.eye(3))).findings, "").outcome is Outcome.UNVERIFIED


UNREADABLE: dict[str, tuple[dict[str, Any], type[ValueError], str]] = {
    "no q": ({"p": np.eye(2), "draft": np.eye(2)}, ProofsError, "has no array named q, only draft, p"),
    "nothing": ({}, ProofsError, "has no array named p or q, only nothing"),
    "integers": ({"p": np.eye(2, dtype=int), "q": np.eye(2)}, ProofsError, "array p has dtype int64"),
    "complex": ({"p": np.eye(2), "q": np.eye(2, dtype=complex)}, ProofsError, "array q has dtype complex128"),
    "longdouble": ({"p": np.eye(2, dtype=np.longdouble), "q": np.eye(2)}, ProofsError, "array p has dtype float128"),
    "pickles": ({"p": np.array([{}, None]), "q": np.eye(2)}, ProofsError, "is not an .npz file of plain arrays"),
    "shapes": ({"p": np.eye(2), "q": np.eye(3)}, ShapeError, r"p has shape \(2, 2\) and q has shape \(3, 3\)"),
    "three axes": ({"p": np.zeros((1, 1, 2)), "q": np.eye(2)}, ShapeError, r"array p has shape \(1, 1, 2\)"),
    "0-d": ({"p": np.float64(1), "q": np.float64(1)}, ShapeError, r"array p has shape \(\)"),
    "no tokens": ({"p": np.empty((2, 0)), "q": np.empty((2, 0))}, ShapeError, r"array p has shape \(2, 0\)"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_file_that_holds_no_rows_is_refused(save: Callable[..., Path], kind: str) -> None:
    arrays, error, message = UNREADABLE[kind]
    with pytest.raises(error, match=message):
        rows.read_rows(save(**arrays))


def test_damaged_missing_and_foreign_files_are_refused(tmp_path: Path) -> None:
    for name, content in (("cut.npz", REAL.read_bytes()[:5000]), ("text.npz", b"p,q\n1,1\n"), ("empty.npz", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ProofsError):
            rows.read_rows(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "foreign.npz", "w") as archive:
        archive.writestr("p", b"hello")
        archive.writestr("q", b"hello")
    with pytest.raises(ProofsError, match="members that are no arrays"):
        rows.read_rows(tmp_path / "foreign.npz")
    np.save(tmp_path / "one.npy", np.eye(2))
    with pytest.raises(ProofsError, match="holds one array"):
        rows.read_rows(tmp_path / "one.npy")
    with pytest.raises(ProofsError, match="cannot be read: No such file"):
        rows.read_rows(tmp_path / "missing.npz")
    with pytest.raises(ProofsError, match="cannot be read"):
        rows.read_rows(tmp_path)
