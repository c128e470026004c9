"""One input of a verifier: the exact law of the call, and the judgement on it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from proofs import batches
from proofs.engine.batch_calls import BatchCall
from proofs.engine.calls import Call, SiblingCall
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer
from proofs.engine.laws import Law
from proofs.engine.signals import Kind, Mark
from proofs.engine.sweep import DENSITY
from proofs.errors import NotADistributionError
from proofs.explanation import drafter_sentence
from proofs.inputs import Input, fraction
from proofs.judge import ContradictionError, Judgement, judge, within
from proofs.optimum import sibling_optimum
from proofs.sequences import Prefix, Process, Row, exact_sum
from proofs.verdicts import Status, decide_within

__all__ = ["Bench", "Examined", "Examiner", "Question", "Results", "default_tolerance"]

# Measured on the controls of the tests, whose worst distance is below 1 in these units; tests/benchmarks prints it.
_TOLERANCE = 4
_EPS = {
    Arithmetic.EXACT: Fraction(0),
    Arithmetic.FLOAT64: Fraction(1, 2**52),
    Arithmetic.FLOAT32: Fraction(1, 2**23),
    Arithmetic.TORCH64: Fraction(1, 2**52),
    Arithmetic.TORCH32: Fraction(1, 2**23),
    Arithmetic.TORCH16: Fraction(1, 2**10),
    Arithmetic.TORCH_BRAIN: Fraction(1, 2**7),
}

# An agreement within more than this says little: it has to be asked for.
_MOST = Fraction(1, 100)
# What an agreement cannot rest on; a difference can.
_NO_PASS = (Kind.HIDDEN, Kind.REFUSED, Kind.LEAK, Kind.CONSTANT, Kind.OPAQUE)


def default_tolerance(arithmetic: Arithmetic, gamma: int, vocabulary: int) -> Fraction:
    """Return the total variation that is put down to rounding: ``4 (gamma + 1) V eps`` of the dtype, 0 if exact."""
    return _TOLERANCE * (gamma + 1) * vocabulary * _EPS[arithmetic]


@dataclass(frozen=True)
class Question:
    """What is asked of every input.

    Attributes
    ----------
    verify : callable
    drafter : callable or None
    target_of : callable or None
        (target row, draft row or None) -> row: the target that the verifier declares.
    tolerance : Fraction or None
        For float arithmetic, in place of the default.
    siblings : int or None
        Number of sibling drafts; None for a chain.
    replacement : bool
        Whether siblings are drawn independently.
    bound : Fraction or None
        Total variation that a verifier declares which is lossy on purpose.
    max_paths : int
        Of one input.
    swept_counts : bool
        Whether an agreement may rest on a law that was searched for by running the verifier with many coins.
    density : int
        First probes of each of them.
    factory : bool
        Whether `verify` is called without arguments, before every path and its replay, and makes the verifier.
    """

    verify: Callable[..., Any]
    drafter: Callable[..., Any] | None = None
    target_of: Callable[..., Any] | None = None
    tolerance: Fraction | None = None
    siblings: int | None = None
    replacement: bool = True
    bound: Fraction | None = None
    max_paths: int = 10_000
    swept_counts: bool = False
    density: int = DENSITY
    factory: bool = False

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Everything of the caller's that runs on a path."""
        return (self.verify,) if self.drafter is None else (self.verify, self.drafter)


@dataclass(frozen=True)
class Examined:
    """What came of one input.

    Attributes
    ----------
    input : Input
    arithmetic : Arithmetic
    law : Law
        Of (drafted tokens, emitted tokens).
    judgement : Judgement
    target : callable, prefix -> row
        What the law was held to.
    over_reals : Fraction or None
        The total variation that would be left if coins were real numbers; None where no grid of coins is known.
    place : int
        In a batch, of the request that law and judgement are about: the one that decides.
    others : tuple of (tokens, emitted), or None
        The outcome of the other requests, where the law is the one that is given it.
    alone : tuple of Judgement
        In a batch, on each request by itself.
    """

    input: Input
    arithmetic: Arithmetic
    law: Law
    judgement: Judgement
    target: Process
    over_reals: Fraction | None = None
    place: int = 0
    others: tuple[tuple[Prefix, Prefix], ...] | None = None
    alone: tuple[Judgement, ...] = ()

    @property
    def request(self) -> Input:
        """The request that is judged: the input itself where there is no batch."""
        return self.input.requests[self.place] if self.input.batched else self.input

    def marked(self, *kinds: Kind) -> list[Mark]:
        """Return the marks of these kinds."""
        return [mark for mark in self.law.marks if mark.kind in kinds]


class Examiner:
    """Examines inputs, one after the other, under one explorer.

    Parameters
    ----------
    explorer : Explorer
    question : Question
    single : bool
        Whether the code is known to round to float32 whatever it is handed.
    """

    def __init__(self, explorer: Explorer, question: Question, *, single: bool = False) -> None:
        self._explorer = explorer
        self._question = question
        self._single = single

    def examine(self, found: Input, arithmetic: Arithmetic, stop_at: Sequence[Kind] = ()) -> Examined:
        """Return the law of a call on one input, judged.

        Parameters
        ----------
        found : Input
        arithmetic : Arithmetic
        stop_at : sequence of Kind
            Marks that end the exploration: the law is then known in part.
        """
        law = self._explored(found, arithmetic, stop_at)
        if found.batched:
            return self._of_batch(found, arithmetic, law)
        target = self._declared(found)
        judged = self._judged(_believed(law), found, target, arithmetic, law)
        return Examined(found, arithmetic, law, judged, target, self._over_reals(found, law, target))

    def _over_reals(self, found: Input, law: Law, target: Process) -> Fraction | None:
        if not any(mark.kind is Kind.GRID for mark in law.marks):
            return None
        known, gamma = dict(law.over_reals), found.gamma
        if self._question.siblings is not None:
            known, gamma = dict(law.marginal(lambda call: ((), call[1])).over_reals), 0
        missing = 1 - exact_sum(known.values())
        return within(known, target, gamma, found.vocabulary, Fraction(0), missing).total_variation

    def _of_batch(self, found: Input, arithmetic: Arithmetic, law: Law) -> Examined:
        """Judge each request of a batch, by itself and given what the others came to; return what decides."""
        known, count = _believed(law), len(found.requests)
        alone = [self._of_part(found, arithmetic, law, part) for part in batches.apart(known, count)]
        worst = replace(max(alone, key=_harm), alone=tuple(each.judgement for each in alone))
        if count == 1 or worst.judgement.status is not Status.LOSSLESS:
            return worst
        together = (self._of_part(found, arithmetic, law, part) for part in batches.given(known, count))
        return replace(max([worst, *together], key=_harm), alone=worst.alone)

    def _of_part(self, found: Input, arithmetic: Arithmetic, law: Law, part: batches.Part) -> Examined:
        request = found.requests[part.place]
        target = self._declared(request)
        judged = self._judged(part.masses, request, target, arithmetic, law)
        if part.others is not None:
            judged = _without_drafter(judged)
        if len(found.requests) > 1 and judged.status is not Status.LOSSLESS:
            judged = replace(judged, explanation=(*_part_sentence(part), *judged.explanation))
        return Examined(
            found, arithmetic, _with_masses(law, part.masses), judged, target, place=part.place, others=part.others
        )

    def _explored(self, found: Input, arithmetic: Arithmetic, stop_at: Sequence[Kind]) -> Law:
        return self._explorer.explore(
            self._call(found, arithmetic),
            arithmetic,
            max_paths=self._question.max_paths,
            stop_at=(Kind.HIDDEN, *stop_at),
            density=self._question.density,
        )

    def _call(self, found: Input, arithmetic: Arithmetic) -> Any:
        target, draft = found.checked
        asked = self._question
        sizes = found.gamma, found.vocabulary
        options: Any = {"drafter": asked.drafter, "factory": asked.factory}
        if found.batched:
            return BatchCall(asked.verify, [each.checked for each in found.requests], *sizes, arithmetic, **options)
        if asked.siblings is None:
            return Call(asked.verify, target, draft, *sizes, arithmetic, **options)
        return SiblingCall(
            asked.verify,
            target(()),
            draft(()),
            asked.siblings,
            arithmetic,
            replacement=asked.replacement,
            **options,
        )

    def _declared(self, found: Input) -> Process:
        target, draft = found.checked
        declare = self._question.target_of
        if declare is None:
            return target
        last = found.gamma if self._question.siblings is None else 1

        def declared(prefix: Prefix) -> Row:
            row = tuple(map(fraction, declare(target(prefix), draft(prefix) if len(prefix) < last else None)))
            if sum(row) != 1 or min(row) < 0:
                raise NotADistributionError(f"target_of returned {row} after {prefix}; expected a distribution.")
            return row

        return declared

    def _judged(
        self,
        known: Any,
        found: Input,
        target: Process,
        arithmetic: Arithmetic,
        law: Law,
    ) -> Judgement:
        reasons = _reasons(law, swept_counts=self._question.swept_counts)
        single = self._single or any(mark.kind is Kind.SINGLE for mark in law.marks)
        arithmetic = _rounding(arithmetic, single=single)
        tolerance = self._question.tolerance
        if tolerance is None or arithmetic is Arithmetic.EXACT:
            tolerance = default_tolerance(arithmetic, found.gamma, found.vocabulary)
            if tolerance > _MOST:
                reasons.append(_too_coarse(arithmetic, tolerance))
        missing = 1 - sum(known.values(), Fraction(0))
        options: Any = {"missing": missing, "tolerance": tolerance, "reasons": reasons}
        if self._question.siblings is None:
            judged = judge(known, target, found.checked[1], found.gamma, found.vocabulary, **options)
        else:
            judged = _sibling_judgement(known, found, target, options)
        return judged if self._question.bound is None else _held_to(judged, self._question.bound)


def _too_coarse(arithmetic: Arithmetic, tolerance: Fraction) -> str:
    return (
        f"rounding in {arithmetic.value} can hide a total variation of {float(tolerance):.2g}: "
        "tolerance= says what is to be put down to it"
    )


class Results(Protocol):
    """Examines inputs as they are asked for, in order; a str instead of a result says why nothing more comes."""

    def __call__(
        self, inputs: Iterable[Input], arithmetic: Arithmetic, stop_at: Sequence[Kind] = ()
    ) -> Iterator[Examined | str]:
        """Yield one result for every input."""


class Bench:
    """Where inputs are examined: in this process, under one explorer."""

    def open(
        self,
        question: Question,
        allow_state: tuple[str, ...],
        *,
        single: bool = False,
        spread: bool = True,  # noqa: ARG002 - for a bench that has several hands
    ) -> AbstractContextManager[Results]:
        """Return a context in which inputs are examined.

        Parameters
        ----------
        question : Question
        allow_state : tuple of str
        single : bool
            As of `Examiner`.
        spread : bool
            Whether inputs may be examined side by side, before it is known that their results are wanted.
        """
        return _here(question, allow_state, single)


@contextmanager
def _here(question: Question, allow_state: tuple[str, ...], single: bool) -> Iterator[Results]:
    factory = question.verify if question.factory else None
    with Explorer(question.functions, allow_state, factory) as explorer:
        examiner = Examiner(explorer, question, single=single)

        def results(
            inputs: Iterable[Input], arithmetic: Arithmetic, stop_at: Sequence[Kind] = ()
        ) -> Iterator[Examined]:
            return (examiner.examine(found, arithmetic, stop_at) for found in inputs)

        yield results


_BY_OUTCOME = {status.outcome: status for status in Status}


def _held_to(judged: Judgement, bound: Fraction) -> Judgement:
    outcome = decide_within(judged.total_variation, bound, missing=judged.missing, reasons=judged.reasons)
    return replace(judged, status=_BY_OUTCOME[outcome])


_SEVERITY = {Status.LOSSLESS: 0, Status.UNVERIFIED: 1, Status.BIASED: 2}


def _harm(found: Examined) -> tuple[int, Fraction]:
    return _SEVERITY[found.judgement.status], found.judgement.total_variation


def _part_sentence(part: batches.Part) -> Iterator[str]:
    words = batches.part_words(part.place, part.others)
    yield f"This is {words}."
    if part.others is not None:
        yield "By itself each request has the target's law: they are not independent."


def _without_drafter(judged: Judgement) -> Judgement:
    """Drop what is said of the drafts: given what other requests came to, they need not have the law of their rows."""
    if judged.drafter is None:
        return judged
    said = drafter_sentence(judged.drafter)
    kept = tuple(sentence for sentence in judged.explanation if sentence != said)
    return replace(judged, drafter=None, explanation=kept)


def _with_masses(law: Law, masses: dict[Any, Fraction]) -> Law:
    return Law(
        masses,
        paths=law.paths,
        remaining=law.remaining,
        crashes=law.crashes,
        refused=law.refused,
        marks=law.marks,
    )


def _believed(law: Law) -> dict[Any, Fraction]:
    """Return the law's masses; none where something changed from run to run, which has a part in every path."""
    return {} if any(mark.kind is Kind.HIDDEN for mark in law.marks) else dict(law)


def _rounding(arithmetic: Arithmetic, *, single: bool) -> Arithmetic:
    return Arithmetic.FLOAT32 if single and arithmetic in (Arithmetic.FLOAT64, Arithmetic.TORCH64) else arithmetic


def _sibling_judgement(known: Any, found: Input, target: Process, options: dict[str, Any]) -> Judgement:
    """Judge the one token, and hold its acceptance to the best for the sets that were drafted."""
    tokens: dict[tuple[Prefix, Prefix], Fraction] = {}
    sets: dict[frozenset[int], Fraction] = {}
    accepted = Fraction(0)
    for (drafted, emitted), mass in known.items():
        tokens[(), emitted] = tokens.get(((), emitted), Fraction(0)) + mass
        sets[frozenset(drafted)] = sets.get(frozenset(drafted), Fraction(0)) + mass
        accepted += mass if emitted[0] in drafted else 0
    judged = judge(tokens, target, found.checked[1], 0, found.vocabulary, **options)
    best = sibling_optimum(target(()), sets)
    if judged.status is Status.LOSSLESS and accepted > best + judged.total_variation:
        raise ContradictionError("siblings are accepted more often than any lossless rule can; please report it.")
    return replace(judged, expected_accepted=accepted, optimum=best)


def _reasons(law: Law, *, swept_counts: bool) -> list[str]:
    """Return what speaks against vouching for a law, the weightiest first, each once."""
    found = [str(mark) for kind in _NO_PASS for mark in law.marks if mark.kind is kind]
    found += [
        f"{crash.exception} with probability {crash.probability} ({crash.place or 'at the call'})"
        for crash in law.crashes
    ]
    if law.remaining:
        found.append(f"after {law.paths} paths mass {float(law.remaining):.3g} was not explored")
    if not swept_counts:
        found += [str(mark) for mark in law.marks if mark.kind is Kind.SWEPT]
    return list(dict.fromkeys(found))
