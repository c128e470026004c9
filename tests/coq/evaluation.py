"""Runs the Coq definitions, as Evaluate.v has them over lists, on rationals: one file, one call of coqc."""

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from proofs.coq_library import compile_file

__all__ = ["Chain", "Pair", "run_chains", "run_pairs"]

# Coq's own binary rationals, brought to lowest terms by every operation.
PREAMBLE = """\
From Coq Require Import QArith List.
From mathcomp Require Import ssreflect ssrbool ssrnat seq.
From SpecDec Require Import Evaluate.
Import ListNotations.
Set Printing Depth 1000000.
Definition add a b := Qred (Qplus a b).
Definition sub a b := Qred (Qminus a b).
Definition mul a b := Qred (Qmult a b).
Definition over a b := Qred (Qdiv a b).
Definition pair_of p q :=
  ratio_row 1%Q over Qle_bool p q ++ residual_row 0%Q add sub over Qle_bool p q ++
  emitted_row 0%Q 1%Q add sub mul over Qle_bool p q ++
  (alpha_of 0%Q 1%Q add mul over Qle_bool p q :: tv_of 0%Q 1%Q add sub mul over Qle_bool p q :: nil).
Definition shown (values : list Q) := List.map (fun a => (Qnum a, Zpos (Qden a))) values.
Definition row_at (rows : list (list Q)) (first : list Q) (ctx : list nat) (x : nat) : Q :=
  List.nth x (match List.rev ctx with nil => first | y :: _ => List.nth y rows nil end) 0%Q.
Definition chain_values V pf pr qf qr g words :=
  let tokens := List.seq 0 V in
  let p := row_at pr pf in let q := row_at qr qf in
  List.map (fun w => Qred (chain_of 0%Q add sub mul Qle_bool p q g nil w)) words ++
  List.map (fun w => Qred (block_of 0%Q 1%Q add sub mul over Qle_bool p q g nil 1%Q w)) words ++
  List.map (fun k => kept_of 0%Q 1%Q add mul Qle_bool tokens p q k nil) (List.seq 0 (S g)) ++
  List.map (fun k => accepted_of 0%Q 1%Q add mul over Qle_bool tokens p q k nil 1%Q) (List.seq 0 (S g)).
"""

Row = Sequence[Fraction]


class Pair(NamedTuple):
    """What Coq computes on one pair of rows."""

    ratio: list[Fraction]
    residual: list[Fraction]
    emitted: list[Fraction]
    alpha: Fraction
    distance: Fraction


class Chain(NamedTuple):
    """What Coq computes on one pair of first-order models: of every word the law, and of every k what is accepted."""

    token: list[Fraction]
    block: list[Fraction]
    kept: list[Fraction]
    accepted: list[Fraction]


def run_pairs(directory: Path, pairs: Sequence[tuple[Row, Row]]) -> list[Pair]:
    """Compute the token rule's values on pairs of rows."""
    found = _computed(directory, "Pairs.v", [f"pair_of {_row(p)} {_row(q)}" for p, q in pairs])
    return [_pair(len(p), values) for (p, _), values in zip(pairs, found, strict=True)]


def _pair(size: int, values: list[Fraction]) -> Pair:
    assert len(values) == 3 * size + 2
    return Pair(values[:size], values[size : 2 * size], values[2 * size : 3 * size], *values[3 * size :])


def run_chains(
    directory: Path,
    cases: Sequence[tuple[tuple[Row, Sequence[Row]], tuple[Row, Sequence[Row]], int]],
    words: Sequence[Sequence[tuple[int, ...]]],
) -> list[Chain]:
    """Compute laws of calls: a model is its first row, and a row for every last token."""
    terms = [
        f"chain_values {len(p[0])} {_row(p[0])} {_rows(p[1])} {_row(q[0])} {_rows(q[1])} {gamma} {_words(listed)}"
        for (p, q, gamma), listed in zip(cases, words, strict=True)
    ]
    found = []
    for values, (_, _, gamma), listed in zip(_computed(directory, "Chains.v", terms), cases, words, strict=True):
        n = len(listed)
        assert len(values) == 2 * n + 2 * (gamma + 1)
        found.append(Chain(values[:n], values[n : 2 * n], values[2 * n : -gamma - 1], values[-gamma - 1 :]))
    return found


def _computed(directory: Path, name: str, terms: Sequence[str]) -> list[list[Fraction]]:
    lines = [f'Goal True. idtac "@". Abort.\nEval vm_compute in (shown ({term})).' for term in terms]
    (directory / name).write_text(PREAMBLE + "\n".join(lines) + "\n", encoding="ascii")
    status, printed = compile_file(directory, name)
    assert status == 0, printed[-2000:]
    parts = printed.split("@")[1:]
    assert len(parts) == len(terms)
    return [
        [Fraction(int(num), int(den)) for num, den in re.findall(r"\(\s*\(?(-?\d+)\)?%Z,\s*(\d+)%Z\)", part)]
        for part in parts
    ]


def _row(row: Row) -> str:
    return "[" + "; ".join(f"({value.numerator} # {value.denominator})%Q" for value in map(Fraction, row)) + "]"


def _rows(rows: Sequence[Row]) -> str:
    return "[" + "; ".join(map(_row, rows)) + "]"


def _words(words: Sequence[tuple[int, ...]]) -> str:
    return "[" + "; ".join("[" + "; ".join(f"{x}%nat" for x in word) + "]" for word in words) + "]"
