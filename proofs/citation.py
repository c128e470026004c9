"""What is cited: a theorem with its evidence in one sentence, or a whole run in numbers.

Nothing here decides how it is set, which `proofs.citation_formats` does, and nothing is cited from a run that is not
as claimed in every part: the caller looks at the run's conclusion first, `evidence_of` at each result once more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofs.bibliography import PAPERS, Paper, papers_of
from proofs.errors import ProofsError
from proofs.hypotheses import hypotheses_of
from proofs.induction import WORDS
from proofs.runner import Run, TheoremResult
from proofs.theorems import Theorem
from proofs.verdicts import Outcome

__all__ = [
    "CHECKED",
    "MACHINE_CHECKED",
    "PROVED",
    "Evidence",
    "RunCitation",
    "TheoremCitation",
    "cite_run",
    "cite_theorem",
    "evidence_of",
]

MACHINE_CHECKED, PROVED, CHECKED = "machine-checked", "proved", "checked, not proved"
_NOBODY: Mapping[str, str] = {}


@dataclass(frozen=True)
class Evidence:
    """How far a claim reaches.

    Attributes
    ----------
    kind : str
        The furthest: "machine-checked", "proved", or "checked, not proved".
    sentence : str
        Plain text in one sentence; it says of a check that it is no proof.
    steps : dict of str to str
        The steps argued in words, by their names.
    """

    kind: str
    sentence: str
    steps: dict[str, str]

    @property
    def is_proof(self) -> bool:
        """Whether what it is about may be called a theorem."""
        return self.kind != CHECKED


@dataclass(frozen=True)
class TheoremCitation:
    """A theorem of one version, with its hypotheses, its evidence and the papers that it is from."""

    theorem: Theorem
    hypotheses: tuple[str, ...]
    evidence: Evidence
    papers: tuple[Paper, ...]
    version: str
    digest: str


@dataclass(frozen=True)
class RunCitation:
    """A whole run: how many claims have which evidence, in one sentence."""

    sentence: str
    papers: tuple[Paper, ...]
    version: str
    digest: str


def evidence_of(result: TheoremResult, refuted: int, machine_checked: str | None = None) -> Evidence:
    """Return the evidence of one result, in one sentence that claims no more than was done.

    Parameters
    ----------
    result : TheoremResult
    refuted : int
        How many mutants the theorem refuted in the same run.
    machine_checked : str or None
        What a proof assistant checked, as the middle of a sentence: "machine-checked in ..."; None where it did not in
        this run.

    Returns
    -------
    Evidence

    Raises
    ------
    ProofsError
        If the result is not as claimed: a theorem that fails, or was checked on nothing, is not cited.

    Examples
    --------
    >>> from proofs.runner import REGISTRY, TheoremResult, examine
    >>> single = next(theorem for theorem in REGISTRY.theorems if theorem.id == "single_token")
    >>> evidence_of(examine(single), 3).kind
    'proved'
    """
    if result.finding.outcome is not Outcome.AS_CLAIMED:
        raise ProofsError(f"theorem {result.theorem.id} is not cited: {result.finding.text}; run it and see why")
    proof = result.proof
    goals, words = (None, ()) if proof is None else (len(proof.goals), proof.words)
    asked = f", and on {_counted(result.asked, 'case')} asked of Hypothesis" if result.asked else ""
    cases = f"{_cases(result.grid, result.named, result.theorem.domain.words)}{asked}"
    return _evidence(goals, words, cases, refuted, machine_checked)


def evidence_of_claim(claim: Mapping[str, Any]) -> Evidence:
    """Return the evidence of a theorem as a certificate has it, in one sentence.

    Parameters
    ----------
    claim : mapping
        Of `proofs.certificates.theorem_claim`, and known to be right: `proofs.certified` looks.

    Returns
    -------
    Evidence
        Machine-checked evidence is left out: only a run can tell that it holds.
    """
    parts = {part["kind"]: part for part in claim["evidence"]}
    proved, reach = parts.get("proved"), claim["reach"]
    goals, words = (None, ()) if proved is None else (proved["goals"], proved["in_words"])
    cases = _cases(reach["grid"], reach["named"], reach["words"])
    return _evidence(goals, words, cases, len(parts["refutes"]["mutants"]), None)


def _evidence(
    goals: int | None, words: Sequence[str], cases: str, refuted: int, machine_checked: str | None
) -> Evidence:
    steps = {word: WORDS[word] for word in words}
    proofs = [part for part in (machine_checked, _proved(goals, steps)) if part]
    caution = "" if proofs else ", without a difference, which is no proof"
    checked = f"checked in exact rationals, with zero tolerance, on {cases}{caution}"
    beside = f"in the same run {_counted(refuted, 'mutant')} of the rule or of a report about it failed on it"
    sentence = "; ".join([*proofs, checked, beside])
    kind = MACHINE_CHECKED if machine_checked else PROVED if proofs else CHECKED
    return Evidence(kind, f"{sentence[0].upper()}{sentence[1:]}.", steps)


def _proved(goals: int | None, steps: Mapping[str, str]) -> str:
    if goals is None:
        return ""
    argued = f" and by steps argued in words ({', '.join(steps)})" if steps else ""
    reach = "for every input and every V that the statement speaks of"
    return f"proved {reach}, by {_counted(goals, 'goal')} that SymPy decides on symbols{argued}"


def _cases(grid: int, named: int, words: str) -> str:
    return f"{grid} {words}" + (f", and on {_counted(named, 'named pair')}" if named else "")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def cite_theorem(
    run: Run, theorem: str, version: str, digest: str, machine_checked: Mapping[str, str] = _NOBODY
) -> TheoremCitation:
    """Return the citation of a theorem that a run was about.

    Parameters
    ----------
    run : Run
        Complete, and as claimed.
    theorem : str
        Its id.
    version : str
        Of this project.
    digest : str
        The sha256 of the run's certificate.
    machine_checked : mapping of theorem id to str
        What a proof assistant checked in this run; see `evidence_of`.

    Returns
    -------
    TheoremCitation

    Raises
    ------
    ProofsError
        If the run has no result for the theorem, or one that is not as claimed.
    """
    result = next((result for result in run.theorems if result.theorem.id == theorem), None)
    if result is None:
        raise ProofsError(f"theorem {theorem!a} has no result in this run; expected one that was selected")
    good = (m for m in run.mutants if m.finding.outcome is Outcome.AS_CLAIMED and theorem in m.witnesses)
    evidence = evidence_of(result, sum(1 for _ in good), machine_checked.get(theorem))
    stated = result.theorem
    return TheoremCitation(stated, hypotheses_of(theorem), evidence, papers_of(stated.source), version, digest)


def cite_run(run: Run, version: str, digest: str, machine_checked: Mapping[str, str] = _NOBODY) -> RunCitation:
    """Return the citation of everything that a run was about.

    Parameters
    ----------
    run : Run
        Complete, and as claimed.
    version, digest : str
        Of this project; the sha256 of the run's certificate.
    machine_checked : mapping of theorem id to str
        What a proof assistant checked in this run; see `evidence_of`.

    Returns
    -------
    RunCitation
        Its papers are those that the theorems of the run are from.

    Raises
    ------
    ProofsError
        If a result is not as claimed.
    """
    evidence = [evidence_of(result, 0, machine_checked.get(result.theorem.id)) for result in run.theorems]
    sources = (result.theorem.source for result in run.theorems)
    return cite_evidence(evidence, len(run.mutants), sources, version, digest)


def cite_evidence(
    evidence: Sequence[Evidence], mutants: int, sources: Iterable[str], version: str, digest: str
) -> RunCitation:
    """Return the citation of a whole run from the evidence of its theorems.

    Parameters
    ----------
    evidence : sequence of Evidence
    mutants : int
        How many were refuted.
    sources : iterable of str
        Of the theorems.
    version, digest : str

    Returns
    -------
    RunCitation

    Examples
    --------
    >>> single = Evidence("checked, not proved", "Checked.", {})
    >>> cite_evidence([single], 2, ["stated here"], "0.1.0", "").papers
    ()
    """
    kinds = [one.kind for one in evidence]
    checked, by_machine = kinds.count(CHECKED), kinds.count(MACHINE_CHECKED) or "none of them"
    steps = len({step for one in evidence for step in one.steps})
    symbols = sum("SymPy" in one.sentence for one in evidence)
    sentence = (
        f"Of {_counted(len(kinds), 'theorem')} in one run, {len(kinds) - checked} were proved for every input and "
        f"every V that the statement speaks of ({symbols} by goals that SymPy decides on symbols and "
        f"{_counted(steps, 'step')} argued in words, {by_machine} machine-checked in this run); "
        f"{checked} others were checked in exact rationals "
        f"on finitely many cases, which is no proof; {_counted(mutants, 'mutant')} of the rules were refuted."
    )
    named = {paper.arxiv for source in sources for paper in papers_of(source)}
    return RunCitation(sentence, tuple(paper for paper in PAPERS if paper.arxiv in named), version, digest)
