"""Names by which a program looks at who calls it: nobody can vouch for one that may behave otherwise when watched."""

from collections.abc import Iterable

__all__ = ["onlookers"]

_LOOKS = frozenset(
    (
        "_getframe", "_getframemodulename", "_current_frames", "currentframe", "getouterframes", "getinnerframes",
        "inspect", "f_back", "f_globals", "tb_frame", "gi_frame", "extract_stack", "format_stack", "print_stack",
        "walk_stack", "gettrace", "settrace", "getprofile", "setprofile", "addaudithook", "get_referrers",
        "get_referents", "get_objects", "getrefcount", "FunctionType", "LambdaType", "BuiltinFunctionType",
        "BuiltinMethodType", "MethodWrapperType", "ismethod", "isfunction", "isbuiltin", "_version",
        "_get_dispatch_stack_at", "_len_torch_dispatch_stack", "is_in_torch_dispatch_mode",
        "any_torch_dispatch_mode_on_stack", "_get_current_dispatch_mode", "_get_current_dispatch_mode_stack",
    )
)  # fmt: skip


# Harmless by themselves. A generator of torch asks the system for a seed out of sight of Python.
_TOGETHER = (("sys", "modules"), ("Generator", "seed"))


def onlookers(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names by which code looks at its callers, or at how its functions are made, in order.

    Parameters
    ----------
    names : iterable of str
        What the code names, attributes included.
    """
    used = set(names)
    found = used & _LOOKS
    found |= {".".join(pair) for pair in _TOGETHER if used.issuperset(pair)}
    return tuple(sorted(found))
