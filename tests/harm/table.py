#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes a table, for people, of lines that tests/harm/run and tests/kernels/run have printed.

    tests/harm/table.py FILE...

A program a row; a kernel a column: "well", or in which modes it was not.
"""

import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import programs  # noqa: E402 (its folder had to be named first)

LINE = re.compile(r"(ok|FAIL|skip) (?:kernel-([^.]+(?:\.\d+)?)\.)?harm\.(\w+)\.(\w+)(?:: | \()?(.*)")
HERE_KERNEL = "this kernel"
MODES = ("untraced", "command", "all", "service")
# How the remark begins of who was harmed as it is documented, and the user was told.
TOLD = "harmed, and told"
# How the reason begins of who was not harmed, but whose calls were counted wrong (modes.py).
MISCOUNTED = re.compile(r"[\w.]+(, [\w.]+)?: \d+ calls, ")


def mark(outcome, reason):
    if outcome == "FAIL":
        return "miscounted" if MISCOUNTED.match(reason) else "HARMED"
    if reason.startswith(TOLD):
        return TOLD
    return {"ok": "well", "skip": "not run"}[outcome]


def read(lines):
    """{kernel: {program: {mode: mark}}}, of the last outcome of each."""
    kernels = collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in lines:
        match = LINE.match(line)
        if match:
            outcome, kernel, program, mode, reason = match.groups()
            kernels[kernel or HERE_KERNEL][program][mode] = mark(outcome, reason)
    return kernels


def cell(marks):
    """One kernel's modes in few words: what all have come to, or which were not well."""
    if len(set(marks.values())) <= 1:
        return next(iter(marks.values()), " ")
    others = collections.defaultdict(list)
    for mode, what in marks.items():
        if what != "well":
            others[what].append(mode)
    return "; ".join(f"{what}: {', '.join(of)}" for what, of in others.items())


def table(columns, cells):
    """cells: {program: [text of each column]}; the programs of programs.py come in their order."""
    rows = [" | ".join(("| program", "of", *columns)) + " |", "|---" * (len(columns) + 2) + "|"]
    for program in programs.PROGRAMS:
        if program.name in cells:
            rows.append(f"| `{program.name}` | {program.kind} | "
                        f"{' | '.join(cells[program.name])} |")
    return "\n".join(rows) + "\n"


def by_mode(lines):
    """Of one kernel: a column a mode."""
    for marks in read(lines).values():
        return table(MODES, {name: [of.get(mode, " ") for mode in MODES]
                             for name, of in marks.items()})
    return ""


def by_kernel(lines):
    kernels = read(lines)
    names = {name for marks in kernels.values() for name in marks}
    return table(kernels, {name: [cell(marks[name]) for marks in kernels.values()]
                           for name in names})


def main():
    lines = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            lines += f.read().splitlines()
    print(by_kernel(lines), end="")


if __name__ == "__main__":
    main()
