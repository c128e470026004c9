"""Exceptions that are not the program's: those that name a class of ours, or a device that this machine has not."""

import re
import sys
from pathlib import Path

import numpy as np

__all__ = ["not_the_programs"]

_OURS = ("ExactArray", "ExactNumber", "LogNumber", "UndrawnInteger", "Undrawn", "RandomSource")
_RULES_FOR_TORCH = str(Path(__file__).parent / "torch_")
_EXITS = f"{_RULES_FOR_TORCH}exits.py"
_DEVICES = ("Torch not compiled with", "No CUDA", "CUDA error", "NVIDIA driver", "found no NVIDIA", "No HIP GPUs")
_WANTS_TENSORS = 'the verifier wants tensors: arithmetic="torch.float32" hands rows over so, torch.from_numpy coins'
_MISSING = re.compile(r"'(?:ExactArray|numpy.ndarray|numpy.float64|numpy.float32)' object has no attribute '(\w+)'")


def not_the_programs(error: BaseException) -> str:
    """Say why an exception that left a program is none of its own.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str
        "" for an exception that the program would raise in life too.
    """
    text = str(error).partition("\n")[0][:200]
    if _is_ours(error):
        return f"an error of the engine's rules for torch: {type(error).__name__}: {text}"
    if any(words in str(error) for words in _DEVICES):
        return f"the program wants a device that is not there: {text}"
    if not isinstance(error, TypeError | RuntimeError | ValueError | AttributeError):
        return ""
    if _wants_tensors(error, str(error)):
        return f"{_WANTS_TENSORS} ({type(error).__name__}: {text})"
    named = next((name for name in _OURS if name in str(error)), "")
    return f"{type(error).__name__} about {named}, which stands for numbers here: {text}" if named else ""


def _is_ours(error: BaseException) -> bool:
    """Tell whether the rules for torch raised it: they raise nothing on purpose, and torch raises below them.

    What stands in for methods of torch is no such rule: what the methods raise comes out of it.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    where = "" if traceback is None else traceback.tb_frame.f_code.co_filename
    return where.startswith(_RULES_FOR_TORCH) and where != _EXITS


def _wants_tensors(error: BaseException, text: str) -> bool:
    if isinstance(error, TypeError) and "Tensor" in text and any(name in text for name in ("ExactArray", "ndarray")):
        return True
    missing = _MISSING.search(text) if isinstance(error, AttributeError) else None
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return missing is not None and hasattr(tensor, missing[1]) and not hasattr(np.ndarray, missing[1])
