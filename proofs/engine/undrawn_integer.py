"""An integer that was drawn from a range too large to branch over."""

from typing import Any, NoReturn

from proofs.engine.signals import refuse

__all__ = ["UndrawnInteger"]


class UndrawnInteger:
    """An integer that is too large to branch over: good as a seed, and for nothing else.

    Parameters
    ----------
    key : hashable
        Equal for equal integers.
    """

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array") or name in ("item", "to_bytes", "bit_length", "astype", "dtype", "shape"):
            self._refuse()
        raise AttributeError(name)

    def _refuse(self, *_: Any) -> NoReturn:
        refuse("an undrawn integer, too large to branch over, is used in another way than as a seed")

    def __hash__(self) -> int:
        self._refuse()

    def __eq__(self, _: object) -> bool:
        self._refuse()

    def __repr__(self) -> str:
        self._refuse()

    def __format__(self, _: str) -> str:
        self._refuse()

    __int__ = __index__ = __float__ = __complex__ = __bool__ = __len__ = __iter__ = __ne__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __pos__ = __abs__ = __invert__ = __round__ = __trunc__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refuse
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __floor__ = __ceil__ = _refuse
