"""BibTeX of this software and of the papers that theorems and mutants come from.

The one place of what a citation says of them; CITATION.cff says the same, which a test holds. Nothing here was checked
against the papers themselves, and every entry says so.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from proofs.errors import ProofsError

__all__ = ["PAPERS", "SOFTWARE", "Paper", "Software", "bibtex_of_paper", "bibtex_of_software", "keys_of", "papers_of"]

_UNCHECKED = "source unverified: this entry was not checked against the paper"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class Software(NamedTuple):
    """What is said of this software beside its version."""

    key: str
    title: str
    author: str
    released: str
    url: str | None


class Paper(NamedTuple):
    """What is said of a paper; `venue` is None for a preprint, or where none is known."""

    key: str
    arxiv: str
    title: str
    authors: tuple[str, ...]
    year: int
    venue: str | None = None


SOFTWARE = Software(
    "specdec-proofs",
    "specdec-proofs: the exact law of speculative decoding verifiers",
    "The specdec-proofs authors",
    "2026-11-30",
    None,
)

PAPERS: tuple[Paper, ...] = (
    Paper(
        "leviathan2023fast",
        "2211.17192",
        "Fast Inference from Transformers via Speculative Decoding",
        ("Leviathan, Yaniv", "Kalman, Matan", "Matias, Yossi"),
        2023,
        "International Conference on Machine Learning (ICML)",
    ),
    Paper(
        "chen2023accelerating",
        "2302.01318",
        "Accelerating Large Language Model Decoding with Speculative Sampling",
        (
            "Chen, Charlie", "Borgeaud, Sebastian", "Irving, Geoffrey", "Lespiau, Jean-Baptiste", "Sifre, Laurent",
            "Jumper, John",
        ),
        2023,
    ),
    Paper(
        "sun2023spectr",
        "2310.15141",
        "SpecTr: Fast Speculative Decoding via Optimal Transport",
        (
            "Sun, Ziteng", "Suresh, Ananda Theertha", "Ro, Jae Hun", "Beirami, Ahmad", "Jain, Himanshu", "Yu, Felix",
        ),
        2023,
        "Neural Information Processing Systems (NeurIPS)",
    ),
    Paper(
        "sun2025block",
        "2403.10444",
        "Block Verification Accelerates Speculative Decoding",
        (
            "Sun, Ziteng", "Mendlovic, Uri", "Leviathan, Yaniv", "Aharoni, Asaf", "Ro, Jae Hun", "Beirami, Ahmad",
            "Suresh, Ananda Theertha",
        ),
        2025,
        "International Conference on Learning Representations (ICLR)",
    ),
    Paper(
        "miao2023specinfer",
        "2305.09781",
        "SpecInfer: Accelerating Generative Large Language Model Serving with Tree-based Speculative Inference and "
        "Verification",
        (
            "Miao, Xupeng", "Oliaro, Gabriele", "Zhang, Zhihao", "Cheng, Xinhao", "Wang, Zeyu", "Zhang, Zhengxin",
            "Wong, Rae Ying Yee", "Zhu, Alan", "Yang, Lijie", "Shi, Xiaoxiang", "Shi, Chunan", "Chen, Zhuoming",
            "Arfeen, Daiyaan", "Abhyankar, Reyna", "Jia, Zhihao",
        ),
        2023,
    ),
    Paper(
        "jeon2024recursive",
        "2402.14160",
        "Recursive Speculative Decoding: Accelerating LLM Inference via Sampling Without Replacement",
        (
            "Jeon, Wonseok", "Gagrani, Mukul", "Goel, Raghavv", "Park, Junyoung", "Lee, Mingu", "Lott, Christopher",
        ),
        2024,
    ),
    Paper(
        "li2024eagle2",
        "2406.16858",
        "EAGLE-2: Faster Inference of Language Models with Dynamic Draft Trees",
        ("Li, Yuhui", "Wei, Fangyun", "Zhang, Chao", "Zhang, Hongyang"),
        2024,
    ),
    Paper(
        "cai2024medusa",
        "2401.10774",
        "Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads",
        (
            "Cai, Tianle", "Li, Yuhong", "Geng, Zhengyang", "Peng, Hongwu", "Lee, Jason D.", "Chen, Deming",
            "Dao, Tri",
        ),
        2024,
    ),
    Paper(
        "daliri2024coupling",
        "2408.07978",
        "Coupling without Communication and Drafter-Invariant Speculative Decoding",
        ("Daliri, Majid", "Musco, Christopher", "Suresh, Ananda Theertha"),
        2024,
    ),
)  # fmt: skip


def papers_of(source: str) -> tuple[Paper, ...]:
    """Return the papers that a theorem's source names.

    Parameters
    ----------
    source : str

    Returns
    -------
    tuple of Paper
        In the order of the text, each once; none where the source names no arXiv number.

    Raises
    ------
    ProofsError
        If a number is in no entry: a paper is never left out in silence.

    Examples
    --------
    >>> [paper.key for paper in papers_of("after Sun et al. 2023, arXiv:2310.15141 (source unverified)")]
    ['sun2023spectr']
    """
    known = {paper.arxiv: paper for paper in PAPERS}
    found: dict[str, Paper] = {}
    for number in re.findall(r"arXiv:\s*(\d{4}\.\d{4,5})", source):
        if number not in known:
            raise ProofsError(f"arXiv:{number} has no entry in proofs.bibliography; expected one of {', '.join(known)}")
        found[number] = known[number]
    return tuple(found.values())


def keys_of(papers: Iterable[Paper]) -> str:
    r"""Return the keys for ``\cite``, this software first.

    Parameters
    ----------
    papers : iterable of Paper

    Returns
    -------
    str
        Separated by commas.

    Examples
    --------
    >>> keys_of(())
    'specdec-proofs'
    """
    return ",".join([SOFTWARE.key, *(paper.key for paper in papers)])


def bibtex_of_software(version: str) -> str:
    """Return the entry of this software.

    Parameters
    ----------
    version : str

    Returns
    -------
    str
        An entry of kind misc, which every style knows; without a url while there is none.

    Raises
    ------
    ProofsError
        If the version is none: what stands in a field must not end it.

    Examples
    --------
    >>> print(bibtex_of_software("0.1.0").splitlines()[0])
    @misc{specdec-proofs,
    """
    if not re.fullmatch(r"[0-9A-Za-z.+!-]{1,40}", version):
        raise ProofsError(f"version is {version!a}; expected a number such as 0.1.0")
    year, month, _ = SOFTWARE.released.split("-")
    fields = {
        "author": f"{{{SOFTWARE.author}}}",
        "title": f"{{{SOFTWARE.title}}}",
        "year": year,
        "note": f"Version {version}, released {SOFTWARE.released}",
    }
    if SOFTWARE.url is not None:
        fields["howpublished"] = rf"\url{{{SOFTWARE.url}}}"
    return _entry("misc", SOFTWARE.key, fields, month=_MONTHS[int(month) - 1])


def bibtex_of_paper(paper: Paper) -> str:
    """Return the entry of a paper, with the remark that it was not checked.

    Parameters
    ----------
    paper : Paper

    Returns
    -------
    str
        No pages, and a venue only where one is known; the number in the arXiv always.

    Examples
    --------
    >>> print(bibtex_of_paper(PAPERS[0]).splitlines()[1])
    @inproceedings{leviathan2023fast,
    """
    fields = {
        "author": " and ".join(paper.authors),
        "title": f"{{{paper.title}}}",
        "year": str(paper.year),
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv",
    }
    if paper.venue is not None:
        fields["booktitle"] = paper.venue
    entry = _entry("misc" if paper.venue is None else "inproceedings", paper.key, fields)
    return f"% {_UNCHECKED}\n{entry}"


def _entry(kind: str, key: str, fields: dict[str, str], month: str | None = None) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    if month is not None:
        lines.append(f"  month = {month},")
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
