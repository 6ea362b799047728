# SPDX-License-Identifier: GPL-2.0-only
"""Does a call cost more where there are more jobs, or more probed functions?"""

import contextlib
import os

import tracers
from measure import BenchError, Table, measure, ratio, show, show_percent, verdict

TITLE = "Growth"
MUST = 1.10


def unified_hierarchy():
    """Where cgroups of version 2 are."""
    with open("/proc/mounts", encoding="utf-8") as f:
        for line in f:
            _, place, kind, *_ = line.split()
            if kind == "cgroup2":
                return place
    raise BenchError("no cgroups of version 2 are mounted")


@contextlib.contextmanager
def cgroups(count):
    """A folder of so many cgroups, 0 to count - 1."""
    top = os.path.join(unified_hierarchy(), f"tmtrace-bench.{os.getpid()}")
    os.mkdir(top)
    made = [top]
    try:
        for number in range(count):
            made.append(os.path.join(top, str(number)))
            os.mkdir(made[-1])
        yield top
    finally:
        for path in reversed(made):
            if os.path.isdir(path):
                os.rmdir(path)


def jobs_run(bench, folder, jobs, everything):
    """Moves before every batch in both cases; all jobs have had calls before it is timed."""
    # A series for each job, beside what else the machine does.
    command = bench.load_command("push", calls=100, batches=everything,
                                 options=("--jobs", f"{folder}:{jobs}"))
    result = tracers.with_tmtrace(bench, command, "--layer", "bench", "--max-series",
                                  str(4 * everything), names={"push": "bench_push"})
    return {"ns": result["push"]["median_ns"]}


def many_runs(bench):
    catalogues = {n: tracers.write_catalogue(bench, n) for n in (10, 500)}

    def tmtrace(probed, called):
        command = bench.load_command(f"many:{called}")
        result = tracers.with_tmtrace(bench, command, "--layer", "bench",
                                      catalogue=catalogues[probed])
        counted = sum(tracers.function_counts(bench.records, "bench").values())
        tracers.check_count("tmtrace: calls", counted, result[f"many:{called}"]["calls"])
        return {"ns": result[f"many:{called}"]["median_ns"]}

    def session(probed, called):
        command = bench.load_command(f"many:{called}")
        names = [f"bench_many_{n:03}" for n in range(probed)]
        result = tracers.with_empty(bench, "session", command, *names)
        return {"ns": result[f"many:{called}"]["median_ns"]}

    return {(name, probed, called): lambda run=run, probed=probed, called=called:
            run(probed, called)
            for name, run in (("tmtrace", tmtrace), ("empty session", session))
            for probed, called in ((10, 10), (500, 500), (500, 10))}


def run(bench):
    jobs = 20 if bench.quick else 1000
    samples, notes = measure(bench.rounds, many_runs(bench))
    try:
        with cgroups(jobs) as folder:
            by_jobs, more = measure(bench.rounds, {
                n: lambda n=n: jobs_run(bench, folder, n, jobs) for n in (1, jobs)})
        notes += more
    except (BenchError, OSError) as error:
        return [functions_table(samples)], notes + [f"jobs: {error}"]
    return [functions_table(samples), jobs_table(by_jobs, jobs)], notes


def functions_table(samples):
    table = Table("Time per call of functions that begin with push, called in turn",
                  ["", "10 of 10", "500 of 500", "growth", "10 of 500", "growth", "must", "holds"])
    for name in ("tmtrace", "empty session"):
        few, many, some = (samples.of((name, *n), "ns")
                           for n in ((10, 10), (500, 500), (500, 10)))
        held = ("10 %", verdict(ratio(some, few), MUST)) if name == "tmtrace" else ("", "")
        table.add(name, show(few, "ns"), show(many, "ns"), show_percent(ratio(many, few)),
                  show(some, "ns"), show_percent(ratio(some, few)), *held)
    return table


def jobs_table(samples, jobs):
    table = Table("Time per call, the process moving on to the next job's cgroup every 100 calls",
                  ["", "1 job", f"{jobs:,} jobs", "growth", "must", "holds"])
    one, many = samples.of(1, "ns"), samples.of(jobs, "ns")
    growth = ratio(many, one)
    table.add("tmtrace", show(one, "ns"), show(many, "ns"), show_percent(growth), "10 %",
              verdict(growth, MUST))
    return table
