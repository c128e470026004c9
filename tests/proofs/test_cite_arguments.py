"""Options of ``cite`` that do not go together are refused before anything runs."""

import argparse

import pytest

from proofs import command_line
from proofs.cite_arguments import problem_of


def _arguments(**given: str) -> argparse.Namespace:
    names = ("json", "theorem", "format", "certificate", "macros", "result", "prefix")
    return argparse.Namespace(by_coq=False, **{name: given.get(name) for name in names})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"json": "a"}, "--json does not apply to cite"),
        ({"macros": "a"}, "--macros FILE and --from RESULT go together"),
        ({"result": "a"}, "--macros FILE and --from RESULT go together"),
        ({"prefix": "A"}, "--prefix belongs to --macros"),
        ({"macros": "a", "result": "b", "theorem": "lossless"}, "--theorem does not go with --macros"),
        ({"macros": "a", "result": "b", "certificate": "c"}, "--certificate does not go with --macros"),
        ({"macros": "a", "result": "b", "format": "latex"}, "--format does not go with --macros"),
    ],
)
def test_problem_is_named(given: dict[str, str], words: str) -> None:
    assert words in str(problem_of(_arguments(**given)))


def test_format_is_latex_unless_said() -> None:
    arguments = _arguments(theorem="lossless")
    assert problem_of(arguments) is None
    assert arguments.format == "latex"
    assert problem_of(_arguments(macros="a", result="b", prefix="C")) is None


@pytest.mark.parametrize(
    "arguments",
    [
        ["cite", "--format", "word"],
        ["cite", "lossless"],
        ["--only", "lossless", "cite"],
        ["--smt", "cite"],
        ["--json", "a.json", "cite"],
        ["cite", "--macros", "a.tex"],
    ],
)
def test_usage_that_is_none_has_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(arguments) == 2
    assert capsys.readouterr().out == "BAD INPUT: nothing was checked (see stderr)\n"
