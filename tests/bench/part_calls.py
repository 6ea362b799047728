# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a timed call, by the instructions by which the function begins and returns."""

import os
import signal

import calls_vm
import programs
import tracers
from measure import Table, measure, ratio, show, verdict

TITLE = "A library call"
LOADS = ("guarded", "push", "endbr64", "sub")
NAMES = {load: f"bench_{load}" for load in LOADS}
# What tmtrace's probes are on in each of them; what is stepped is dear.
SITES = {"guarded": "push, jne", "push": "push, ret stepped", "endbr64": "push at +4, ret stepped",
         "sub": "sub stepped, ret stepped"}
SESSION = "empty session"
# A return probe comes back by a system call, which tracepoints make dearer.
TRACED = "empty session, system calls traced"
PAIR = "empty pair at tmtrace's sites"
DEFAULT = "tmtrace, all layers"
LIBRARY = "tmtrace, this library"
ALONE = "tmtrace, this library, vfs=none"
BY_SIZE = "tmtrace, this library, by_size"
FAST = "tmtrace --returns=fast, all layers"
FAST_ALONE = "tmtrace --returns=fast, this library, vfs=none"
BPFTRACE = "bpftrace"


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
        return tracers.with_empty(bench, mechanism, command, *NAMES.values())

    def tmtrace(*options, catalogue=None):
        return tracers.with_tmtrace(bench, command, *options, catalogue=catalogue, names=NAMES)

    by_size = os.path.join(bench.here, "by_size.yaml")
    library = ("--layer", "bench")
    alone = (*library, "--mechanism", "vfs=none")

    runs = {
        "no probe": lambda: tracers.untraced(command),
        SESSION: lambda: empty("session"),
        TRACED: lambda: beside_syscalls(bench, lambda: empty("session")),
        PAIR: lambda: empty("sites"),
        DEFAULT: tmtrace,
        LIBRARY: lambda: tmtrace(*library),
        ALONE: lambda: tmtrace(*alone),
        BY_SIZE: lambda: tmtrace(*library, catalogue=by_size),
        FAST: lambda: tmtrace("--returns=fast"),
        FAST_ALONE: lambda: tmtrace("--returns=fast", *alone),
        BPFTRACE: lambda: tracers.with_bpftrace(bpftrace_script(bench), command, LOADS),
    }
    return {name: lambda run=run: tracers.medians(run()) for name, run in runs.items()}


def run(bench):
    runs = subjects(bench)
    samples, notes = measure(bench.rounds, {**runs, **programs.subjects(bench),
                                            **calls_vm.subjects(bench)})
    return [*tables(samples, runs), programs.table(samples), *calls_vm.tables(samples)], notes


def tables(samples, subjects):
    costs = Table("Time per call, by the instructions at which tmtrace's probes are",
                  ["", *(f"{load} ({SITES[load]})" for load in LOADS)])
    for subject in subjects:
        costs.add(subject, *(show(samples.of(subject, load), "ns") for load in LOADS))
    return [costs, ratios_table(samples)]


def ratios_table(samples):
    table = Table("Ratios, round by round", ["", "measured", "must", "holds"])

    def compare(load, subject, other, must=None):
        values = ratio(samples.of(subject, load), samples.of(other, load))
        table.add(f"{load}: {subject} / {other}", show(values), str(must) if must else "",
                  verdict(values, must) if must else "")

    for subject in (DEFAULT, LIBRARY, ALONE):
        compare("guarded", subject, SESSION, 1.8)
    for load in LOADS:
        for subject in (DEFAULT, LIBRARY, ALONE):
            compare(load, subject, PAIR, 1.15)
    for load in LOADS:
        compare(load, DEFAULT, BPFTRACE, 1.2 if load == "endbr64" else None)
    for load in ("guarded", "push"):
        compare(load, FAST_ALONE, SESSION, 1.3)
        compare(load, FAST, SESSION)
        compare(load, FAST, TRACED)
    compare("guarded", BY_SIZE, LIBRARY)
    return table
