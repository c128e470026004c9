"""The names that a function's code can reach, read from its bytecode."""

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

__all__ = ["CodeNames", "names_of"]

_WHOLE_NAMESPACE = frozenset({"globals", "exec", "eval", "__globals__"})
_METHODS_TOO = frozenset({"exec", "eval"})  # of models, of databases: functions only where they are no attributes
_BY_TEXT = frozenset({"setattr", "delattr", "vars", "__dict__", "__setattr__"}) | _WHOLE_NAMESPACE
_IMPORTERS = frozenset({"import_module", "__import__", "modules", "reload"})


@dataclass(frozen=True)
class CodeNames:
    """What a piece of code, and the code nested in it, names.

    Attributes
    ----------
    used : frozenset of str
        Every global and attribute, and every text that may be handed to ``getattr``.
    globals : frozenset of str
        Names looked up or stored as globals: they may come into being later.
    stored : frozenset of str
        Attributes that are stored, and texts where the code stores by text.
    imports : frozenset of str
        Modules that the code imports while it runs.
    whole : bool
        Whether the code takes hold of a whole namespace, so that its names say nothing.
    """

    used: frozenset[str]
    globals: frozenset[str]
    stored: frozenset[str]
    imports: frozenset[str]
    whole: bool


def names_of(code: CodeType) -> CodeNames:
    """Collect the names of `code` and of all code nested in it.

    Parameters
    ----------
    code : code object
        Of a function, a lambda, a comprehension or a module.

    Returns
    -------
    CodeNames
        Too many rather than too few: a name that is never used costs time alone.
    """
    codes = list(_nested(code))
    names = {name for part in codes for name in part.co_names}
    texts = {text for part in codes for text in _texts(part.co_consts)}
    steps = [(step.opname, str(step.argval)) for part in codes for step in dis.get_instructions(part)]
    imports = {name for kind, name in steps if kind in ("IMPORT_NAME", "IMPORT_FROM")}
    stored = {name for kind, name in steps if kind in ("STORE_ATTR", "DELETE_ATTR")}
    named = frozenset(name for kind, name in steps if kind.endswith(("_GLOBAL", "_NAME")) and kind[:2] != "IM")
    taken = names & _WHOLE_NAMESPACE
    if not {"builtins", "__builtins__"} & (names | texts):
        taken -= _METHODS_TOO - named
    return CodeNames(
        used=frozenset(names | texts),
        globals=named,
        stored=frozenset(stored | texts if names & _BY_TEXT else stored),
        imports=frozenset(imports | texts if names & _IMPORTERS else imports),
        whole=bool(taken),
    )


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _texts(constants: tuple[object, ...]) -> Iterator[str]:
    # Keyword names and literal tuples of texts are constants of their own.
    for constant in constants:
        if isinstance(constant, tuple):
            yield from _texts(constant)
        elif isinstance(constant, str) and constant.replace(".", "_").isidentifier():
            yield constant
