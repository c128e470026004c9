"""The policies have one home: what the functions, the command and its output name are the same three."""

import pytest

import proofs
from proofs.policies import POLICIES
from proofs.rows import Options, opening_line


def test_every_policy_is_taken_everywhere() -> None:
    assert set(POLICIES) == {"exact", "strict", "as-given"}
    for policy in POLICIES:
        assert proofs.from_floats([0.5, 0.5], policy) == (proofs.exact("1/2"),) * 2
        assert f"(policy: {policy})" in opening_line(Options(policy=policy))


def test_unknown_policy_is_refused_and_not_taken_for_another() -> None:
    with pytest.raises(ValueError, match="'round' is not a policy; expected one of exact, strict, as-given"):
        Options(policy="round")
