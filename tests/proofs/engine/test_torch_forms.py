"""What operators do to noise, and the spellings of Gumbel noise that are known."""

import math
from fractions import Fraction
from typing import Any

import pytest
import torch

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.noise_nodes import NoiseNode
from proofs.engine.torch_forms import apply, form_of, noise_of
from proofs.engine.torch_grids import uniform_grid
from proofs.engine.torch_nodes import Denied, Step, TorchNode
from proofs.engine.weights import to_fraction
from tests.proofs.engine.torch_programs import exactly, is_refused, law_of, reasons

F = Fraction
aten: Any = torch.ops.aten
ROW = [1.0, 2.0, 5.0]


@pytest.mark.parametrize(
    ("name", "place", "number", "alpha", "expected"),
    [
        ("neg", 0, None, 1, (("neg", 0),)), ("log", 0, None, 1, (("log", 0),)), ("clone", 0, None, 1, ()),
        ("sqrt", 0, None, 1, None), ("mul", 0, 3.0, 1, (("mul", 3.0),)), ("mul", 1, 3.0, 1, (("mul", 3.0),)),
        ("div", 0, 3.0, 1, (("div", 3.0),)), ("div", 1, 3.0, 1, (("rdiv", 3.0),)),
        ("add", 0, 3.0, 2, (("add", 6.0),)), ("add", 1, 3.0, 2, (("mul", 2), ("add", 3.0))),
        ("sub", 0, 3.0, 2, (("add", -6.0),)), ("sub", 1, 3.0, 2, (("mul", 2), ("rsub", 3.0))),
        ("rsub", 0, 3.0, 1, (("rsub", 3.0),)), ("rsub", 1, 3.0, 1, (("add", -3.0),)),
        ("pow", 0, 2.0, 1, None), ("clamp", 0, 2.0, 1, None),
    ],
)  # fmt: skip
def test_form_of_an_operator(name: str, place: int, number: Any, alpha: Any, expected: Any) -> None:
    assert form_of(name, place, number, alpha) == expected


@pytest.mark.parametrize(("name", "place"), [("add", 0), ("add", 1), ("sub", 0), ("sub", 1), ("rsub", 0), ("rsub", 1)])
def test_forms_of_sums_are_what_torch_computes(name: str, place: int) -> None:
    operands = [torch.tensor([3.0]), torch.tensor([3.0])]
    operands[place] = torch.tensor([0.5])
    value = 0.5
    for link, number in form_of(name, place, 3.0, 2.0) or ():
        value = {"add": value + number, "mul": value * number, "rsub": number - value}[link]
    assert value == getattr(torch, name)(*operands, alpha=2.0).item()


def _noise(**fields: Any) -> NoiseNode:
    return NoiseNode(Path((), Arithmetic.TORCH32, 10), "e", **fields)


def _step(func: Any, form: Any) -> Step:
    return Step(func, 0, [None, 1.0], {}, "step", form=form)


def test_steps_are_applied_to_noise() -> None:
    found = apply(_noise(), _step(aten.mul.Scalar, (("mul", 2), ("rdiv", 3.0))))
    assert (to_fraction(found.scale), found.power) == (F(3, 2), -1)
    assert apply(_noise(), _step(aten.mul.Scalar, (("mul", 0.0),))) == 0.0
    assert isinstance(apply(_noise(), _step(aten.sqrt.default, None)), Denied)
    assert isinstance(apply(_noise(), _step(aten.mul.Scalar, (("mul", 0.0), ("add", 1.0)))), Denied)


def test_numbers_are_added_to_logarithms_of_noise() -> None:
    found = apply(_noise(log=True), _step(aten.add.Scalar, (("add", 0.5),)))
    assert abs(float(found.scale) - math.exp(0.5)) < 1e-15
    turned = apply(_noise(log=True), _step(aten.rsub.Scalar, (("rsub", 0.5),)))
    assert (turned.sign, abs(float(turned.scale) - math.exp(-0.5)) < 1e-15) == (-1, True)


def test_what_is_lost_in_noise_is_nothing() -> None:
    assert apply(_noise(), _step(aten.add.Scalar, (("add", 2.0**-60),))).scale == 1


def _coin(dtype: torch.dtype = torch.float32) -> TorchNode:
    grid = uniform_grid(dtype)
    assert grid is not None
    return TorchNode(Path((), Arithmetic.TORCH32, 10).draw_coin("a", grid.size), grid)


def _then(node: Any, func: Any, form: Any, *others: Any) -> Any:
    return node.then(Step(func, 0, [None, *others], {}, func, form=form))


def test_coin_under_a_logarithm_is_noise() -> None:
    node = _then(_coin(), aten.log.default, (("log", 0),))
    found = noise_of(node)
    assert found is not None
    assert (found.sign, found.log, node.coin.role) == (-1, False, "-log(u)")
    assert noise_of(found) is found


def test_other_elements_are_no_noise() -> None:
    assert noise_of(_coin()) is None
    assert noise_of(_then(_coin(torch.float16), aten.log.default, (("log", 0),))) is None
    assert noise_of(_then(_coin(), aten.sqrt.default, None)) is None
    assert noise_of(_then(_coin(), aten.mul.Scalar, (("mul", 2.0),), 2.0)) is None
    assert noise_of(0.5) is None


GUMBELS: dict[str, Any] = {
    "of a uniform": lambda: -torch.log(-torch.log(torch.rand(3))),
    "of the rest": lambda: -torch.log(-torch.log(1 - torch.rand(3))),
    "log1p": lambda: -torch.log(-torch.log1p(-torch.rand(3))),
    "in place": lambda: torch.zeros(3).uniform_().log_().neg_().log_().neg_(),
    "guarded": lambda: -torch.log(-torch.log(torch.rand(3) + 1e-20) + 1e-20),
    "bounded": lambda: -torch.log((-torch.log(torch.rand(3).clamp(min=1e-20))).clamp_min(1e-20)),
    "exponential": lambda: -torch.empty(3).exponential_().log(),
    "distribution": lambda: torch.distributions.Gumbel(0.0, 1.0).sample((3,)),
}


@pytest.mark.parametrize("name", GUMBELS)
def test_gumbel_noise_wins_by_the_weights(name: str) -> None:
    """Logarithms of floats round: the odds are the weights' to some 2^-22."""
    found = exactly(lambda: int((torch.tensor(ROW).log() + GUMBELS[name]()).argmax()))
    assert found.keys() == {0, 1, 2}
    assert sum(found.values()) == 1
    assert all(abs(found[at] - F(weight) / 8) < F(1, 2**22) for at, weight in enumerate(ROW))


@pytest.mark.parametrize("name", GUMBELS)
def test_gumbel_noise_alone_is_fair(name: str) -> None:
    assert exactly(lambda: int(GUMBELS[name]().argmax())) == dict.fromkeys(range(3), F(1, 3))


def test_uniforms_as_exponential_variables_race_by_the_weights() -> None:
    found = exactly(lambda: int((torch.tensor(ROW) / -torch.log(torch.rand(3))).argmax()))
    assert found == {at: F(weight) / 8 for at, weight in enumerate(ROW)}
    again = exactly(lambda: int((-torch.log(torch.rand(3)) / torch.tensor(ROW)).argmin()))
    assert again == found


def test_ideal_noise_is_said() -> None:
    assert "noise of races made from uniforms: ideal" in reasons(
        law_of(lambda: int(GUMBELS["of a uniform"]().argmax()))
    )


def test_shared_gumbel_noise_couples_two_rows() -> None:
    """The same noise for p and q: the rows agree with the probability that the coupling has."""
    p, q = (torch.tensor(row) for row in ([1.0, 2.0, 1.0], [2.0, 1.0, 1.0]))

    def program() -> Any:
        noise = torch.empty(3).exponential_()
        return int((p / noise).argmax()), int((q / noise).argmax())

    found = exactly(program)
    p_fractions, q_fractions = [F(1, 4), F(1, 2), F(1, 4)], [F(1, 2), F(1, 4), F(1, 4)]
    match = sum(
        1 / sum(max(a / p_fractions[at], b / q_fractions[at]) for a, b in zip(p_fractions, q_fractions, strict=True))
        for at in range(3)
    )
    assert sum(share for (a, b), share in found.items() if a == b) == match
    for at in range(3):
        assert sum(share for (a, _), share in found.items() if a == at) == p_fractions[at]
        assert sum(share for (_, b), share in found.items() if b == at) == q_fractions[at]


def test_temperature_on_noise_is_refused() -> None:
    assert is_refused(lambda: int((GUMBELS["of a uniform"]() * 2).argmax()), "a temperature")


def test_coin_cannot_be_compared_and_race() -> None:
    def program() -> Any:
        u = torch.rand(3)
        return bool(u[0] < 0.5), int((-torch.log(u)).argmin())

    assert is_refused(program, "both in a comparison and as noise")
