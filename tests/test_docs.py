"""The pages in docs/: every reason that the code can give has an entry, and links lead somewhere."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proofs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE = (DOCS / "unverified.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^- `(.+)`\\$", PAGE, flags=re.MULTILINE)

# Which argument is the reason.
REASON_AT = {"refuse": 0, "TooHard": 0, "mark": 1, "Mark": 1}

# Reasons that are put together elsewhere than in one of these calls, and the module that does it.
_BEATS = "more tokens are accepted than a law so close to the target's can have: an error of this package (lead …)"
BESIDE = {
    _BEATS: "judge.py",
    "… with probability … (…)": "examination.py",
    "after … paths mass … was not explored": "examination.py",
    "the law is not known": "conclusions.py",
    "nothing was tried": "conclusions.py",
    "… after … inputs": "conclusions.py",
    "explored again, it has another law: it has randomness or state that was not seen": "conclusions.py",
}


class _Source:
    """A module, and the texts that it gives names to."""

    def __init__(self, path: Path) -> None:
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
                if name in REASON_AT:
                    yield self.template(node.args[REASON_AT[name]]), node.lineno


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
