"""The pages in docs/: every reason that the code can give has an entry, and links lead somewhere."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import proofs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE = (DOCS / "unverified.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^- `(.+)`\\$", PAGE, flags=re.MULTILINE)

# Which argument is the reason.
REASON_AT = {"refuse": 0, "TooHard": 0, "Denied": 0, "_noticed": 2, "mark": 1, "Mark": 1}
# What is handed on there: a reason from elsewhere, which is among the others or in BESIDE.
HANDED_ON = {
    ("draws.py", "name"),
    ("exploration.py", "foreign"),
    ("torch_exits.py", "reason"),
    ("torch_nodes.py", "self.reason"),
}

# Reasons that are put together elsewhere than in one of these calls, and the module that does it.
_TENSORS = 'the verifier wants tensors: arithmetic="torch.float32" hands rows over so, torch.from_numpy coins (…: …)'
_ENDS = "torch.uniform_ …: …, k/2^… scaled and rounded, the upper end returned as the lower"
_ROUNDING = "rounding in … can hide a total variation of …: tolerance= says what is to be put down to it"
_BEATS = "more tokens are accepted than a law so close to the target's can have: an error of this package (lead …)"
BESIDE = {
    _BEATS: "judge.py",
    "… with probability … (…)": "examination.py",
    "after … paths mass … was not explored": "examination.py",
    _ROUNDING: "examination.py",
    _TENSORS: "engine/foreign.py",
    "… about …, which stands for numbers here: …": "engine/foreign.py",
    "the program wants a device that is not there: …": "engine/foreign.py",
    "an error of the engine's rules for torch: …: …": "engine/foreign.py",
    "torch.rand …: k/2^…": "engine/torch_grids.py",
    _ENDS: "engine/torch_grids.py",
    "the law is not known": "conclusions.py",
    "nothing was tried": "conclusions.py",
    "… after … inputs": "conclusions.py",
    "swept with more probes, it has another law: pieces of the coins were missed": "conclusions.py",
    "explored again, it has another law: it has randomness or state that was not seen": "conclusions.py",
}


class _Source:
    """A module, and the texts that it gives names to."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self._named = {
            statement.targets[0].id: statement.value.value
            for statement in self.tree.body
            if isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        }

    def template(self, node: ast.AST) -> str | None:
        """Return a literal text, with a mark for each value that is filled in."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.Name):
            return self._named.get(node.id)
        if isinstance(node, ast.JoinedStr):
            parts = ("…" if (text := self.template(part)) is None else text for part in node.values)
            return re.sub("…+", "…", "".join(parts))
        return self.template(node.value) if isinstance(node, ast.FormattedValue) else None

    def reasons(self) -> Iterator[tuple[str | None, int]]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", None))
                if name in REASON_AT and not self._hands_on(reason := node.args[REASON_AT[name]]):
                    yield self.template(reason), node.lineno

    def _hands_on(self, reason: ast.AST) -> bool:
        return (self.name, ast.unparse(reason)) in HANDED_ON


def _all_reasons() -> dict[str, str]:
    """Return every template with its place."""
    found = {}
    for path in [*(ROOT / "proofs" / "engine").glob("*.py"), *(ROOT / "proofs").glob("*.py")]:
        if path.name != "signals.py":  # where they are handed on
            for reason, line in _Source(path).reasons():
                assert reason is not None, f"{path.name}:{line}: a reason that is no literal text has no entry"
                found[reason] = f"{path.name}:{line}"
    return found


def test_there_are_reasons_and_entries() -> None:
    assert len(_all_reasons()) > 80
    assert len(ENTRIES) == len(set(ENTRIES))
    assert PAGE.count("\n- ") == len(ENTRIES)


def test_every_reason_has_an_entry() -> None:
    missing = {reason: place for reason, place in _all_reasons().items() if reason not in ENTRIES}
    assert not missing


def test_every_entry_is_a_reason() -> None:
    assert {*ENTRIES} - {*_all_reasons()} == {*BESIDE}


@pytest.mark.parametrize("entry", ENTRIES)
def test_entry_has_a_meaning_and_a_mend(entry: str) -> None:
    body = PAGE.partition(f"- `{entry}`\\\n")[2].partition("\n- ")[0].partition("\n##")[0]
    meaning, mend, rest = body.partition("*Mend:*")
    assert len(meaning.split()) > 1
    assert mend
    assert rest.strip().endswith(".")


@pytest.mark.parametrize(("reason", "file"), BESIDE.items())
def test_reason_that_is_put_together_is_still_there(reason: str, file: str) -> None:
    source = _Source(ROOT / "proofs" / file)
    assert reason in map(source.template, ast.walk(source.tree))


# --- what programs really make the checker say

Verify = Callable[..., Any]


def _leaks(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    row = np.zeros(3)
    row[0] = target[0, 0]
    return [rng.choice(3, p=target[0])]


def _changes(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    token = rng.choice(3, p=target[0])
    target[0, 0] = 1
    return [token]


SAID: dict[str, Verify] = {
    "two undrawn numbers are compared": lambda p, q, x, rng: [int(rng.random() < rng.random())],
    "undrawn numbers are compared for equality": lambda p, q, x, rng: [int(rng.random() == rng.random())],
    "noise of a race is compared with a number": lambda p, q, x, rng: [int(rng.exponential() < 1)],
    "an undrawn number is formatted": lambda p, q, x, rng: [len(f"{rng.random()}")],
    "two undrawn numbers in one operation": lambda p, q, x, rng: [int(rng.random() + rng.random() < 1)],
    "a race in which the same noise runs twice": lambda p, q, x, rng: [
        int(np.argmax(p[0] / np.broadcast_to(rng.exponential(size=1), 3)))
    ],
    "Generator.… is not modelled": lambda p, q, x, rng: [int(rng.normal() < 0)],
    "default_rng with a seed that was not drawn: its draws are the same in every run": lambda p, q, x, rng: [
        int(np.random.default_rng(0).random() < 0) + rng.choice(3, p=p[0])
    ],
    "noise of a race is compared with an undrawn number": lambda p, q, x, rng: [int(rng.exponential() < rng.random())],
    "a remainder of an undrawn number": lambda p, q, x, rng: [int(rng.random() % 1)],
    "a product of rows of undrawn numbers": lambda p, q, x, rng: [int(rng.random(3) @ p[0] < 1)],
    "…(…, ...); one trial at a time can be branched over": lambda p, q, x, rng: [rng.binomial(2, p[0, 0])],
    "the program looks at its surroundings: …": lambda p, q, x, rng: [rng.choice(3, p=p[0]) if sys._getframe(1) else 0],
    "the verifier returned …; expected a flat list, tuple or array of ints": lambda p, q, x, rng: None,
    "the verifier returned no token": lambda p, q, x, rng: [],
    "the verifier returned … tokens; expected at most gamma + 1 = …": lambda p, q, x, rng: [0, 0, 0],
    "the verifier returned … at …; expected an int": lambda p, q, x, rng: [0.5],
    "the verifier returned -1, which is padding, before a token, at …": lambda p, q, x, rng: [-1, 0],
    "… with probability … (…)": lambda p, q, x, rng: 1 // 0,
    "the exact number … became a float": _leaks,
    "numpy.… has no exact counterpart": lambda p, q, x, rng: [int(np.sinh(p[0, 0]) > 3) + rng.choice(3, p=p[0])],
}


def _pattern(entry: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, entry.split("…"))))


@pytest.mark.parametrize("entry", SAID)
def test_reason_is_said_as_the_page_has_it(entry: str) -> None:
    assert entry in ENTRIES
    row = ["1/2", "1/4", "1/4"]
    verdict = proofs.check(SAID[entry], gamma=1, inputs=[(row, row)], arithmetic="exact", shrink=False)
    assert verdict.status.value == "unverified"
    assert _pattern(entry).match(verdict.reason)


def _coins(number: int = 1, dtype: torch.dtype = torch.float32) -> Any:
    return torch.rand(number, dtype=dtype)


def _noise(number: int, dtype: torch.dtype = torch.float32) -> Any:
    return torch.empty(number, dtype=dtype).exponential_()


def _two_of_one_state(rng: Any) -> int:
    twin = torch.Generator()
    twin.set_state(torch.get_rng_state())
    return bool(_coins() < 0.5) + bool(torch.rand(2, generator=twin)[1] < 0.5)


def _into_an_array(rng: Any) -> bool:
    return bool(torch.from_numpy(np.zeros(1)).uniform_()[0] < 0.5)


def _into_another_shape(rng: Any) -> bool:
    return bool(torch.add(_coins(2), 1, out=torch.empty(0))[0] < 0.5)


# What programs on tensors make the engine say.
SAID_OF_TENSORS: dict[str, Callable[[Any], Any]] = {
    "torch.… draws random numbers and is not modelled": lambda rng: torch.randn(1) < 0,
    "torch.… of a generator with a seed that was not drawn: the same in every run": lambda rng: (
        torch.rand(1, generator=torch.Generator().manual_seed(0)) < 0.5
    ),
    "Generator.seed draws from the operating system": lambda rng: torch.Generator().seed() * 0,
    "the state of a generator is read": lambda rng: len(torch.get_rng_state()) + (_coins() < 0.5),
    "torch.seed was called": lambda rng: torch.seed() * 0,
    "torch.… draws for … (…, …)": lambda rng: torch.rand_like(torch.eye(1).to_sparse()) < 0.5,
    "two generators of one state draw differently, so that their numbers are related in another way": _two_of_one_state,
    "torch.multinomial without replacement of more samples than there are positive weights": lambda rng: (
        torch.multinomial(torch.tensor([1.0, 0.0]), 2)[0]
    ),
    "torch.… with undrawn numbers as probabilities": lambda rng: torch.bernoulli(_coins()),
    "torch.random_ without bounds": lambda rng: torch.empty(1, dtype=torch.int64).random_(),
    "torch.… among …; at most … can be branched over, where torch draws as is known": lambda rng: torch.randint(
        0, 10**6, (1,)
    ),
    "torch.randperm(…): more than … orders cannot be branched over": lambda rng: torch.randperm(20)[0],
    "uniforms of …: the installed torch was not seen to draw them on a known grid": lambda rng: (
        torch.empty(1).uniform_(0, 2.0**61) < 1
    ),
    "torch.multinomial of float16 can return an index of weight zero": lambda rng: torch.multinomial(
        torch.tensor([1.0, 1.0, 0.0]).half(), 1
    ),
    "exponential noise of …, which can be zero": lambda rng: _noise(2, torch.float16).argmax(),
    "torch.… of undrawn numbers is not modelled": lambda rng: _coins(3).sum() < 1,
    "torch.… of two undrawn numbers": lambda rng: _coins() + _coins() < 1,
    "torch.… of two undrawn numbers that are no noise of a race": lambda rng: _coins() < _coins(),
    "torch.… of an undrawn number that changes its sign or is zero": lambda rng: 1 / (_coins() - 0.5) < 1,
    "torch.… of an undrawn number: NaN at an end of its range": lambda rng: _coins() * float("inf") < 1,
    "an undrawn number that can be … is cast to …": lambda rng: (_coins() * 257).to(torch.uint8),
    "torch.… of noise of a race": lambda rng: _noise(1) < 1,
    "noise of a race in torch.…": lambda rng: _noise(2).sqrt().argmax(),
    "argmax or argmin of undrawn numbers that are no race of exponential or Gumbel noise": lambda rng: _coins(
        2
    ).argmax(),
    "torch.… over several dimensions": lambda rng: torch.amax(_noise(2).reshape(1, 2), dim=(0, 1)) < 0.5,
    "torch.… in undrawn numbers": lambda rng: torch.searchsorted(_coins(2), torch.tensor([0.5])),
    "torch.… of noise": lambda rng: torch.searchsorted(torch.tensor([0.5, 1.0]), _noise(1)),
    "torch.… of undrawn numbers sums what falls into one place": lambda rng: (
        torch.zeros(1).index_put_((torch.tensor([0, 0]),), _coins(2), accumulate=True) < 0.5
    ),
    "torch.… with out= of another shape": _into_another_shape,
    "Tensor.… of undrawn numbers": lambda rng: float(_coins()) < 0.5,
    "Tensor.new_tensor of undrawn numbers": lambda rng: torch.ones(1).new_tensor(_coins()) < 0.5,
    "an undrawn Python number is made a tensor": lambda rng: torch.tensor([_coins().item()]) < 0.5,
    "an undrawn number of the generator meets a tensor in torch.…: make the tensor a float": lambda rng: (
        torch.minimum(torch.ones(1), rng.random()) < 0.5
    ),
    "the memory of undrawn numbers of … is read as …": lambda rng: _coins().view(torch.int32) > 0,
    "undrawn numbers are written into memory that NumPy or a pointer sees": _into_an_array,
    "the program wants a device that is not there: …": lambda rng: torch.rand(1, device="cuda:7") < 0.5,
    "torch.rand …: k/2^…": lambda rng: _coins() < 0.5,
    "torch.uniform_ …: …, k/2^… scaled and rounded, the upper end returned as the lower": lambda rng: (
        torch.empty(1).uniform_(-1, 1) < 0
    ),
    "torch.multinomial: ideal weights": lambda rng: torch.multinomial(torch.ones(2), 1),
    "exponential noise: ideal": lambda rng: _noise(2).argmax(),
    "noise of races made from uniforms: ideal": lambda rng: (-torch.log(_coins(2))).argmin(),
}


@pytest.mark.parametrize("entry", SAID_OF_TENSORS)
def test_reason_of_tensors_is_said_as_the_page_has_it(entry: str) -> None:
    assert entry in ENTRIES
    reasons = [found.reason for found in proofs.law(lambda rng: int(SAID_OF_TENSORS[entry](rng))).marks]
    assert any(_pattern(entry).fullmatch(reason) for reason in reasons), reasons


def test_verifier_of_tensors_is_told_how_to_get_them() -> None:
    verdict = proofs.check(lambda p, q, x, rng: [int(torch.multinomial(p[0], 1))], gamma=0, paths=0)
    assert verdict.status.value == "unverified"
    assert _pattern(_TENSORS).match(verdict.reason)


def test_change_in_place_is_a_note_as_the_page_has_it() -> None:
    entry = "…[…] was changed in place"
    verdict = proofs.check(_changes, gamma=0, inputs=[(["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"])])
    assert verdict
    assert entry in ENTRIES
    assert any(_pattern(entry).match(note) for note in verdict.notes)


# --- all pages


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert link.startswith("https://") or (DOCS / link).exists(), link
    assert max(map(len, text.splitlines())) <= 132
