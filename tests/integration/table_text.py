# SPDX-License-Identifier: GPL-2.0-only
"""Reading tables that are meant for people, and how they write numbers (user/base/units.c)."""

import re

from harness import check

# Two cells at the begin of a row: a number, with a unit or without, is the second one.
SECOND = re.compile(r"(.*) (\d[^ ]*(?: (?:B|[KMGT]iB|[num]?s))?)")


def scaled(value, units):
    for name, size, until in units:
        if until is None or value < until:
            break
    shown = value / size
    decimals = 2 if shown < 9.995 else 1 if shown < 99.95 else 0
    return f"{shown:.{decimals}f} {name}"


def time_text(ns):
    if ns < 1000:
        return f"{ns} ns"
    return scaled(ns, [("us", 1e3, 999.5e3), ("ms", 1e6, 999.5e6), ("s", 1e9, None)])


def bytes_text(count):
    if count < 1024:
        return f"{count} B"
    return scaled(count, [("KiB", 2**10, 1023.5 * 2**10), ("MiB", 2**20, 1023.5 * 2**20),
                          ("GiB", 2**30, 1023.5 * 2**30), ("TiB", 2**40, None)])


def exact_bytes_text(count):
    units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while count and count % 1024 == 0 and len(units) > 1:
        count //= 1024
        units.pop(0)
    return f"{count:,} {units[0]}"


def count_text(count):
    """Empty: there was none."""
    check(count < 1000000, f"{count} is not written exactly")
    return f"{count:,}" if count else ""


def share_text(part, whole):
    percent = 100 * part / whole if whole else 0
    return "" if not percent else "<1" if percent < 0.5 else f"{min(percent, 100):.0f}"


def table_after(text, title, groups=False):
    """That line, and the rows of the table below the line that begins with title, up to an empty
    line: lists of cells by title of the column, and the title of the first one is "". All but the
    first column are aligned to the right, and none is cut. groups: there are titles above."""
    lines = text.splitlines()
    found = [i for i, line in enumerate(lines) if line.startswith(title)]
    check(len(found) == 1, f"{len(found)} tables {title} in:\n{text}")
    rows = []
    for line in lines[found[0] + 1:]:
        if not line:
            break
        rows.append(line)
    header = rows[groups]
    return lines[found[0]], [cells_of(row, columns_of(header)) for row in rows[groups + 1:]]


def columns_of(header):
    """Titles but the first one, with the place where each ends."""
    first = 0 if header.startswith(" ") else len(header.split(" ")[0])
    columns, end = [], first
    while header[end:].strip():
        title = header[end:].split()[0]
        end = header.index(title, end) + len(title)
        columns.append((title, end))
    return columns


def cells_of(row, columns):
    """The first cell, and those of the columns in order: (title, text)."""
    (title, end), *others = columns
    begin, cell = row[:end], ""
    if len(row) >= end and row[end - 1] != " ":
        begin, cell = SECOND.fullmatch(begin).groups()
    cells = [("", begin.strip()), (title, cell)]
    for title, next_end in others:
        cells.append((title, row[end:next_end].strip()))
        end = next_end
    return cells
