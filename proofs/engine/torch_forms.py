"""What torch's operators do to noise: in the names of `NoiseNode.then`, and which elements of tensors are noise."""

import math
from typing import Any

import torch

from proofs.engine.noise_nodes import NoiseNode
from proofs.engine.signals import Kind, mark
from proofs.engine.torch_nodes import Denied, Step, TorchNode, is_unit
from proofs.engine.weights import weight

__all__ = ["apply", "form_of", "noise_of"]

Form = tuple[tuple[str, Any], ...]

_ALONE: dict[str, Form] = {
    "neg": (("neg", 0),), "log": (("log", 0),), "exp": (("exp", 0),), "reciprocal": (("rdiv", 1.0),),
    "log1p": (("log1p", 0),), "_to_copy": (("cast64", 0),), "clone": (),
}  # fmt: skip

# Beginnings of chains that make minus an exponential variable of a uniform, and the role of the coin.
_UNIFORMS: tuple[tuple[Form, str], ...] = (
    ((("log", 0),), "-log(u)"),
    ((("rsub", 1.0), ("log", 0)), "-log(1 - u)"),
    ((("neg", 0), ("log1p", 0)), "-log(1 - u)"),
)
_PERHAPS_LOST = frozenset(("add", "sub", "mul", "clamp", "clamp_min", "clamp_max"))
_LEAST = 2.0**-53  # of an exponential variable that is not zero, as torch draws it


def form_of(name: str, place: int, number: Any, alpha: Any = 1) -> Form | None:
    """Return what an operator with one number does, or None if noise does not go through it.

    Parameters
    ----------
    name : str
        Of the operator, without its namespace.
    place : int
        Of the operand that is noise.
    number : float or None
        The other operand.
    alpha : float
        The factor of the second operand in add, sub and rsub.
    """
    if number is None:
        return _ALONE.get(name)
    if name == "mul":
        return (("mul", number),)
    if name == "div":
        return (("div", number),) if place == 0 else (("rdiv", number),)
    return _sum(name, place, number, alpha)


def _sum(name: str, place: int, number: Any, alpha: Any) -> Form | None:
    factor: Form = () if alpha == 1 else (("mul", alpha),)
    if name == "add":
        return (("add", alpha * number),) if place == 0 else (*factor, ("add", number))
    if name == "rsub":
        name, place = "sub", 1 - place
    if name == "sub":
        return (("add", -alpha * number),) if place == 0 else (*factor, ("rsub", number))
    return None


def apply(noise: Any, step: Step) -> Any:
    """Return noise after a step, a number where nothing of it is left, or what is denied."""
    if step.form is None:
        return Denied(f"noise of a race in torch.{step.name}")
    for name, value in step.form:
        if not isinstance(noise, NoiseNode):
            return Denied(f"noise of a race in torch.{step.name}")
        if name == "add" and not noise.log and 0 <= abs(value) <= _LEAST:
            continue  # lost in every value of the noise but zero
        noise = _then(noise, name, value)
    return noise if isinstance(noise, NoiseNode) else float(getattr(noise, "weight", noise))


def _then(noise: NoiseNode, name: str, value: Any) -> Any:
    # Floats round: a number added to a logarithm is what it is, in every arithmetic.
    if noise.log and name in ("add", "rsub") and math.isfinite(value):
        return (noise if name == "add" else noise.then("neg")).shifted(weight(value))
    return noise.then(name, value)


def noise_of(element: Any) -> NoiseNode | None:
    """Return an element as noise: that of a race, or a uniform under a logarithm; None if it is neither."""
    if isinstance(element, NoiseNode):
        return element
    if not isinstance(element, TorchNode) or not is_unit(element.grid):
        return None
    steps = [step for step, lost in zip(element.steps, _lost(element), strict=True) if not lost]
    if any(step.form is None for step in steps):
        return None
    links = [link for step in steps for link in step.form or () if not link[0].startswith("cast")]
    for beginning, role in _UNIFORMS:
        if tuple(links[: len(beginning)]) == beginning:
            mark(Kind.GRID, "noise of races made from uniforms: ideal", "")
            element.coin.become_noise(role)
            noise: Any = NoiseNode(element.coin.path, (id(element.coin), role), sign=-1)
            for name, value in links[len(beginning) :]:
                noise = _then(noise, name, value)
            return noise if isinstance(noise, NoiseNode) else None
    return None


def _lost(node: TorchNode) -> list[bool]:
    """Tell of each step whether it changes nothing but the last bits, and the coin at 0.

    Small numbers added and low bounds; factors next to 1, as of a uniform between the least positive float and
    the greatest below 1.
    """
    found = node.grid.values(torch.tensor([1, node.grid.size - 1]))
    lost = []
    for step in node.steps:
        after = step(found)
        near = (after - found).abs() <= 2 * torch.finfo(found.dtype).eps * found.abs()
        lost.append(step.name in _PERHAPS_LOST and after.dtype == found.dtype and bool(near.all()))
        found = after
    return lost
