# SPDX-License-Identifier: GPL-2.0-only
"""Does a call cost more where another processor counts into the same places?"""

import os

import tracers
from measure import BenchError, Table, measure, ratio, show

TITLE = "Processors"
LOADS = {"guarded": "a library call", "pread": "a cached 4 KiB pread"}
NONE, EMPTY = "no probe", "empty pair at tmtrace's sites"
ALL, ACCOUNTS = "tmtrace", "tmtrace --processes"


def run(bench):
    """Threads of one process on two processors: the same function, file, process and job."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise BenchError("there is one processor alone")
    path = os.path.join(bench.work, "page")
    with open(path, "wb") as f:
        f.write(bytes(4096))

    def command(beside):
        options = ("--file", path, *(("--beside", str(cpus[0])) if beside else ()))
        return bench.load_command(*LOADS, options=options)

    def traced(beside, *options):
        return tracers.medians(tracers.with_tmtrace(
            bench, command(beside), "--layer", "bench,vfs", *options,
            names={"guarded": "bench_guarded"}))

    runs = {}
    for n in (1, 2):
        runs[NONE, n] = lambda n=n: tracers.medians(tracers.untraced(command(n == 2)))
        runs[EMPTY, n] = lambda n=n: tracers.medians(tracers.with_empty(
            bench, "sites", command(n == 2), "bench_guarded"))
        runs[ALL, n] = lambda n=n: traced(n == 2)
        runs[ACCOUNTS, n] = lambda n=n: traced(n == 2, "--processes")
    samples, notes = measure(bench.rounds, runs)
    return [table(samples, load) for load in LOADS], notes


def table(samples, load):
    result = Table(f"Time of {LOADS[load]}, and where a thread of the same process on another "
                   "processor does the same meanwhile", ["", "1 processor", "2 processors", "ratio"])
    for name in (NONE, EMPTY, ALL, ACCOUNTS):
        if name == EMPTY and load != "guarded":
            continue
        one, two = (samples.of((name, n), load) for n in (1, 2))
        result.add(name, show(one, "ns"), show(two, "ns"), show(ratio(two, one)))
    return result
