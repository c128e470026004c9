"""Judge the verifiers of the zoo: ``python -m tests.zoo``, from a clone, with the interpreter of its environment.

Every one is held to what it claims, on the usual rows and on edge rows; what is not the target's law is confirmed by
draws of the package itself. The exit status is 0 if everything is as expected.jsonl has it, and 1 if not.
"""

import argparse
import sys
from pathlib import Path

from tests.zoo import KEYS, load
from tests.zoo.examine import examined
from tests.zoo.golden import EXPECTED, Record, differences, read_records, written
from tests.zoo.summary import markdown_head, result_of
from tests.zoo.table import render

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("keys", nargs="*", metavar="KEY", help="adapters; all of them by default")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--light", action="store_true", help="those of the first group of requirements alone")
    group.add_argument("--heavy", action="store_true", help="those of the second group alone")
    parser.add_argument("--quick", action="store_true", help="without those that take many minutes")
    parser.add_argument("--results", type=Path, metavar="FILE", help="also write what was found, as JSON lines")
    parser.add_argument("--update", action="store_true", help="write what was found into expected.jsonl")
    parser.add_argument("--markdown", action="store_true", help="run nothing; print the table of expected.jsonl")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1); the output is the same")
    parser.add_argument("--draws", type=int, default=200_000, help="that confirm a case (default: 200000), or fewer:")
    parser.add_argument("--seconds", type=float, default=2.0, help="after so many no more are made (default: 2)")
    return parser


def _chosen(options: argparse.Namespace) -> list[str]:
    if unknown := sorted(set(options.keys) - set(KEYS)):
        raise SystemExit(f"{unknown[0]} is no adapter; expected some of {', '.join(KEYS)}")
    wanted = {False: options.light, True: options.heavy}
    one_group = options.light or options.heavy
    keys = [key for key in options.keys or KEYS if not one_group or wanted[load(key).heavy]]
    return [key for key in keys if not (options.quick and load(key).slow)]


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for, and return the exit status."""
    options = _parser().parse_args(arguments)
    keys, expected = _chosen(options), read_records(EXPECTED)
    if options.markdown:
        records = [expected[key] for key in keys if key in expected]
        print(markdown_head(records) + render(map(result_of, records)), end="")
        return 0
    if missing := [key for key in keys if load(key).version() == "not installed"]:
        raise SystemExit(f"{missing[0]}: its package is not installed; tests/zoo/install.sh makes the environment")
    found = []
    for record in examined(keys, options.draws, options.seconds, options.jobs):
        print(f"{record['key']} {record['verdict']}", file=sys.stderr, flush=True)
        found.append(record)
        if options.results is not None:
            options.results.write_text(written(found), encoding="utf-8")
    return _reported(found, expected, update=options.update)


def _reported(found: list[Record], expected: dict[str, Record], *, update: bool) -> int:
    if update:
        expected |= {record["key"]: record for record in found}
        EXPECTED.write_text(written(expected[key] for key in KEYS if key in expected), encoding="utf-8")
    print(render(map(result_of, found)), end="")
    told = [line for record in found for line in differences(record, expected.get(record["key"]))]
    print("\n".join(told) if told else f"{len(found)} as expected")
    return 1 if told else 0


if __name__ == "__main__":
    raise SystemExit(main())
