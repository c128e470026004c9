"""pytest plugin: the fixtures ``assert_lossless`` and ``assert_within``; ``-p no:specdec`` switches it off.

Nothing of the checker is imported before a test asks for one of them. PYTEST_DONT_REWRITE
"""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pytest

__all__ = ["assert_lossless", "assert_within", "pytest_runtest_makereport"]

_OURS = str(Path(__file__).parent / "x")[:-1]  # with the separator: a directory proofs_of_mine is another one


@pytest.fixture(scope="session")
def assert_lossless() -> Callable[..., None]:
    """Return `proofs.assert_lossless`: assert_lossless(verify, gamma=(1, 2), vocabulary=3, ...).

    The test fails with the verdict as its text where that is biased or unverified.
    """
    from proofs.checking import assert_lossless

    return assert_lossless


@pytest.fixture(scope="session")
def assert_within() -> Callable[..., None]:
    """Return `proofs.assert_within`: assert_within(verify, total_variation="1/100", ...).

    The test fails with the verdict as its text where that is beyond the bound or unverified.
    """
    from proofs.checking import assert_within

    return assert_within


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> None:
    """End the traceback of a verdict, or of an argument that was refused, at the test's own line.

    Parameters
    ----------
    call : pytest.CallInfo
        Its exception is another one's, or none: nothing is done.
    """
    if call.excinfo is not None and _is_for_the_user(call.excinfo.value):
        _cut(call.excinfo.tb)


def _is_for_the_user(error: BaseException) -> bool:
    # By name, so that a session without a check imports nothing. Errors of this package itself keep their frames.
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__}
    return not names.isdisjoint({"proofs.verdict.NotLossless", "proofs.errors.ProofsError"})


def _cut(traceback: TracebackType) -> None:
    """Take the frames of this package off the end; in all styles of traceback they are then gone."""
    last, step = traceback, traceback.tb_next
    while step is not None:
        if not step.tb_frame.f_code.co_filename.startswith(_OURS):
            last = step
        step = step.tb_next
    last.tb_next = None
