"""What the table shows of numbers that rounding blurs."""

from fractions import Fraction
from typing import Any

import pytest

from tests.zoo.summary import markdown_head, result_of

ULP = Fraction(1, 2**25)


def _record(**fields: Any) -> Any:
    case = {
        "input": "B0", "gamma": 1, "length": 2, "status": "biased", "distance": "1/28", "forbidden": {}, "crashes": {},
        "reason": "(1, 2) has probability 1/5, the target's is 3/16; total variation 1/28",
    }  # fmt: skip
    head = {"name": "a", "version": "1", "claim": "lossless", "verdict": "biased", "edges": "biased", "grids": []}
    return {**head, "nan": [], "run": "2020-01-02", "torch": "2", "cases": [{**case, **fields}]}


@pytest.mark.parametrize(
    ("distance", "shown"),
    [("0", 0), (str(Fraction(1, 28)), Fraction(1, 28)), (str(Fraction(9, 224) - ULP), Fraction(9, 224))],
)
def test_fraction_behind_rounding(distance: str, shown: Fraction) -> None:
    assert result_of(_record(distance=distance)).distances == {1: shown}


def test_distance_that_is_all_rounding() -> None:
    assert result_of(_record(distance=str(ULP))).distances == {1: float(ULP)}


@pytest.mark.parametrize(
    ("mass", "shown"), [("1/5", "1/5"), ("36750093/178956976", "0.205"), ("0.2053572 (rounded)", "0.205")]
)
def test_masses_are_short(mass: str, shown: str) -> None:
    reason = f"(1, 2) has probability {mass}, the target's is 3/16; total variation 1/28"
    assert (
        result_of(_record(reason=reason)).computes == f"another law: (1, 2) has {shown}, the target 3/16 [B0, gamma 1]"
    )


def test_reason_of_an_unverified_case_is_a_note() -> None:
    line = result_of(_record(status="unverified", reason="torch.x is not modelled"))
    assert line.note == "torch.x is not modelled"
    assert line.computes == "not known in whole"


def test_swept_coins_are_named() -> None:
    record = {**_record(), "grids": ["coins swept, 1024 first probes of each"]}
    assert result_of(record).note == "coins swept, 1024 first probes"


def test_head_says_when_and_with_what() -> None:
    assert markdown_head([_record()]) == "Made by `python -m tests.zoo` on 2020-01-02, torch 2.\n\n"
    assert markdown_head([]) == ""
