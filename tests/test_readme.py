"""Every code block and number of the README is run or compared."""

import doctest
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import proofs
import specdec
from proofs import command_line
from proofs.runner import REGISTRY
from proofs.theorems import THEOREMS
from proofs.verdicts import Finding, Outcome, conclude
from specdec import sampling
from tests.zoo import __main__ as zoo

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
PYTHON = [body for language, body in BLOCKS if language == "python"]
CONSOLE = [body for language, body in BLOCKS if language == "console"]
SHELL = [body for language, body in BLOCKS if language == "sh"]


def _readme_command() -> ModuleType:
    spec = importlib.util.spec_from_file_location("readme_command", ROOT / ".ci" / "readme_command.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_block_is_of_a_kind_that_is_run() -> None:
    assert {language for language, _ in BLOCKS} == {"python", "console", "sh"}
    assert len(PYTHON) == 11
    assert len(CONSOLE) == 5
    assert len(SHELL) == 2


def test_python_blocks_give_what_they_show() -> None:
    """In order, in one namespace, as a reader would type them."""
    namespace: dict[str, object] = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for at, body in enumerate(PYTHON):
        test = parser.get_doctest(body, namespace, f"block {at}", "README.md", 0)
        assert test.examples
        runner.run(test, clear_globs=False)
        namespace = test.globs
    assert runner.summarize().failed == 0


@pytest.mark.parametrize("body", CONSOLE, ids=lambda body: body.splitlines()[0])
def test_console_blocks_give_what_they_show(body: str) -> None:
    """Lines as shown; `...` stands for lines left out."""
    command, *shown = body.splitlines()
    prompt, python, *arguments = command.split()
    assert (prompt, python) == ("$", ".venv/bin/python")
    run = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    printed = run.stdout.splitlines()
    if "..." in shown:
        cut = shown.index("...")
        tail = len(shown) - cut - 1
        assert printed[:cut] == shown[:cut]
        assert printed[len(printed) - tail :] == shown[cut + 1 :]
    else:
        assert printed == shown
    assert run.returncode == 0


def test_table_of_the_zoo_is_what_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    assert zoo.main(["--markdown"]) == 0
    shown = README.partition("<!-- zoo -->\n")[2].partition("<!-- /zoo -->\n")[0]
    assert shown == capsys.readouterr().out
    assert len(shown.splitlines()) > 20


def test_setup_commands_are_those_that_ci_reads_and_runs() -> None:
    module = _readme_command()
    assert [module.command(README, "prove"), module.command(README, "test")] == SHELL
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for name in ("prove", "test"):
        assert f'readme {name} > "$scratch/{name}.sh"' in script
        assert f'bash -e "$scratch/{name}.sh"' in script
    with pytest.raises(LookupError):
        module.command(README, "missing")
    with pytest.raises(LookupError):
        module.command("<!-- prove -->\n```sh\n```", "prove")


def test_numbers_of_theorems_and_mutants_are_true() -> None:
    pattern = (
        r"(\d+) of (\d+) theorems proved and checked, (\d+) of (\d+) others checked, (\d+) of (\d+) mutants refuted"
    )
    numbers = re.search(pattern, README)
    assert numbers is not None
    lossless, others = len(THEOREMS[0].refutes), len(REGISTRY.theorems) - len(THEOREMS)
    assert [int(n) for n in numbers.groups()] == [1, len(THEOREMS), 0, others, lossless, lossless]


def test_draws_of_the_histogram_are_those_of_the_notebook() -> None:
    notebook = (ROOT / "notebooks" / "01_lossless.ipynb").read_text(encoding="utf-8")
    assert "histogram of 100,000 draws" in README
    assert "draws, expected = 100_000" in notebook


def test_rows_are_as_many_and_of_as_many_drafts_as_said() -> None:
    assert "Here are 50 rows of a language model against six drafts" in README
    with np.load(ROOT / "tests" / "data" / "real_rows.npz") as data:
        assert data["p"].shape[0] == 50
        assert len(set(data["draft"].tolist())) == 6


def test_exit_statuses_are_true() -> None:
    table = re.findall(r"^\| (\d) \| `([A-Z ]+)` \| (.*) \|$", README, flags=re.MULTILINE)
    assert len(table) == len(Outcome)
    for status, word, _ in table:
        assert conclude([Finding(Outcome(int(status)), "")], "").word == word
    order = re.search(r"in the order ([\d, ]+)", README)
    assert order is not None
    ranked = [Outcome(int(status)) for status in re.findall(r"\d", order.group(1))]
    for start in range(len(ranked)):
        assert conclude([Finding(outcome, "") for outcome in reversed(ranked[start:])], "").outcome is ranked[start]


def test_promised_names_are_the_public_ones() -> None:
    promised = README[README.index("## Promised") : README.index("| status |")]
    for package in (specdec, proofs):
        for name in package.__all__:
            assert f"`{name}`" in promised, name


def test_promised_json_keys_are_the_written_ones() -> None:
    from proofs import rows

    start = README.index("of\n  `specdec-proofs/rows/1`")
    promised = README[start : README.index("; of `specdec-proofs/check/1`")]
    row = rows.to_json(rows.RowResult(0, None, problem="nan"), 1)
    assert set(re.findall(r"`(\w+)`", promised)) == {"schema", "rows", "verdict", *row}


def test_promised_fields_of_a_check_are_the_written_ones(tmp_path: Path) -> None:
    promised = README[README.index("of `specdec-proofs/check/1`") : README.index("; of `specdec-proofs/compare/1`")]
    assert set(re.findall(r"`(\w+)`", promised)) == {"schema", "verdict", "spec", "options", "Verdict"}
    out = tmp_path / "verdict.json"
    code = command_line.main(["check", "specdec.sampling:verify", "--gamma", "0", "--paths", "0", "--json", str(out)])
    written = json.loads(out.read_text(encoding="ascii"))
    verdict = proofs.check(sampling.verify, gamma=0, paths=0)
    assert code == 0
    assert set(written) == {"schema", "verdict", "spec", "options", *verdict.to_json()}


def test_promised_keys_of_a_comparison_are_the_written_ones(tmp_path: Path) -> None:
    promised = README[README.index("of `specdec-proofs/compare/1`") : README.index("- Exit status")]
    out, written = str(tmp_path / "comparison.json"), []
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"p": ["1/3", "2/3"], "q": ["2/3", "1/3"]}\n', encoding="ascii")
    for arguments in (["--target", "1/3,2/3", "--draft", "2/3,1/3"], [str(rows)]):
        assert command_line.main(["compare", *arguments, "--json", out]) == 0
        written.append(set(json.loads(Path(out).read_text(encoding="ascii"))))
    assert written == [{"schema", "verdict", "lines", "left_out"}, {"schema", "verdict", "rows"}]
    assert set(re.findall(r"`(\w+)`", promised)) == set.union(*written)


def test_bound_of_the_fast_laws_is_the_one_that_is_tested() -> None:
    from tests.proofs.test_agreement import BOUND

    assert f"within {BOUND} eps" in README
    for function in (specdec.emitted_distribution, specdec.acceptance_probability, specdec.total_variation):
        assert f"``{BOUND} eps``" in str(function.__doc__)


def test_extras_and_python_version_are_true() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "Python 3.11 or newer" in README
    assert 'requires-python = ">=3.11"' in project
    extras = re.search(r"Extras: (.*)\.", README)
    assert extras is not None
    for extra in re.findall(r"`(\w+)`", extras.group(1)):
        assert f"\n{extra} = [" in project


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).exists(), link


def test_citation_names_this_version() -> None:
    assert f"specdec-proofs {specdec.__version__}" in README
