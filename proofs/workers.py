"""A map over worker processes that keeps the order and holds few items at a time."""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["ordered_map"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4  # items handed out for each worker, so that none waits and the memory stays flat


def ordered_map(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """Yield ``function(item)`` for every item, in order.

    Parameters
    ----------
    function : callable
        Must be importable by name where `jobs` is more than one.
    items : iterable
        Taken as they are needed.
    jobs : int
        Number of worker processes; with 1 everything happens in this process.

    Raises
    ------
    Exception
        What the function or the iterable raises; results before it have been yielded.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children

    others = set(active_children())
    with ProcessPoolExecutor(jobs, initializer=_ignore_interrupts) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= _AHEAD * jobs:
                    yield waiting.popleft().result()
        except Exception:
            # What was handed out before the iterable failed is done and counts.
            yield from (future.result() for future in waiting)
            raise
        except BaseException:  # Ctrl-C, or the caller has seen enough: nobody waits for what they are doing
            for process in set(active_children()) - others:
                process.terminate()
            waiting.clear()  # the pool fails them itself, and must not find them cancelled
            raise
        else:
            yield from (future.result() for future in waiting)
        finally:
            for future in waiting:
                future.cancel()


def _ignore_interrupts() -> None:
    # Ctrl-C reaches the whole group of processes; this process decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
