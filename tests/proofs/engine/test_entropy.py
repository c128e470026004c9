"""Uses of entropy, clocks, threads and files are marked; imports, loggers and constants are not; all is put back."""

import builtins
import contextlib
import datetime
import functools
import importlib
import io
import logging
import multiprocessing.process
import os
import random
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import types
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs.engine import patches
from proofs.engine.entropy import GlobalGenerators, profiled, watching_entropy
from proofs.engine.signals import Kind, Mark, collecting

EARLY = types.SimpleNamespace(
    time=time.time,
    urandom=os.urandom,
    random=random.random,
    randint=random.randint,
    Random=random.Random,
    uuid4=uuid.uuid4,
    randbits=secrets.randbits,
    default_rng=np.random.default_rng,
    pcg=np.random.PCG64,
    now=datetime.datetime.now,
)


GENERATOR, PYTHON = np.random.default_rng(1), random.Random(1)
SYSTEM = random.SystemRandom()


@contextmanager
def marked(watch: Callable[[], Any] = watching_entropy) -> Iterator[list[Mark]]:
    marks: list[Mark] = []
    with watch(), collecting(marks):
        yield marks


@contextmanager
def both() -> Iterator[None]:
    with watching_entropy(), profiled():
        yield


def kinds(marks: list[Mark]) -> set[Kind]:
    return {mark.kind for mark in marks}


HIDDEN: dict[str, Callable[[], Any]] = {
    "os.urandom": lambda: os.urandom(3),
    "os.getrandom": lambda: os.getrandom(3),
    "random._urandom ": lambda: random.SystemRandom(5).getrandbits(3),
    "os.mkdir": lambda: _make_and_remove(),
    "os.putenv": lambda: os.environ.update(COUNT_OF_A_TEST="1"),
    "random._urandom": lambda: SYSTEM.random(),
    "secrets.randbelow": lambda: secrets.randbelow(9),
    "secrets.token_bytes": lambda: secrets.token_bytes(2),
    "secrets.choice": lambda: secrets.choice([1, 2]),
    "secrets.randbits": lambda: secrets.randbits(3),
    "uuid.uuid1": lambda: uuid.uuid1(),
    "uuid.uuid4": lambda: uuid.uuid4(),
    "time.time ": lambda: time.time(),
    "time.time_ns": lambda: time.time_ns(),
    "time.perf_counter ": lambda: time.perf_counter(),
    "time.perf_counter_ns": lambda: time.perf_counter_ns(),
    "time.monotonic ": lambda: time.monotonic(),
    "time.monotonic_ns": lambda: time.monotonic_ns(),
    "time.process_time ": lambda: time.process_time(),
    "time.process_time_ns": lambda: time.process_time_ns(),
    "time.thread_time ": lambda: time.thread_time(),
    "time.localtime": lambda: time.localtime(),
    "time.ctime": lambda: time.ctime(None),
    "time.strftime": lambda: time.strftime("%S"),
    "threading.Thread": lambda: _run_thread(),
    "_thread.start_new_thread": lambda: _run_low_thread(),
    "subprocess.Popen": lambda: subprocess.run([sys.executable, "-S", "-c", ""], check=True),
    "multiprocessing.process": lambda: multiprocessing.process.BaseProcess.start(None),  # type: ignore[arg-type]
    "without a seed": lambda: np.random.PCG64(),
    "random.Random": lambda: random.Random(),
    "numpy.random.RandomState": lambda: np.random.RandomState(),
    "/dev/urandom": lambda: _read("/dev/urandom"),
    "/proc/uptime": lambda: _read("/proc/uptime"),
}


def _no_file() -> None:
    with pytest.raises(FileNotFoundError), open("/no/such/file"):
        pass


def _make_and_remove() -> None:
    name = os.path.join(tempfile.gettempdir(), f"made_by_a_test_{os.getpid()}")
    os.mkdir(name)
    os.rmdir(name)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(8)


def _run_thread() -> None:
    thread = threading.Thread(target=abs, args=(1,))
    thread.start()
    thread.join()


def _run_low_thread() -> None:
    import _thread

    done = threading.Event()
    _thread.start_new_thread(done.set, ())
    done.wait(10)


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_randomness_is_marked_with_its_name_and_line(name: str) -> None:
    with marked() as marks:
        try:
            HIDDEN[name]()
        except AttributeError:
            assert name == "multiprocessing.process"  # there is no process to start
    assert kinds(marks) == {Kind.HIDDEN}
    assert any(name.strip() in mark.reason for mark in marks)
    assert all(mark.place for mark in marks)
    assert f"{__file__}:" in {mark.place.rstrip("0123456789") for mark in marks} or name in GO_BETWEEN


GO_BETWEEN = ("random.Random", "random._urandom", "random._urandom ", "subprocess.Popen", "os.putenv")


CONSTANT: dict[str, Callable[[], Any]] = {
    **{
        name: functools.partial(lambda name: getattr(np.random, name)(7), name)
        for name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
    },
    "SeedSequence": lambda: np.random.PCG64(np.random.SeedSequence(7)),
    "RandomState": lambda: np.random.RandomState(7),
    "RandomState by keyword": lambda: np.random.RandomState(seed=7),
    "random.Random": lambda: random.Random(7),
    "seed of text": lambda: random.Random("abc"),
    "seeds in a list": lambda: np.random.PCG64([1, 2]),
    "bound before": lambda: EARLY.pcg(7),
    "class bound before": lambda: EARLY.Random(7),
    "state": lambda: PYTHON.setstate(PYTHON.getstate()),
    "generator bound before": lambda: EARLY.default_rng(7),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_constant_seed_is_marked_as_such(name: str) -> None:
    with marked() as marks:
        CONSTANT[name]()
    assert kinds(marks) == {Kind.CONSTANT}


@pytest.mark.parametrize("name", ["PCG64", "Philox"])
def test_seed_is_noticed_where_numpy_is_built_otherwise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "_seeding_hooks", list)
    with marked() as marks:
        getattr(np.random, name)(7)
    assert kinds(marks) == {Kind.CONSTANT}
    with marked() as marks:
        getattr(np.random, name)()
    assert kinds(marks) == {Kind.HIDDEN}


@pytest.mark.parametrize("draw", ["pcg", "default_rng", "uuid4", "randbits"])
def test_what_was_bound_before_asks_for_entropy_and_is_marked(draw: str) -> None:
    with marked() as marks:
        getattr(EARLY, draw)(*([8] if draw == "randbits" else []))
    assert kinds(marks) == {Kind.HIDDEN}


def test_classes_are_as_good_as_the_originals() -> None:
    original = np.random.RandomState
    with marked() as marks:
        assert isinstance(np.random.RandomState(3), original)
        assert isinstance(original(3), np.random.RandomState)
        assert np.random.RandomState(3).rand() == original(3).rand()
        assert issubclass(original, np.random.RandomState)

        class Own(np.random.RandomState):
            pass

        assert Own(3).rand() == original(3).rand()
        assert isinstance(Own(3), Own)
        assert not isinstance(original(3), Own)
    assert any("numpy.random.RandomState" in mark.reason for mark in marks)


def test_class_derived_meanwhile_does_not_hide_what_it_does() -> None:
    with marked() as marks:

        class Own(random.Random):
            def __init__(self) -> None:
                super().__init__(time.time_ns())

        Own()
    assert any("time.time_ns" in mark.reason for mark in marks)


INNOCENT: dict[str, Callable[[], Any]] = {
    "arithmetic": lambda: np.clip(np.arange(3) / 3, 0, 1).sum(),
    "conversion of a time": lambda: (time.localtime(0), time.gmtime(5.0), time.strftime("%S", time.gmtime(0))),
    "sleep": lambda: time.sleep(0),
    "uuid of a name": lambda: uuid.uuid5(uuid.NAMESPACE_DNS, "a"),
    "reading a plain file": lambda: _read(__file__),
    "reading by path": lambda: Path(__file__).read_text(),
    "reading low": lambda: os.close(os.open(__file__, os.O_RDONLY)),
    "file that is not there": lambda: _no_file(),
    "null device": lambda: open(os.devnull, "w").close(),
    "logger": lambda: logging.getLogger("proofs.test").warning("said"),
    "lock": lambda: threading.Lock().acquire(),
    "existing generator": lambda: (GENERATOR.random(), PYTHON.random()),
    "a date": lambda: datetime.datetime(2020, 1, 1) - datetime.datetime(2019, 1, 1),
    "comparison of digests": lambda: secrets.compare_digest("a", "b"),
}


@pytest.mark.parametrize("name", INNOCENT)
def test_innocent_use_is_not_marked(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with marked() as marks:
        INNOCENT[name]()
    assert marks == []
    with marked(both) as marks:
        INNOCENT[name]()
    assert marks == []


@pytest.mark.parametrize("how", ["open", "low", "path", "append"])
def test_writing_a_file_is_marked(how: str, tmp_path: Path) -> None:
    path = tmp_path / "count"
    with marked() as marks:
        if how == "low":
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
        elif how == "path":
            path.write_text("1")
        else:
            open(path, mode=how[0] if how == "append" else "w").close()
    assert kinds(marks) == {Kind.HIDDEN}
    assert str(path) in marks[0].reason


@pytest.fixture
def lazy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "lazy_module.py").write_text("import os, time\nSTART = time.time()\nSALT = os.urandom(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "lazy_module"
    sys.modules.pop("lazy_module", None)


@pytest.mark.parametrize("early", [False, True])
def test_import_inside_a_path_is_not_marked_but_a_reload_is(lazy: str, early: bool) -> None:
    with marked(profiled if early else watching_entropy) as marks:
        module = importlib.import_module(lazy)
    assert marks == []
    with marked(profiled if early else watching_entropy) as marks:
        importlib.reload(module)
    assert kinds(marks) == {Kind.HIDDEN}


def test_library_imported_inside_a_path_is_not_marked() -> None:
    for name in ("colorsys", "tempfile"):
        sys.modules.pop(name, None)
    with marked() as marks:
        import colorsys
        import tempfile
    assert marks == []
    assert colorsys
    assert tempfile


def test_program_that_runs_during_an_import_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A check at the top of somebody's module: the import is around the engine, not inside the program.
    engine_file = str(Path(patches.__file__).with_name("exploration_of_a_test.py"))
    source = "def explore(program):\n    return program()\n"
    namespace: dict[str, Any] = {}
    exec(compile(source, engine_file, "exec"), namespace)
    monkeypatch.setattr(builtins, "_explore", namespace["explore"], raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "checks_itself.py").write_text("import time\n_explore(lambda: time.time())\n")
    with marked() as marks:
        importlib.import_module("checks_itself")
    sys.modules.pop("checks_itself")
    assert kinds(marks) == {Kind.HIDDEN}


def _attributes() -> list[tuple[Any, str, Any]]:
    return [(patch.owner, patch.name, patch.original) for patch in patches.patches()]


def test_everything_is_put_back() -> None:
    before = _attributes()
    assert len(before) > 40
    inside = []
    with contextlib.suppress(ZeroDivisionError), watching_entropy():
        inside.append(all(vars(owner)[name] is not original for owner, name, original in before))
        raise ZeroDivisionError
    assert inside == [True]
    assert all(vars(owner)[name] is original for owner, name, original in before)


def test_watches_may_be_nested() -> None:
    before = _attributes()
    with watching_entropy(), marked() as marks:
        time.time()
    assert marks
    assert all(vars(owner)[name] is original for owner, name, original in before)


def test_what_other_modules_patch_is_left_alone() -> None:
    names = [name for name in np.random.__all__ if name[0].islower()]
    with watching_entropy():
        inside = [getattr(np.random, name) for name in names], random.random, random.randint
    assert inside == ([getattr(np.random, name) for name in names], random.random, random.randint)


def test_nothing_is_marked_outside_a_path_or_in_another_thread() -> None:
    marks: list[Mark] = []
    with watching_entropy():
        time.time()
        thread = threading.Thread(target=time.time)
        thread.start()
        thread.join()
        with collecting(marks):
            pass
    assert marks == []


# Global generators


def _restore_numpy() -> None:
    np.random.mtrand.set_bit_generator(np.random.MT19937(0))
    np.random.seed(0)


MOVES: dict[str, tuple[Callable[[], Any], str]] = {
    "numpy": (lambda: np.random.rand(), "numpy.random"),
    "numpy, second normal": (lambda: np.random.randn(), "numpy.random"),
    "numpy seeded": (lambda: np.random.seed(5), "numpy.random"),
    "numpy, another generator": (lambda: np.random.mtrand.set_bit_generator(np.random.PCG64(1)), "numpy.random"),
    "numpy, bound before": (np.random.random, "numpy.random"),
    "random": (lambda: random.random(), "random"),
    "random, second gauss": (lambda: random.gauss(0, 1), "random"),
    "random seeded": (lambda: random.seed(5), "random"),
    "random, bound before": (EARLY.randint.__self__.random, "random"),
    "shuffle": (lambda: random.shuffle([1, 2, 3]), "random"),
}


@pytest.mark.parametrize("name", MOVES)
def test_move_of_a_global_generator_is_noticed_once(name: str) -> None:
    move, owner = MOVES[name]
    np.random.randn()
    random.gauss(0, 1)
    generators = GlobalGenerators()
    try:
        assert generators.changed() is None
        move()
        assert generators.changed() == f"the global generator of {owner}"
        assert generators.changed() is None
        np.random.rand()
        random.random()
        assert generators.changed() == "the global generator of numpy.random and the global generator of random"
    finally:
        if "another" in name:
            _restore_numpy()


def test_global_generators_that_stand_still() -> None:
    generators = GlobalGenerators()
    np.random.default_rng(3).random()
    random.Random(3).random()
    np.random.get_state()
    random.getstate()
    assert generators.changed() is None


# The profile function


@pytest.mark.parametrize(
    ("draw", "kind", "name"),
    [
        (lambda: EARLY.time(), Kind.HIDDEN, "time.time"),
        (lambda: EARLY.urandom(2), Kind.HIDDEN, "urandom"),
        (lambda: EARLY.random(), Kind.HIDDEN, "random.Random.random"),
        (lambda: EARLY.randint(1, 6), Kind.HIDDEN, "random.Random.getrandbits"),
        (lambda: EARLY.now(), Kind.HIDDEN, "datetime.now"),
        (lambda: datetime.date.today(), Kind.HIDDEN, "datetime.today"),
        (lambda: [*map(EARLY.urandom, [1]), EARLY.urandom(1)], Kind.HIDDEN, "urandom"),
        (lambda: EARLY.Random(3), Kind.CONSTANT, "random.Random"),
        (lambda: EARLY.Random(), Kind.HIDDEN, "random.Random"),
    ],
)
def test_originals_bound_before_are_noticed_by_the_profile(draw: Callable[[], Any], kind: Kind, name: str) -> None:
    with marked(profiled) as marks:
        draw()
    assert kinds(marks) == {kind}
    assert name in marks[0].reason
    assert marks[0].place.startswith(__file__) or "random.py" in marks[0].place


def test_profile_function_of_others_is_called_and_put_back() -> None:
    events: list[Any] = []

    def other(frame: Any, event: str, argument: Any) -> None:
        events.append((event, argument))

    before = sys.getprofile()
    sys.setprofile(other)
    try:
        with marked(profiled) as marks:
            EARLY.time()
        assert sys.getprofile() is other
    finally:
        sys.setprofile(before)
    assert ("c_call", EARLY.time) in events
    assert len(marks) == 1


def test_profile_is_put_back_after_an_exception() -> None:
    before = sys.getprofile()
    with pytest.raises(ZeroDivisionError), profiled():
        raise ZeroDivisionError
    assert sys.getprofile() is before


def test_both_watches_work_together() -> None:
    with marked(both) as marks:
        time.time()
    assert len(marks) == 1
    with marked(both) as marks:
        io.StringIO("x").read()
        EARLY.time()
    assert len(marks) == 1
