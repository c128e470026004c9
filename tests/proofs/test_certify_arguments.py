import argparse
from pathlib import Path

import pytest

from proofs.certify_arguments import add_parser, environment_file, problem_of


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    add_parser(parser.add_subparsers(), "")
    return parser.parse_args(["certify", *arguments])


def test_defaults() -> None:
    found = parsed("--out", "cert.json")
    assert problem_of(found) is None
    assert (found.gamma, found.vocabulary, found.arithmetic, found.paths) == ([1, 2], [3], "auto", 0)
    assert (found.p_key, found.q_key, found.normalise) == ("p", "q", "exact")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--only", "lossless", "--rows", "a.npz"), "exclude each other"),
        (("--rows", "a.npz", "--check", "a:b"), "exclude each other"),
        (("--gamma", "1"), "--gamma belongs to --check"),
        (("--rows", "a.npz", "--paths", "0"), "--paths belongs to --check"),
        (("--check", "a:b", "--p-key", "x"), "--p-key belongs to --rows"),
    ],
)
def test_what_does_not_go_together(arguments: tuple[str, ...], words: str) -> None:
    assert words in str(problem_of(parsed("--out", "c.json", *arguments)))


def test_nothing_that_is_read_is_overwritten(tmp_path: Path) -> None:
    for name in ("a.jsonl", "v.py", "c.environment.json"):
        (tmp_path / name).write_text("")
    rows, code, beside = (str(tmp_path / name) for name in ("a.jsonl", "v.py", "c.environment.json"))
    assert "overwrite" in str(problem_of(parsed("--out", rows, "--rows", rows)))
    assert "overwrite" in str(problem_of(parsed("--out", code, "--check", f"{code}:verify")))
    assert "overwrite" in str(problem_of(parsed("--out", str(tmp_path / "c.json"), "--rows", beside)))


@pytest.mark.parametrize(
    ("out", "name"),
    [("cert.json", "cert.environment.json"), ("a.b.json", "a.b.environment.json"), ("cert", "cert.environment.json"),
     ("a.txt", "a.txt.environment.json")],
)  # fmt: skip
def test_environment_file(out: str, name: str) -> None:
    assert environment_file(out).name == name
