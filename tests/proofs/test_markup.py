"""Text as LaTeX and Markdown: what comes from elsewhere is printed and never acted on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.markup import escape_markdown, escape_tex, to_markdown, to_tex
from tests.latex_structure import problems

HOSTILE = [
    r"\input{/etc/passwd}",
    "a%b",
    "a_b^c",
    "#1 & $x$",
    "}{",
    "~`'\"",
    "line\nend\r\n\\end{document}",
    "\x00\x1b[0m",
    "\N{LATIN SMALL LETTER U WITH DIAERESIS} \N{GREEK SMALL LETTER ALPHA} \u2028",
    "^^5cinput x",
    r"\write18{ls}",
    "<>|",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_harmless_in_latex(text: str) -> None:
    escaped = escape_tex(text)
    assert problems(escaped) == []
    assert "\n" not in escaped
    assert "^^" not in escaped


@given(st.text())
def test_any_text_is_harmless_in_latex_and_on_one_line(text: str) -> None:
    assert problems(escape_tex(text)) == []
    assert problems(f"\\newcommand{{\\emph}}{{{escape_tex(text)}}}") == []
    assert len(escape_markdown(text).splitlines()) <= 1


def test_text_that_needs_nothing_stays() -> None:
    assert escape_tex("gamma 1, 2, V = 3: 46 inputs") == "gamma 1, 2, V = 3: 46 inputs"
    assert escape_markdown("gamma 1, 2") == "gamma 1, 2"


def test_characters_that_are_none_of_ascii_are_spelled() -> None:
    assert escape_tex("\N{GREEK SMALL LETTER ALPHA}") == r"\textbackslash{}u03b1"


def test_markdown_reads_none_of_its_signs() -> None:
    assert escape_markdown("*a* [b](c) <d> `e` $f$") == r"\*a\* \[b\](c) \<d\> \`e\` \$f\$"


def test_sentences_keep_their_spaces() -> None:
    assert to_tex("of p and 100% of them, x_y z") == r"of $p$ and 100\% of them, $x_y$ z"
    assert to_markdown("the rule's alpha is one_sibling") == r"the rule's $\alpha$ is one\_sibling"
