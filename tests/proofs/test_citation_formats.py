r"""Citations as they are printed: LaTeX that closes (and compiles, where there is LaTeX), BibTeX, Markdown."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from proofs.bibliography import PAPERS
from proofs.citation import PROVED
from proofs.citation_formats import FORMATS, FRAMES, bibtex, latex, markdown
from proofs.runner import REGISTRY
from tests.cited import DIGEST, citation_of, citation_of_the_run
from tests.latex_structure import problems

IDS = [theorem.id for theorem in REGISTRY.theorems]


@pytest.mark.parametrize("theorem", IDS)
def test_latex_of_a_theorem_closes(theorem: str) -> None:
    cited = citation_of(theorem)
    text = "\n".join(latex(cited))
    assert problems(text) == []
    name = "theorem" if cited.evidence.kind == PROVED else "claim"
    assert text.count(f"\\begin{{{name}}}[") == 1
    assert re.findall(r"\\begin\{(\w+)\}", text) == [name]
    assert (": checked, not proved" in text) is (name == "claim")
    body = text.partition(f"\\begin{{{name}}}")[2].partition(f"\\end{{{name}}}")[0]
    for hypothesis in cited.hypotheses:
        assert hypothesis in body
    assert "\\[\n" in body
    for paper in cited.papers:
        assert paper.key in body
        assert f"%   eprint = {{{paper.arxiv}}}" in text


def test_latex_of_a_run_closes() -> None:
    text = "\n".join(latex(citation_of_the_run()))
    assert problems(text) == []
    assert "begin" not in text
    assert all(paper.key in text for paper in citation_of_the_run().papers)


@pytest.mark.parametrize("broken", ["{", "}", "$x", "a_b", "x^2", r"\input{a}", r"\begin{theorem}", r"\end{claim}",
                                    "$x_1_2$", "$x^$", "a < b", "50 | 60", r"\def\a{}", "\u00fc", "$$", "$ $", "#",
                                    r"\begin{document}", "\t", "&"])  # fmt: skip
def test_structure_that_is_broken_is_seen(broken: str) -> None:
    """The judge of the tests above is judged."""
    assert problems(broken)


def test_structure_that_is_right_is_left_alone() -> None:
    assert problems("a $x_1^2 < \\frac{1}{2}$ of 50\\% \\[ y \\]\n% comment {\n\\begin{claim}[a\\_b]\\end{claim}") == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("theorem", [*IDS, ""])
def test_every_format_says_hash_version_and_evidence(theorem: str, form: str) -> None:
    cited = citation_of(theorem) if theorem else citation_of_the_run()
    text = "\n".join(FORMATS[form](cited))
    assert text.isascii()
    assert DIGEST in text
    assert "1.2.3" in text
    assert "@misc{specdec-proofs," in text
    assert not re.search(r"\bTrue\b|\bNone\b|<proofs|object at", text)
    if theorem:
        assert theorem in text.replace("\\_", "_")
        assert citation_of(theorem).evidence.kind.partition(",")[0] in text


def test_bibtex_is_entries_and_comments_alone() -> None:
    for cited in (citation_of("lossless"), citation_of("single_token"), citation_of_the_run()):
        text = "\n".join(bibtex(cited))
        keys = re.findall(r"^@\w+\{([^,]+),$", text, flags=re.MULTILINE)
        assert keys == ["specdec-proofs", *(paper.key for paper in cited.papers)]
        outside = re.sub(r"^@\w+\{.*?^\}$", "", text, flags=re.MULTILINE | re.DOTALL)
        assert all(line.startswith("% ") or not line for line in outside.splitlines())
        assert "@" not in outside


def test_markdown_has_its_fences_closed_and_its_source() -> None:
    for theorem in IDS:
        text = "\n".join(markdown(citation_of(theorem)))
        assert re.findall("^```.*$", text, flags=re.MULTILINE) == ["```math", "```", "```bibtex", "```"]
        assert text.partition("```")[0].count("$") % 2 == 0
        assert "Source: " in text
        assert "stated here" not in text


def test_verdict_is_a_comment_in_every_format() -> None:
    assert set(FRAMES) == set(FORMATS)
    assert FRAMES["latex"].startswith("% ")
    assert FRAMES["markdown"].startswith("<!-- ")
    assert FRAMES["markdown"].endswith(" -->")


def test_every_theorem_compiles_where_there_is_latex(tmp_path: Path) -> None:
    """With amsmath and amsthm alone; without LaTeX this is skipped, and the structure above is all that is known."""
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex: that the citations compile was not looked at")
    parts = ["\n".join(latex(citation_of(theorem))) for theorem in IDS] + ["\n".join(latex(citation_of_the_run()))]
    head = ["\\documentclass{article}", "\\usepackage{amsmath,amsthm}", "\\newtheorem{theorem}{Theorem}"]
    head += ["\\newtheorem{claim}{Claim}", "\\begin{document}"]
    keys = ["specdec-proofs", *(paper.key for paper in PAPERS)]
    items = "\n".join(f"\\bibitem{{{key}}} {key}" for key in keys)
    foot = ["\\begin{thebibliography}{9}", items, "\\end{thebibliography}", "\\end{document}"]
    (tmp_path / "all.tex").write_text("\n".join([*head, *parts, *foot]), encoding="ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    for _ in range(2):
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert run.returncode == 0, run.stdout[-2000:]
    assert "undefined" not in run.stdout
