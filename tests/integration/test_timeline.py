# SPDX-License-Identifier: GPL-2.0-only
"""When it was: bins of time that add up to the totals."""

import os
import signal
import sys

from harness import Records, check, equal, read_text, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_continuity import Kept
from test_service import NOBODY, Service

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
    equal("exit status", env.trace("--probes", env.sample, "--full", "addb", "--json", live, "-o",
                                   recording, "--", env.load, "all", "--truth", env.path("t.json"))[0], 0)
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


# Calls in one cgroup after the other: its arguments.
ONE_AFTER_THE_OTHER = """
import os, sys, time
for path in sys.argv[1:]:
    with open(os.path.join(path, "cgroup.procs"), "w") as f:
        f.write(str(os.getpid()))
    for _ in range(10):
        os.stat("/")
    time.sleep(0.005)
"""
NO_ROOM = "there was no room for the timelines"


def test_no_room(env):
    """Where jobs are too many, a note says that some have none; where they are few, there is none."""
    parent = new_cgroup(env, mount_v2(), "many")
    cgroups = [os.path.join(parent, f"job{i}") for i in range(300)]
    for path in cgroups:
        os.mkdir(path)
        env.cleanup(os.rmdir, path)
    for n, wanted in ((3, False), (len(cgroups), True)):
        recording, read = env.path(f"{n}.data"), env.path(f"{n}.json")
        tracer = env.start("record", "-q", "--cgroup", parent, "--layer", "vfs", "--size", "1M",
                           "-o", recording)
        wait_for(lambda path=recording: env.trace("report", path)[0] == 0, "the recording to begin")
        equal("exit status", env.run(sys.executable, "-c", ONE_AFTER_THE_OTHER, *cgroups[:n])[0], 0)
        tracer.send_signal(signal.SIGINT)
        equal("exit status of the tracer", tracer.wait(), 0)
        equal("exit status of report", env.trace("report", "--json", read, recording)[0], 0)
        records = Records(read)
        notes = [note for run in records.of("run") for note in run["notes"]]
        equal(f"{n} jobs: a note", any(NO_ROOM in note for note in notes), wanted)
        told = {t["cgroup"] for t in records.of("timeline")}
        equal(f"{n} jobs: timelines of all", len(told) >= n, not wanted)
        check(cgroups[n - 1].endswith(max(told, key=lambda c: int(c.rpartition("job")[2]))),
              f"the last one is not among {told}")
        equal(f"{n} jobs: in tables", NO_ROOM in env.trace("report", recording)[1], wanted)


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


def test_service(env):
    """The service keeps them, too: of a job for its user, whole, in records, report and page."""
    own = new_cgroup(env, mount_v2(), "own")
    os.chown(own, NOBODY, NOBODY)
    name = os.path.basename(own)
    load = env.waiting_load("all", prefix=joining(own))
    service = Service(env)
    load.go()
    load.finish()
    check_sums(service.records("--job", name), ("sample", "vfs"))
    _, lines = service.asked_by(NOBODY, request="dump", timelines=True)
    timelines = [r for r in lines if r["type"] == "timeline"]
    equal("cgroups of the user's timelines", {t["cgroup"].rpartition("/")[2] for t in timelines},
          {name})
    check(all(t["bin_ns"] >= 1_600_000_000 for t in timelines), "bins are shorter than readings")
    _, lines = service.asked_by(NOBODY, request="dump")
    equal("not asked for", [r for r in lines if r["type"] == "timeline"], [])
    check("vfs over time: from " in service.command("report", "--job", name, "--timeline"),
          "no timeline in the report")
    service.stop()


def test_service_again(env):
    """A service that goes on with another one's counters knows not when that was."""
    service = Kept(env)
    cgroups = {}
    for wanted in (False, True):
        cgroups[wanted] = new_cgroup(env, mount_v2(), f"told-{wanted}")
        equal("exit status", env.run(*joining(cgroups[wanted]), "stat", "/")[0], 0)
        if not wanted:
            service.restart()
    records = service.records("--all")
    for wanted, cgroup in cgroups.items():
        name = os.path.basename(cgroup)
        check([r for r in records.of("function") if (r["cgroup"] or "").endswith(name)], f"{name} did nothing")
        equal(f"{name}: has a timeline",
              any((t["cgroup"] or "").endswith(name) for t in records.of("timeline")), wanted)


def test_service_without(env):
    """A service may be told to keep none."""
    load = env.waiting_load("all")
    service = Service(env, more="timelines: none")
    load.go()
    load.finish()
    check(service.records("--all").of("function"), "nothing was counted")
    equal("timelines", service.records("--all").of("timeline"), [])
    service.stop()
