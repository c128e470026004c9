"""Every refusal is a ValueError, so that callers need not know this package's classes."""

import pytest

from specdec import errors


@pytest.mark.parametrize("name", ["NotADistributionError", "ShapeError", "TokenError"])
def test_every_error_is_a_value_error_with_a_docstring(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, errors.SpecdecError)
    assert issubclass(kind, ValueError)
    assert kind.__doc__
