# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a timed call, by the first instruction of the function."""

import os
import signal

import programs
import tracers
from measure import Table, each, measure, ratio, show, verdict

TITLE = "A library call"
LOADS = ("push", "endbr64", "sub")
FUNCTIONS = [f"bench_{load}" for load in LOADS]
NAMES = dict(zip(LOADS, FUNCTIONS))
# A return probe comes back by a system call, which tracepoints make dearer.
TRACED = "empty session, system calls traced"
ALONE = "tmtrace, this library, vfs=none"
BY_SIZE = "tmtrace, this library, by_size"


def bpftrace_script(bench):
    """A histogram of times for each function, as bpftrace's own documentation has it."""
    script = ""
    for load, function in NAMES.items():
        site = f"{bench.library}:{function}"
        script += (f"uprobe:{site} {{ @start[tid] = nsecs; }} "
                   f"uretprobe:{site} /@start[tid]/ {{ @{load} = hist(nsecs - @start[tid]); "
                   "delete(@start[tid]); } ")
    return script


def beside_syscalls(bench, run):
    """The same while tmtrace looks at the system calls of another process, this one."""
    command = [bench.tmtrace, "-q", "--layer", "vfs", "--pid", str(os.getpid()), "--json", "-"]
    with tracers.background(command, signal.SIGINT) as process:
        tracers.wait_for_line(process, '"run"')
        result = run()
    tracers.finish(process)
    return result


def subjects(bench):
    command = bench.load_command(*LOADS)

    def empty(mechanism):
        return tracers.with_empty(bench, mechanism, command, *FUNCTIONS)

    def tmtrace(*options, catalogue=None):
        return tracers.with_tmtrace(bench, command, *options, catalogue=catalogue, names=NAMES)

    by_size = os.path.join(bench.here, "by_size.yaml")

    runs = {
        "no probe": lambda: tracers.untraced(command),
        "empty perf pair": lambda: empty("perf"),
        "empty multi pair": lambda: empty("multi"),
        "empty session": lambda: empty("session"),
        TRACED: lambda: beside_syscalls(bench, lambda: empty("session")),
        "tmtrace, all layers": tmtrace,
        "tmtrace, this library": lambda: tmtrace("--layer", "bench"),
        ALONE: lambda: tmtrace("--layer", "bench", "--mechanism", "vfs=none"),
        BY_SIZE: lambda: tmtrace("--layer", "bench", catalogue=by_size),
        "bpftrace": lambda: tracers.with_bpftrace(bpftrace_script(bench), command, LOADS),
    }
    return {name: lambda run=run: tracers.medians(run()) for name, run in runs.items()}


def run(bench):
    runs = subjects(bench)
    samples, notes = measure(bench.rounds, {**runs, "programs": lambda: programs.measure(bench)})
    return [*tables(samples, runs), programs_table(samples)], notes


def tables(samples, subjects):
    costs = Table("Time per call, by the function's first instruction", ["", *LOADS])
    for subject in subjects:
        costs.add(subject, *(show(samples.of(subject, load), "ns") for load in LOADS))
    ratios = Table("Ratios, round by round", ["", "measured", "must", "holds"])
    for load in LOADS:
        empty = each(min, samples.of("empty session", load), samples.of("empty perf pair", load))
        for subject in ("tmtrace, all layers", "tmtrace, this library", ALONE):
            values = ratio(samples.of(subject, load), empty)
            ratios.add(f"{load}: {subject} / cheaper of empty session and perf pair", show(values),
                       "1.3", verdict(values, 1.3))
    values = ratio(samples.of("tmtrace, this library", "push"), samples.of(TRACED, "push"))
    ratios.add(f"push: tmtrace, this library / {TRACED}", show(values), "", "")
    values = ratio(samples.of(BY_SIZE, "push"), samples.of("tmtrace, this library", "push"))
    ratios.add(f"push: {BY_SIZE} / tmtrace, this library", show(values), "", "")
    for load in LOADS:
        values = ratio(samples.of("tmtrace, all layers", load), samples.of("bpftrace", load))
        must = ("0.25", verdict(values, 0.25)) if load == "endbr64" else ("", "")
        ratios.add(f"{load}: tmtrace, all layers / bpftrace", show(values), *must)
    return [costs, ratios]


def programs_table(samples):
    table = Table("Where it goes: tmtrace's programs, by the kernel's statistics (kernel."
                  "bpf_stats_enabled, whose own cost is in it)", ["program", "a run", "in a call"])
    for name, runs in zip(programs.PROGRAMS, ("entry and return", "return", "return")):
        table.add(name, show(samples.of("programs", name), "ns"), runs)
    return table
