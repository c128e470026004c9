"""The definitions of a theorem, as they are handed out."""

import pytest

from proofs.errors import ProofsError
from proofs.hypotheses import hypotheses_of


def test_conventions_at_zero_over_zero_are_said() -> None:
    text = " ".join(hypotheses_of("lossless"))
    assert "$a(x) = 1$ where $q(x) = 0$" in text
    assert "$r = p$ where $p = q$" in text
    assert "entries $\\ge 0$ with the sum $1$" in text


def test_theorem_without_an_entry_is_refused() -> None:
    with pytest.raises(ProofsError, match="theorem 'nothing' has no hypotheses"):
        hypotheses_of("nothing")
