import hashlib
import json
from fractions import Fraction
from typing import Any

import pytest

from proofs.errors import ProofsError
from proofs.sealing import (
    STATEMENTS,
    canonical,
    certificate_digest,
    computed_claim,
    digest_of,
    document,
    ratio,
    sealed,
)


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0/1"), (2, "2/1"), (Fraction(-2, 4), "-1/2"), (Fraction(10**3999), f"{10**3999}/1")]
)
def test_ratio(value: Any, text: str) -> None:
    assert ratio(value) == text


def test_ratio_of_too_many_digits() -> None:
    with pytest.raises(ProofsError, match="4000 digits"):
        ratio(Fraction(1, 10**4000))


@pytest.mark.parametrize("value", [0.5, Fraction(1, 2), {1: "a"}, {"a": [float("nan")]}, (1, 2), b"a"])
def test_canonical_refuses(value: Any) -> None:
    with pytest.raises(ProofsError, match="expected"):
        canonical(value)


def test_digest_is_of_the_text_without_it() -> None:
    made = document("rows", [{"id": "\u00e9"}], keys=["p", "q"], outcome="as claimed")
    data = sealed(made)
    assert data.isascii()
    found = json.loads(data)
    digest = found.pop("sha256")
    assert found == made
    assert digest == hashlib.sha256(canonical(found)).hexdigest() == certificate_digest(data) == digest_of(made)
    assert data.splitlines()[-2].startswith(b' "sha256"')


def test_empty_or_late() -> None:
    with pytest.raises(ProofsError, match="no claims"):
        document("rows", [])
    with pytest.raises(ProofsError, match="'zeta'"):
        sealed({"zeta": 1})


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"rows", b"cows"),
        lambda data: data[:-1],
        lambda data: b"[]",
        lambda data: b"{}",
        lambda data: b"[" * 10**5,
        lambda data: data.replace(b"1", b"1.5"),
        lambda data: b"\xff",
        lambda data: data.replace(b'"sha256"', b'"sha256": "0",\n "sha256"'),
    ],
)
def test_digest_of_a_changed_file(change: Any) -> None:
    data = change(sealed({"claims": [1], "kind": "rows"}))
    with pytest.raises(ProofsError, match="certificate|document"):
        certificate_digest(data)


def test_computed_claim() -> None:
    claim = computed_claim("verdict", "biased", id="verdict")
    assert claim["statement"] == STATEMENTS["verdict", "biased"]
    assert claim["status"] == "biased"
    assert "status" not in computed_claim("row", id="I2")
