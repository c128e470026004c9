r"""Citations as LaTeX, as BibTeX and as Markdown: ASCII, the same bytes for the same run.

What is proved is set as a theorem and what is checked alone as a claim, so that the word that a reader sees is that of
the evidence. LaTeX needs amsmath and amsthm and no other package.
"""

import re
from collections.abc import Callable, Iterator

from proofs.bibliography import bibtex_of_paper, bibtex_of_software, keys_of
from proofs.citation import RunCitation, TheoremCitation
from proofs.formulas import formula_of_registry
from proofs.markup import escape_markdown, escape_tex, to_markdown, to_tex

__all__ = ["FORMATS", "FRAMES", "bibtex", "latex", "markdown"]

Cited = TheoremCitation | RunCitation

# What stands around the verdict in each format, so that it is no part of the paper.
FRAMES = {"latex": "% {}", "bibtex": "% {}", "markdown": "<!-- {} -->"}


def latex(cited: Cited) -> Iterator[str]:
    r"""Set a citation in LaTeX: an environment, the evidence behind it, the entries for a .bib file as comments.

    Parameters
    ----------
    cited : TheoremCitation or RunCitation

    Returns
    -------
    iterator of str
        Lines. The environment is ``theorem`` for what is proved and ``claim`` for what is checked alone.
    """
    yield f"% {_named(cited)}"
    yield f"% certificate sha256 {cited.digest}"
    if isinstance(cited, TheoremCitation):
        yield from _environment(cited)
        yield ""
        yield rf"\noindent Evidence: {_decapitalised(to_tex(cited.evidence.sentence))}"
        yield from _steps_in_tex(cited)
        yield f"Source: {escape_tex(_source(cited))}."
    else:
        yield rf"\noindent {to_tex(cited.sentence)}"
    yield f"Computed by specdec-proofs {cited.version}~\\cite{{{keys_of(())}}};"
    yield f"the certificate of this run is sealed with the SHA-256 {_broken(cited.digest)}."
    yield from _entries_in_comments(cited)


def _environment(cited: TheoremCitation) -> Iterator[str]:
    evidence = cited.evidence
    name, mark = ("theorem", "") if evidence.is_proof else ("claim", f": {evidence.kind}")
    sources = f", {_cited(cited)}" if cited.papers else ""
    yield f"% Needs amsmath and amsthm, and in the preamble: \\newtheorem{{{name}}}{{{name.capitalize()}}}"
    yield f"\\begin{{{name}}}[{to_tex(cited.theorem.id)}{mark}{sources}]"
    yield from cited.hypotheses
    yield to_tex(cited.theorem.statement)
    yield "In symbols:"
    yield r"\["
    yield f"  {formula_of_registry(cited.theorem.latex)}"
    yield r"\]"
    yield f"\\end{{{name}}}"


def _cited(cited: TheoremCitation) -> str:
    return rf"{{\cite{{{','.join(paper.key for paper in cited.papers)}}}}}"


def _steps_in_tex(cited: TheoremCitation) -> Iterator[str]:
    for name, text in cited.evidence.steps.items():
        yield rf"\emph{{{to_tex(name)}}}: {to_tex(text)}."


def _broken(digest: str) -> str:
    """Let a line end inside of the digest, or it would stand out into the margin."""
    parts = r"\allowbreak ".join(re.findall(".{1,8}", digest))
    return rf"\texttt{{{parts}}}"


def _entries_in_comments(cited: Cited) -> Iterator[str]:
    yield "%"
    yield "% For the .bib file (--format bibtex prints it alone):"
    for entry in _entries(cited):
        yield from (f"% {line}".rstrip() for line in entry.removeprefix("% ").splitlines())


def bibtex(cited: Cited) -> Iterator[str]:
    """Return the entries of this software and of the papers.

    Parameters
    ----------
    cited : TheoremCitation or RunCitation

    Returns
    -------
    iterator of str
        Lines; what is cited, its evidence and the certificate's hash stand above the entries, where BibTeX reads none.
    """
    yield f"% {_named(cited)}"
    yield f"% certificate sha256 {cited.digest}"
    for entry in _entries(cited):
        yield ""
        yield from entry.splitlines()
    yield ""


def _entries(cited: Cited) -> Iterator[str]:
    yield bibtex_of_software(cited.version)
    yield from map(bibtex_of_paper, cited.papers)


def markdown(cited: Cited) -> Iterator[str]:
    """Set a citation in Markdown, formulas between dollar signs.

    Parameters
    ----------
    cited : TheoremCitation or RunCitation

    Returns
    -------
    iterator of str
        Lines; the formula of a theorem and the entries stand in fenced blocks.
    """
    if isinstance(cited, TheoremCitation):
        proved = cited.evidence.is_proof
        kind, mark = ("Theorem", "") if proved else ("Claim", f", {cited.evidence.kind}")
        yield f"**{kind}** (`{cited.theorem.id}`{mark}). {' '.join(map(_plain, cited.hypotheses))}"
        yield from ("", to_markdown(cited.theorem.statement), "")
        yield from ("```math", formula_of_registry(cited.theorem.latex), "```", "")
        yield f"Evidence: {_decapitalised(to_markdown(cited.evidence.sentence))}"
        yield ""
        yield from (f"- *{to_markdown(name)}*: {to_markdown(text)}." for name, text in cited.evidence.steps.items())
        yield from ("", f"Source: {escape_markdown(_source(cited))}.", "")
    else:
        yield from (to_markdown(cited.sentence), "")
    sealed = f"the run's certificate is sealed with the SHA-256 `{cited.digest}`"
    yield f"Computed by specdec-proofs {cited.version}; {sealed}."
    yield from ("", "```bibtex")
    for entry in _entries(cited):
        yield from entry.splitlines()
    yield "```"


def _source(cited: TheoremCitation) -> str:
    """Return where the statement is from; what is stated by this package is so said of it by name."""
    return re.sub(r"\bstated here\b", "stated by specdec-proofs", cited.theorem.source)


def _plain(hypothesis: str) -> str:
    """Avoid what Markdown itself reads inside of a formula."""
    return hypothesis.replace(r"\,", " ").replace("*", r"\ast")


def _named(cited: Cited) -> str:
    if isinstance(cited, TheoremCitation):
        return f"specdec-proofs {cited.version}, {cited.theorem.id} ({cited.evidence.kind})"
    return f"specdec-proofs {cited.version}, a run of the whole registry"


def _decapitalised(text: str) -> str:
    return text[0].lower() + text[1:]


FORMATS: dict[str, Callable[[Cited], Iterator[str]]] = {"latex": latex, "bibtex": bibtex, "markdown": markdown}
