"""What Coq made of the library in `proofs/coq`, and what that is worth. Needs no Coq itself."""

from dataclasses import dataclass, field

from proofs.verdicts import Finding, Outcome

__all__ = ["CoqRun"]


@dataclass
class CoqRun:
    """What was asked of Coq, and what came of it in this run.

    Attributes
    ----------
    stated : mapping of theorem id to file name
        Theorems of the run that are stated in the library, under their ids.
    wanted : bool
        Whether Coq was asked for.
    version : str
        Of Coq; "" where it was not run.
    sources, objects : mapping of file name to sha256
        The sources that were compiled in this run, and what came of each of them.
    checked : mapping of theorem id to file name
        Theorems that were compiled and rest on no axiom.
    uses : mapping of file name to tuple of file names
        The files of the library that each file stands on, directly or not.
    findings : list of Finding
        What went wrong; empty before anything ran.
    """

    stated: dict[str, str] = field(default_factory=dict)
    wanted: bool = False
    version: str = ""
    sources: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    checked: dict[str, str] = field(default_factory=dict)
    uses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def machine_checked(self) -> dict[str, str]:
        """The theorems that this run may call machine-checked, with their files."""
        return {name: file for name, file in self.stated.items() if self.checked.get(name) == file}

    @property
    def evidence(self) -> dict[str, dict[str, str]]:
        """The sources that each machine-checked theorem stands on, with their hashes."""
        return {
            name: {source: self.sources[source] for source in (*self.uses.get(file, ()), file)}
            for name, file in self.machine_checked.items()
        }

    @property
    def sentences(self) -> dict[str, str]:
        """What may be said of each machine-checked theorem, as the middle of a sentence."""
        return {
            name: f"machine-checked in Coq {self.version} for every input and every V, without axioms "
            f"(proofs/coq/{file})"
            for name, file in self.machine_checked.items()
        }

    @property
    def outcomes(self) -> list[Finding]:
        """What the verdict is made of; what was asked for and not machine-checked is unverified."""
        if not self.wanted:
            return []
        found = [Finding(Outcome.AS_CLAIMED, f"Coq, {name}") for name in self.machine_checked]
        missing = len(self.stated) - len(self.machine_checked)
        if not self.stated:
            found.append(Finding(Outcome.UNVERIFIED, "nothing was machine-checked: no such theorem is stated in Coq"))
        elif missing and not self.findings:
            found.append(Finding(Outcome.UNVERIFIED, f"{missing} theorems were not machine-checked"))
        return [*found, *self.findings]

    @property
    def scope(self) -> str:
        """What was covered, in words; "" where Coq was not asked for."""
        if not self.wanted:
            return ""
        by = f" by Coq {self.version}" if self.version else ""
        return f"{len(self.machine_checked)} of {len(self.stated)} theorems machine-checked{by}"

    def words(self, theorem: str) -> str:
        """Say what Coq has to do with a theorem in this run; "" where it is not stated in the library."""
        if theorem not in self.stated:
            return ""
        file = f"proofs/coq/{self.stated[theorem]}"
        if theorem in self.machine_checked:
            return f"machine-checked for every V, without axioms: {file}, compiled in this run by Coq {self.version}"
        return f"stated and proved in {file}; not run here" + ("" if self.wanted else " (--coq compiles it)")
