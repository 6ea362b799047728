# SPDX-License-Identifier: GPL-2.0-only
"""What was measured, as a document: a section for each part, each with its own day and machine."""

import os

from measure import Table

# Fewer rounds than this say too little for a document.
ROUNDS = 9

INTRODUCTION = """\
# What tracing costs

Written by `make bench`. Every figure was measured side by side with the others of its section: each
round measures every tracer once, in changing order. Shown are the median of the rounds and, in
brackets, minimum and maximum; ratios are those of each round. `must` is what tmtrace has to hold.
"""
HEADING = "## "


def section_of(result):
    """The text of a result, as it is kept."""
    where = {**result["machine"], **result["peers"]}
    lines = [f"{HEADING}{result['title']}", "",
             f"{result['date']}, {result['rounds']} rounds, load average before "
             f"{result['load']:.1f}. "
             + "; ".join(f"{what} {text}" for what, text in where.items()) + ".", ""]
    for table in result["tables"]:
        lines += [*Table(**table).lines(markdown=True), ""]
    lines += [f"- {note}" for note in result["notes"]]
    return "\n".join(lines).rstrip() + "\n"


def read_sections(path):
    """{title: text} of a document; {}: there is none."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        _, *parts = f.read().split("\n" + HEADING)
    return {part.partition("\n")[0]: f"{HEADING}{part.rstrip()}\n" for part in parts}


def says_enough(result):
    return result["rounds"] >= ROUNDS and not result["quick"] and result["tables"]


def write(path, titles, results):
    """
    Sections in the order of titles. Those of results take the place of what the document had; the
    others are kept. What has none after that: a list of titles.
    """
    sections = read_sections(path)
    sections.update({result["title"]: section_of(result) for result in results
                     if says_enough(result)})
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join([INTRODUCTION, *(sections[title] for title in titles
                                           if title in sections)]))
    return [title for title in titles if title not in sections]
