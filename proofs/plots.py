"""Pictures of rows: how alpha is spread, and how three targets split into accepted and residual part.

Needs the extra ``plot``; matplotlib is imported when something is drawn, never before.
"""

from array import array
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from proofs.console import check_writable
from proofs.integer_law import mixture
from proofs.row_files import ExactRow, RowPair, exact_row, read_pairs
from proofs.rows import Options, RowResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FORMATS", "AlphaLog", "Bar", "Place", "draw_lines", "draw_rows", "plot_problem", "split_row"]

FORMATS = (".png", ".svg", ".pdf")
TOKENS = 30  # shown of a row: the likeliest under the target
_ACCEPTED, _RESIDUAL, _DRAFT, _LOSSY = "#4477aa", "#cc6677", "#222222", "#ddaa33"  # told apart by the colour-blind too


class Place(NamedTuple):
    """Where a row stands, and its alpha."""

    file: int
    row: int
    alpha: float


class Bar(NamedTuple):
    """A rule: what it keeps, the most that is possible, and whether it claims to be lossless."""

    name: str
    kept: float
    most: float
    lossless: bool


class AlphaLog:
    """Alpha of every row with a law, and where it stands: 24 bytes a row."""

    def __init__(self) -> None:
        self.alphas, self._files, self._rows = array("d"), array("q"), array("q")

    def add(self, file: int, result: RowResult) -> None:
        """Note the row, if it has a law."""
        if result.law is not None:
            self.alphas.append(
                min(float(min(result.law.alpha, Fraction(2))), 1.0)
            )  # rows taken as given may lead beyond
            self._files.append(file)
            self._rows.append(result.index)

    def worst_median_best(self) -> list[Place]:
        """Return three rows by their alpha, the first among equals; fewer if there are fewer rows."""
        order = sorted(range(len(self.alphas)), key=self.alphas.__getitem__)
        best = max(order, key=self.alphas.__getitem__, default=0)
        chosen = dict.fromkeys((order[0], order[(len(order) - 1) // 2], best) if order else ())
        return [Place(self._files[at], self._rows[at], self.alphas[at]) for at in chosen]


def plot_problem(path: str) -> str | None:
    """Say why nothing could be drawn into a file, before anything is computed; None where it may be."""
    if Path(path).suffix.lower() not in FORMATS:
        return f"has another ending; expected {', '.join(FORMATS)}"
    try:
        check_writable(path)
    except OSError as error:
        return f"cannot be written: {error.strerror}"
    if find_spec("matplotlib") is None:
        return "needs matplotlib; python -m pip install '.[plot]' installs it"
    return None


def split_row(pair: RowPair, options: Options) -> tuple[list[float], list[float], list[float]]:
    """Return what of each target probability is accepted and what is replaced, and the draft.

    Parameters
    ----------
    pair : RowPair
    options : Options

    Returns
    -------
    accepted, replaced, draft : list of float, length V
        Each row divided by its exact sum; ``accepted + replaced`` is the law of the emitted token.
    """
    p, q = (_divided(exact_row(row, name, options.form)) for row, name in ((pair.p, "p"), (pair.q, "q")))
    denominator = p[1] * q[1]
    left, right = [w * q[1] for w in p[0]], [w * p[1] for w in q[0]]
    parts = mixture(left, right, denominator)
    replaced = [float(Fraction(e) * parts.scale / denominator) for e in parts.excess]
    return [k / denominator for k in parts.kept], replaced, [w / denominator for w in right]


def draw_rows(target: str, log: AlphaLog, files: Sequence[str], options: Options) -> None:
    """Draw the spread of alpha, and the worst, the median and the best row, into a file.

    Parameters
    ----------
    target : str
        Ends in .png, .svg or .pdf.
    log : AlphaLog
        With at least one row.
    files : sequence of str
        The files that the log's places count.
    options : Options

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    from matplotlib.figure import Figure

    figure: Figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplot_mosaic([["alpha"] * 3, ["0", "1", "2"]])
    _draw_spread(axes["alpha"], log)
    places = log.worst_median_best()
    names = ("worst", "median", "best") if len(places) == 3 else ("worst", "best") if len(places) == 2 else ("only",)
    for at, panel in enumerate(axes[key] for key in "012"):
        if at < len(places):
            pair = _find(files[places[at].file], places[at].row, options)
            title = f"{names[at]} row: file {places[at].file + 1}, row {places[at].row}"
            _draw_split(panel, split_row(pair, options), f"{title}\nalpha = {places[at].alpha:.6f}")
        else:
            panel.set_axis_off()
    figure.savefig(target)


def _divided(row: ExactRow) -> tuple[list[int], int]:
    return row.weights, sum(row.weights)


def _find(file: str, row: int, options: Options) -> RowPair:
    return next(pair for pair in read_pairs(file, options.form) if pair.number == row)


def _draw_spread(axes: "Axes", log: AlphaLog) -> None:
    axes.hist(log.alphas, bins=20, range=(0, 1), color=_ACCEPTED, edgecolor="white")
    axes.set_xlim(0, 1)
    axes.set_xlabel("alpha, the probability that the drafted token is kept (= 1 - TV)")
    axes.set_ylabel("rows")
    axes.set_title(f"Token rule, exact: {len(log.alphas)} rows")


def _draw_split(axes: "Axes", parts: tuple[list[float], list[float], list[float]], title: str) -> None:
    accepted, replaced, draft = parts
    shown = sorted(range(len(accepted)), key=lambda x: -(accepted[x] + replaced[x]))[:TOKENS]
    places: Any = range(len(shown))
    kept, rest = [accepted[x] for x in shown], [replaced[x] for x in shown]
    axes.bar(places, kept, color=_ACCEPTED, width=0.9, label="accepted: min(p, q)")
    axes.bar(places, rest, bottom=kept, color=_RESIDUAL, width=0.9, label="residual: (p - q)+")
    axes.plot(places, [draft[x] for x in shown], "_", color=_DRAFT, markersize=5, label="draft q")
    axes.set_ylim(0, 1.05 * max(*(k + r for k, r in zip(kept, rest, strict=True)), *(draft[x] for x in shown)))
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel(f"the {len(shown)} likeliest tokens of p")
    axes.set_ylabel("probability")
    axes.set_xticks([])
    axes.legend(fontsize="x-small")


def draw_lines(target: str, bars: Sequence[Bar]) -> None:
    """Draw a bar for each rule: what it keeps, and a mark at the most that is possible.

    Parameters
    ----------
    target : str
        Ends in .png, .svg or .pdf.
    bars : sequence of Bar

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    from matplotlib.figure import Figure

    figure: Figure = Figure(figsize=(8, 0.4 * len(bars) + 1), layout="constrained")
    axes = figure.subplots()
    for lossless, color, label in ((True, _ACCEPTED, "kept, lossless"), (False, _LOSSY, "kept, lossy")):
        places: Any = [at for at, bar in enumerate(bars) if bar.lossless is lossless]
        axes.barh(places, [bars[at].kept for at in places], color=color, height=0.7, label=label)
    axes.plot([bar.most for bar in bars], range(len(bars)), "|", color=_DRAFT, markersize=14, label="best possible")
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars])
    axes.invert_yaxis()
    axes.set_xlabel("alpha; for gamma positions the expected number of accepted tokens")
    figure.legend(fontsize="small", loc="outside upper right", ncols=3)
    figure.savefig(target)
