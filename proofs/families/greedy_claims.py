"""What is claimed of greedy block verification, asked of the rule as an object: its parts, its closed forms."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs import block_rule, greedy_block
from proofs.cases import ProcessCase
from proofs.families.block_claims import last_kept
from proofs.processes import Prefix, Process, Weights, as_rational, check_processes

__all__ = ["GREEDY", "GreedyRule", "rule_of_parts"]

ZERO, ONE = MPQ(0), MPQ(1)
Law = dict[Prefix, MPQ]
RowOf = Callable[[Prefix], Weights]
Joint = tuple[MPQ, MPQ]  # of the target and of the draft, from where the block began


@dataclass(frozen=True)
class GreedyRule:
    """The algorithm in its parts, and the closed forms that claim to describe it.

    Attributes
    ----------
    extend : (joint, p, q) -> joint
        One token further.
    odds : (joint, P, Q) -> probability
        Of the coin after a drafted token that is not the last.
    scan : (odds) -> probabilities
        Law of the number of accepted tokens, from h_0 = 1 to h_gamma.
    replace, follow : (joint, P, Q) -> row
        Law of the token that ends a call inside the block, and of those after it.
    reach : (gamma) -> int
        How many positions from the beginning of a block its call changes.
    emitted : (target, draft, gamma) -> law
    texts : (target, draft, gamma, calls, length) -> law
    ceiling : (target, draft, gamma) -> number
    """

    extend: Callable[[Joint, MPQ, MPQ], Joint]
    odds: Callable[[Joint, Weights, Weights], MPQ]
    scan: Callable[[list[MPQ]], list[MPQ]]
    replace: Callable[[Joint, Weights, Weights], Weights]
    follow: Callable[[Joint, Weights, Weights], Weights]
    reach: Callable[[int], int]
    emitted: Callable[[Any, Any, int], dict[Prefix, Rational]] = greedy_block.greedy_emitted_law
    texts: Callable[[Any, Any, int, int, int], dict[Prefix, Rational]] = greedy_block.greedy_sequence_law
    ceiling: Callable[[Any, Any, int], Rational] = greedy_block.ceiling


def _extend(joint: Joint, p: MPQ, q: MPQ) -> Joint:
    return joint[0] * p, joint[1] * q


def _odds(joint: Joint, target: Weights, draft: Weights) -> MPQ:
    gains = [joint[0] * p - joint[1] * q for p, q in zip(target, draft, strict=True)]
    above, below = sum((g for g in gains if g > 0), ZERO), -sum((g for g in gains if g < 0), ZERO)
    return min(ONE, above / below) if below else ONE


def _residual(joint: Joint, target: Weights, draft: Weights) -> Weights:
    return block_rule.residual(joint[0] / joint[1], target, draft) if joint[1] else target


GREEDY = GreedyRule(_extend, _odds, last_kept, _residual, _residual, lambda gamma: gamma)


def _call_law(rule: GreedyRule, row_of: RowOf, draft: Process, start: Prefix, gamma: int) -> Law:
    """Law of what a call emits that begins after `start`: every drafted path, every coin."""
    law: Law = {}
    for tokens, mass in _paths(draft, start, gamma):
        rows = [row_of(start + tokens[:i]) for i in range(gamma + 1)]
        below = [draft.weights(start + tokens[:i]) for i in range(gamma)]
        joint, odds = [(ONE, ONE)], [ONE]
        for i, x in enumerate(tokens, start=1):
            joint.append(rule.extend(joint[-1], rows[i - 1][x], below[i - 1][x]))
            last = min(ONE, joint[i][0] / joint[i][1])
            odds.append(last if i == gamma else rule.odds(joint[i], rows[i], below[i]))
        for i, chance in enumerate(rule.scan(odds)):
            if chance:
                ending = rows[i] if i == gamma else rule.replace(joint[i], rows[i], below[i])
                for y, share in enumerate(ending):
                    law[*tokens[:i], y] = law.get((*tokens[:i], y), ZERO) + mass * chance * share
    return {tokens: mass for tokens, mass in law.items() if mass}


def _paths(draft: Process, start: Prefix, gamma: int, mass: MPQ = ONE) -> Iterator[tuple[Prefix, MPQ]]:
    if not gamma:
        yield (), mass
        return
    for x, chance in enumerate(draft.weights(start)):
        if chance:
            for rest, share in _paths(draft, (*start, x), gamma - 1, mass * chance):
                yield (x, *rest), share


def _changed(rule: GreedyRule, row_of: RowOf, draft: Process, start: Prefix, gamma: int) -> RowOf:
    """Return the target after a call that began after `start`."""

    def changed(prefix: Prefix) -> Weights:
        if len(prefix) - len(start) >= rule.reach(gamma):
            return row_of(prefix)
        joint = (ONE, ONE)
        for i in range(len(start), len(prefix)):
            joint = rule.extend(joint, row_of(prefix[:i])[prefix[i]], draft.weights(prefix[:i])[prefix[i]])
        return rule.follow(joint, row_of(prefix), draft.weights(prefix))

    return changed


def _add_texts(
    rule: GreedyRule,
    row_of: RowOf,
    draft: Process,
    calls: tuple[int, ...],
    length: int,
    text: Prefix,
    law: Law,
    mass: MPQ,
) -> None:
    """Add the texts that go on from `text` with calls of so many drafted tokens."""
    if len(text) >= length:
        law[text[:length]] = law.get(text[:length], ZERO) + mass
    elif not calls:
        for y, chance in enumerate(row_of(text)):
            if chance:
                _add_texts(rule, row_of, draft, (), length, (*text, y), law, mass * chance)
    else:
        after = _changed(rule, row_of, draft, text, calls[0])
        for piece, chance in _call_law(rule, row_of, draft, text, calls[0]).items():
            _add_texts(rule, after, draft, calls[1:], length, text + piece, law, mass * chance)


def _processes(case: ProcessCase) -> tuple[Process, Process]:
    return Process(case.target_row, "target"), Process(case.draft_row, "draft")


def _texts_of(rule: GreedyRule, target: Process, draft: Process, gamma: int, calls: int, length: int) -> Law:
    law: Law = {}
    _add_texts(rule, target.weights, draft, (gamma,) * calls, length, (), law, ONE)
    return law


def rule_of_parts(**parts: Any) -> GreedyRule:
    """Return the rule with parts exchanged, its laws being those of the parts."""
    rule = replace(GREEDY, **parts)

    def emitted(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
        rows, below = check_processes(target, draft)
        return _rational(_call_law(rule, rows.weights, below, (), gamma))

    def texts(target: Any, draft: Any, gamma: int, calls: int, length: int) -> dict[Prefix, Rational]:
        return _rational(_texts_of(rule, *check_processes(target, draft), gamma, calls, length))

    return replace(rule, emitted=emitted, texts=texts)


def _rational(law: Law) -> dict[Prefix, Rational]:
    return {tokens: as_rational(mass) for tokens, mass in law.items()}


# What is claimed.


def lossless_over_calls(rule: GreedyRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    target, draft = _processes(case)
    law = _texts_of(rule, target, draft, gamma, 2, gamma + 2)
    wanted: Law = {(): ONE}
    for _ in range(gamma + 2):
        wanted = {(*v, x): m * p for v, m in wanted.items() for x, p in enumerate(target.weights(v))}
    return _difference(law, wanted, "the target's is")


def _difference(law: Any, wanted: Any, words: str) -> str | None:
    for tokens in sorted(law.keys() | wanted.keys()):
        if law.get(tokens, ZERO) != wanted.get(tokens, ZERO):
            return f"{tokens} has probability {law.get(tokens, 0)}, {words} {wanted.get(tokens, 0)}"
    return None


def reaches_the_ceiling(rule: GreedyRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    target, draft = _processes(case)
    reached = sum(((len(e) - 1) * m for e, m in _call_law(rule, target.weights, draft, (), gamma).items()), ZERO)
    level: dict[Prefix, Joint] = {(): (ONE, ONE)}
    total = ZERO
    for _ in range(gamma):
        level = {
            (*v, x): (a * p, b * q)
            for v, (a, b) in level.items()
            for x, (p, q) in enumerate(zip(target.weights(v), draft.weights(v), strict=True))
        }
        total += 1 - sum((abs(a - b) for a, b in level.values()), ZERO) / 2
    stated = rule.ceiling(case.target_row, case.draft_row, gamma)
    if as_rational(reached) == stated == as_rational(total):
        return None
    return f"accepts {reached} tokens, the ceiling is stated as {stated}, the sum of 1 - TV is {total}"


def law_is_the_algorithm(rule: GreedyRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    target, draft = _processes(case)
    call = _rational(_call_law(rule, target.weights, draft, (), gamma))
    difference = _difference(call, rule.emitted(target, draft, gamma), "stated in a call")
    if difference is not None:
        return difference
    texts = _rational(_texts_of(rule, target, draft, gamma, 2, gamma + 1))
    return _difference(texts, rule.texts(target, draft, gamma, 2, gamma + 1), "stated in a text")


def not_below_blocks(rule: GreedyRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    target, draft = _processes(case)
    law = rule.emitted(target, draft, gamma)
    reached = sum(((len(e) - 1) * m for e, m in law.items()), Rational(0))
    least = block_rule.expected_accepted(target, draft, gamma)
    if reached < least:
        return f"accepts {reached} tokens, block verification {least}"
    return None if gamma > 1 else _difference(law, block_rule.emitted_law(target, draft, gamma), "by blocks")
