"""Everything a function can reach: each kind of change is noticed and named, innocent idioms are not."""

import _thread
import array
import collections
import contextlib
import datetime
import functools
import io
import itertools
import logging
import math
import os
import random
import secrets
import sys
import threading
import time
import types
import uuid
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from proofs.engine.state import Reach


def program(source: str, name: str = "f", **globals_: Any) -> Callable[..., Any]:
    """Make a function out of its source, in a namespace of its own."""
    namespace = {"np": np, **globals_, "__name__": "user_code"}
    exec(source, namespace)
    return namespace[name]  # type: ignore[no-any-return]


def over(value: Any, use: str = "thing") -> tuple[Reach, Any]:
    """Reach of a function that names a global `thing`."""
    return Reach(program(f"def f():\n    return {use}", thing=value)), value


class Slotted:
    __slots__ = ("count", "late")

    def __init__(self) -> None:
        self.count = 1


class Counter:
    total = 0
    history: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        return self.calls

    @classmethod
    def of_class(cls) -> None:
        cls.total += 1

    @property
    def doubled(self) -> int:
        return hidden_by_property[0]


hidden_by_property = [0]


def _generator() -> Iterator[int]:
    while True:
        yield from (0, 0, 1)


def _counting() -> Iterator[int]:
    n = 0
    while True:
        yield 0
        n += 1


def _set_item(thing: Any) -> None:
    thing[0] = 9


def _draw_half(thing: Any) -> None:
    thing.integers(2**32, dtype=np.uint32)


def _advance(thing: Any) -> None:
    next(thing)


_CODE = program("def f(): return 2").__code__

CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "list item": (lambda: [1, 2], _set_item),
    "list grows": (list, lambda thing: thing.append(None)),
    "item equal but of another type": (lambda: [1], lambda thing: thing.__setitem__(0, True)),
    "minus zero": (lambda: [0.0], lambda thing: thing.__setitem__(0, -0.0)),
    "nested list": (lambda: [[[]]], lambda thing: thing[0][0].append(1)),
    "list in a tuple": (lambda: ([],), lambda thing: thing[0].append(1)),
    "dict value": (lambda: {0: 1}, _set_item),
    "dict grows": (dict, _set_item),
    "dict key": (lambda: {"a": None}, lambda thing: thing.__setitem__("b", thing.pop("a"))),
    "dict order": (lambda: {1: 1, 2: 2}, lambda thing: thing.__setitem__(1, thing.pop(1))),
    "default dict": (lambda: collections.defaultdict(int), lambda thing: thing[3]),
    "counter": (collections.Counter, lambda thing: thing.update("a")),
    "ordered dict": (lambda: collections.OrderedDict(a=1, b=2), lambda thing: thing.move_to_end("a")),
    "set": (set, lambda thing: thing.add(1)),
    "set of as many": (lambda: {1}, lambda thing: (thing.clear(), thing.add(2))),
    "deque": (lambda: collections.deque([1, 2]), lambda thing: thing.rotate()),
    "bytearray": (lambda: bytearray(3), _set_item),
    "array.array": (lambda: array.array("d", [1.0]), _set_item),
    "float array": (lambda: np.zeros(3), _set_item),
    "last byte of a large array": (lambda: np.zeros(10**5), lambda thing: thing.__setitem__(-1, -0.0)),
    "NaN in an array": (lambda: np.array([np.nan, 1.0]), lambda thing: thing.__setitem__(1, np.nan)),
    "array not contiguous": (lambda: np.zeros((4, 4))[:, 1], _set_item),
    "array of no dimension": (lambda: np.array(1.0), lambda thing: thing.__setitem__((), 2.0)),
    "shape of an array": (lambda: np.zeros((2, 3)), lambda thing: thing.resize((3, 2), refcheck=False)),
    "object array": (lambda: np.array([Fraction(1), None]), _set_item),
    "list in an object array": (lambda: np.array([[], None], dtype=object), lambda thing: thing[0].append(1)),
    "base of a read-only view": (
        lambda: np.broadcast_to(np.zeros(1), (3,)),
        lambda thing: _set_item(thing.base if thing.base.flags.writeable else thing.base.base),
    ),
    "datetime array": (lambda: np.array(["2020-01-01"], "M8[D]"), lambda thing: thing.__setitem__(0, "2021-01-01")),
    "attribute": (Counter, lambda thing: thing()),
    "attribute added": (Counter, lambda thing: setattr(thing, "more", None)),
    "attribute removed": (Counter, lambda thing: delattr(thing, "calls")),
    "dictionary replaced": (Counter, lambda thing: setattr(thing, "__dict__", {"calls": 5})),
    "class of an instance": (Counter, lambda thing: setattr(thing, "__class__", type("Other", (Counter,), {}))),
    "slot": (Slotted, lambda thing: setattr(thing, "count", 2)),
    "slot that was empty": (Slotted, lambda thing: setattr(thing, "late", None)),
    "simple namespace": (types.SimpleNamespace, lambda thing: setattr(thing, "x", 1)),
    "event": (threading.Event, lambda thing: thing.set()),
    "function attribute": (lambda: lambda: None, lambda thing: setattr(thing, "calls", 1)),
    "code of a function": (
        lambda: program("def f(): return 1"),
        lambda thing: setattr(thing, "__code__", _CODE),
    ),
    "defaults of a function": (lambda: program("def f(x=1): 0"), lambda thing: setattr(thing, "__defaults__", (2,))),
    "keyword default": (lambda: program("def f(*, x=1): 0"), lambda thing: thing.__kwdefaults__.update(x=2)),
    "bound method of a list": (lambda: [].append, lambda thing: thing(1)),
    "lru_cache": (lambda: functools.lru_cache(lambda x: x), lambda thing: thing(1)),
    "partial": (lambda: functools.partial(len, []), lambda thing: thing.args[0].append(1)),
    "partial keywords": (lambda: functools.partial(dict, x=1), lambda thing: thing.keywords.update(x=2)),
    "count": (itertools.count, _advance),
    "large count": (lambda: itertools.count(2**70), _advance),
    "cycle": (lambda: itertools.cycle([0, 0, 0]), _advance),
    "cycle, later": (lambda: _advanced(itertools.cycle([0, 0, 0]), 5), _advance),
    "list iterator": (lambda: iter([0, 0]), _advance),
    "range iterator": (lambda: iter(range(5)), _advance),
    "set iterator": (lambda: iter({1, 2}), _advance),
    "map": (lambda: map(abs, [0, 0]), _advance),
    "zip": (lambda: zip([0, 0], [0, 0], strict=True), _advance),
    "enumerate": (lambda: enumerate([0, 0]), _advance),
    "product": (lambda: _advanced(itertools.product([0, 0], [0, 0]), 1), _advance),
    "chain": (lambda: itertools.chain([0, 0], [0]), _advance),
    "tee": (lambda: itertools.tee(iter([0, 0]))[0], _advance),
    "iterator over a function": (lambda: iter([0, 0].pop, 1), _advance),
    "generator": (_generator, _advance),
    "generator, later": (lambda: _advanced(_generator(), 1), _advance),
    "counting generator, later": (lambda: _advanced(_counting(), 1), _advance),
    "flat iterator": (lambda: np.zeros(3).flat, _advance),
    "Generator": (lambda: np.random.default_rng(1), lambda thing: thing.random()),
    "Generator, half a draw": (lambda: _advanced_half(np.random.default_rng(1)), _draw_half),
    "Generator spawns": (lambda: np.random.default_rng(1), lambda thing: thing.spawn(1)),
    "MT19937": (lambda: np.random.MT19937(1), lambda thing: thing.random_raw()),
    "Philox": (lambda: np.random.Philox(1), lambda thing: thing.random_raw()),
    "SFC64": (lambda: np.random.SFC64(1), lambda thing: thing.random_raw()),
    "method of a Generator": (lambda: np.random.default_rng(1).random, lambda thing: thing()),
    "SeedSequence": (lambda: np.random.SeedSequence(1), lambda thing: thing.spawn(1)),
    "RandomState": (lambda: np.random.RandomState(1), lambda thing: thing.rand()),
    "RandomState, second normal": (lambda: _normal(np.random.RandomState(1)), lambda thing: thing.randn()),
    "random.Random": (lambda: random.Random(1), lambda thing: thing.random()),
    "random.Random, second gauss": (lambda: _gauss(random.Random(1)), lambda thing: thing.gauss(0, 1)),
    "weak dictionary": (weakref.WeakKeyDictionary, lambda thing: thing.__setitem__(Counter, 1)),
    "weak set": (weakref.WeakSet, lambda thing: thing.add(Counter)),
    "attribute of a logger": (lambda: logging.getLogger("a"), lambda thing: setattr(thing, "calls", object())),
    "lock": (threading.Lock, lambda thing: thing.acquire(blocking=False)),
    "reentrant lock": (threading.RLock, lambda thing: thing.acquire()),
    "semaphore": (threading.Semaphore, lambda thing: thing.acquire()),
    "cell": (lambda: types.CellType(0), lambda thing: setattr(thing, "cell_contents", 1)),
    "context variable": (lambda: ContextVar("x", default=0), lambda thing: thing.set(1)),
    "default of a context variable": (
        lambda: ContextVar("x", default=[0]),  # noqa: B039
        lambda thing: thing.get().append(1),
    ),
    "thread-local": (threading.local, lambda thing: setattr(thing, "x", 1)),
    "masked array": (lambda: np.ma.masked_array([1.0, 2.0], mask=[False, True]), lambda thing: thing.mask.fill(True)),
    "record array": (lambda: np.zeros(2, [("a", int), ("b", float)]), lambda thing: thing["b"].fill(1)),
    "closed file": (lambda: io.BytesIO(b"abc"), lambda thing: thing.close()),
    "file": (lambda: io.BytesIO(b"abc"), lambda thing: thing.read(1)),
    "exception": (lambda: ValueError([]), lambda thing: thing.args[0].append(1)),
}


def _advanced(thing: Any, steps: int) -> Any:
    for _ in range(steps):
        next(thing)
    return thing


def _advanced_half(thing: Any) -> Any:
    _draw_half(thing)
    return thing


def _normal(thing: Any) -> Any:
    thing.randn()
    return thing


def _gauss(thing: Any) -> Any:
    thing.gauss(0, 1)
    return thing


@pytest.mark.parametrize("kind", CHANGES)
def test_every_change_of_a_global_is_noticed_and_named(kind: str) -> None:
    make, change = CHANGES[kind]
    reach, thing = over(make())
    assert (reach.changed(), reach.changed(), reach.opaque) == (None, None, ())
    change(thing)
    found = reach.changed()
    assert found is not None
    assert any(name in found for name in ("thing", "'f'", "<lambda>", "default of 'x'"))
    assert reach.changed() == found


def test_rebound_global_is_named() -> None:
    f = program("def f():\n    global counter\n    counter += 1", counter=0)
    reach = Reach(f)
    assert reach.changed() is None
    f()
    assert reach.changed() == "the global 'counter'"


def test_global_that_comes_into_being_is_named() -> None:
    f = program("def f():\n    global late\n    late = None\n    return len([])")
    reach = Reach(f)
    f()
    assert reach.changed() == "the global 'late'"


@pytest.mark.parametrize(
    "body", ["globals()['x' + 'y'] = 1", "globals()['late'] = 1", "exec('late = 1', globals())", "counter[0] += 1"]
)
def test_global_reached_in_a_roundabout_way(body: str) -> None:
    f = program(f"def g():\n    def h(): {body}\n    return h()\ndef f():\n    return [g() for _ in 'a']", counter=[0])
    reach = Reach(f)
    assert reach.changed() is None
    f()
    assert reach.changed() is not None


def test_closure_variable_is_named() -> None:
    def make() -> tuple[Callable[[], int], Callable[[], list[int]]]:
        count, cache = 0, [1]

        def f() -> int:
            nonlocal count
            count += len(cache)
            return count

        return f, lambda: cache

    f, cache = make()
    reach = Reach(f)
    cache().append(1)
    assert reach.changed() == "the closure variable 'cache' of 'f'"
    f, _ = make()
    reach = Reach(f)
    f()
    assert reach.changed() == "the closure variable 'count' of 'f'"


def test_closure_variable_that_is_still_empty() -> None:
    inner = "    def f():\n        nonlocal late\n        late = 1\n    if 0: late = 0"
    f = program(f"def make():\n{inner}\n    return f", "make")()
    reach = Reach(f)
    assert reach.changed() is None
    f()
    assert reach.changed() == "the closure variable 'late' of 'f'"


def test_default_is_named() -> None:
    def f(x: int, seen: list[int] = [], *, other: list[int] = []) -> None:  # noqa: B006
        (seen if x else other).append(x)

    for x, name in ((1, "seen"), (0, "other")):
        reach = Reach(f)
        f(x)
        assert reach.changed() == f"the default of {name!r}"


def test_attributes_of_the_owner_are_named() -> None:
    counter = Counter()
    for function in (counter.__call__, counter):
        reach = Reach(function)
        assert reach.changed() is None
        counter()
        assert reach.changed() == "attribute 'calls' of __self__"


def test_class_attributes_are_named() -> None:
    reach = Reach(Counter.of_class)
    Counter.of_class()
    assert reach.changed() == "attribute 'total' of the class 'Counter'"
    reach = Reach(Counter().of_class)
    Counter.history.append(1)
    assert reach.changed() == "attribute 'history' of the class 'Counter'"


class Meta(type):
    made = 0


class OfMeta(metaclass=Meta):
    pass


def test_metaclass_is_walked_through() -> None:
    reach = Reach(lambda: OfMeta())
    Meta.made += 1
    assert reach.changed() == "attribute 'made' of the class 'Meta'"


def test_methods_and_properties_are_walked_through() -> None:
    reach = Reach(lambda: Counter().doubled)
    hidden_by_property[0] += 1
    assert reach.changed() == "the global 'hidden_by_property'"


def test_decorated_function_is_walked_through() -> None:
    hidden = [0]

    def decorate(function: Callable[[], int]) -> Callable[[], int]:
        @functools.wraps(function)
        def inner() -> int:
            return function()

        return inner

    @decorate
    def f() -> int:
        return hidden[0]

    @contextlib.contextmanager
    def g() -> Iterator[int]:
        yield hidden[0]

    functions: tuple[Callable[..., Any], ...] = (f, g, functools.partial(f), lambda: f())
    for function in functions:
        reach = Reach(function)
        hidden.append(0)
        assert reach.changed() == "the closure variable 'hidden' of " + repr(["f", "g"][function is g])


@pytest.fixture
def module() -> Iterator[types.ModuleType]:
    made = types.ModuleType("user_module")
    exec("counter = 0\nitems = []\ndef step():\n    global counter\n    counter += 1", made.__dict__)
    sys.modules["user_module"] = made
    yield made
    sys.modules.pop("user_module", None)


@pytest.mark.parametrize(
    "source",
    [
        "def f(): return m.counter",
        "def f(): m.step()",
        "def f(): getattr(m, 'counter')",
        "def f():\n    import user_module\n    return user_module.counter",
        "def f():\n    from user_module import step\n    step()",
        "import importlib\ndef f(): importlib.import_module('user_module').counter",
        "import sys\ndef f(): sys.modules['user_module'].counter",
    ],
)
def test_attribute_of_a_module_is_named(module: types.ModuleType, source: str) -> None:
    reach = Reach(program(source, m=module))
    assert reach.changed() is None
    module.step()
    # Where functions of the module are reached too, the same name is a global of theirs.
    assert reach.changed() in ("attribute 'counter' of the module 'user_module'", "the global 'counter'")


def test_module_that_is_imported_later_is_watched_from_then_on(module: types.ModuleType) -> None:
    del sys.modules["user_module"]
    reach = Reach(program("def f():\n    import user_module as m\n    m.counter += 1\n    m.items"))
    assert reach.changed() is None
    sys.modules["user_module"] = module
    assert reach.changed() is None
    module.items.append(1)
    assert reach.changed() == "attribute 'items' of the module 'user_module'"


def test_file_named_like_a_library_module_is_walked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "count = [0]\nclass Held:\n    n = 0\ndef f():\n    Held.n += 1\n    count[0] += 1\n"
    namespace: dict[str, Any] = {"__name__": "code"}
    exec(compile(source, str(tmp_path / "code.py"), "exec"), namespace)
    reach = Reach(namespace["f"])
    namespace["count"][0] += 1
    assert reach.changed() == "the global 'count'"
    module = types.ModuleType("code")
    module.__dict__.update(namespace, __file__=str(tmp_path / "code.py"))
    monkeypatch.setitem(sys.modules, "code", module)
    reach = Reach(module.f)
    module.Held.n += 1
    assert reach.changed() == "attribute 'n' of the class 'Held'"
    reach = Reach(program("def f(): return m.count", m=module))
    module.count.append(1)
    assert "'count'" in (reach.changed() or "")


def test_state_hung_on_a_library_is_noticed() -> None:
    f = program("def f():\n    np.late_counter = 1")
    reach = Reach(f)
    try:
        assert reach.changed() is None
        f()
        assert reach.changed() == "attribute 'late_counter' of the module 'numpy'"
    finally:
        del np.late_counter  # type: ignore[attr-defined]


@pytest.mark.parametrize("use", ["json.dumps", "fractions.Fraction", "np.sum"])
def test_state_hung_on_a_function_or_class_of_a_library(use: str) -> None:
    import fractions
    import json

    f = program(f"def f():\n    {use}.late_counter = 1", json=json, fractions=fractions)
    reach = Reach(f)
    try:
        assert reach.changed() is None
        f()
        assert "'late_counter'" in (reach.changed() or "")
    finally:
        exec(f"del {use}.late_counter", {"json": json, "fractions": fractions, "np": np})


def test_environment_is_state(monkeypatch: pytest.MonkeyPatch) -> None:
    reach = Reach(program("def f(): return os.environ['COUNT']", os=os))
    assert reach.changed() is None
    monkeypatch.setenv("COUNT", "1")
    assert "environ" in (reach.changed() or "")


def test_allowed_names_are_left_out_and_reported() -> None:
    source = (
        "def f(seen=[]):\n    global counter\n    counter += 1\n    seen.append(1)\n    thing.calls += 1\n    cached(1)"
    )
    f = program(source, counter=0, thing=Counter(), cached=functools.cache(abs))
    reach = Reach(f, allow=("counter", "calls", "cached", "seen", "unheard_of"))
    f()
    assert reach.changed() is None
    assert reach.allowed == ("cached", "calls", "counter", "seen")
    assert Reach(f, allow=("counter", "calls", "cached")).changed() is None
    reach = Reach(f, allow=("counter", "calls", "cached"))
    f()
    assert reach.changed() == "the default of 'seen'"


def test_allowed_attribute_hides_no_other() -> None:
    thing = Counter()
    reach = Reach(thing, allow=("calls",))
    thing()
    assert reach.changed() is None
    thing.calls, thing.other = 7, 1  # type: ignore[attr-defined]
    assert reach.changed() == "attribute 'other' of __self__"


def test_what_cannot_be_read_is_listed() -> None:
    import _csv

    assert over(_csv.reader(["a"]))[0].opaque == ("the global 'thing' (_csv.reader)",)
    assert over(np.frompyfunc(lambda x: x, 1, 1))[0].opaque == ("the global 'thing' (numpy.ufunc)",)
    assert over([np.nditer(np.zeros(2))])[0].opaque == ("the global 'thing' (numpy.nditer)",)


class Colour(Enum):
    RED = 1


class Pair(NamedTuple):
    a: int


@dataclass(frozen=True)
class Config:
    scale: float = 1.0
    names: tuple[str, ...] = ("a",)


@dataclass
class Settings:
    table: list[int] = field(default_factory=lambda: [1, 2])

    def __call__(self) -> int:
        return sum(self.table)


class Text(str):
    """A subclass of what cannot change."""


def _use_logger() -> None:
    logging.getLogger("quiet").debug("x")
    logging.getLogger("quiet").isEnabledFor(10)


def _same_value(thing: Any) -> None:
    thing["x"] = float("1.5")


INNOCENT: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "constant": (3, "thing", abs),
    "text": ("abc", "thing", len),
    "subclass of str": (Text("a"), "thing", str),
    "fraction": (Fraction(1, 3), "thing", hash),
    "path": (Path("/some/x"), "thing", lambda thing: (str(thing), hash(thing))),
    "table": ({"a": [1.0] * 9}, "thing", lambda thing: thing["a"].copy()),
    "large array": (np.arange(10**5), "thing", lambda thing: thing.sum()),
    "read-only array": (np.broadcast_to(1.0, (3,)), "thing", lambda thing: thing.sum()),
    "array of no items": (np.zeros((0, 3)), "thing", lambda thing: thing.sum()),
    "dtype": (np.dtype(float), "thing", str),
    "NumPy scalar": (np.float32(1), "thing", float),
    "logger": (logging.getLogger("quiet"), "thing", lambda _: _use_logger()),
    "lock": (threading.Lock(), "thing", lambda thing: thing.acquire() and thing.release()),
    "reentrant lock": (threading.RLock(), "thing", lambda thing: thing.acquire() and thing.release()),
    "enum": (Colour, "thing", lambda thing: thing(1)),
    "enum member": (Colour.RED, "thing", lambda thing: thing.name),
    "named tuple": (Pair, "thing", lambda thing: thing(1)._replace(a=2)),
    "frozen dataclass": (Config(), "thing", lambda thing: (hash(thing), repr(thing))),
    "dataclass": (Settings(), "thing", lambda thing: (thing(), repr(thing), thing == Settings())),
    "class with methods": (Counter, "thing", lambda thing: thing()()),
    "function": (_use_logger, "thing", lambda thing: thing()),
    "partial": (functools.partial(max, 1), "thing", lambda thing: thing(2)),
    "module": (math, "thing.pi", lambda thing: thing.exp(1)),
    "pattern": (__import__("re").compile("a"), "thing", lambda thing: thing.match("a")),
    "vectorized by the library": (np.exp, "thing", lambda thing: thing(1.0)),
    "np.vectorize": (np.vectorize(abs), "thing", lambda thing: thing([1, 2])),
    "itemgetter": (__import__("operator").itemgetter(0), "thing", lambda thing: thing([1])),
    "equal value": ({"x": 1.5}, "thing", _same_value),
    "finfo": (np.finfo(float), "thing", lambda thing: (thing.eps, str(thing))),
    "set refilled": ({1, 2, 3}, "thing", lambda thing: (thing.discard(1), thing.add(1))),
    "single dispatch": (functools.singledispatch(lambda x: x), "thing", lambda thing: thing(1)),
    "polynomial": (np.poly1d([1, 2]), "thing", lambda thing: thing(2)),
    "error": (ValueError("x"), "thing", str),
    "written only": (sys.stderr, "thing", lambda thing: thing.write("")),
    "generic alias": (list[int], "thing", repr),
    "weak reference": (__import__("weakref").ref(Counter), "thing", lambda thing: thing()),
    "errstate": (np, "thing.errstate", lambda thing: thing.errstate(all="ignore").__enter__),
    "lazy modules of NumPy": (np, "thing.testing", lambda thing: thing.testing),
}


@pytest.mark.parametrize("kind", INNOCENT)
def test_innocent_use_is_no_change(kind: str) -> None:
    thing, use, act = INNOCENT[kind]
    reach, _ = over(thing, use)
    assert (reach.changed(), reach.opaque, reach.suspects) == (None, (), ())
    act(thing)
    act(thing)
    assert reach.changed() is None


def test_lazily_imported_library_is_no_change() -> None:
    body = "global lazy\n    import colorsys\n    lazy = colorsys\n    return lazy.rgb_to_hsv(0, 0, 0)"
    f = program(f"lazy = None\ndef f():\n    {body}")
    sys.modules.pop("colorsys", None)
    reach = Reach(f)
    f()
    assert reach.changed() is None


def test_equal_value_that_is_bound_anew_does_not_blind_the_watch() -> None:
    thing: dict[str, Any] = {"x": 1.5}
    reach, _ = over(thing)
    _same_value(thing)
    assert reach.changed() is None
    thing["x"] = 1.25
    assert reach.changed() == "the global 'thing'"


SUSPECTS: dict[str, Any] = {
    "numpy.random.mtrand.RandomState.random": np.random.random,
    "random.Random.random": random.random,
    "random.Random.randint": random.randint,
    "time.time": time.time,
    "time.perf_counter": time.perf_counter,
    "posix.urandom": os.urandom,
    "random.SystemRandom": secrets.randbits,
    "secrets.token_bytes": secrets.token_bytes,
    "uuid.uuid4": uuid.uuid4,
    "datetime.datetime": datetime.datetime,
    "datetime.now": datetime.datetime.now,
    "default_rng": np.random.default_rng,
    "PCG64": np.random.PCG64,
    "RandomState": np.random.RandomState,
    "SeedSequence": np.random.SeedSequence,
    "random.Random": random.Random,
    "threading.Thread": threading.Thread,
    "_thread.start_new_thread": _thread.start_new_thread,
}


@pytest.mark.parametrize("name", SUSPECTS)
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x], lambda x: {"a": (x,)}, lambda x: functools.partial(x)])
def test_originals_bound_early_are_suspects(name: str, wrap: Callable[[Any], Any]) -> None:
    (suspect,) = over(wrap(SUSPECTS[name]))[0].suspects
    assert suspect.startswith("the global 'thing' is ")
    assert name in suspect


def test_suspects_in_closures_defaults_and_attributes() -> None:
    clock = time.time

    def f() -> float:
        return clock()

    def g(now: Any = time.monotonic) -> float:
        return float(now())

    class Holder:
        draw = random.random

    assert Reach(f).suspects == ("the closure variable 'clock' of 'f' is time.time",)
    assert Reach(g).suspects == ("the default of 'now' is time.monotonic",)
    assert "random.Random.random" in Reach(lambda: Holder().draw()).suspects[0]
    assert Reach(program("def f(): return d.datetime.now()", d=datetime)).suspects == (
        "datetime.datetime is datetime.datetime",
    )


def test_subclass_of_an_original_is_a_suspect() -> None:
    class Own(random.Random):
        pass

    assert "the global 'thing' derives from random.Random" in over(Own)[0].suspects


def test_modules_whose_functions_are_patched_are_no_suspects() -> None:
    f = program(
        "def f(): return time.time() + random.random() + np.random.rand() + os.urandom(1)[0]",
        time=time,
        os=os,
        random=random,
    )
    reach = Reach(f)
    assert reach.suspects == ()
    assert reach.changed() is None


def test_walk_draws_nothing() -> None:
    generator, python = np.random.default_rng(5), random.Random(5)
    Reach(program("def f(): return a, b", a=generator, b=python))
    assert generator.random() == np.random.default_rng(5).random()
    assert python.random() == random.Random(5).random()


def test_cost_does_not_grow_with_what_cannot_change() -> None:
    frozen = np.zeros(10**6)
    frozen.flags.writeable = False
    small, _ = over(3)
    large, _ = over((tuple(range(10**5)), frozenset(range(10**5)), frozen, b"0" * 10**6))
    assert len(large._watches) == len(small._watches)


def test_reach_without_end_is_cut_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.engine.state._MOST", 50)
    assert over([[] for _ in range(9)])[0].opaque == ()
    assert over([[] for _ in range(99)])[0].opaque == ("more than 50 objects",)


def test_things_that_hold_each_other_end() -> None:
    ring: list[Any] = []
    ring.append({"ring": ring})
    reach, _ = over(ring)
    ring[0]["more"] = 1
    assert reach.changed() == "the global 'thing'"
