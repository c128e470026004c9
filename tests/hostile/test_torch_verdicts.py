"""What the checker says of programs on tensors that try for a wrong pass, or for a false alarm."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs import check
from proofs.verdicts import Status
from tests.hostile.entries import Entry
from tests.hostile.torch_parts import INPUTS, torch_caged
from tests.hostile.torch_right import TORCH_RIGHT
from tests.hostile.torch_wrong import TORCH_WRONG
from tests.sampled import sampled

SAMPLE = 8  # of so many programs one is tried in every run of the tests, the others by .ci/full

ALLOWED = {
    "biased": {Status.BIASED},
    "not lossless": {Status.BIASED, Status.UNVERIFIED},
    "lossless": {Status.LOSSLESS},
    "not biased": {Status.LOSSLESS, Status.UNVERIFIED},
}

# Few inputs, since a path of torch's costs milliseconds; and no counterexample is wanted.
LIMITS = {"arithmetic": "torch.float32", "inputs": INPUTS, "paths": 0, "max_paths": 1000, "shrink": False}


@pytest.fixture(autouse=True)
def _cage(tmp_path: Path) -> Iterator[None]:
    with torch_caged(tmp_path):
        yield


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", list(sampled([*TORCH_WRONG, *TORCH_RIGHT], SAMPLE)))
def test_verdict_is_no_wrong_pass_and_no_false_alarm(entry: Entry) -> None:
    verdict = check(entry.verify, gamma=entry.gamma, drafter=entry.drafter, **{**LIMITS, **entry.options})
    assert verdict.status in ALLOWED[entry.expectation], f"{entry.why}\n{verdict}"
