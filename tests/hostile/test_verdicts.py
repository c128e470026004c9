"""What the checker says of programs that try for a wrong pass, and of right ones that try for a false alarm."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs import check
from proofs.verdicts import Status
from tests.hostile.entries import Entry, caged
from tests.hostile.right import RIGHT
from tests.hostile.wrong import WRONG
from tests.sampled import sampled

SAMPLE = 4  # of so many programs one is in every run; the heavy job has them all
HEAVY = {"referrers_of_the_generator"}  # its time grows with all that the process holds

ALLOWED = {
    "biased": {Status.BIASED},
    "not lossless": {Status.BIASED, Status.UNVERIFIED},
    "lossless": {Status.LOSSLESS},
    "not biased": {Status.LOSSLESS, Status.UNVERIFIED},
}

# The core battery and a little of the grid; of a program that never ends, no more than this of each input.
LIMITS = {"paths": 200, "max_paths": 1000}


@pytest.fixture(autouse=True)
def _cage(tmp_path: Path) -> Iterator[None]:
    with caged(tmp_path):
        yield


@pytest.mark.parametrize("entry", list(sampled([*WRONG, *RIGHT], SAMPLE, heavy=HEAVY)))
def test_verdict_is_no_wrong_pass_and_no_false_alarm(entry: Entry) -> None:
    verdict = check(entry.verify, gamma=entry.gamma, drafter=entry.drafter, **{**LIMITS, **entry.options})
    assert verdict.status in ALLOWED[entry.expectation], f"{entry.why}\n{verdict}"
