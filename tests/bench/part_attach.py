# SPDX-License-Identifier: GPL-2.0-only
"""How long it takes to probe 500 functions of one file, and to take the probes away again."""

import contextlib
import os
import signal
import subprocess
import time

import tracers
from measure import Table, measure, show, verdict

TITLE = "Attaching and detaching"
FUNCTIONS = 500
# A perf uprobe takes 0.1 s to go away: so many are measured.
FEW = 10
MUST_NS = 0.3e9


@contextlib.contextmanager
def mapping_process(bench):
    """A process that maps the library, so that its code is changed, too."""
    with subprocess.Popen(["sleep", "1000"], env={**os.environ, "LD_PRELOAD": bench.library},
                          stdin=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def empty_run(bench, mechanism, functions):
    with tracers.background([bench.empty, mechanism, bench.library,
                             *(f"bench_many_{n:03}" for n in range(functions))]) as process:
        attached = tracers.wait_for_line(process, "attached").split()
    tracers.check_count("bench-empty: functions", int(attached[1]), functions)
    detached = tracers.finish(process).split()
    return {"attach": FUNCTIONS / functions * int(attached[2]),
            "detach": FUNCTIONS / functions * int(detached[1])}


def tmtrace_run(bench, catalogue, pid):
    """The whole program: from its start until it is attached, from a signal until it has ended."""
    command = [bench.tmtrace, "-q", "--probes", catalogue, "--layer", "bench", "--pid", str(pid),
               "--json", "-"]
    start = time.monotonic()
    with tracers.background(command) as process:
        # The first record is written when all is attached.
        tracers.wait_for_line(process, '"run"')
        attached = time.monotonic()
        process.send_signal(signal.SIGINT)
    tracers.finish(process)
    return {"attach": 1e9 * (attached - start), "detach": 1e9 * (time.monotonic() - attached)}


def run(bench):
    catalogues = {n: tracers.write_catalogue(bench, n) for n in (1, FUNCTIONS)}
    with mapping_process(bench) as pid:
        samples, notes = measure(bench.rounds, {
            "session": lambda: empty_run(bench, "session", FUNCTIONS),
            "multi pair": lambda: empty_run(bench, "multi", FUNCTIONS),
            "perf pair": lambda: empty_run(bench, "perf", FEW),
            "tmtrace, 500 functions": lambda: tmtrace_run(bench, catalogues[FUNCTIONS], pid),
            "tmtrace, 1 function": lambda: tmtrace_run(bench, catalogues[1], pid),
        })
    return [links_table(samples), program_table(samples)], notes


def links_table(samples):
    table = Table(f"{FUNCTIONS} functions, entry and return, of a file that one process maps",
                  ["links", "attach", "detach", "must", "holds"])
    for mechanism in ("session", "multi pair", "perf pair"):
        both = [samples.of(mechanism, metric) for metric in ("attach", "detach")]
        must = ("", "")
        if mechanism != "perf pair":
            held = [verdict(values, MUST_NS) for values in both]
            must = ("0.3 s", "yes" if held == ["yes", "yes"] else "no")
        name = mechanism if mechanism != "perf pair" else f"perf pair (of {FEW}, times 50)"
        table.add(name, *(show(values, "ns") for values in both), *must)
    return table


def program_table(samples):
    table = Table("The whole program", ["", "start until attached", "signal until ended"])
    for name in ("tmtrace, 1 function", "tmtrace, 500 functions"):
        table.add(name, *(show(samples.of(name, metric), "ns") for metric in ("attach", "detach")))
    return table
