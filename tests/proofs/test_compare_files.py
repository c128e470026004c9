"""Figures on rows of files, against sums over the floats as fractions that are written out here."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs import sibling_rule
from proofs.compare_files import FIGURES, FilesRun, RowFigures, compare_file, figures_of
from proofs.errors import ProofsError
from proofs.row_files import Format, RowPair
from proofs.verdicts import Outcome
from tests import block_enumeration as blocks
from tests import sibling_enumeration as siblings
from tests.enumeration import NAMED, Row, token_rule_law

DATA = Path(__file__).parents[1] / "data"


def _texts(row: Row) -> list[str]:
    return [str(x) for x in row]


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_figures_are_those_of_enumeration(name: str, k: int) -> None:
    p, q = NAMED[name]
    target, draft = blocks.always(p), blocks.always(q)
    alpha = token_rule_law(p, q)[1]
    assert figures_of(RowPair(0, _texts(p), _texts(q)), Format(), k).values == {
        "alpha": alpha,
        "siblings": siblings.recursive(p, q, k, True)[1],
        "best": siblings.best(p, q, k, True),
        "chain": alpha + alpha**2,
        "block": blocks.accepted(blocks.block_call(target, draft, 2, len(p))),
    }


def _divided(row: Any) -> list[Fraction]:
    exact = [Fraction(float(x)) for x in row]
    total = sum(exact)
    return [x / total for x in exact]


def _written_out(p: list[Fraction], q: list[Fraction]) -> dict[str, Fraction]:
    """Two siblings and two positions by their formulas, one sum over tokens or pairs of tokens each."""
    pairs, least, zero = list(zip(p, q, strict=True)), min, Fraction(0)
    alpha = sum((least(a, b) for a, b in pairs), zero)
    residual = [max(a - b, zero) / (1 - alpha) for a, b in pairs]
    again = sum((least(r, b) for r, b in zip(residual, q, strict=True)), zero)
    # The set whose bound is least is a prefix in the order of p/q: all of them are tried.
    order = sorted(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else Fraction(10**60))
    best, mass, inside = Fraction(1), zero, zero
    for a, b in order:
        mass, inside = mass + a, inside + b
        best = least(best, 1 + mass - inside**2)
    # Pr(both kept) = sum over pairs of min(q(x) q(y), min(q(x), p(x)) p(y)), as a sum over x of a scan over y.
    both = zero
    by_ratio = sorted((b / a, a, b) for a, b in pairs if a)
    wanted = sum((a for _, a, _ in by_ratio), zero)
    below, above, at = zero, wanted, 0
    for a, b in sorted((pair for pair in pairs if pair[1]), key=lambda pair: least(1, pair[0] / pair[1])):
        weight = least(Fraction(1), a / b)
        while at < len(by_ratio) and by_ratio[at][0] <= weight:
            below, above, at = below + by_ratio[at][2], above - by_ratio[at][1], at + 1
        both += b * (below + weight * above)
    return {
        "alpha": alpha,
        "siblings": alpha + (1 - alpha) * again,
        "best": best,
        "chain": alpha + alpha * alpha,
        "block": alpha + both,
    }


def test_two_real_rows_are_those_of_the_formulas(tmp_path: Path) -> None:
    with np.load(DATA / "real_rows.npz") as archive:
        p, q = archive["p"][[0, 33]], archive["q"][[0, 33]]
    np.savez(tmp_path / "two.npz", p=p, q=q)
    for result in compare_file(str(tmp_path / "two.npz"), Format(), 2):
        assert result.values == _written_out(_divided(p[result.index]), _divided(q[result.index]))
        assert result.finding.outcome is Outcome.AS_CLAIMED
        assert result.vocabulary == 1024


def test_more_processes_give_the_same_results() -> None:
    path = str(DATA / "edge_rows.jsonl")
    assert list(compare_file(path, Format(), 2, 2)) == list(compare_file(path, Format(), 2))


@pytest.mark.parametrize(
    ("p", "q", "problem"),
    [
        (["1/2", "1/2"], ["1"], "p has 2 tokens and q has 1; expected as many"),
        ([0, 0], [1, 1], "p has no mass: all 2 entries are 0"),
        ([1, -1], [1, 1], "p[1] = -1 is not a probability"),
        (["1/2", "x"], [1, 1], "p[1] = 'x' is not a probability"),
        ([], [], "p is empty"),
        (np.array([np.nan, 1.0]), np.array([1.0, 0.0]), "p[0] = nan is not a probability"),
    ],
)
def test_row_that_is_none_has_no_figures(p: Any, q: Any, problem: str) -> None:
    result = figures_of(RowPair(7, p, q), Format(), 2)
    assert (result.index, result.values, result.vocabulary) == (7, {}, 0)
    assert result.problem is not None
    assert problem in result.problem
    assert result.finding.outcome is Outcome.BAD_INPUT
    assert result.finding.text.startswith("row 7: ")


def test_extreme_rows_have_figures() -> None:
    """Rows of 1e308 and of the least float, and fractions of thousands of digits."""
    wide = np.array([1e308, 5e-324]), np.array([5e-324, 1e308])
    assert figures_of(RowPair(0, *wide), Format(), 2).problem is None
    long = [f"1/{'7' * 1900}", 1], [1, f"1/{'9' * 1900}"]
    result = figures_of(RowPair(0, *long), Format(), 3)
    assert 0 < result.values["alpha"] < result.values["siblings"]


@pytest.mark.parametrize(("lower", "above"), [("siblings", "alpha"), ("best", "siblings"), ("block", "chain")])
def test_less_than_with_fewer_drafts_is_a_finding(lower: str, above: str) -> None:
    values = dict.fromkeys(FIGURES, Fraction(1, 2)) | {lower: Fraction(1, 3)}
    finding = RowFigures(4, 2, values).finding
    assert finding.outcome is Outcome.DIFFERS
    assert finding.text == f"row 4: {above} 1/2 above {lower} 1/3"


def test_wrong_rule_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    right = sibling_rule.acceptance
    monkeypatch.setattr(sibling_rule, "acceptance", lambda p, q, k: (1 + right(p, q, k)) / 2)
    p, q = NAMED["B0"]
    assert figures_of(RowPair(0, _texts(p), _texts(q)), Format(), 2).finding.outcome is Outcome.DIFFERS


def test_run_sums_up() -> None:
    run = FilesRun()
    for name in ("I2", "B0"):
        p, q = NAMED[name]
        run.add(figures_of(RowPair(0, _texts(p), _texts(q)), Format(), 2))
    run.add(RowFigures(2, problem="is none"))
    assert (run.looked_at, run.rows, run.as_claimed, run.vocabularies) == (3, 2, 2, {2, 3})
    assert (run.least["alpha"], run.greatest["alpha"]) == (Fraction(5, 8), Fraction(2, 3))
    assert run.greatest["block gain"] == Fraction(11, 9) - Fraction(10, 9)
    assert run.mean("alpha") == pytest.approx((5 / 8 + 2 / 3) / 2)


def test_file_that_cannot_be_read_raises() -> None:
    with pytest.raises(ProofsError, match="cannot be read"):
        list(compare_file("missing.npz", Format(), 2))
