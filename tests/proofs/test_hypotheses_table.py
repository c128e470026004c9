"""The table of definitions: every theorem has some, every definition is used, and all of them can be set."""

import re

import pytest

from proofs.hypotheses_table import DEFINITIONS, NEEDED
from proofs.runner import REGISTRY
from tests.latex_structure import problems

# Letters that a formula binds itself, by a quantifier or a sum, or that are numbers and functions of LaTeX.
_BOUND = r"\\forall|\\exists|\\sum_|\\prod_|\\min_|\\max_"


def test_every_theorem_has_its_definitions_and_no_other() -> None:
    assert list(NEEDED) == [theorem.id for theorem in REGISTRY.theorems]


def test_every_definition_is_used_and_known() -> None:
    assert {name for names in NEEDED.values() for name in names} == set(DEFINITIONS)
    assert all(len(names) == len(set(names)) and names for names in NEEDED.values())


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definition_can_be_set(name: str) -> None:
    text = DEFINITIONS[name]
    assert problems(text) == []
    assert text.endswith(".")
    outside = "".join(text.split("$")[::2])
    assert not re.search(r"[\\_^*`<>|#&\[\]]", outside), "Markdown and LaTeX read the text outside of formulas alike"


@pytest.mark.parametrize("theorem", NEEDED)
def test_rows_or_processes_come_first(theorem: str) -> None:
    """The vocabulary is finite, and rows are distributions: said of everything that is cited."""
    first = DEFINITIONS[NEEDED[theorem][0]]
    assert first.startswith(("Let $V \\ge 1$ be the number of tokens", "$0 \\le \\alpha \\le 1$"))


GREEK = r"\\(?:alpha|beta|gamma|delta|varepsilon|rho|tau|pi)\b"


@pytest.mark.parametrize("theorem", REGISTRY.theorems, ids=lambda theorem: theorem.id)
def test_symbols_of_a_formula_are_defined(theorem: object) -> None:
    """Greek letters and names: in a definition, or bound by a quantifier of the formula itself."""
    latex, name = theorem.latex, theorem.id  # type: ignore[attr-defined]
    defined = " ".join(DEFINITIONS[one] for one in NEEDED[name])
    symbols = {*re.findall(GREEK, latex), *re.findall(r"(?<![A-Za-z\\])(?:TV|dist|supp)(?![A-Za-z])", latex)}
    bound = " ".join(re.findall(r"\\(?:forall|exists)[^:]*", latex))
    assert {symbol for symbol in symbols if symbol not in defined and symbol not in bound} == set()
    if re.search(r"(?<![A-Za-z])a\(", latex) or " r(" in latex or "_+" in latex:
        assert "(x)" in defined or "a(v" in defined or "p(x" in defined
