"""What `check` returns: the word, the scope, the reason and a counterexample to paste."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.batches import part_words
from proofs.inputs import Description, Input, Table
from proofs.sequences import CallLaw, Prefix
from proofs.verdicts import Status

__all__ = ["Acceptance", "Counterexample", "NotLossless", "RequestInBatch", "Verdict"]

_WIDTH = 100
_LONGEST = 40  # characters of a fraction that is printed in full


def shown(value: Fraction) -> str:
    """Return a fraction in full, or if it is long its decimal value, said to be rounded."""
    text = str(value)
    return text if len(text) <= _LONGEST else f"{float(value):.6g} (rounded)"


def _rows_text(rows: Description) -> str:
    if isinstance(rows, dict):
        return "{" + ", ".join(f"{prefix}: {_rows_text(row)}" for prefix, row in rows.items()) + "}"
    entries: Any = rows
    return "[" + ", ".join(_rows_text(x) if isinstance(x, tuple) else f'"{x}"' for x in entries) + "]"


def _coins_text(coins: tuple[Fraction, ...]) -> str:
    """Return coins as k/2^24, or k/2^53 where one of them is finer."""
    bits = 24 if all(2**24 % coin.denominator == 0 for coin in coins) else 53
    return ", ".join(f"{int(coin * 2**bits)}/2^{bits}" for coin in coins)


@dataclass(frozen=True)
class RequestInBatch:
    """Of which request of a batch a counterexample speaks.

    Attributes
    ----------
    requests : tuple of (target, draft)
        The tables of every request.
    place : int
        The request whose law is not the target's.
    others : tuple of (tokens, emitted), or None
        The outcomes of the other requests, where the law is the one that is given them.
    """

    requests: tuple[tuple[Table, Table], ...]
    place: int
    others: tuple[tuple[Prefix, Prefix], ...] | None

    def lines(self) -> list[str]:
        """Return the other requests and what is given, to be printed."""
        beside = [(at, tables) for at, tables in enumerate(self.requests) if at != self.place]
        rows = [
            f"{name} of request {at} {_rows_text(table.rows)}"
            for at, tables in beside
            for name, table in zip(("target", "draft"), tables, strict=True)
        ]
        return [f"this is {part_words(self.place, self.others)}", *rows]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        others = None
        if self.others is not None:
            others = [{"tokens": list(tokens), "emitted": list(emitted)} for tokens, emitted in self.others]
        tables = [{"target": _json_rows(p.rows), "draft": _json_rows(q.rows)} for p, q in self.requests]
        return {"request": self.place, "requests": tables, "given": others}


@dataclass(frozen=True)
class Counterexample:
    """An input on which the law is not the target's.

    Attributes
    ----------
    target, draft : Table
        The rows, written down: `rows` holds a row, rows by position, or prefix -> row.
    gamma, vocabulary : int
    law : dict of sequence -> Fraction
        Exact law of gamma + 1 tokens: one call, then the target's own.
    expected : dict of sequence -> Fraction
        The target's.
    call_law : dict of (tokens, emitted) -> Fraction
        Exact law of the call itself.
    total_variation : Fraction
        Between `law` and `expected`; with mass missing, the least that it can be.
    path : tuple of (tokens, emitted, sequence, probability)
        A call that reaches the sequence of greatest excess.
    snippet : str
        Python source that repeats the check on this input alone; put your verifier in.
    coins : tuple of Fraction, optional
        Where the law was swept: coins k/2^24 or k/2^53 with which the verifier makes the call of `path`.
    batch : RequestInBatch or None
        Where there are several requests in a call: the one that the laws belong to. None otherwise.
    """

    target: Table
    draft: Table
    gamma: int
    vocabulary: int
    law: Mapping[Prefix, Fraction]
    expected: Mapping[Prefix, Fraction]
    call_law: CallLaw
    total_variation: Fraction
    path: tuple[Prefix, Prefix, Prefix, Fraction] | None
    snippet: str
    coins: tuple[Fraction, ...] | None = None
    batch: RequestInBatch | None = None

    def lines(self) -> list[str]:
        """Return the input, the law beside the target's and a path, to be printed."""
        head = [
            f"gamma {self.gamma}",
            f"target {_rows_text(self.target.rows)}",
            f"draft  {_rows_text(self.draft.rows)}",
            *(self.batch.lines() if self.batch is not None else []),
        ]
        gaps = sorted({*self.law, *self.expected}, key=lambda y: (-abs(self._gap(y)), y))
        shown_first = [y for y in gaps if self._gap(y)][:6]
        table = [
            f"{y!s}: {shown(self.law.get(y, _NONE))}, target {shown(self.expected.get(y, _NONE))}" for y in shown_first
        ]
        more = [f"and {len(gaps) - len(table)} more sequences"] if len(gaps) > len(table) else []
        path = []
        if self.path is not None:
            tokens, emitted, sequence, mass = self.path
            path = [f"a path: drafted {tokens}, emitted {emitted}, towards {sequence}, probability {shown(mass)}"]
        coins = [] if self.coins is None else [f"with the coins {_coins_text(self.coins)}"]
        return [*head, *table, *more, f"TV {shown(self.total_variation)}", *path, *coins]

    def _gap(self, sequence: Prefix) -> Fraction:
        return self.law.get(sequence, _NONE) - self.expected.get(sequence, _NONE)


_NONE = Fraction(0)


def snippet(found: Input, options: Mapping[str, Any]) -> str:
    """Return Python source that checks a verifier on one input: a pair of requests, or a single one."""
    if found.batched:
        options = {"batch": len(found.requests), **options}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    if found.others:
        # Of two inputs each is paired with the other.
        rows = [[_rows_text(table.rows) for table in each.tables()] for each in found.requests]
        written = [f"request_{at} = (\n    {p},\n    {q},\n)\n" for at, (p, q) in enumerate(rows)]
        names = ", ".join(f"request_{at}" for at in range(len(rows)))
        return "".join(written) + f"print(proofs.check(verify, gamma={found.gamma}, inputs=[{names}]{given}))"
    target, draft = found.tables()
    return (
        f"target = {_rows_text(target.rows)}\n"
        f"draft = {_rows_text(draft.rows)}\n"
        f"print(proofs.check(verify, gamma={found.gamma}, inputs=[(target, draft)]{given}))"
    )


@dataclass(frozen=True)
class Acceptance:
    """Exact expected accepted tokens of one call, beside the best of any lossless rule on the same drafts.

    Attributes
    ----------
    input : str
        The input that they belong to, gamma with it.
    expected, best : Fraction
    """

    input: str
    expected: Fraction
    best: Fraction


@dataclass(frozen=True)
class Verdict:
    """What the check of a verifier came to. ``bool(verdict)`` is True for lossless alone.

    Attributes
    ----------
    status : Status
        "lossless", "biased" or "unverified".
    scope : str
        What was covered, in words; never more than was done.
    reason : str
        One line.
    explanation : tuple of str
        Sentences on the counterexample, or on what is missing.
    counterexample : Counterexample or None
    worst : Fraction
        The greatest total variation over everything tried, with mass missing the least it can be.
    acceptance : tuple of Acceptance
        By input of the core battery.
    inputs, paths : int
        How many were tried.
    notes : tuple of str
        What was seen and decides nothing.
    """

    status: Status
    scope: str
    reason: str
    explanation: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    worst: Fraction = _NONE
    acceptance: tuple[Acceptance, ...] = ()
    inputs: int = 0
    paths: int = 0
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.status is Status.LOSSLESS

    def __str__(self) -> str:
        parts = [f"{self.status.value}: {self.reason}", f"scope: {self.scope}"]
        parts += self.explanation
        if self.counterexample is not None:
            parts += ["counterexample:", *("  " + line for line in self.counterexample.lines())]
        parts += [f"note: {note}" for note in self.notes]
        wrapped = [textwrap.fill(part, _WIDTH, subsequent_indent="    ", break_long_words=False) for part in parts]
        if self.counterexample is not None:
            wrapped += ["to see it again:", textwrap.indent(self.counterexample.snippet, "  ")]
        return "\n".join(wrapped)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON values, rationals as "num/den"."""
        found = self.counterexample
        return {
            "status": self.status.value,
            "exit_status": int(self.status.outcome),
            "scope": self.scope,
            "reason": self.reason,
            "explanation": list(self.explanation),
            "worst": _json(self.worst),
            "inputs": self.inputs,
            "paths": self.paths,
            "notes": list(self.notes),
            "acceptance": [
                {"input": a.input, "expected": _json(a.expected), "best": _json(a.best)} for a in self.acceptance
            ],
            "counterexample": None
            if found is None
            else {
                "gamma": found.gamma,
                "vocabulary": found.vocabulary,
                "target": _json_rows(found.target.rows),
                "draft": _json_rows(found.draft.rows),
                "law": _json_law(found.law),
                "expected": _json_law(found.expected),
                "total_variation": _json(found.total_variation),
                "snippet": found.snippet,
                "coins": None if found.coins is None else [_json(coin) for coin in found.coins],
                "batch": None if found.batch is None else found.batch.to_json(),
            },
        }


def _json(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _json_rows(rows: Description) -> Any:
    if isinstance(rows, dict):
        return [{"prefix": list(prefix), "row": _json_rows(row)} for prefix, row in rows.items()]
    return [_json_rows(x) if isinstance(x, tuple) else _json(x) for x in rows]


def _json_law(law: Mapping[Prefix, Fraction]) -> list[dict[str, Any]]:
    return [{"sequence": list(y), "probability": _json(mass)} for y, mass in sorted(law.items())]


class NotLossless(AssertionError):
    """Raised for a verdict other than the one that was asserted; its text is the verdict.

    Attributes
    ----------
    verdict : Verdict
    """

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict
