# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a timed call where the kernel lets tmtrace's program do the `ret`: in a VM.

There the exit is on the `ret` in every function, which is not stepped. Beside it: programs that do
nothing, on instructions that the kernel emulates, and on that `ret`, which is stepped for them.
Emulation becomes slower as programs come and go: each is measured before and after the other one,
and the mean of both counts.
"""

import statistics

import tracers
import vm
from measure import Table, ratio, show, verdict

KERNEL = "newest"
SUBJECT = "in a VM"
LOADS = ("guarded", "push", "endbr64")
NAMES = {load: f"bench_{load}" for load in LOADS}
PAIR = "empty pair"
TMTRACE = "tmtrace, this library, vfs=none"


def inside(bench):
    """In the VM: {"SUBJECT LOAD": ns per call}. Ten times slower, and so ten times fewer calls."""
    command = bench.load_command(*LOADS, calls=100, batches=31)

    def tmtrace():
        return tracers.with_tmtrace(bench, command, "--layer", "bench", "--mechanism", "vfs=none",
                                    names=NAMES)

    runs = {PAIR: lambda: tracers.with_empty(bench, "sites", command, *NAMES.values()),
            TMTRACE: tmtrace}
    values = {}
    for subject in (PAIR, TMTRACE, TMTRACE, PAIR):
        for load, value in tracers.medians(runs[subject]()).items():
            values.setdefault(f"{subject} {load}", []).append(value)
    return {metric: statistics.mean(both) for metric, both in values.items()}


def subjects(bench):
    """With short loads: nothing."""
    return {} if bench.quick else {SUBJECT: lambda: vm.boot(bench, KERNEL, __file__)}


def tables(samples):
    def of(subject, load):
        return samples.of(SUBJECT, f"{subject} {load}")

    costs = Table(f"Time per call where the program does the ret, in a VM without KVM, Linux "
                  f"{KERNEL} of tests/kernels/boot, a new one for each round",
                  ["", "push, jne", "push, ret", "push at +4, ret"])
    for subject in (PAIR, TMTRACE):
        costs.add(subject, *(show(of(subject, load), "ns") for load in LOADS))
    ratios = Table("Ratios there, round by round", ["", "measured", "must", "holds"])
    for load in LOADS:
        values = ratio(of(TMTRACE, load), of(PAIR, "guarded"))
        ratios.add(f"{load}: tmtrace / empty pair at push and jne", show(values), "1.3",
                   verdict(values, 1.3))
    return [costs, ratios] if of(PAIR, "guarded") else []


if __name__ == "__main__":
    vm.serve(inside)
