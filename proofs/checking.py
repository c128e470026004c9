"""Is this verifier lossless? The functions that users call."""

from collections.abc import Callable, Iterable
from typing import Any

from proofs.battery_runs import run_battery
from proofs.conclusions import conclude_on, joined
from proofs.errors import ProofsError
from proofs.inputs import fraction
from proofs.plans import DEFAULTS, PATHS, numbers, plan_of
from proofs.verdict import NotLossless, Verdict
from proofs.verdicts import Status

__all__ = ["assert_lossless", "assert_within", "check", "check_siblings", "verdict_on"]


def check(
    verify: Callable[..., Any],
    *,
    gamma: int | Iterable[int] = (1, 2),
    vocabulary: int | Iterable[int] = 3,
    arithmetic: str = "auto",
    drafter: Callable[..., Any] | None = None,
    inputs: Iterable[Any] | None = None,
    paths: int = PATHS,
    tolerance: Any = None,
    target_of: Callable[..., Any] | None = None,
    worst: bool = False,
    shrink: bool = True,
    allow_state: Iterable[str] = (),
    max_paths: int = 10_000,
    progress: Callable[[int, int], None] | None = None,
    accept: str | None = None,
    factory: bool = False,
    batch: int | Iterable[int] | None = None,
) -> Verdict:
    """Find the exact law of a verifier on a battery of inputs, and say whether it is lossless.

    Parameters
    ----------
    verify : callable
        verify(target [gamma + 1, V], draft [gamma, V], tokens [gamma], rng) -> 1 to gamma + 1 ints, of which
        trailing -1 are padding. It is run unchanged, once and once more for every path.
    gamma : int or several
        Numbers of drafted tokens; 0 is allowed.
    vocabulary : int or several
        Numbers of tokens; ignored with `inputs`.
    arithmetic : {"auto", "exact", "float64", "float32", "torch.float64", "torch.float32", ...}
        What the verifier is handed: arrays of exact numbers, or float arrays with dyadic rows, of which
        the law is that of the code as it rounds. "auto" is exact, and float64 where a path leaves exact arithmetic.
        With a dtype of torch (float64, float32, bfloat16, float16), tensors on the CPU, the tokens of int64;
        torch's random operators are followed whatever is handed over.
    drafter : callable, optional
        drafter(prefix, row, rng) -> token; the checker draws from the row itself otherwise.
    inputs : iterable of (target, draft), optional
        Instead of the battery: rows, rows by position, mappings or callables prefix -> row.
    paths : int
        How far to go beyond the core battery.
    tolerance : rational, optional
        Total variation put down to rounding in float arithmetic; ``4 (gamma + 1) V eps`` by default, of which more
        than 1/100, as in half precision, makes the verdict unverified.
    target_of : callable, optional
        target_of(target_row, draft_row) -> row, for a verifier that declares another target; `draft_row` is
        None at the bonus position.
    worst : bool
        Go on after a counterexample, and return the one of greatest total variation.
    shrink : bool
        Make the counterexample smaller.
    allow_state : iterable of str
        Names of globals, closure variables and attributes that may change from path to path.
    max_paths : int
        Of one input; what is left beyond it is not explored, and the verdict unverified.
    progress : callable, optional
        progress(inputs, paths), called after every input.
    accept : {"swept"}, optional
        Let an agreement count that rests on a swept law: that of a verifier that takes its coins from ``rng.coins``.
        It was found by running the verifier with many coins, and a thin piece between them can be missed.
    factory : bool
        Whether `verify` makes the verifier: for models and caches that keep state. It is called without arguments
        before every path and its replay, and what it returns is the verifier of that run, with a state of its own;
        what all of them share is still watched. What it draws, it draws on the path: random weights are branched
        over or refused, so hand it fixed ones or give them a seed. That seed counts as one of the program if the
        verifier goes on drawing from the generator that was seeded: after ``torch.manual_seed(0)`` in the
        factory the verifier's own draws from torch's global generator are constants, as they are in life where
        the factory runs before each call. ``with torch.random.fork_rng():`` around it seeds the weights alone.
    batch : {1, 2} or both, optional
        verify(target [B, gamma + 1, V], draft [B, gamma, V], tokens [B, gamma], rng) -> B rows of tokens, or an
        array of ints [B, gamma + 1] padded with -1, for these B. With 1 everything is as without the axis; with 2
        some pairs of requests are tried (those of `inputs`: each with the next), and each request must be
        lossless by itself and given any outcome of the other. None means that there is no axis.

    Returns
    -------
    Verdict
        "lossless" only if every input of the core battery was explored whole and every law is the target's.

    Raises
    ------
    ProofsError
        For arguments that make no sense; nothing that the verifier does raises.

    Examples
    --------
    >>> def sloppy(target, draft, tokens, rng):
    ...     return [*tokens, rng.choice(len(target[-1]), p=target[-1])]
    >>> check(sloppy, gamma=1).status
    <Status.BIASED: 'biased'>
    """
    return verdict_on(
        verify,
        gamma=gamma,
        vocabulary=vocabulary,
        arithmetic=arithmetic,
        drafter=drafter,
        inputs=inputs,
        paths=paths,
        tolerance=tolerance,
        target_of=target_of,
        worst=worst,
        shrink=shrink,
        allow_state=allow_state,
        max_paths=max_paths,
        progress=progress,
        accept=accept,
        factory=factory,
        batch=batch,
    )


def check_siblings(
    verify: Callable[..., Any],
    *,
    k: int | Iterable[int] = (1, 2),
    vocabulary: int | Iterable[int] = 3,
    replacement: bool = True,
    **options: Any,
) -> Verdict:
    """Find the exact law of a verifier of k siblings, and say whether it is lossless.

    Parameters
    ----------
    verify : callable
        verify(target [V], draft [V], tokens [k], rng) -> token.
    k : int or several
        Numbers of drafted siblings.
    vocabulary : int or several
    replacement : bool
        Whether the siblings are independent; otherwise each is drawn from the row without those before it,
        and inputs with fewer than k tokens in the draft are left out.
    **options
        `arithmetic`, `drafter` (here drafter(row, k, rng) -> k tokens), `inputs`, `paths`, `tolerance`,
        `target_of`, `worst`, `shrink`, `allow_state`, `max_paths`, `progress`, `accept`, `factory` as in `check`.

    Returns
    -------
    Verdict

    Raises
    ------
    ProofsError
        For arguments that make no sense, k above the number of tokens without replacement among them.
    """
    if own := sorted(options.keys() & {"batch", "gamma", "siblings"}):
        raise ProofsError(f"{own[0]} is no option of check_siblings; expected k, the number of siblings.")
    sizes, counts = numbers(vocabulary, 1, "vocabulary"), numbers(k, 1, "k")
    if not replacement and max(counts) > min(sizes):
        raise ProofsError(f"k = {max(counts)} without replacement; expected at most vocabulary = {min(sizes)}.")
    shared = {"vocabulary": sizes, "replacement": replacement, **options}
    return joined([verdict_on(verify, gamma=1, siblings=count, **shared) for count in counts])


def assert_lossless(verify: Callable[..., Any], **options: Any) -> None:
    """Check a verifier, and raise unless the verdict is lossless.

    Parameters
    ----------
    verify : callable
    **options
        As of `check`.

    Returns
    -------
    None

    Raises
    ------
    NotLossless
        An ``AssertionError`` whose text is the verdict: for biased and for unverified.
    ProofsError
        For arguments that make no sense.
    """
    __tracebackhide__ = True
    verdict = check(verify, **options)
    if not verdict:
        raise NotLossless(verdict)


def assert_within(verify: Callable[..., Any], total_variation: Any = "1/100", **options: Any) -> None:
    """Check a verifier that is lossy on purpose, and raise unless it keeps within its bound.

    Parameters
    ----------
    verify : callable
    total_variation : rational or str
        Bound on the total variation between the laws of gamma + 1 tokens, over all inputs tried. A token of
        target probability zero counts by its mass alone.
    **options
        As of `check`.

    Returns
    -------
    None

    Raises
    ------
    NotLossless
        An ``AssertionError`` whose text is the verdict: beyond the bound, or unverified.
    ProofsError
        For arguments that make no sense.
    """
    __tracebackhide__ = True
    try:
        bound = fraction(total_variation)
    except ProofsError as error:
        raise ProofsError(f"total_variation: {error}") from None
    if bound < 0:
        raise ProofsError(f"total_variation = {bound}; expected a bound of at least 0.")
    verdict = verdict_on(verify, bound=bound, **options)
    # Of a verifier that keeps within its bound nothing is said but that: it is never called lossless.
    if verdict.status is not Status.LOSSLESS:
        raise NotLossless(verdict)


def verdict_on(verify: Callable[..., Any], **options: Any) -> Verdict:
    """Check a verifier as `check` does, with the options that its relatives add.

    Parameters
    ----------
    verify : callable
    **options
        As of `check`; `siblings` and `replacement` (one number of siblings), `bound` (a Fraction: "lossless"
        then means within it), `bench` (a `Bench`: where the inputs are examined), `drawn` (False: none that
        Hypothesis draws) and `record` (called with the run and each result that counts).

    Returns
    -------
    Verdict

    Raises
    ------
    ProofsError
        For arguments that make no sense.
    """
    if unknown := sorted(options.keys() - DEFAULTS.keys()):
        raise ProofsError(f"{unknown[0]} is no option of a check; expected one of {', '.join(DEFAULTS)}.")
    plan = plan_of(verify, **{**DEFAULTS, **options})
    return conclude_on(plan, *run_battery(plan))
