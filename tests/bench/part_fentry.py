# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer adds to a cached pread where kernel functions can be probed: in a VM.

The part boots a kernel by tests/kernels/boot for each figure, and runs itself there, as

    python3 tests/bench/part_fentry.py BUILD QUICK SUBJECT

which prints as a line of JSON what a call took without and then with the tracer. A new VM for each,
because emulation becomes several times slower once programs have come and gone there.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

import part_vfs
import tracers
from measure import BenchError, Table, added, measure, ratio, show, verdict

TITLE = "A cached 4 KiB pread, by kernel functions"
KERNEL = "6.12"
MECHANISMS = ("fentry", "tp_btf")
BPFTRACE = "bpftrace, histogram of kprobe and kretprobe vfs_read"
SCRIPT = ("kprobe:vfs_read { @start[tid] = nsecs; } "
          "kretprobe:vfs_read /@start[tid]/ "
          "{ @pread = hist(nsecs - @start[tid]); delete(@start[tid]); }")
MARK = "measured: "
ATTEMPTS = 3


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


def run_vm(command):
    """(exit status, output, error output); interrupted, it takes its VM with it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        out, err = process.communicate()
    except BaseException:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    return process.returncode, out, err


def boot(bench, subject):
    """What was measured. An emulated kernel panics now and then: then another one is tried."""
    command = [os.path.join(bench.source, "tests", "kernels", "boot"), KERNEL, "--smp", "1",
               "--build", bench.build, "--", "python3", os.path.abspath(__file__), bench.build,
               str(int(bench.quick)), subject]
    for _ in range(ATTEMPTS):
        status, out, err = run_vm(command)
        for line in out.splitlines():
            if line.startswith(MARK):
                return json.loads(line.removeprefix(MARK))
        if status == 1:
            break
    raise BenchError(f"in a VM with Linux {KERNEL}: {err.strip()[-300:]}")


def run(bench):
    subjects = [*map(tmtrace, MECHANISMS), BPFTRACE]
    samples, notes = measure(bench.rounds, {
        subject: lambda subject=subject: boot(bench, subject) for subject in subjects})
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


def main():
    build, quick, subject = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        bench = tracers.Bench(build, 1, bool(int(quick)), work)
        try:
            print(MARK + json.dumps(inside(bench, subject)))
        except BenchError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
