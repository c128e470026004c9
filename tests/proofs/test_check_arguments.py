"""Options of ``check`` that make sense, and those that do not."""

import argparse
from fractions import Fraction

import pytest

from proofs import check_arguments


def _parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    check_arguments.add_parser(parser.add_subparsers(dest="command"), "")
    return parser.parse_args(["check", *arguments])


def test_defaults_are_those_of_the_function() -> None:
    import inspect

    from proofs.checking import check
    from proofs.plans import PATHS

    arguments = _parsed("m:f")
    assert check_arguments.problem_of(arguments) is None
    defaults = {name: parameter.default for name, parameter in inspect.signature(check).parameters.items()}
    assert tuple(arguments.gamma) == defaults["gamma"]
    assert arguments.vocabulary == [defaults["vocabulary"]]
    assert arguments.paths == defaults["paths"] == PATHS
    assert arguments.max_paths == defaults["max_paths"]
    assert arguments.arithmetic == defaults["arithmetic"]
    assert (arguments.worst, not arguments.no_shrink) == (defaults["worst"], defaults["shrink"])
    assert (arguments.tolerance, tuple(arguments.allow_state)) == (defaults["tolerance"], defaults["allow_state"])
    assert (arguments.factory, arguments.batch) == (defaults["factory"], defaults["batch"])
    assert (arguments.drafter, arguments.within, arguments.siblings, arguments.jobs) == (None, None, False, 1)


def test_several_numbers_and_rationals() -> None:
    arguments = _parsed("m:f", "--gamma", "0", "3", "--vocabulary", "2", "4", "--tolerance", "1/1000", "--within", "1")
    assert check_arguments.problem_of(arguments) is None
    assert (arguments.gamma, arguments.vocabulary) == ([0, 3], [2, 4])
    assert (arguments.tolerance, arguments.within) == (Fraction(1, 1000), Fraction(1))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-k", "1"], "-k and --without-replacement belong to --siblings"),
        (["--without-replacement"], "-k and --without-replacement belong to --siblings"),
        (["--siblings", "--gamma", "1"], "--gamma does not apply to --siblings; -k says how many there are"),
        (
            ["--siblings", "--without-replacement", "-k", "1", "4", "--vocabulary", "5", "3"],
            "k = 4 without replacement; expected at most V = 3",
        ),
        (["--siblings", "--without-replacement", "-k", "3"], None),
        (["--siblings", "-k", "4"], None),
        (["--siblings", "--batch", "2"], "--batch does not apply to --siblings"),
        (["--siblings", "--factory"], None),
        (["--batch", "1", "2", "--factory"], None),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], problem: str | None) -> None:
    assert check_arguments.problem_of(_parsed("m:f", *arguments)) == problem


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gamma", "1", "m:f"], "'m:f' is no int of at least 0; SPEC goes before the options"),
        (["--gamma", "-1"], "'-1' is no int of at least 0"),
        (["--vocabulary", "0"], "'0' is no int of at least 1"),
        (["--vocabulary", "\u0663"], "is no int of at least 1"),
        (["--paths", "1e3"], "'1e3' is no int of at least 0"),
        (["--max-paths", "0"], "'0' is no int of at least 1"),
        (["--siblings", "-k", "0"], "'0' is no int of at least 1"),
        (["--tolerance", "0.1"], "is no rational number; expected an int, a Fraction or '3/8'"),
        (["--within=-1/2"], "'-1/2' is negative"),
        (["--within", "1/0"], "is no rational number"),
        (["--batch", "3"], "'3' is no number of requests that is tried; expected 1 or 2"),
        (["--jobs", "0"], "'0' is no number of processes; expected 1 to 256"),
        (["--arithmetic", "float16"], "invalid choice: 'float16'"),
    ],
)
def test_values_are_checked(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parsed(*([] if "m:f" in arguments else ["m:f"]), *arguments)
    assert message in capsys.readouterr().err


def test_program_in_place_of_a_name() -> None:
    arguments = _parsed("--exec", "./mine -x", "--gamma", "1", "--accept", "swept")
    assert check_arguments.problem_of(arguments) is None
    assert (arguments.program, arguments.verifier, arguments.exec_timeout) == ("./mine -x", None, 10.0)
    assert (arguments.arithmetic, arguments.accept, arguments.gamma) == ("float64", "swept", [1])
    single = _parsed("--exec", "./mine", "--exec-timeout", "0.5", "--arithmetic", "float32")
    assert check_arguments.problem_of(single) is None
    assert (single.exec_timeout, single.arithmetic) == (0.5, "float32")


def test_limit_is_that_of_the_function() -> None:
    from proofs.exec_verifier import TIMEOUT

    arguments = _parsed("--exec", "./mine")
    assert check_arguments.problem_of(arguments) is None
    assert arguments.exec_timeout == TIMEOUT


def test_name_may_stand_after_options_that_take_one_value() -> None:
    arguments = _parsed("--jobs", "2", "m:f", "--gamma", "1")
    assert (arguments.verifier, arguments.jobs, arguments.gamma) == ("m:f", 2, [1])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "what is to be checked? Expected SPEC, or --exec COMMAND"),
        (["m:f", "--exec-timeout", "1"], "--exec-timeout belongs to --exec"),
        (["m:f", "--exec", "a"], "both --exec and SPEC = 'm:f'; expected one of them, and the command in quotes"),
        (["--exec", "a", "--siblings"], "--siblings does not go with --exec: the protocol has chains of drafts alone"),
        (
            ["--exec", "a", "--arithmetic", "exact"],
            "--arithmetic exact does not go with --exec: the protocol has floats; expected float64 or float32",
        ),
        (["--exec", "a", "--jobs", "2"], "--jobs does not go with --exec: the program is started once"),
        (["--exec", "a", "-k", "2"], "-k and --without-replacement belong to --siblings"),
    ],
)
def test_options_that_do_not_go_with_a_program(arguments: list[str], problem: str) -> None:
    assert check_arguments.problem_of(_parsed(*arguments)) == problem


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon", ""])
def test_seconds_are_positive(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parsed("--exec", "a", f"--exec-timeout={text}")
    assert f"{text!r} is no number of seconds; expected more than 0, such as 10" in capsys.readouterr().err
