"""The exact law of an adapter on one input, held to what it claims, and the verdict on that.

Rows and siblings go through the same examination as `proofs.check`: a bench that keeps what it examined stands in for
the usual one. A loop is a program: its law of the first tokens, which the target completes where there are fewer, is
held to the target's law, and `proofs.verdicts.decide` chooses the word, as it does for every check.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

from proofs.checking import verdict_on
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer
from proofs.engine.laws import Law
from proofs.engine.signals import Kind as MarkKind
from proofs.engine.sweep import DENSITY
from proofs.examination import Bench, Examined, Question, Results, default_tolerance
from proofs.sequences import Process, process_law, sequence_law
from proofs.verdicts import Status, decide
from tests.zoo.inputs import Input
from tests.zoo.records import Adapter, Kind, Prefix, modules

__all__ = ["MAX_PATHS", "Case", "judge_case", "tolerance"]

MAX_PATHS = 20_000  # of one input
ZERO = Fraction(0)

CallLaw: TypeAlias = Mapping[tuple[Prefix, Prefix], Fraction]

_NO_PASS = (MarkKind.HIDDEN, MarkKind.REFUSED, MarkKind.LEAK, MarkKind.CONSTANT, MarkKind.OPAQUE)


@dataclass(frozen=True)
class Case:
    """What was found on one input.

    `distance` is the total variation on the tokens that are judged, from the law that is claimed, and `plain` that
    from the target itself where another law is declared; with mass missing both are the least that they can be. `call`
    is the law of (drafted, emitted), `law` and `expected` are those of the sequences; `forbidden` holds the sequences
    that the claimed law gives probability zero, `crashes` the exceptions by name. `grids` says where the coins lie.
    """

    input: str
    gamma: int
    length: int
    status: Status
    distance: Fraction
    reason: str = ""
    plain: Fraction | None = None
    call: CallLaw = field(default_factory=dict)
    law: Mapping[Prefix, Fraction] = field(default_factory=dict)
    expected: Mapping[Prefix, Fraction] = field(default_factory=dict)
    forbidden: Mapping[Prefix, Fraction] = field(default_factory=dict)
    crashes: Mapping[str, Fraction] = field(default_factory=dict)
    grids: tuple[str, ...] = ()

    @property
    def missing(self) -> Fraction:
        """Mass of which neither an outcome nor an exception is known."""
        return 1 - sum(self.call.values(), ZERO) - sum(self.crashes.values(), ZERO)


def tolerance(length: int, vocabulary: int) -> Fraction:
    """Return the total variation on so many tokens that is put down to float32."""
    return default_tolerance(Arithmetic.TORCH32, length - 1, vocabulary)


def judge_case(adapter: Adapter, rows: Input, gamma: int) -> Case:
    """Return what an adapter does on one input.

    Parameters
    ----------
    adapter : Adapter
    rows : Input
    gamma : int
        Drafted tokens, or siblings.

    Returns
    -------
    Case
        Unverified, with the reason, where the engine cannot follow the package.
    """
    adapter.prepare()
    promised = rows if adapter.declared is None else rows.with_target(adapter.declared, gamma)
    judged = _loop if adapter.kind is Kind.LOOP else _rows
    law, status, reason = judged(adapter, rows, promised, gamma)
    length = adapter.length(gamma)
    call = _believed(law)
    found = _sequences(call, promised.target, length, len(rows.target(())))
    case = Case(rows.name, gamma, length, status, found.distance, reason, None, call, found.law, found.expected)
    return replace(
        case,
        plain=None if promised is rows else _sequences(call, rows.target, length, len(rows.target(()))).distance,
        forbidden={y: mass for y, mass in found.law.items() if not found.expected.get(y)},
        crashes=_crashes(law),
        grids=tuple(sorted({*_grids(adapter, law)})),
    )


def _grids(adapter: Adapter, law: Law) -> Iterator[str]:
    for mark in law.marks:
        if mark.kind is MarkKind.GRID:
            yield mark.reason
        elif mark.kind is MarkKind.SWEPT:
            yield f"coins swept, {adapter.probes or DENSITY} first probes of each"


class _Keeping(Bench):
    """A bench that keeps the first result, and probes coins as densely as it is told."""

    def __init__(self, density: int) -> None:
        self.found: Examined | None = None
        self._density = density

    @contextmanager
    def open(self, question: Question, *arguments: Any, **options: Any) -> Iterator[Results]:
        least = min(question.density, self._density) if question.density == DENSITY else question.density
        with super().open(replace(question, density=least), *arguments, **options) as results:

            def kept(*given: Any, **also: Any) -> Iterator[Examined | str]:
                for result in results(*given, **also):
                    if self.found is None and isinstance(result, Examined):
                        self.found = result
                    yield result

            yield kept


def _rows(adapter: Adapter, rows: Input, promised: Input, gamma: int) -> tuple[Law, Status, str]:
    bench = _Keeping(adapter.probes or DENSITY)
    options: dict[str, Any] = {"gamma": gamma} if adapter.kind is Kind.ROWS else {"gamma": 1, "siblings": gamma}
    verdict = verdict_on(
        adapter.verify,
        arithmetic=adapter.arithmetic,
        inputs=[(rows.target, rows.draft)],
        shrink=False,
        target_of=adapter.declared,
        accept="swept",
        max_paths=MAX_PATHS,
        bench=bench,
        **options,
    )
    if bench.found is None:
        raise RuntimeError(f"{adapter.key}, {rows.name}: nothing was examined; expected one input.")
    return bench.found.law, verdict.status, _without_place(verdict.reason)


def _without_place(reason: str) -> str:
    """The name that the check gives an input, and where a file lies on this machine, say nothing here."""
    return reason.partition(" [inputs[0]")[0].partition(" (/")[0]


def _loop(adapter: Adapter, rows: Input, promised: Input, gamma: int) -> tuple[Law, Status, str]:
    program = _program(adapter, rows, gamma)
    law = _explored(adapter, program)
    length = adapter.length(gamma)
    found = _sequences(_believed(law), promised.target, length, len(rows.target(())))
    allowed = tolerance(length, len(rows.target(())))
    reasons = [*_reasons(law)]
    if found.distance > allowed and dict(_explored(adapter, program)) != dict(law):
        reasons.append("explored again, it has another law: it has randomness or state that was not seen")
        return law, Status.UNVERIFIED, reasons[-1]
    status = decide(
        excess=found.distance > allowed,
        forbidden=any(not found.expected.get(y) for y in found.law),
        missing=1 - sum(_believed(law).values(), ZERO),
        equal=found.distance <= allowed,
        reasons=reasons,
    )
    return law, status, "" if status is Status.LOSSLESS else _without_place(_why(status, reasons, found))


def _explored(adapter: Adapter, program: Callable[[Any], Any]) -> Law:
    with Explorer((program,)) as explorer:
        return explorer.explore(
            lambda run: program(run.rng),
            Arithmetic(adapter.arithmetic),
            max_paths=MAX_PATHS,
            on_grids=True,
            density=adapter.probes or DENSITY,
        )


def _program(adapter: Adapter, rows: Input, gamma: int) -> Callable[[Any], tuple[Prefix, Prefix]]:
    """Return the program whose outcome is (zeros, the first tokens): what was drafted stays with the package."""
    (torch,) = modules(("torch",))
    length, verify = adapter.length(gamma), adapter.verify

    def fresh(row_of: Callable[[Prefix], Any]) -> Callable[[Prefix], Any]:
        return lambda prefix: torch.tensor([float(mass) for mass in row_of(prefix)], dtype=torch.float32)

    target, draft = fresh(rows.target), fresh(rows.draft)

    def program(rng: Any) -> tuple[Prefix, Prefix]:
        emitted = verify(target, draft, gamma, rng)
        return (0,) * (length - 1), tuple(int(token) for token in emitted)[:length]

    return program


@dataclass(frozen=True)
class _Found:
    law: Mapping[Prefix, Fraction]
    expected: Mapping[Prefix, Fraction]

    @property
    def distance(self) -> Fraction:
        """Sum of what exceeds the claimed law: the total variation, or with mass missing the least it can be."""
        return sum((max(mass - self.expected.get(y, ZERO), ZERO) for y, mass in self.law.items()), ZERO)


def _sequences(call: CallLaw, target: Process, length: int, size: int) -> _Found:
    """Law of so many tokens, completed by the target, beside the target's own."""
    padded: dict[tuple[Prefix, Prefix], Fraction] = {}
    for (_, emitted), mass in call.items():
        key = (0,) * (length - 1), emitted[:length]
        padded[key] = padded.get(key, ZERO) + mass
    return _Found(sequence_law(padded, target, length - 1, size), process_law(target, length, size))


def _believed(law: Law) -> CallLaw:
    return {} if any(mark.kind is MarkKind.HIDDEN for mark in law.marks) else dict(law)


def _crashes(law: Law) -> dict[str, Fraction]:
    crashes: dict[str, Fraction] = {}
    for crash in law.crashes:
        crashes[crash.exception] = crashes.get(crash.exception, ZERO) + crash.probability
    return crashes


def _reasons(law: Law) -> list[str]:
    found = [mark.reason for kind in _NO_PASS for mark in law.marks if mark.kind is kind]
    found += [f"{name} with probability {mass}" for name, mass in _crashes(law).items()]
    return list(dict.fromkeys([*found, *(["not explored to the end"] if law.remaining else [])]))


def _why(status: Status, reasons: list[str], found: _Found) -> str:
    if status is Status.UNVERIFIED:
        return reasons[0] if reasons else "the law is not known"
    worst = max(found.law, key=lambda y: found.law[y] - found.expected.get(y, ZERO))
    return f"{worst} has probability {found.law[worst]}, the target's is {found.expected.get(worst, ZERO)}"
