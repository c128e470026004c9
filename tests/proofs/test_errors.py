"""The exact layer's refusals are ValueErrors too."""

import pytest

from proofs import errors


@pytest.mark.parametrize("name", ["InexactError", "NotADistributionError", "ShapeError"])
def test_every_error_is_a_value_error_with_a_docstring(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, errors.ProofsError)
    assert issubclass(kind, ValueError)
    assert kind.__doc__
