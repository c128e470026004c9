"""Everything that a function can reach, watched for changes between one path and the next.

The walk goes through globals that the code names, closures, defaults, attributes, containers, classes
and the functions that are called. Nothing is called and nothing is drawn.
"""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import attrgetter
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from proofs.engine.attributes import attributes, is_user_class
from proofs.engine.code_names import CodeNames, names_of
from proofs.engine.contents import contents
from proofs.engine.originals import from_opaque, original_name
from proofs.engine.replay_generator import REPLAY_CLASS
from proofs.engine.watches import ABSENT, Names, Namespace, Values, Watch, is_plain

__all__ = ["Reach"]

# Modules of the standard library keep state of their own; in them only what a program may have put there
# or writes to on purpose is looked at.
_PUT_THERE = (list, dict, set, np.ndarray, type(os.environ))


# Caches of hashes and texts come and go in these: what they hold decides nothing.
_SEALED = frozenset({"sympy", "mpmath"})
# Loggers know each other: each is watched, none is walked through.
_SHALLOW = frozenset({"logging", "typing"})
_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
# Beyond, a whole library is in reach: better to say so than to compare it after every path.
_MOST = 20_000


class Reach:
    """What a function can reach, as it was when this object was made.

    Parameters
    ----------
    function : callable
        A function, a bound method, a partial, an instance with ``__call__``, decorated or not.
    allow : iterable of str
        Names of globals, closure variables, defaults and attributes that may change: they are left out.
    """

    def __init__(self, function: Callable[..., Any], allow: Iterable[str] = ()) -> None:
        self._walk = _Walk(frozenset(allow))
        self._walk.start(function)
        self._watches = self._walk.watches
        self._awaited = self._walk.awaited

    @property
    def opaque(self) -> tuple[str, ...]:
        """What is reached and has a state that cannot be read: `changed` says nothing about it."""
        return tuple(self._walk.opaque)

    @property
    def suspects(self) -> tuple[str, ...]:
        """Where the code holds clocks, sources of entropy or thread starters that no patch intercepts."""
        return tuple(self._walk.suspects)

    @property
    def names(self) -> frozenset[str]:
        """Every name that the code in reach uses, attributes included."""
        return frozenset(self._walk.used)

    @property
    def objects(self) -> list[Any]:
        """Everything that is reached and can change."""
        return self._walk.objects()

    @property
    def torch_generators(self) -> list[Any]:
        """The generators of torch that are reached."""
        return [value for value in self.objects if is_torch_generator(value)]

    @property
    def allowed(self) -> tuple[str, ...]:
        """The names out of `allow` that were met."""
        return tuple(sorted(self._walk.allowed))

    def changed(self) -> str | None:
        """Name the first thing that differs from when this object was made.

        Returns
        -------
        str or None
            "the global 'counter'"; None where nothing differs. Plain values that were replaced by equal
            ones, and modules that were imported, are no difference.
        """
        if self._awaited and any(map(sys.modules.__contains__, self._awaited)):
            self._walk.imported()
        for watch in self._watches:
            try:
                found = None if watch.same() else watch.change()
            except (ValueError, OSError, AttributeError, ReferenceError):
                return watch.words  # a closed file, a released view: it could be read before
            if found is not None:
                return found
        return None


def is_torch_generator(value: Any) -> bool:
    """Tell whether a value is a generator of torch, which may not be loaded."""
    return type(value).__name__ == "Generator" and type(value).__module__.startswith("torch")


class _Walk:
    """The walk itself: a queue of things and what they are called."""

    def __init__(self, allow: frozenset[str]) -> None:
        self.allow = allow
        self.watches: list[Watch] = []
        self.suspects: dict[str, None] = {}
        self.opaque: dict[str, None] = {}
        self.allowed: set[str] = set()
        self.awaited: set[str] = set()
        self._seen: dict[int, Any] = {}
        self._queue: list[tuple[Any, str]] = []
        self.used: set[str] = set()
        self._stored: set[str] = set()
        self._modules: list[ModuleType] = []
        self._sealed: list[type] = []
        self._bound: dict[int, set[str]] = {}

    def start(self, function: Any) -> None:
        owner = getattr(function, "__self__", None)
        if isinstance(function, MethodType):
            self._add(owner, "__self__")
            function = function.__func__
        name = getattr(function, "__qualname__", None)
        self._add(function, name.rpartition(".<locals>.")[2] if isinstance(name, str) else "__self__")
        self._settle()

    def imported(self) -> None:
        found = {name for name in self.awaited if name in sys.modules}
        self.awaited -= found
        for name in sorted(found):
            self._add(sys.modules[name], f"the module {name!r}")
        self._settle()

    def objects(self) -> list[Any]:
        return list(self._seen.values())

    def _settle(self) -> None:
        # New code names new attributes of modules that were met before: until nothing is new.
        known = (-1, -1, -1)
        while self._queue or known != (len(self.used), len(self._stored), len(self._modules)):
            known = (len(self.used), len(self._stored), len(self._modules))
            while self._queue:
                self._visit(*self._queue.pop())
                if len(self._seen) > _MOST:
                    self._queue.clear()
                    self.opaque[f"more than {_MOST} objects"] = None
                    return
            for module in self._modules:
                self._attributes_of_module(module)
            for kind in self._sealed:
                self._bind(vars(kind), self._stored, f"attribute {{}} of the class {kind.__name__!r}", id(kind))

    def _add(self, value: Any, words: str) -> None:
        if id(value) not in self._seen and not is_plain(value) and not _is_drawn(value):
            self._seen[id(value)] = value
            self._queue.append((value, words))

    def _visit(self, value: Any, words: str) -> None:
        name = original_name(value)
        if name is not None:
            self.suspects[f"{words} is {name}"] = None
        elif isinstance(value, ModuleType):
            self._modules.append(value)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value, words)
        elif isinstance(value, MethodType):
            self._add(value.__func__, words)
            self._add(value.__self__, words)
        elif isinstance(value, BuiltinFunctionType | MethodWrapperType):
            self._add(value.__self__, words)
        else:
            self._object(value, words)

    # Functions

    def _function(self, function: FunctionType) -> None:
        home = function.__globals__.get("__name__")
        own = not from_opaque(home, function.__code__.co_filename)
        name = function.__qualname__.rpartition(".<locals>.")[2]
        self._attributes(function, repr(name), own)
        if own or not str(home).startswith(("numpy", "scipy", "torch")):
            self._cells(function.__code__.co_freevars, function.__closure__ or (), name, own)
        if own:
            self.watches.append(Values(f"the definition of {name!r}", partial(_definition, function)))
            self._defaults(function)
            self._code(names_of(function.__code__), function.__globals__)

    def _cells(self, names: tuple[str, ...], cells: tuple[CellType, ...], function: str, own: bool) -> None:
        kept = [(name, cell) for name, cell in zip(names, cells, strict=True) if not self._allows(name)]
        words = f"the closure variable {{}} of {function!r}"
        if own and kept:
            # The closures of library decorators hold caches that decide nothing.
            held = [cell for _, cell in kept]
            self.watches.append(Values(words, lambda: [*map(_held, held)], [name for name, _ in kept]))
        for name, cell in kept:
            if own or not isinstance(_held(cell), WeakKeyDictionary):
                self._add(_held(cell), words.replace("{}", repr(name), 1))

    def _defaults(self, function: FunctionType) -> None:
        code, defaults = function.__code__, function.__defaults__ or ()
        names = code.co_varnames[: code.co_argcount]
        pairs = [*zip(names[len(names) - len(defaults) :], defaults, strict=True)]
        keywords = function.__kwdefaults__
        if keywords:
            self.watches.append(Namespace("the default of {}", lambda: keywords, self.allow))
            pairs += keywords.items()
        for name, value in pairs:
            if not self._allows(name):
                self._add(value, f"the default of {name!r}")

    def _code(self, names: CodeNames, namespace: dict[str, Any]) -> None:
        self.used |= names.used
        self._stored |= names.stored
        self._bind(namespace, [name for name in names.used if name in namespace] + [*names.globals], "the global {}")
        if names.whole:
            self._bind(namespace, [*namespace], "the global {}")
            # Comes into being unnamed: only the number of globals shows it.
            self.watches.append(Values("the globals", lambda: (len(namespace),)))
        package = namespace.get("__package__") or ""
        for name in names.imports:
            self._import(name)
            self._import(f"{package}.{name}".rstrip("."))

    def _import(self, name: str) -> None:
        if name in sys.modules:
            self._add(sys.modules[name], f"the module {name!r}")
        elif name and not from_opaque(name):
            self.awaited.add(name)

    # Namespaces

    def _attributes_of_module(self, module: ModuleType) -> None:
        namespace = vars(module)
        names = [name for name in self.used if name in namespace] + [*self._stored]
        words = f"attribute {{}} of the module {module.__name__!r}"
        if not from_opaque(module.__name__, getattr(module, "__file__", None)):
            self._bind(namespace, names, words)
            return
        for name in names:
            value = namespace.get(name, ABSENT)
            if not isinstance(value, type | ModuleType) and callable(value) and hasattr(value, "__dict__"):
                self._bind(vars(value), self._stored, f"attribute {{}} of {module.__name__}.{name}", id(value))
            elif isinstance(value, type | ModuleType) and _is_walked(value):
                self._add(value, f"{module.__name__}.{name}")
        kept = [name for name in names if _put_there(namespace.get(name, ABSENT)) and name != "modules"]
        self._bind(namespace, kept, words)

    def _bind(self, namespace: Mapping[str, Any], names: Iterable[str], words: str, key: int = 0) -> None:
        bound = self._bound.setdefault(key or id(namespace), set())
        new = [name for name in dict.fromkeys(names) if name not in bound and not self._allows(name)]
        if not new:
            return
        bound.update(new)
        self.watches.append(Names(words, namespace, new))
        for name in new:
            self._add(namespace.get(name), words.replace("{}", repr(name), 1))

    def _allows(self, name: str) -> bool:
        if name in self.allow:
            self.allowed.add(name)
        return name in self.allow

    # Objects

    def _class(self, kind: type, words: str) -> None:
        if not is_user_class(kind):
            if not kind.__flags__ & _IMMUTABLE:
                self._sealed.append(kind)
            return
        for base in kind.__mro__:
            name = original_name(base)
            if name is not None:
                self.suspects[f"{words} derives from {name}"] = None
            self._add(base, repr(base.__name__))
        phrase = f"attribute {{}} of the class {kind.__name__!r}"
        self.watches.append(Namespace(phrase, partial(vars, kind), self.allow))
        self._inside(vars(kind), phrase)
        self._add(type(kind), words)

    def _object(self, value: Any, words: str) -> None:
        found = contents(value, words)
        self.watches += found.watches
        if found.opaque:
            kind = type(value)
            self.opaque[f"{words} ({kind.__module__}.{kind.__qualname__})"] = None
        for child in found.children:
            self._add(child, words)
        self._attributes(value, words)
        self._add(type(value), words)

    def _attributes(self, value: Any, words: str, own: bool = True) -> None:
        package = str(type(value).__module__).partition(".")[0]
        sealed = package in _SEALED or type(value).__module__ == "torch._ops"  # torch's operators
        if sealed or isinstance(value, np.finfo | np.iinfo):
            return
        watches, inside = attributes(value, words, self.allow)
        self.watches += watches
        if not own:
            inside = {"__wrapped__": inside.get("__wrapped__")}  # what a library's decorator was put on
        if package not in _SHALLOW:
            self._inside(inside, f"attribute {{}} of {words}")

    def _inside(self, names: Mapping[str, Any], phrase: str) -> None:
        for name, value in names.items():
            if not self._allows(name):
                self._add(value, phrase.replace("{}", repr(name), 1))


_definition: Callable[[FunctionType], tuple[Any, ...]] = attrgetter("__code__", "__defaults__", "__kwdefaults__")


def _is_drawn(value: Any) -> bool:
    """Tell whether a value is a random source or an undrawn number: it belongs to one path, and nothing else has it."""
    kind = type(value)
    ours = str(kind.__module__).startswith("proofs.engine.") and not issubclass(kind, np.ndarray | type)
    return kind is REPLAY_CLASS or ours


def _held(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def _is_walked(value: type | ModuleType) -> bool:
    name = original_name(value)
    return name is None or name.startswith("datetime.")  # what the others do is noticed by patches


def _put_there(value: Any) -> bool:
    return value is ABSENT or is_plain(value) or type(value) in _PUT_THERE
