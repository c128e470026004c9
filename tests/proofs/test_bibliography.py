"""BibTeX: complete for the registry, the same as CITATION.cff, and nothing that was not known."""

import re
import tomllib
from pathlib import Path

import pytest
from cffconvert import Citation  # type: ignore[import-untyped]

import specdec
from proofs.bibliography import (
    PAPERS,
    SOFTWARE,
    bibtex_of_paper,
    bibtex_of_software,
    keys_of,
    papers_of,
)
from proofs.errors import ProofsError
from proofs.runner import REGISTRY

ROOT = Path(__file__).parents[2]
CITATION = Citation((ROOT / "CITATION.cff").read_text(encoding="utf-8")).cffobj


def test_software_is_that_of_the_citation_file() -> None:
    assert SOFTWARE.title == CITATION["title"]
    assert [SOFTWARE.author] == [author["name"] for author in CITATION["authors"]]
    assert str(CITATION["date-released"]) == SOFTWARE.released
    assert CITATION.get("repository-code", CITATION.get("url")) == SOFTWARE.url
    assert str(CITATION["version"]) == specdec.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == SOFTWARE.key
    assert project["authors"] == [{"name": SOFTWARE.author}]


def test_papers_are_those_of_the_citation_file() -> None:
    stated = [
        (
            reference["identifiers"][0]["value"].removeprefix("arXiv:"),
            reference["title"],
            tuple(f"{author['family-names']}, {author['given-names']}" for author in reference["authors"]),
            reference["year"],
            reference.get("collection-title"),
        )
        for reference in CITATION["references"]
    ]
    assert [(p.arxiv, p.title, p.authors, p.year, p.venue) for p in PAPERS] == stated


def test_every_paper_of_the_registry_has_an_entry() -> None:
    sources = [*(one.source for one in REGISTRY.theorems), *(one.source for one in REGISTRY.mutants)]
    numbers = {number for source in sources for number in re.findall(r"\d{4}\.\d{4,5}", source)}
    assert numbers
    assert numbers <= {paper.arxiv for paper in PAPERS}
    for source in sources:
        assert {paper.arxiv for paper in papers_of(source)} == set(re.findall(r"arXiv:(\d{4}\.\d{4,5})", source))


def test_paper_without_an_entry_is_refused() -> None:
    with pytest.raises(ProofsError, match="arXiv:9999.12345 has no entry"):
        papers_of("after nobody, arXiv:9999.12345")
    assert papers_of("stated here") == ()


def test_papers_of_a_source_come_once_and_in_its_order() -> None:
    keys = [paper.key for paper in papers_of("arXiv:2302.01318; arXiv:2211.17192; arXiv:2302.01318")]
    assert keys == ["chen2023accelerating", "leviathan2023fast"]
    assert keys_of(papers_of("arXiv:2302.01318")) == "specdec-proofs,chen2023accelerating"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_entry_is_whole_and_says_that_it_was_not_checked(paper: object) -> None:
    entry = bibtex_of_paper(paper)  # type: ignore[arg-type]
    assert entry.startswith("% source unverified")
    assert entry.isascii()
    assert entry.count("{") == entry.count("}")
    assert "@" not in entry.partition("\n")[0], "BibTeX would take it for an entry"
    assert "pages" not in entry


def test_keys_are_their_own() -> None:
    keys = [SOFTWARE.key, *(paper.key for paper in PAPERS)]
    assert len(keys) == len(set(keys))
    assert all(re.fullmatch("[a-z0-9-]+", key) for key in keys)


@pytest.mark.parametrize("version", ["", "1}", "not installed", "1\n", "\N{FULLWIDTH DIGIT ONE}.0"])
def test_version_that_is_none_is_refused(version: str) -> None:
    with pytest.raises(ProofsError, match="expected a number"):
        bibtex_of_software(version)


def test_entry_of_the_software() -> None:
    assert bibtex_of_software("1.2").splitlines() == [
        "@misc{specdec-proofs,",
        "  author = {{The specdec-proofs authors}},",
        "  title = {{specdec-proofs: the exact law of speculative decoding verifiers}},",
        f"  year = {{{SOFTWARE.released[:4]}}},",
        f"  note = {{Version 1.2, released {SOFTWARE.released}}},",
        "  month = nov,",
        "}",
    ]
