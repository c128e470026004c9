"""Sentences that say what is wrong with the exact law of one call, and where."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from proofs.evidence import Breach, Changed, DrafterDifference, Excess, Node
from proofs.sequences import Prefix, Row, Rows, exact_sum

__all__ = [
    "acceptance_sentence",
    "breach_sentences",
    "drafter_sentence",
    "excess_sentence",
    "forbidden_sentence",
    "joint_sentence",
    "missing_sentence",
    "slow_sentence",
    "stop_sentence",
]

ZERO = Fraction(0)
_LONGEST = 24  # characters of a fraction; laws of float code have denominators of a hundred digits


def breach_sentences(breaches: Sequence[Breach], changed: Changed | None) -> Iterator[str]:
    """Say that emitted tokens are not the drafted ones, and which changed row shows it."""
    if not breaches:
        return
    worst, mass = breaches[0], exact_sum(breach.mass for breach in breaches)
    yield (
        f"Emitted tokens are not the drafted ones, with mass {_number(mass)}: drafted {worst.tokens}, emitted "
        f"{worst.emitted}, whose token {worst.emitted[worst.position]} at position {worst.position} is not the last; "
        "no row was given for what follows it."
    )
    if changed is not None:
        yield (
            f"With the target's row after {changed.prefix}, which the verifier did not see, changed to "
            f"{_row(changed.row)}, the sequence {changed.sequence} has mass at least {_number(changed.mass)}; "
            "the target allows 0."
        )


def forbidden_sentence(found: Sequence[Node], rows: Rows) -> str | None:
    """Say which token of target probability zero is emitted."""
    places = [
        (node.kept.get(y, ZERO) + node.stopped.get(y, ZERO), node.prefix, y)
        for node in _inside(found, rows)
        for y in sorted({*node.kept, *node.stopped})
        if not rows.chance(node.prefix, y)
    ]
    mass, prefix, token = max(places, key=lambda place: place[0], default=(ZERO, (), 0))
    if not mass:
        return None
    what = "has target probability zero" if rows.holds((token,)) else "is outside the vocabulary"
    return f"Token {token} after {prefix} {what} and is emitted with mass {_number(mass)}."


def acceptance_sentence(found: Sequence[Node], rows: Rows, missing: Fraction, tolerance: Fraction) -> str | None:
    """Say where more is kept than any residual can repair; None where the acceptance is admissible."""

    def surplus(node: Node, y: int) -> Fraction:
        return node.kept[y] - (node.reached + missing) * rows.chance(node.prefix, y)

    node = _worst(_inside(found, rows), lambda node: _positive(surplus(node, y) for y in node.kept), tolerance)
    if node is None:
        return None
    token = max(sorted(node.kept), key=lambda y: surplus(node, y))
    reached, chance = node.reached + missing, rows.chance(node.prefix, token)
    return (
        f"The acceptance is too high after {node.prefix}: token {token} is kept with mass "
        f"{_number(node.kept[token])}, the target allows {_number(reached)} * {_number(chance)} = "
        f"{_number(reached * chance)}; no residual can repair it."
    )


def stop_sentence(found: Sequence[Node], rows: Rows, gamma: int, tolerance: Fraction) -> str | None:
    """Say where the averaged law of the last token is not the one that completes an admissible acceptance."""

    def right(node: Node) -> Row:
        return tuple(node.reached * p - node.kept.get(y, ZERO) for y, p in enumerate(rows(node.prefix)))

    def surplus(node: Node) -> Fraction:
        due = right(node)
        return _positive(mass - (due[y] if rows.holds((y,)) else 0) for y, mass in node.stopped.items())

    node = _worst(_inside(found, rows), surplus, tolerance)
    if node is None:
        return None
    mass = exact_sum(node.stopped.values())
    law = tuple(node.stopped.get(y, ZERO) / mass for y in range(rows.vocabulary))
    due = tuple(share / mass for share in right(node))
    kind = "The token after the last position" if len(node.prefix) == gamma else "The replacement"
    return (
        f"The acceptance is admissible. {kind}, after {node.prefix}, has on average the law {_row(law)}; "
        f"the only right one is {_row(due)}."
    )


def joint_sentence(
    found: Mapping[Prefix, Fraction], allowed: Mapping[Prefix, Fraction], length: int, tolerance: Fraction
) -> str | None:
    """Say that the tokens of every position have the right law and only together a wrong one."""
    if length < 2 or any(_marginal_distance(found, allowed, i) > tolerance for i in range(length)):
        return None
    return "The law of every single position is right; the joint law of the sequence is wrong."


def excess_sentence(excess: Excess) -> str:
    """Say which sequence has more mass than the target allows."""
    return (
        f"The sequence {excess.sequence} has mass {_number(excess.mass)}; the target allows {_number(excess.allowed)}."
    )


def drafter_sentence(difference: DrafterDifference) -> str:
    """Say that the drafts do not come from the row that is reported."""
    return (
        f"The drafter does not draw from the row it reports: after {difference.prefix} its drafts have the law "
        f"{_row(difference.actual)}, the reported row is {_row(difference.reported)}."
    )


def missing_sentence(missing: Fraction) -> str:
    """Say how much of the law is not known."""
    return f"Mass {_number(missing)} is missing: paths that crashed, were not explored or are not supported."


def slow_sentence(expected: Fraction, optimum: Fraction) -> str:
    """Say that a right verifier accepts less than it could."""
    return (
        f"It accepts {_number(expected)} tokens a call on average; the best that a lossless one can do with "
        f"these drafts is {_number(optimum)}."
    )


def _inside(found: Sequence[Node], rows: Rows) -> list[Node]:
    """Nodes that have a row; what left the vocabulary is said of the token that left it."""
    return [node for node in found if rows.holds(node.prefix)]


def _worst(found: Sequence[Node], surplus: Callable[[Node], Fraction], tolerance: Fraction) -> Node | None:
    """Return the node with the greatest surplus beyond the tolerance, of several the first.

    The greatest and not the first: in float arithmetic every node is off by some rounding.
    """
    node = max(found, key=surplus, default=None)
    return node if node is not None and surplus(node) > tolerance else None


def _positive(numbers: Iterator[Fraction]) -> Fraction:
    return exact_sum(number for number in numbers if number > 0)


def _marginal_distance(found: Mapping[Prefix, Fraction], allowed: Mapping[Prefix, Fraction], position: int) -> Fraction:
    difference: dict[int, Fraction] = {}
    for sign, law in ((1, found), (-1, allowed)):
        for sequence, mass in law.items():
            if position < len(sequence):
                token = sequence[position]
                difference[token] = difference.get(token, ZERO) + sign * mass
    return _positive(iter(difference.values())) + _positive(-d for d in difference.values())


def _row(row: Row) -> str:
    return f"({', '.join(map(_number, row))}{',' if len(row) == 1 else ''})"


def _number(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{float(value):.6g} (rounded)"
