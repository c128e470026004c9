"""The map over processes: order, errors, and no more items in flight than said."""

import os
import time
from collections.abc import Iterator

import pytest

from proofs.workers import ordered_map


def _square(x: int) -> int:
    if x == 13:
        raise ZeroDivisionError("thirteen")
    return x * x


def _process(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 12])
def test_results_come_in_order(jobs: int, count: int) -> None:
    assert list(ordered_map(_square, range(count), jobs)) == [x * x for x in range(count)]


def test_work_is_done_elsewhere() -> None:
    assert os.getpid() not in set(ordered_map(_process, range(8), 2))
    assert set(ordered_map(_process, range(8), 1)) == {os.getpid()}


@pytest.mark.parametrize("jobs", [1, 2])
def test_error_of_the_function_is_raised_after_the_results_before_it(jobs: int) -> None:
    results = ordered_map(_square, range(10, 20), jobs)
    assert [next(results) for _ in range(3)] == [100, 121, 144]
    with pytest.raises(ZeroDivisionError, match="thirteen"):
        next(results)


@pytest.mark.parametrize("jobs", [1, 2])
def test_error_of_the_items_is_raised_after_the_results_before_it(jobs: int) -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise OSError("the file ends")

    results = ordered_map(_square, items(), jobs)
    assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    with pytest.raises(OSError, match="the file ends"):
        next(results)


def test_items_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for x in range(1000):
            taken.append(x)
            yield x % 10

    results = ordered_map(_square, items(), 2)
    next(results)
    assert len(taken) <= 8
    results.close()  # type: ignore[attr-defined]


def _sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_results_that_nobody_waits_for_are_abandoned() -> None:
    results = ordered_map(_sleep, [0.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0], jobs=2)
    start = time.monotonic()
    assert next(results) == 0.0
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 30
