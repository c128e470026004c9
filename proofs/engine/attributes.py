"""The attributes of an instance: in its dictionary, in slots, and its class."""

from collections.abc import Callable, Iterator
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from proofs.engine.originals import from_opaque
from proofs.engine.watches import ABSENT, Instance, Values, Watch

__all__ = ["attributes", "is_user_class", "slots_of"]


def is_user_class(kind: type) -> bool:
    """Tell whether a class was written by the user or in a package that is walked into."""
    return not isinstance(kind.__module__, GetSetDescriptorType) and not from_opaque(kind.__module__)


def attributes(value: Any, words: str, allow: frozenset[str]) -> tuple[list[Watch], dict[str, Any]]:
    """Watch the attributes of an instance, in its dictionary and in slots.

    Parameters
    ----------
    value : object
        An instance, a function.
    words : str
        What the object is called.
    allow : frozenset of str
        Attributes that may change.

    Returns
    -------
    (list of Watch, dict of name -> value)
    """
    watches: list[Watch] = []
    inside: dict[str, Any] = {}
    phrase = f"attribute {{}} of {words}"
    if isinstance(getattr(value, "__dict__", None), dict):
        watches.append(Instance(phrase, value, allow))
        inside |= vars(value)
    slots = tuple(name for name in _slots(type(value)) if name not in allow)
    if slots:
        read: Callable[[], list[Any]] = lambda: [getattr(value, name, ABSENT) for name in slots]  # noqa: E731
        watches.append(Values(phrase, read, slots))
        inside |= dict(zip(slots, read(), strict=True))
    return watches, inside


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        if is_user_class(base):
            yield from slots_of(base)


def slots_of(base: type) -> Iterator[str]:
    """Yield the names that one class itself keeps in slots."""
    return (name for name, entry in vars(base).items() if isinstance(entry, MemberDescriptorType))
