# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer adds to a cached pread where kernel functions can be probed: in a VM.

Told is what a call took without and then with the tracer. A new VM for each figure, because
emulation becomes several times slower once programs have come and gone there.
"""

import part_vfs
import tracers
import vm
from measure import Table, added, measure, ratio, show, verdict

TITLE = "A cached 4 KiB pread, by kernel functions"
KERNEL = "6.12"
MECHANISMS = ("fentry", "tp_btf")
BPFTRACE = "bpftrace, histogram of kprobe and kretprobe vfs_read"
SCRIPT = ("kprobe:vfs_read { @start[tid] = nsecs; } "
          "kretprobe:vfs_read /@start[tid]/ "
          "{ @pread = hist(nsecs - @start[tid]); delete(@start[tid]); }")


def tmtrace(mechanism):
    return f"tmtrace --layer vfs --mechanism vfs={mechanism}"


def inside(bench, subject):
    """In the VM. Ten times slower, and so ten times fewer calls."""
    command = bench.load_command("pread", calls=100, batches=31,
                                 options=("--file", part_vfs.make_file(bench)))
    before = tracers.untraced(command)["pread"]["median_ns"]
    if subject == BPFTRACE:
        result = tracers.with_bpftrace(SCRIPT, command, ["pread"], float("inf"))
    else:
        result = part_vfs.with_tmtrace(bench, command, *subject.split()[3:])
    return {"nothing": before, "traced": result["pread"]["median_ns"]}


def run(bench):
    subjects = [*map(tmtrace, MECHANISMS), BPFTRACE]
    samples, notes = measure(bench.rounds, {
        subject: lambda subject=subject: vm.boot(bench, KERNEL, __file__, subject)
        for subject in subjects})
    return tables(samples, subjects), notes


def tables(samples, subjects):
    costs = Table(f"Time per call in a VM without KVM, Linux {KERNEL}, a new one for each figure",
                  ["", "untraced", "traced", "added"])
    more = {}
    for subject in subjects:
        before, traced = (samples.of(subject, metric) for metric in ("nothing", "traced"))
        more[subject] = added(traced, before)
        costs.add(subject, *(show(values, "ns") for values in (before, traced, more[subject])))
    ratios = Table("Ratio, round by round", ["", "measured", "must", "holds"])
    for mechanism in MECHANISMS:
        values = ratio(more[tmtrace(mechanism)], more[BPFTRACE])
        must = ("0.6", verdict(values, 0.6)) if mechanism == "fentry" else ("", "")
        ratios.add(f"what tmtrace adds by {mechanism} / what bpftrace adds", show(values), *must)
    return [costs, ratios]


if __name__ == "__main__":
    vm.serve(inside)
