"""Rows from files: every number exact, bad rows named, nothing passed that was not checked."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from proofs import rows
from proofs.integer_law import IntegerLaw
from proofs.row_files import Format
from proofs.rows import FastError, Options, RowResult, RowsRun
from proofs.verdicts import Outcome, conclude
from tests.enumeration import token_rule_law

DATA = Path(__file__).parents[1] / "data"
REAL = DATA / "real_rows.npz"


def _run(path: Path, options: Options | None = None) -> tuple[RowsRun, list[RowResult]]:
    run = RowsRun()
    return run, list(rows.execute(str(path), (run,), options or Options()))


def test_rows_of_a_language_model() -> None:
    """On 50 rows of SmolLM2 against six drafts: dist = p and alpha = 1 - TV, exactly."""
    run, results = _run(REAL)
    conclusion = conclude(run.findings, run.scope)
    assert str(conclusion) == "VERIFIED: token rule: dist = p and alpha = 1 - TV exactly in 50 of 50 rows, V = 1024"
    with np.load(REAL) as file:
        recorded = file["alpha_full"]
    for result, full in zip(results, recorded, strict=True):
        assert result.law is not None
        # Lumping the tail into one column never lowers alpha; the float sums are off by 1e-7.
        assert float(result.law.alpha) >= full - 1e-6


def test_whole_rows_of_the_model() -> None:
    """Two pairs over the whole vocabulary of 49,152 tokens, not lumped."""
    run, _ = _run(REAL, Options(Format("p_full", "q_full")))
    assert str(conclude(run.findings, run.scope)).endswith("exactly in 2 of 2 rows, V = 49152")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_each_float_counts_at_its_exact_value(save: Callable[..., Path], dtype: str) -> None:
    p, q = np.array([[0.1, 0.2, 0.7]], dtype), np.array([[0.3, 0.3, 0.4]], dtype)
    _, (result,) = _run(save(p=p, q=q))
    exact_p, exact_q = ([Fraction(float(x)) for x in row[0]] for row in (p, q))
    alpha = token_rule_law([x / sum(exact_p) for x in exact_p], [x / sum(exact_q) for x in exact_q])[1]
    assert result.law is not None
    assert result.law.alpha == alpha
    assert result.sums == (sum(exact_p), sum(exact_q))


def test_edge_rows(save: Callable[..., Path]) -> None:
    """Equal rows, disjoint rows, subnormals, values sixty orders of magnitude apart, rows off one."""
    p = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [5e-324, 0.0, 1.0], [1e-60, 1.0, 0.0], [0.25, 0.25, 0.0]])
    q = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 5e-324, 1.0], [1.0, 1e-60, 0.0], [0.5, 0.25, 0.25]])
    run, results = _run(save(p=p, q=q))
    assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED
    alphas = [result.law.alpha for result in results if result.law]
    assert alphas[:2] == [1, 0]
    assert 0 < 1 - alphas[2] < Fraction(1, 2**1000)
    assert 0 < alphas[3] < Fraction(1, 10**59)
    assert run.least == 0
    assert run.greatest == 1
    assert run.zeros == (6, 4)
    assert run.refused == 1  # the row off one: exact after division, refused by the float path
    assert run.compared == 4


def test_sums_beyond_the_range_of_floats_are_no_error(save: Callable[..., Path]) -> None:
    """Finite weights of any size are rows under the policy that divides by the sum; the defect is printed."""
    run, _ = _run(save(p=np.array([[1.7e308, 1.7e308]]), q=np.array([[1.0, 3.0]])))
    assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED
    assert any("furthest from one 3.40e+308" in line for line in rows.summary_lines(run))


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
    run, results = _run(save(p=np.array([good, bad, good]), q=np.array([good] * 3)))
    assert [result.finding.outcome for result in results] == [
        Outcome.AS_CLAIMED,
        Outcome.BAD_INPUT,
        Outcome.AS_CLAIMED,
    ]
    assert results[1].finding.text.startswith(message)
    assert conclude(run.findings, run.scope).exit_status == 2
    assert run.scope.endswith("in 2 of 3 rows, V = 2")


WRONG = IntegerLaw(Fraction(1, 2), Fraction(1, 2), law_equals_target=False)
SUMS = (Fraction(1), Fraction(1))


def test_differing_law_outranks_a_bad_row() -> None:
    run = RowsRun()
    run.add(RowResult(0, None, problem="nan"))
    run.add(RowResult(1, WRONG, SUMS))
    assert conclude(run.findings, run.scope).outcome is Outcome.DIFFERS


def test_alpha_that_is_not_one_minus_tv_differs() -> None:
    law = IntegerLaw(Fraction(1, 2), Fraction(1, 3), law_equals_target=True)
    assert RowResult(0, law, SUMS).finding.outcome is Outcome.DIFFERS


def test_no_rows_are_unverified(save: Callable[..., Path]) -> None:
    run, _ = _run(save(p=np.empty((0, 3)), q=np.empty((0, 3))))
    assert conclude(run.findings, run.scope).outcome is Outcome.UNVERIFIED
    assert list(rows.summary_lines(run)) == ["rows 0, V none, checked 0"]


def test_many_findings_are_counted_and_few_are_named() -> None:
    """The memory does not grow with the number of rows, and the last line stays short."""
    run = RowsRun()
    for index in range(300):
        run.add(RowResult(index, None, problem="nan"))
    assert len(run.named) == 2
    assert str(conclude(run.findings, "s")) == "BAD INPUT: s (row 0: nan; row 1: nan; 298 other rows)"


def test_strict_policy_refuses_rows_off_one(save: Callable[..., Path]) -> None:
    path = save(p=np.array([[0.5, 0.5], [0.1, 0.9], [0.1, 0.8]]), q=np.array([[0.25, 0.75]] * 3))
    _, results = _run(path, Options(policy="strict"))
    assert [result.finding.outcome for result in results] == [
        Outcome.AS_CLAIMED,
        Outcome.AS_CLAIMED if Fraction(0.1) + Fraction(0.9) == 1 else Outcome.BAD_INPUT,
        Outcome.BAD_INPUT,
    ]
    assert "policy strict" in results[2].finding.text


def test_rows_as_given_are_never_called_lossless(save: Callable[..., Path]) -> None:
    """Not even where they sum to one; and what the formula gives for the others is no law that differs."""
    path = save(p=np.array([[0.5, 0.5], [0.5, 0.25]]), q=np.array([[0.25, 0.75], [0.25, 0.75]]))
    run, results = _run(path, Options(policy="as-given"))
    assert conclude(run.findings, "").exit_status == 5
    assert all("never called lossless" in result.finding.text for result in results)
    assert results[1].law is not None
    assert results[1].law.alpha == Fraction(1, 2)
    assert not results[1].law.law_equals_target


def test_logits_become_probabilities_in_float64(save: Callable[..., Path]) -> None:
    p, q = np.array([[0.0, 1.0, -np.inf]], np.float32), np.array([[2.0, 0.0, 1.0]], np.float32)
    run, (result,) = _run(save(p=p, q=q), Options(Format(logits=True)))
    weights = [np.exp(x.astype(np.float64) - x.max()) for x in (p[0], q[0])]
    exact = [[Fraction(float(w)) for w in row / row.sum()] for row in weights]
    alpha = token_rule_law(*([x / sum(row) for x in row] for row in exact))[1]
    assert result.law is not None
    assert result.law.alpha == alpha
    assert run.zeros == (1, 0)
    assert result.fast is None
    assert "Softmax of the logits in float64" in rows.opening_line(Options(Format(logits=True)))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([np.nan, 1.0], "is not a logit"),
        ([np.inf, 1.0], "is not a logit"),
        ([-np.inf, -np.inf], "all 2 logits are -inf"),
    ],
)
def test_bad_logits_are_refused(save: Callable[..., Path], bad: list[float], message: str) -> None:
    path = save(p=np.array([bad]), q=np.array([[0.0, 1.0]]))
    _, (result,) = _run(path, Options(Format(logits=True)))
    assert message in result.finding.text


def test_logits_at_the_end_of_the_range_are_no_error(save: Callable[..., Path]) -> None:
    run, _ = _run(save(p=np.array([[1e308, -1e308]]), q=np.array([[0.0, 1e308]])), Options(Format(logits=True)))
    assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED


def test_numbers_beyond_floats_and_beyond_decimal_digits(save: Callable[..., Path], tmp_path: Path) -> None:
    run, results = _run(save(p=np.full((1, 3), 1e308), q=np.full((1, 3), 1e308)), Options(policy="as-given"))
    assert conclude(run.findings, "").exit_status == 5
    assert list(rows.summary_lines(run))
    entries = ", ".join(f'"1/{10**900 + k}"' for k in range(20))
    (tmp_path / "long.jsonl").write_text(f'{{"p": [{entries}], "q": [{entries}]}}', encoding="ascii")
    run, results = _run(tmp_path / "long.jsonl")
    assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED
    assert rows.to_json(results[0], 1)["sums"][0].startswith("0x")


def test_mixed_float_rows_are_compared_and_half_precision_is_not(save: Callable[..., Path]) -> None:
    rng = np.random.default_rng(6)
    p, q = (rng.dirichlet(np.ones(500), size=20) for _ in range(2))
    run, _ = _run(save(p=p.astype(np.float32), q=q))
    assert (run.compared, run.refused) == (20, 0)
    run, _ = _run(save(p=p.astype(np.float32), q=q.astype(np.float16)))
    assert (run.compared, run.refused) == (0, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_error_of_the_float_law_is_exact(save: Callable[..., Path], dtype: str) -> None:
    """By brute force on fractions: the float law against the same formula over the floats."""
    import specdec

    rng = np.random.default_rng(5)
    p, q = (rng.dirichlet(np.ones(6), size=4).astype(dtype) for _ in range(2))
    _, results = _run(save(p=p, q=q))
    for at, result in enumerate(results):
        exact_p, exact_q = ([Fraction(float(x)) for x in row[at]] for row in (p, q))
        kept = [min(a, b) for a, b in zip(exact_p, exact_q, strict=True)]
        excess = [a - k for a, k in zip(exact_p, kept, strict=True)]
        rejected = sum(exact_q) - sum(kept)
        law = [k + rejected * e / sum(excess) for k, e in zip(kept, excess, strict=True)]
        dist, alpha = specdec.emitted_distribution(p[at], q[at])
        eps = Fraction(float(np.finfo(dtype).eps))
        worst = max(abs(Fraction(float(f)) - x) for f, x in zip(dist, law, strict=True))
        assert result.fast == FastError(float(worst / eps), float(abs(Fraction(float(alpha)) - sum(kept)) / eps))
        assert isinstance(result.fast, FastError)
        assert max(result.fast) <= 4


def test_data_files_hold_what_the_real_rows_lack() -> None:
    """Zeros of top-k, equal and one-hot rows, half precision, subnormals: all as claimed."""
    run, _ = _run(DATA / "edge_rows.jsonl")
    assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED
    for name in ("edge_rows_float64.npz", "edge_rows_float16.npz", "edge_rows_bfloat16.npy"):
        run, _ = _run(DATA / name)
        assert conclude(run.findings, "").outcome is Outcome.AS_CLAIMED, name
    run, results = _run(DATA / "bad_rows.npz")
    assert [result.finding.outcome is Outcome.AS_CLAIMED for result in results] == [True, False, True]
    assert results[2].fast == "refused"


def test_json_of_a_row_has_no_floats_but_the_errors() -> None:
    _, results = _run(REAL)
    row = rows.to_json(results[0], 1)
    assert row["alpha"] == f"{results[0].law.alpha}" if results[0].law else None
    assert row["dist_equals_p"] is True
    assert row["alpha_equals_one_minus_tv"] is True
    assert row["fast_error_eps"].keys() == {"dist", "alpha"}
    assert rows.to_json(replace(results[0], fast="refused"), 1)["fast_error_eps"] == "refused"
    assert rows.to_json(RowResult(3, None, problem="nan"), 2)["alpha"] is None
