# SPDX-License-Identifier: GPL-2.0-only
"""When it was: bins of time that add up to the totals."""

import os
import signal
import sys

from harness import Records, check, equal, read_text, wait_for

SHARES_MACHINE = True

BINS = 200


def layer_totals(records, cgroup, layer):
    """Count, bytes and errors of a layer's records of one cgroup."""
    kind = "device" if layer == "block" else "function"
    rows = records.of(kind, layer=layer, cgroup_id=cgroup)
    return {key: sum(row[key] or 0 for row in rows) for key in ("count", "bytes", "errors")}


def check_sums(records, layers):
    """Each timeline's bins add up to the totals of its job and layer."""
    timelines = records.of("timeline")
    check({t["layer"] for t in timelines} >= set(layers), f"timelines of {timelines}")
    for timeline in timelines:
        totals = layer_totals(records, timeline["cgroup_id"], timeline["layer"])
        for key, total in totals.items():
            equal(f"{key} of {timeline['layer']}", sum(timeline[key]), total)
        n = len(timeline["count"])
        check(1 <= n <= BINS, f"{n} bins")
        for key in ("errors", "bytes", "sum_ns", "p50_ns", "p99_ns"):
            equal(f"bins of {key}", len(timeline[key]), n)
        for i in range(n):
            equal(f"bin {i} has a latency", timeline["p99_ns"][i] is not None,
                  timeline["count"][i] != 0)


def test_sums(env):
    """Live and from a recording, the same bins; they add up to the totals, in every layer."""
    live, recording, read = env.path("live.json"), env.path("r.data"), env.path("read.json")
    equal("exit status", env.trace("--probes", env.sample, "--json", live, "-o", recording, "--",
                                   env.load, "all", "--truth", env.path("t.json"))[0], 0)
    equal("report", env.trace("report", "-i", recording, "--json", read)[0], 0)
    live, read = Records(live), Records(read)
    check_sums(live, ("mstro", "mio", "m0", "sample", "vfs"))
    check_sums(read, ("mstro", "mio", "m0", "sample", "vfs"))
    equal("bins of the recording",
          [(t["layer"], t["start_ns"], t["count"]) for t in read.of("timeline")],
          [(t["layer"], t["start_ns"], t["count"]) for t in live.of("timeline")])


def test_when(env):
    """Two bursts with a pause between them are two groups of bins, at the times that they had."""
    path = env.path("r.json")
    status, _, err = env.trace("--json", path, "--layer", "vfs", "--", "sh", "-c",
                               "for i in 1 2 3; do cat /proc/self/stat; done >/dev/null; sleep 2; "
                               f"dd if=/dev/zero of={env.path('f')} bs=4k count=2000 status=none")
    equal(f"exit status ({err})", status, 0)
    records = Records(path)
    check_sums(records, ("vfs",))
    timeline = max(records.of("timeline", layer="vfs"), key=lambda t: sum(t["bytes"]))
    busiest = max(range(len(timeline["bytes"])), key=lambda i: timeline["bytes"][i])
    when_s = (busiest + 1) * timeline["bin_ns"] / 1e9
    check(when_s > 1.5, f"the burst is {when_s} s after the first call, which was 2 s before it")


# Writes its pid, then makes calls until it is killed, for a minute at the most.
CALLS = """
import os, sys, time
with open(sys.argv[1], "w") as f:
    print(os.getpid(), file=f)
end = time.monotonic() + 60
while time.monotonic() < end:
    os.stat("/")
    time.sleep(0.001)
"""


def test_killed(env):
    """Of a tracer that was killed, what it had recorded has its bins."""
    recording, read, pid = env.path("r.data"), env.path("read.json"), env.path("pid")
    tracer = env.spawn([env.tmtrace, "record", "-q", "--layer", "vfs", "-o", recording, "--",
                        sys.executable, "-c", CALLS, pid])

    def has_bins():
        if env.trace("report", "-i", recording, "--json", read)[0] != 0:
            return False
        return Records(read).of("timeline", layer="vfs")

    try:
        wait_for(has_bins, "bins in the recording")
        tracer.kill()
        tracer.wait()
        check(has_bins(), "the bins are gone")
    finally:
        tracer.kill()
        os.kill(int(read_text(pid)), signal.SIGKILL)


def test_report(env):
    """tmtrace report --timeline shows them as lines; --json refuses that option."""
    recording = env.path("r.data")
    equal("exit status", env.trace("-o", recording, "--layer", "vfs", "--", "dd", "if=/dev/zero",
                                   f"of={env.path('f')}", "bs=4k", "count=100", "status=none")[0],
          0)
    status, out, err = env.trace("report", "--timeline", "-i", recording)
    equal(f"exit status ({err})", status, 0)
    check("vfs over time: from " in out, out)
    check(any(line.startswith("calls") and "█" in line for line in out.splitlines()), out)
    status, _, err = env.trace("report", "--timeline", "--json", "-", "-i", recording)
    equal("exit status of both", status, 2)
    check("--timeline" in err, err)
