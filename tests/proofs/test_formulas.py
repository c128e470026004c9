"""Formulas in plain sentences: where they begin and end, and that nothing of a sentence is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.formulas import formula, formula_of_registry, pieces
from proofs.induction import WORDS
from proofs.runner import REGISTRY
from tests.latex_structure import problems

SENTENCES = [
    *(theorem.statement for theorem in REGISTRY.theorems),
    *(theorem.domain.words for theorem in REGISTRY.theorems),
    *WORDS.values(),
]


def _marked(sentence: str) -> str:
    return "".join(f"${piece.text}$" if piece.is_formula else piece.text for piece in pieces(sentence))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("", ""),
        ("nothing to be set", "nothing to be set"),
        ("a coupling c of q and p has entries >= 0", r"a coupling $c$ of $q$ and $p$ has entries $\ge 0$"),
        ("keep-probabilities a: if q a <= p", r"keep-probabilities $a$: if $q a \le p$"),
        ("the sum over x^i of prod min(p_j, q_j), which", r"the sum over $x^i$ of $\prod \min(p_j, q_j)$, which"),
        ("(V = 1 and 2, one at V = 3)", "($V = 1$ and $2$, one at $V = 3$)"),
        ("r in (0, 1]: l <= l'", r"$r$ in $(0, 1]$: $l \le l'$"),
        ("1 + p(H) - Pr(S subset of H) over", r"$1 + p(H) - \Pr(S \subseteq H)$ over"),
        ("a subset of them", "a subset of them"),
        ("alpha^(gamma + 1) and (1 - beta)**k", r"$\alpha^{\gamma + 1}$ and $(1 - \beta)^k$"),
        ("from (p - q)+ normalised", "from $(p - q)_+$ normalised"),
        ("E[tokens]/(gamma c + 1), rises", r"$E[\mathrm{tokens}]/(\gamma c + 1)$, rises"),
        ("typical_decision of the target's", "typical_decision of the target's"),
    ],
)
def test_formulas_are_found(sentence: str, expected: str) -> None:
    assert _marked(sentence) == expected


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_of_the_registry_are_set(sentence: str) -> None:
    """Formulas close, and what is left as text has no formula in it that a reader would miss."""
    for piece in pieces(sentence):
        if piece.is_formula:
            assert problems(f"${piece.text}$") == []
        else:
            assert not re.search(r"[<>^|=]|\b(?:alpha|gamma|rho|tau)\b", piece.text)


@given(st.text(alphabet="ab pq()[]{}_^+-<=>|/.,*0\\$%"))
def test_any_sentence_is_taken_apart_without_loss(sentence: str) -> None:
    """Formulas of odd texts may be odd; no backslash, dollar or per cent sign of a text gets into one."""
    found = pieces(sentence)
    words = "".join(re.sub(r"\\[A-Za-z]+", "", piece.text) for piece in found if piece.is_formula)
    assert not set(words) & set("\\$%")
    text = "".join(piece.text for piece in found if not piece.is_formula)
    assert sum(map(sentence.count, "$%")) == sum(map(text.count, "$%"))


def test_commands_of_a_formula() -> None:
    assert formula("min(epsilon, delta exp(-H(p)))") == r"\min(\varepsilon, \delta \exp(-H(p)))"
    assert formula("p(. | v) - a(v .)") == r"p(\cdot \mid v) - a(v \cdot)"
    assert formula("TV(p, law) < oo") == r"\mathrm{TV}(p, \mathrm{law}) < \infty"


@pytest.mark.parametrize("theorem", REGISTRY.theorems, ids=lambda theorem: theorem.id)
def test_formula_of_the_registry_closes_and_sets_names_upright(theorem: object) -> None:
    latex = formula_of_registry(theorem.latex)  # type: ignore[attr-defined]
    assert problems(f"${latex}$") == []
    bare = re.sub(r"\\(?:text|mathrm)\{[^{}]*\}|\\[A-Za-z]+", "", latex)
    assert not re.search("dist|TV|supp|kept|top|syn|ens|Gumbel|MinHash", bare)


def test_text_inside_a_formula_is_left_alone() -> None:
    assert formula_of_registry(r"\text{law kept},\ kept") == r"\text{law kept},\ \mathrm{kept}"
