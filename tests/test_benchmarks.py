"""The benchmarks run and print what they should, on tiny sizes; no figure is asserted."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from tests.benchmarks import block_rule, chain_models, chain_rule, chains, law
from tests.verifiers import CONTROLS


def test_law_prints_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--paths", "0", "--beyond", "0", "--gamma", "1", "--repeats", "1", "--controls", "1"]
    assert law.main(options) == 0
    lines = capsys.readouterr().out.splitlines()
    per_path = r" +\d+\.\d us a path, \d+% of it the replay \(\d+ paths\)"
    expected = [
        f"lists of fractions{per_path}",
        f"NumPy, exact{per_path}",
        f"NumPy, float64{per_path}",
        r"battery +\d+\.\d\d s, \d+ inputs, \d+ paths, \d+% of it not exploring: lossless",
        r"command line +\d+\.\d\d s wall with --jobs 1, \d+\.\d\d s with --jobs 2 \(\d+\.\d\d times as fast\)",
        rf"  +\d+\.\d{{3}}  {CONTROLS[0].name}",
        r"worst distance of a control: \d\.\d{3} \(gamma \+ 1\) V eps; the default tolerance is 4",
    ]
    assert len(lines) == len(expected)
    for pattern, line in zip(expected, lines, strict=True):
        assert re.fullmatch(pattern, line), line


@pytest.mark.parametrize(
    "name",
    ["proofs.law, rows of Fraction", "proofs.law, rows of mpq", "proofs.law, mpq, no replay", "proofs.chain_rule"],
)
def test_our_models_have_the_law_of_the_chain(name: str) -> None:
    """The token rule is lossless: after the first token that was not drafted the target goes on."""
    pytest.importorskip("gmpy2")
    chain = chain_models.markov_chain(2, 2)
    found = chain_models.MODELS[name][1](chain)
    assert sum(found.values()) == 1
    for block in {block[:1] for block in found}:
        assert sum(mass for other, mass in found.items() if other[:1] == block) == chain.target[0][block[0]]
    p, q = chain.target[0], chain.draft[0]
    ended = sum(mass for block, mass in found.items() if len(block) == 1)
    assert ended == sum(max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True))


def test_the_model_for_storm_is_a_program_of_prism() -> None:
    """Every line of the module ends, and the options of every command sum to one."""
    lines = chain_models.prism_program(chain_models.markov_chain(2, 2)).splitlines()
    assert (lines[:2], lines[-1]) == (["dtmc", "module chain"], "endmodule")
    assert all(line.endswith(";") for line in lines[2:-1])
    shares = [re.findall(r"(\S+) : \(", line) for line in lines if "->" in line and " : (" in line]
    assert len(shares) == 2 * (2 + 2 * 2)
    assert all(sum(map(Fraction, found)) == 1 for found in shares)


def test_chains_compares_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert chains.main(["--here", "2x1"]) == 0
    first, *lines, last = capsys.readouterr().out.splitlines()
    assert first == "V = 2, gamma = 1: 5 blocks"  # two drafts and two bonus tokens each, and one replacement
    assert [line[2:31].strip() for line in lines] == [*chain_models.MODELS]
    assert all(re.search(r"\d+\.\d{3} s +\d+\.\d\d x ours$|not installed here$", line) for line in lines)
    assert last.endswith("laws: all are equal as fractions, and sum to one")


def test_chains_sees_a_law_that_differs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    half = Fraction(1, 2)
    laws: Iterator[chain_models.BlockLaw] = iter([{(0,): half, (1,): half}, {(0,): half, (2,): half}])

    def result(python: str, name: str, size: str, seconds: float) -> Any:
        return chains.Result(name, 1.0, next(laws, None), "not tried")

    monkeypatch.setattr(chains, "_result", result)
    monkeypatch.setattr(chains, "_here", lambda: ("python", {}))
    assert chains.main(["--here", "2x1"]) == 1
    out = capsys.readouterr().out
    assert out.count("LAW DIFFERS") == 1
    assert "2 laws: NOT ALL EQUAL" in out
    assert out.count("not tried") == len(chain_models.MODELS) - 2


def test_block_rule_prints_a_ratio_for_each_dtype(capsys: pytest.CaptureFixture[str]) -> None:
    assert block_rule.main(["--paths", "2", "--vocabulary", "7", "--gamma", "3", "--repeats", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for dtype, line in zip(("float64", "float32"), lines, strict=True):
        assert re.fullmatch(rf"{dtype}: path_law +\d+\.\d\d x emitted_distribution on 6 rows of 7 tokens", line), line


def test_chain_rule_prints_ratios(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(chain_rule, "CALLS", 2)
    monkeypatch.setattr(chain_rule, "VOCABULARY", 50)
    assert chain_rule.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(
        re.fullmatch(r"float(32|64): path_law, .* +\d+\.\d\d x the token rule on 10 rows", line) for line in lines
    )
