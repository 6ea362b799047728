# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer adds to a read of 4 KiB from the page cache."""

import json
import math
import os

import tracers
from measure import Table, added, measure, ratio, show, verdict

TITLE = "A cached 4 KiB pread"
SCRIPT = ("tracepoint:syscalls:sys_enter_pread64 { @start[tid] = nsecs; } "
          "tracepoint:syscalls:sys_exit_pread64 /@start[tid]/ "
          "{ @pread = hist(nsecs - @start[tid]); delete(@start[tid]); }")
TMTRACE = "tmtrace --layer vfs"
OBJECTS = "tmtrace --layer vfs --objects"
BPFTRACE = "bpftrace, histogram of sys_enter/exit_pread64"


def make_file(bench):
    path = os.path.join(bench.work, "page")
    with open(path, "wb") as f:
        f.write(b"x" * 4096)
    return path


# Beside the load, its loader reads libraries.
OTHERS = 200


def with_tmtrace(bench, command, *options):
    result = tracers.with_tmtrace(bench, command, "--layer", "vfs", *options)
    reads = tracers.function_counts(bench.records, "vfs").get("read", 0)
    tracers.check_count("tmtrace: read", reads, result["pread"]["calls"], OTHERS)
    return result


def with_table(bench, program, command, *options):
    """A tracer that runs the load, and leaves a table of system calls."""
    tracers.need(program)
    tracers.need_tracefs()
    path = os.path.join(bench.work, program)
    result = json.loads(tracers.run(program, *options, "-o", path, *command)[0])
    with open(path, encoding="utf-8", errors="replace") as f:
        row = next((line.split() for line in f if "pread64" in line), [])
    # Its largest whole number; perf trace loses some where the machine is busy.
    count = max((int(cell) for cell in row if cell.isdigit()), default=0)
    calls = result["pread"]["calls"]
    tracers.check_count(program, count, calls * 9 // 10, calls)
    return result


def subjects(bench):
    options = ("--file", make_file(bench))
    command = bench.load_command("pread", options=options)
    slow = bench.load_command("pread", calls=200, options=options)
    runs = {
        "nothing": lambda: tracers.untraced(command),
        TMTRACE: lambda: with_tmtrace(bench, command),
        OBJECTS: lambda: with_tmtrace(bench, command, "--objects"),
        BPFTRACE: lambda: tracers.with_bpftrace(SCRIPT, command, ["pread"], math.inf),
        "perf trace -s": lambda: with_table(bench, "perf", slow, "trace", "-s"),
        "strace -c": lambda: with_table(bench, "strace", slow, "-c"),
    }
    return {name: lambda run=run: tracers.medians(run()) for name, run in runs.items()}


def run(bench):
    samples, notes = measure(bench.rounds, subjects(bench))
    return tables(samples), notes


def tables(samples):
    base = samples.of("nothing", "pread")
    costs = Table("Time per call", ["", "time", "added"])
    for subject in samples.subjects():
        values = samples.of(subject, "pread")
        costs.add(subject, show(values, "ns"),
                  "" if subject == "nothing" else show(added(values, base), "ns"))
    histogram = added(samples.of(BPFTRACE, "pread"), base)
    ratios = Table("Ratio, round by round", ["", "measured", "must", "holds"])
    for subject, name in ((TMTRACE, "tmtrace"), (OBJECTS, "tmtrace --objects")):
        values = ratio(added(samples.of(subject, "pread"), base), histogram)
        ratios.add(f"what {name} adds / what bpftrace adds", show(values), "0.6",
                   verdict(values, 0.6))
    return [costs, ratios]
