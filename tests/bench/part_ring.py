# SPDX-License-Identifier: GPL-2.0-only
"""The ring-buffered file: what it costs to write it, and to read it."""

import json
import os

import tracers
from measure import Table, each, measure, show, verdict

TITLE = "The ring-buffered file"
MIB = 100
RATE = 300000  # events a second, of 64 bytes


def run_tool(bench, *arguments):
    out, _ = tracers.run(os.path.join(bench.tools, "bench-ring"), *arguments)
    return json.loads(out)


def run(bench):
    mib = 2 if bench.quick else MIB
    path = os.path.join(bench.work, "ring.data")
    try:
        # Written once, so that it can be read in every order.
        run_tool(bench, "write", path + ".read", str(mib))
        samples, notes = measure(bench.rounds, {
            "write": lambda: run_tool(bench, "write", path, str(mib)),
            "read": lambda: run_tool(bench, "read", path + ".read")})
    finally:
        for name in (path, path + ".read"):
            if os.path.exists(name):
                os.unlink(name)
    return [write_table(samples), read_table(samples, mib)], notes


def write_table(samples):
    table = Table(f"Writing {RATE:,} events of 64 bytes a second",
                  ["", "CPU time per event", "of one processor", "dropped",
                   "largest resident memory"])
    of = {name: samples.of("write", name) for name in ("cpu_ns", "events", "dropped", "rss")}
    per_event = each(lambda cpu, events: cpu / events, of["cpu_ns"], of["events"])
    share = each(lambda ns: 100 * ns * RATE / 1e9, per_event)
    table.add("write", show(per_event, "ns"), f"{show(share)} %", show(of["dropped"]),
              show(of["rss"], "bytes"))
    return table


def read_table(samples, mib):
    table = Table(f"Reading {mib} MiB", ["", "time", "finding the blocks",
                                         "largest resident memory", "must", "holds"])
    wall = samples.of("read", "wall_ns")
    table.add("read", show(wall, "ns"), show(samples.of("read", "scan_ns"), "ns"),
              show(samples.of("read", "rss"), "bytes"), "1 s", verdict(wall, 1e9))
    return table
