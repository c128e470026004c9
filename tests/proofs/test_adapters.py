"""A right and a wrong verifier of every shape, exact and in float64."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import proofs
from proofs.adapters import (
    POISON,
    Request,
    from_log_probabilities,
    from_logits,
    in_batch_of_one,
    in_flat_batch,
    into_buffer,
    with_bonus,
    without_draft_rows,
)
from proofs.errors import ShapeError
from proofs.verdicts import Status

Verify = Callable[..., Any]

B0 = np.array([[1, 3, 4], [2, 1, 1], [1, 0, 7]]) / np.array([[8], [4], [8]])
ARITHMETICS = ["exact", "float64"]


def _drawn(row: Any, rng: Any) -> int:
    return int(rng.choice(len(row), p=row))


def _replaced(p: Any, q: Any, rng: Any) -> int:
    left = np.maximum(p - q, 0)
    return _drawn(left / left.sum() if left.any() else p, rng)


def _chain(target: Any, draft: Any, tokens: Any, bonus: Callable[[], Any], rng: Any) -> list[Any]:
    """The token rule on probabilities."""
    coins = rng.random(len(tokens))
    for i, x in enumerate(tokens):
        if coins[i] * draft[i, x] >= target[i, x]:
            return [*tokens[:i], _replaced(target[i], draft[i], rng)]
    return [*tokens, bonus()]


def _plain(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    return _chain(target, draft, tokens, lambda: _drawn(target[-1], rng), rng)


# --- logits and log-probabilities


def _softmax(rows: Any) -> Any:
    e = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _logits(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return _plain(_softmax(target), _softmax(draft), tokens, rng)


def _logits_unshifted(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    p, q = np.exp(target), np.exp(draft)
    return _plain(p / p.sum(-1, keepdims=True), q / q.sum(-1, keepdims=True), tokens, rng)


def _logits_in_races(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    p, q = _softmax(target), _softmax(draft)
    return _chain(p, q, tokens, lambda: int(np.argmax(target[-1] + rng.gumbel(size=target.shape[1]))), rng)


def _logits_taken_for_logarithms(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    p, q = _softmax(target), _softmax(draft)
    for i, x in enumerate(tokens):
        if rng.random() * np.exp(draft[i, x]) >= np.exp(target[i, x]):
            return [*tokens[:i], _replaced(p[i], q[i], rng)]
    return [*tokens, _drawn(p[-1], rng)]


def _log_probabilities(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    for i, x in enumerate(tokens):
        if np.log(rng.random()) >= target[i, x] - draft[i, x]:
            return [*tokens[:i], _replaced(np.exp(target[i]), np.exp(draft[i]), rng)]
    return [*tokens, _drawn(np.exp(target[-1]), rng)]


def _log_probabilities_replaced_by_target(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    for i, x in enumerate(tokens):
        if np.log(rng.random()) >= target[i, x] - draft[i, x]:
            return [*tokens[:i], _drawn(np.exp(target[i]), rng)]
    return [*tokens, _drawn(np.exp(target[-1]), rng)]


# --- no draft rows


def _one_hot(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    assert draft is None
    for i, x in enumerate(tokens):
        if rng.random() >= target[i, x]:
            row = target[i].copy()
            row[x] = 0
            return [*tokens[:i], _drawn(row / row.sum(), rng)]
    return [*tokens, _drawn(target[-1], rng)]


def _one_hot_drawn_again(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    for i, x in enumerate(tokens):
        if rng.random() >= target[i, x]:
            return [*tokens[:i], _drawn(target[i], rng)]
    return [*tokens, _drawn(target[-1], rng)]


def _one_hot_logits(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return _one_hot(_softmax(target), draft, tokens, rng)


# --- bonus token handed over


def _given_bonus(target: Any, draft: Any, tokens: Any, bonus: Any, rng: Any) -> Any:
    assert len(target) == len(draft)
    return _chain(target, draft, tokens, lambda: bonus, rng)


def _bonus_for_replacement(target: Any, draft: Any, tokens: Any, bonus: Any, rng: Any) -> Any:
    kept = [x for i, x in enumerate(tokens) if rng.random() * draft[i, x] < target[i, x]]
    return [*(tokens if len(kept) == len(tokens) else tokens[:0]), bonus]


def _bonus_and_logits(target: Any, draft: Any, tokens: Any, bonus: Any, rng: Any) -> Any:
    return _given_bonus(_softmax(target), _softmax(draft), tokens, bonus, rng)


# --- a batch of one


def _batched(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    assert (target.shape[0], draft.shape[0], tokens.shape[0]) == (1, 1, 1)
    return [_plain(target[0], draft[0], tokens[0], rng)]


def _batched_array(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    (emitted,) = _batched(target, draft, tokens, rng)
    return np.array([[*emitted, *[-1] * (target.shape[1] - len(emitted))]])


def _batched_first_row(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    p, q = target[0], draft[0]
    for i, x in enumerate(tokens[0]):
        if rng.random() * q[i, x] >= p[i, x]:
            return [[*tokens[0, :i], _replaced(p[0], q[0], rng)]]
    return [[*tokens[0], _drawn(p[-1], rng)]]


# --- buffers


def _writes(target: Any, draft: Any, tokens: Any, output: Any, rng: Any) -> int:
    emitted = _plain(target, draft, tokens, rng)
    output[: len(emitted)] = emitted
    return len(emitted)


def _writes_with_padding(target: Any, draft: Any, tokens: Any, output: Any, rng: Any) -> None:
    output[:] = -1
    _writes(target, draft, tokens, output, rng)


def _relies_on_padding(target: Any, draft: Any, tokens: Any, output: Any, rng: Any) -> None:
    _writes(target, draft, tokens, output, rng)


def _writes_nothing(target: Any, draft: Any, tokens: Any, output: Any, rng: Any) -> None:
    pass


# --- flat batches


def _flat(
    target: Any, draft: Any, tokens: Any, cumulative: Any, bonus: Any, rng: Any, *, fault: str = ""
) -> np.ndarray[Any, Any]:
    lengths = np.diff(cumulative, prepend=0)
    output = np.full((len(cumulative), max(lengths) + 1), -1)
    for b, end in enumerate(cumulative):
        start = end - lengths[b]
        rows = slice(0, lengths[b]) if fault == "rows of the first request" else slice(start, end)
        last = bonus[-1] if fault == "bonus of the last request" else bonus[b]
        given = (target[rows], draft[rows], tokens[start:end])
        emitted = _chain(*given, lambda last=last: last, rng)  # type: ignore[misc]
        output[b, : len(emitted)] = emitted
    return output


def _flat_with(fault: str) -> Verify:
    return lambda *arguments: _flat(*arguments, fault=fault)


def _flat_without_rows(target: Any, draft: Any, tokens: Any, cumulative: Any, bonus: Any, rng: Any) -> Any:
    assert draft is None
    output, start = [], 0
    for b, end in enumerate(cumulative):
        emitted = _one_hot(
            np.concatenate([target[start:end], np.eye(target.shape[1])[[bonus[b]]]]), None, tokens[start:end], rng
        )
        output.append(emitted)
        start = end
    return output


SURE = Request([[0, 0, 1], [1, 0, 0]], [[0.5, 0.5, 0]], [0])  # rejected, and 2 emitted, whatever the coin
FREE = Request([[0.5, 0.25, 0.25], [0, 1, 0], [0, 0.5, 0.5]], [[0.25, 0.25, 0.5], [0, 1, 0]], [2, 1])
KEPT = Request([[0, 1, 0], [1, 0, 0]], [[0, 1, 0]], [1])


RIGHT: dict[str, Verify] = {
    "logits": from_logits(_logits),
    "logits, not shifted": from_logits(_logits_unshifted),
    "logits in a race": from_logits(_logits_in_races),
    "log-probabilities": from_log_probabilities(_log_probabilities),
    "no draft rows": without_draft_rows(_one_hot),
    "no draft rows, logits": without_draft_rows(from_logits(_one_hot_logits)),
    "bonus": with_bonus(_given_bonus),
    "bonus and logits": with_bonus(from_logits(_bonus_and_logits)),
    "batch of one": in_batch_of_one(_batched),
    "batch of one, an array": in_batch_of_one(_batched_array),
    "logits in a batch of one": from_logits(in_batch_of_one(lambda p, q, x, rng: [_logits(p[0], q[0], x[0], rng)])),
    "buffer": into_buffer(_writes),
    "buffer, padded": into_buffer(_writes_with_padding),
    "buffer, padded beforehand": into_buffer(_relies_on_padding, fill=-1),
    "flat": in_flat_batch(_flat),
    "flat, a neighbour before": in_flat_batch(_flat, before=[SURE]),
    "flat, a neighbour after": in_flat_batch(_flat, after=[KEPT]),
    "flat, a neighbour that draws": in_flat_batch(_flat, before=[FREE]),
    "flat, three": in_flat_batch(_flat, before=[KEPT], after=[SURE]),
    "flat, no draft rows": without_draft_rows(in_flat_batch(_flat_without_rows, before=[KEPT])),
}

WRONG: dict[str, Verify] = {
    "logits taken for logarithms": from_logits(_logits_taken_for_logarithms),
    "log-probabilities, replaced by the target": from_log_probabilities(_log_probabilities_replaced_by_target),
    "no draft rows, drawn again": without_draft_rows(_one_hot_drawn_again),
    "bonus for a replacement": with_bonus(_bonus_for_replacement),
    "batch of one, first row": in_batch_of_one(_batched_first_row),
    "buffer, nothing written": into_buffer(_writes_nothing),
    "buffer, padding not written": into_buffer(_relies_on_padding),
    "flat, rows of the first": in_flat_batch(_flat_with("rows of the first request"), before=[SURE]),
    "flat, bonus of the last": in_flat_batch(_flat_with("bonus of the last request"), after=[SURE]),
}


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("name", RIGHT)
def test_right_verifier_is_lossless(name: str, arithmetic: str) -> None:
    verdict = proofs.check(RIGHT[name], arithmetic=arithmetic, paths=0)
    assert verdict.status is Status.LOSSLESS, str(verdict)
    assert not [note for note in verdict.notes if "mixes up the two lengths" not in note]


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("name", WRONG)
def test_wrong_verifier_is_biased(name: str, arithmetic: str) -> None:
    verdict = proofs.check(WRONG[name], arithmetic=arithmetic, paths=0, shrink=False)
    assert verdict.status is Status.BIASED, str(verdict)


@pytest.mark.parametrize("fault", ["rows of the first request", "bonus of the last request"])
def test_fault_between_requests_shows_beside_a_neighbour_alone(fault: str) -> None:
    assert proofs.check(in_flat_batch(_flat_with(fault)), paths=0)


@pytest.mark.parametrize("fill", [POISON, -1])
def test_launch_that_does_nothing_is_never_lossless(fill: int) -> None:
    verdict = proofs.check(into_buffer(_writes_nothing, fill=fill), gamma=1, paths=0)
    assert verdict.status is (Status.BIASED if fill == POISON else Status.UNVERIFIED)


def test_siblings_take_logits_and_log_probabilities() -> None:
    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> int:
        p, q = _softmax(target), _softmax(draft)
        for x in tokens:
            if rng.random() * q[x] < p[x]:
                return int(x)
            p = np.maximum(p - q, 0)
            p = p / p.sum()
        return _drawn(p, rng)

    assert proofs.check_siblings(from_logits(verify), paths=0)
    assert proofs.check_siblings(from_log_probabilities(verify), paths=0)


# --- what is handed over


def _seen(adapter: Callable[..., Verify], *arguments: Any, returns: Any = ((0,),)) -> tuple[Any, ...]:
    seen: list[tuple[Any, ...]] = []

    def verify(*given: Any) -> Any:
        seen.append(given)
        return returns

    adapter(verify)(*arguments)
    return seen[0]


def test_log_probabilities_are_the_logarithms() -> None:
    target, draft, *rest = _seen(from_log_probabilities, B0, B0[:2], [0, 1], None)
    assert np.array_equal(target, [[np.log(x) if x else -np.inf for x in row] for row in B0])
    assert np.array_equal(draft, target[:2])
    assert rest == [[0, 1], None]


def test_logits_have_a_constant_for_each_row() -> None:
    target, draft, *rest = _seen(from_logits, B0, B0[:2], [0, 1], None)
    assert np.array_equal(np.exp2(np.round((target[:, 2] - np.log(B0[:, 2])) / np.log(2))), [2, 4, 8])
    assert np.array_equal(np.exp2(np.round((draft[:, 2] - np.log(B0[:2, 2])) / np.log(2))), [1 / 2, 1 / 4])
    assert target[2, 1] == -np.inf
    assert rest == [[0, 1], None]


@pytest.mark.parametrize("adapter", [from_logits, from_log_probabilities])
def test_dtype_of_the_rows_is_kept_and_no_rows_stay_none(adapter: Callable[..., Verify]) -> None:
    rows = B0.astype(np.float32)
    target, draft, *_ = _seen(adapter, rows, None, [0, 1], None)
    assert target.dtype == np.float32
    assert draft is None


def test_rows_are_not_changed() -> None:
    before = B0.copy()
    for adapter in (from_logits, from_log_probabilities, with_bonus, in_flat_batch):
        _seen(adapter, B0, B0[:2], np.array([0, 1]), np.random.default_rng(0))
    assert np.array_equal(B0, before)


def test_bonus_is_drawn_from_the_last_row() -> None:
    rows = np.array([[0.5, 0.5, 0], [0, 0, 1.0]])
    target, draft, tokens, bonus, rng = _seen(with_bonus, rows, B0[:1], [0], np.random.default_rng(0))
    assert np.array_equal(target, rows[:1])
    assert np.array_equal(draft, B0[:1])
    assert (tokens, bonus) == ([0], 2)
    assert isinstance(rng, np.random.Generator)


@pytest.mark.parametrize("fill", [POISON, -1])
def test_buffer_is_filled(fill: int) -> None:
    *_, output, _ = _seen(lambda v: into_buffer(v, fill=fill), B0, B0[:2], [0, 1], None, returns=None)
    assert np.array_equal(output, [fill] * 3)
    assert output.dtype == np.int64
    assert POISON < -1


def test_flat_batch_has_the_rows_one_after_the_other() -> None:
    rng, tokens = np.random.default_rng(0), np.array([1, 0])
    adapter: Any = lambda v: in_flat_batch(v, before=[SURE], after=[KEPT])  # noqa: E731
    last = np.array([*B0[:2], [0, 1, 0]])
    target, draft, drafted, cumulative, bonus, _ = _seen(adapter, last, B0[:2], tokens, rng, returns=[[0]] * 3)
    assert np.array_equal(target, [SURE.target[0], *last[:2], KEPT.target[0]])
    assert np.array_equal(draft, [SURE.draft[0], *B0[:2], KEPT.draft[0]])
    assert np.array_equal(drafted, [0, 1, 0, 1])
    assert np.array_equal(cumulative, [1, 3, 4])
    assert np.array_equal(bonus, [0, 1, 0])


def test_neighbours_have_the_dtype_of_the_rows() -> None:
    adapter: Any = lambda v: in_flat_batch(v, before=[SURE])  # noqa: E731
    rows, rng = B0.astype(np.float32), np.random.default_rng(0)
    target, draft, *_ = _seen(adapter, rows, rows[:2], np.array([1, 0]), rng, returns=[[0]] * 2)
    assert (target.dtype, draft.dtype) == (np.float32, np.float32)


def test_tokens_of_the_request_in_its_place_are_returned() -> None:
    adapted = in_flat_batch(lambda *_: [[7], [8, -1], [9]], before=[SURE], after=[SURE])
    assert adapted(B0, B0[:2], np.array([0, 0]), np.random.default_rng(0)) == [8, -1]
    assert in_batch_of_one(lambda *_: [[8, -1]])(B0, B0[:2], np.array([0, 0]), None) == [8, -1]


def test_neighbours_of_fractions_are_taken() -> None:
    half: Sequence[Sequence[Any]] = [[Fraction(1, 2), Fraction(1, 2), 0]]
    neighbour = Request([*half, [1, 0, 0]], half, [0])
    for arithmetic in ARITHMETICS:
        assert proofs.check(in_flat_batch(_flat, before=[neighbour]), gamma=1, paths=0, arithmetic=arithmetic)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            Request([[1, 0], [1, 0]], [[1, 0]], [0]),
            r"before\[0\].target has rows of \[2, 2\] tokens; expected 2 rows of 3",
        ),
        (Request([[1, 0, 0]], [[1, 0, 0]], [0]), r"before\[0\].target has rows of \[3\] tokens; expected 2 rows of 3"),
        (Request([[1, 0, 0]] * 2, [], [0]), r"before\[0\].draft has rows of \[\] tokens; expected 1 rows of 3"),
    ],
)
def test_neighbour_that_does_not_fit_is_refused(request_: Request, message: str) -> None:
    adapted = in_flat_batch(_flat, before=[request_])
    with pytest.raises(ShapeError, match=message):
        adapted(B0, B0[:2], np.array([0, 0]), np.random.default_rng(0))


@pytest.mark.parametrize("adapt", [in_batch_of_one, in_flat_batch])
def test_other_number_of_rows_than_requests_is_refused(adapt: Callable[..., Verify]) -> None:
    adapted = adapt(lambda *_: [[0], [1]])
    with pytest.raises(ShapeError, match="returned 2 rows of tokens; expected 1"):
        adapted(B0, B0[:2], np.array([0, 0]), np.random.default_rng(0))
