# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer adds to a cached pread where kernel functions can be probed: in a VM.

The part boots a kernel by tests/kernels/boot, and runs itself there, as

    python3 tests/bench/part_fentry.py BUILD ROUNDS QUICK

which prints what it measured as a line of JSON.
"""

import json
import os
import subprocess
import sys
import tempfile

import part_vfs
import tracers
from measure import BenchError, Samples, Table, added, measure, ratio, show, verdict

TITLE = "A cached 4 KiB pread, by kernel functions"
KERNEL = "6.12"
TMTRACE = "tmtrace --layer vfs --mechanism vfs="
BPFTRACE = "bpftrace, histogram of kprobe and kretprobe vfs_read"
SCRIPT = ("kprobe:vfs_read { @start[tid] = nsecs; } "
          "kretprobe:vfs_read /@start[tid]/ "
          "{ @pread = hist(nsecs - @start[tid]); delete(@start[tid]); }")
MARK = "measured: "
ATTEMPTS = 3


def inside(bench):
    """In the VM: (samples, notes). Ten times slower, and so ten times fewer calls."""
    command = bench.load_command("pread", calls=100, batches=31,
                                 options=("--file", part_vfs.make_file(bench)))
    runs = {"nothing": lambda: tracers.untraced(command)}
    for mechanism in ("fentry", "kprobe", "tp_btf"):
        runs[TMTRACE + mechanism] = lambda mechanism=mechanism: part_vfs.with_tmtrace(
            bench, command, "--mechanism", "vfs=" + mechanism)
    runs[BPFTRACE] = lambda: tracers.with_bpftrace(SCRIPT, command, ["pread"], float("inf"))
    return measure(bench.rounds, {name: lambda run=run: tracers.medians(run())
                                  for name, run in runs.items()})


def boot(bench):
    """What the VM prints. An emulated kernel panics now and then: then another one is tried."""
    command = [os.path.join(bench.source, "tests", "kernels", "boot"), KERNEL, "--smp", "1",
               "--build", bench.build, "--", "python3", os.path.abspath(__file__), bench.build,
               str(bench.rounds), str(int(bench.quick))]
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        for line in done.stdout.splitlines():
            if line.startswith(MARK):
                return line.removeprefix(MARK)
    raise BenchError(f"no VM with Linux {KERNEL}: {done.stderr.strip()[-300:]}")


def run(bench):
    result = json.loads(boot(bench))
    samples = Samples()
    for number, subject, value in result["values"]:
        samples.add(number, subject, "pread", value)
    return tables(samples, result["kernel"]), result["notes"]


def tables(samples, kernel):
    base = samples.of("nothing", "pread")
    costs = Table(f"Time per call in a VM without KVM, Linux {kernel}", ["", "time", "added"])
    for subject in samples.subjects():
        values = samples.of(subject, "pread")
        costs.add(subject, show(values, "ns"),
                  "" if subject == "nothing" else show(added(values, base), "ns"))
    ratios = Table("Ratio, round by round", ["", "measured", "must", "holds"])
    peer = added(samples.of(BPFTRACE, "pread"), base)
    for mechanism in ("fentry", "kprobe", "tp_btf"):
        values = ratio(added(samples.of(TMTRACE + mechanism, "pread"), base), peer)
        must = ("0.6", verdict(values, 0.6)) if mechanism == "fentry" else ("", "")
        ratios.add(f"what tmtrace adds by {mechanism} / what bpftrace adds", show(values), *must)
    return [costs, ratios]


def main():
    build, rounds, quick = sys.argv[1], int(sys.argv[2]), bool(int(sys.argv[3]))
    with tempfile.TemporaryDirectory() as work:
        bench = tracers.Bench(build, rounds, quick, work)
        samples, notes = inside(bench)
    values = [(number, subject, value) for (subject, _), rounds in samples.values.items()
              for number, value in rounds.items()]
    print(MARK + json.dumps({"kernel": os.uname().release, "values": values, "notes": notes}))


if __name__ == "__main__":
    main()
