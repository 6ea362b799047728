# SPDX-License-Identifier: GPL-2.0-only
"""What the service costs programs that call without end, with a bound and without."""

import json
import os

import services
import tracers
from measure import Table, measure, ratio, show, show_percent

TITLE = "The service's bound"
PLAIN, FREE, BOUND = "no service", "max_overhead: none", "max_overhead: 1%"
# Two seconds are the time that the service has to settle.
LOADS = {
    "one function, 1,000,000 calls/s": ("--threads", "1", "--work", "3000", "push"),
    "500 functions, 4 threads": ("--threads", "4", "--work", "60000", "many"),
    "4 KiB reads of a cached file": ("--threads", "1", "pread"),
}


def run_load(bench, options):
    times = ("--skip", "0.1", "--seconds", "0.2") if bench.quick else ("--skip", "2", "--seconds", "6")
    out, _ = tracers.run(os.path.join(bench.tools, "bench-burst"), *times, *options)
    return json.loads(out)


def subject(bench, bound, options):
    if bound == PLAIN:
        return run_load(bench, options)
    # A service of its own for each: nothing is parked at its begin.
    catalogue = tracers.write_catalogue(bench, 500, "bench_push")
    bound = bound.removeprefix("max_overhead: ")
    with services.service(bench, catalogue, "bench, vfs", "history: none", max_overhead=bound):
        return run_load(bench, options)


def run(bench):
    subjects = {(load, bound): lambda bound=bound, options=options: subject(bench, bound, options)
                for load, options in LOADS.items() for bound in (PLAIN, FREE, BOUND)}
    samples, notes = measure(bench.rounds, subjects)
    costs = Table("CPU time of a call, with what the program does besides; from two seconds after "
                  "the begin on, for six seconds", ["", PLAIN, FREE, BOUND, f"{FREE} adds",
                                                   f"{BOUND} adds"])
    for load in LOADS:
        plain, free, bound = (samples.of((load, b), "ns") for b in (PLAIN, FREE, BOUND))
        costs.add(load, show(plain, "ns"), show(free, "ns"), show(bound, "ns"),
                  show_percent(ratio(free, plain)), show_percent(ratio(bound, plain)))
    return [costs], notes
