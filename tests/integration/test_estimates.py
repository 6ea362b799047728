# SPDX-License-Identifier: GPL-2.0-only
"""While vfs is parked for another job's load: exact totals, marked estimates, and no job is missing."""

import json
import os
import random
import sys
import threading
import time

from harness import PATIENCE, check, equal, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_governor import Governed, KeptGoverned
from test_parked_layer import need_tracepoints
from test_task_io import NAMES, Job, exactly

# The SIGKILLs of test_kills, half of them while vfs is parked, half of them in slices.
KILLS = int(os.environ.get("TMTRACE_KILLS", "4"))

# Counts what it reads of a file and of a device, which is no file, and writes, all the time.
WORK = """
import os, sys, time
data, out, seconds = os.open(sys.argv[1], os.O_RDONLY), sys.argv[2], float(sys.argv[3])
zero = os.open("/dev/zero", os.O_RDONLY)
out = os.open(out, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
counts = [0, 0, 0]
end = time.monotonic() + seconds
while time.monotonic() < end:
    for i in range(20):
        os.pread(data, 1000 + 50 * i, 0)
        if i % 3 == 0:
            os.read(zero, 300)
        if i % 5 == 0:
            os.pwrite(out, b"x" * 700, 0)
    counts = [counts[0] + 20, counts[1] + 20 * 1000 + 50 * 190, counts[2] + 4]
    time.sleep(0.0003)
print(*counts)
"""


class Neighbour:
    """Another one, whose load makes vfs be parked."""

    def __init__(self, env):
        self.env, self.cgroup = env, new_cgroup(env, mount_v2(), "neighbour")
        self.data = env.path("data")
        with open(self.data, "wb") as f:
            f.truncate(1 << 30)
        self.busy = None

    def begin(self):
        self.busy = self.env.spawn([*joining(self.cgroup), "dd", f"if={self.data}", "of=/dev/null",
                                    "bs=1", "status=none"])

    def end(self):
        self.busy.kill()
        self.busy.communicate()


def is_away(service):
    """Is the whole of vfs parked just now?"""
    return all(p["state"] == "parked" for p in service.probes("vfs"))


def park(service, neighbour):
    neighbour.begin()
    wait_for(lambda: is_away(service), "vfs to be parked", seconds=120)


def work(env, cgroup, seconds):
    """Reads of a file, their bytes, and writes, as the program has counted them."""
    data = env.path("small")
    with open(data, "wb") as f:
        f.write(b"y" * 4096)
    status, out, err = env.run(*joining(cgroup), sys.executable, "-Ic", WORK, data, env.path("out"),
                               str(seconds), timeout=seconds + 60 * PATIENCE)
    equal(f"exit status, {err}", status, 0)
    return [int(word) for word in out.split()]


def of_function(records, cgroup, function):
    """What there is on the file system of the file, which is most of it."""
    found = [r for r in records.functions("vfs", function)
             if r["cgroup"] == "/" + os.path.basename(cgroup)]
    check(found, f"no {function} of {cgroup}")
    return max(found, key=lambda r: r["count"])


def job_of(records, cgroup):
    return next(r for r in records.of("job") if r["cgroup"] == "/" + os.path.basename(cgroup))


def expect_near(what, record, member, truth):
    estimated = record["estimated"]
    off, error = estimated[member] - truth, estimated[member + "_error"]
    check(error > 0 and abs(off) <= 4 * error,
          f"{what}: {member}: {estimated[member]} +- {error}, {truth} in truth")


def test_estimates(env):
    """What was seen is marked as a part; what it comes to is as near the truth as it says."""
    service, neighbour = Governed(env, layers="vfs", max_thread_overhead="5%"), Neighbour(env)
    need_tracepoints(service)
    cgroup = new_cgroup(env, mount_v2(), "worker")
    park(service, neighbour)
    # Whose load it is is told, and it is not the worker's.
    told = wait_for(lambda: [p["cgroup"] for p in service.status()["parked"] if p["layer"] == "vfs"],
                    "status to name what is parked")
    equal("whose load it is", set(told), {"/" + os.path.basename(neighbour.cgroup)})
    reads, read_bytes, writes = work(env, cgroup, 25 * PATIENCE)
    records = service.records("--all")
    read, write, job = (of_function(records, cgroup, "read"), of_function(records, cgroup, "write"),
                        job_of(records, cgroup))
    print(json.dumps([read["count"], read["coverage"], read["estimated"], reads, write["coverage"],
                      write["estimated"], writes, job["layers"]["vfs"]]), file=sys.stderr)
    check(0 < read["count"] < reads and 0 < read["coverage"] < 1, read)
    expect_near("reads", read, "count", reads)
    expect_near("reads", read, "bytes", read_bytes)
    expect_near("writes", write, "count", writes)
    check(read["estimated"]["total_ns"] > read["total_ns"] > 0, read)
    # The kernel's own counts have all of it.
    check(job["kernel_io"]["syscr"] >= reads and job["kernel_io"]["syscw"] >= writes, job)
    vfs = job["layers"]["vfs"]
    check(0 < vfs["coverage"] < 1 and vfs["count"] < reads + writes, vfs)
    check(vfs["estimated"]["count"] > vfs["count"], vfs)
    neighbour.end()
    text = service.command("report", "--job", "/" + os.path.basename(cgroup))
    check("~ estimated: as vfs was parked" in text and "file operations" in text, text)
    service.stop()


def test_exact(env):
    """Meanwhile the kernel's counts are exact, of threads and processes that come and go."""
    service, neighbour, job = Governed(env, layers="vfs"), Neighbour(env), Job(env)
    need_tracepoints(service)
    park(service, neighbour)
    truth = job.run("7201", 40, 20, 20)
    exactly(service, "7201", truth)
    neighbour.end()
    service.stop()


def test_not_missing(env):
    """A job of which vfs has seen nothing is there, with all that the kernel has counted."""
    service, neighbour, job = Governed(env, layers="vfs"), Neighbour(env), Job(env)
    need_tracepoints(service)
    park(service, neighbour)

    def unseen(number=iter(range(7301, 7401))):
        """Runs a job; its records, unless vfs was there for a moment of it."""
        name = str(next(number))
        truth = job.run(name, 2, 1, 5)
        records = service.records("--job", name)
        record = next(r for r in records.of("job") if r["jobid"] == name)
        equal("kernel_io", record["kernel_io"], truth)
        vfs = record["layers"]["vfs"]
        return (name, vfs) if vfs["count"] == 0 else None
    name, vfs = wait_for(unseen, "a job that vfs does not see", seconds=120)
    equal("coverage, and what follows", (vfs["coverage"], vfs["estimated"]), (0, None))
    text = service.command("report", "--job", name)
    check("vfs: no file operations were seen" in text and "kernel_io" in text, text)
    neighbour.end()
    service.stop()


def test_never_parked(env):
    """Where all was counted, nothing is said of it."""
    service = Governed(env, layers="sample, vfs", bound="none")
    cgroup = new_cgroup(env, mount_v2(), "worker")
    truth = work(env, cgroup, 1)
    records = service.records("--all")
    read = of_function(records, cgroup, "read")
    check(read["count"] >= truth[0], read)
    for r in records.of("function") + records.of("job") + records.of("process"):
        check("coverage" not in r and "estimated" not in r, r)
        check("coverage" not in r.get("layers", {}).get("vfs", {}), r)
    check("~" not in service.command("report", "--job", "/" + os.path.basename(cgroup)), "an estimate")
    service.stop()


def test_left_out(env):
    """So it is where the site leaves vfs out for a while."""
    service = Governed(env, layers="vfs, block", bound="none")
    cgroup = new_cgroup(env, mount_v2(), "worker")
    first = work(env, cgroup, 1)
    service.reload("none", layers="block")
    second = work(env, cgroup, 1)
    service.reload("none", layers="vfs, block")
    records = service.records("--all")
    read, job = of_function(records, cgroup, "read"), job_of(records, cgroup)
    check(first[0] <= read["count"] < first[0] + second[0], (first, second, read))
    # By its calls, as far as the same ones are made at the start of each.
    share = first[0] / (first[0] + second[0])
    check(abs(read["coverage"] - share) < 0.1, (read["coverage"], share))
    check(job["kernel_io"]["syscr"] > first[0] + second[0], job)
    expect_near("reads", read, "count", first[0] + second[0])
    service.stop()


def test_killed(env):
    """What was missed by a service that was killed is known to the next one."""
    service, neighbour = KeptGoverned(env, layers="vfs"), Neighbour(env)
    need_tracepoints(service)
    cgroup = new_cgroup(env, mount_v2(), "worker")
    park(service, neighbour)
    first = work(env, cgroup, 2)
    service.kill()
    second = work(env, cgroup, 2)
    neighbour.end()
    service.bound = "none"
    service.write(layers="vfs", pins=service.pins)
    service.start_again()
    third = work(env, cgroup, 1)
    time.sleep(0.1)
    records = service.records("--all")
    read, job = of_function(records, cgroup, "read"), job_of(records, cgroup)
    reads = first[0] + second[0] + third[0]
    check(third[0] <= read["count"] < reads, (first, second, third, read))
    check(read["coverage"] < 1 and job["kernel_io"]["syscr"] > reads, (read, job))
    check(read["count"] / read["coverage"] > 0.5 * reads, (read, reads))
    service.stop()


class Worker(threading.Thread):
    """A job whose processes and threads come and go until end(): what the kernel counts of them."""

    NUMBER = "7302"

    def __init__(self, env):
        super().__init__()
        self.job = Job(env)
        self.truth = dict.fromkeys(NAMES, 0)
        self.over, self.failure = False, None

    def run(self):
        try:
            with self.job.scheduler.step(self.NUMBER, "0") as cgroup:
                while not self.over:
                    truth = self.job.run_in(cgroup, 20, 5, 10)
                    self.truth = {name: self.truth[name] + truth[name] for name in NAMES}
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure

    def end(self):
        self.over = True
        self.join()


def is_parked(service):
    """The same as is_away(), fast enough to see a slice: asked without a process."""
    status = json.loads(service.send(b'{"request":"status"}\n').splitlines()[1])
    return any(p["layer"] == "vfs" and p["function"] == "read" for p in status["parked"])


def test_kills(env):
    """SIGKILL while vfs is parked, and in slices: what the kernel counts stays exact.

    TMTRACE_KILLS says how many.
    """
    service, neighbour, worker = KeptGoverned(env, layers="vfs"), Neighbour(env), Worker(env)
    need_tracepoints(service)
    epoch, dice = service.status()["epoch"], random.Random(24)
    worker.start()
    env.cleanup(worker.end)
    neighbour.begin()
    for number in range(KILLS):
        wait_for(lambda: is_parked(service), "vfs to be parked", seconds=120, pause=0.005)
        if number % 2:
            wait_for(lambda: not is_parked(service), "a slice", seconds=120, pause=0.002)
        else:
            time.sleep(dice.random())
        service.restart()
    wait_for(lambda: is_parked(service), "vfs to be parked", seconds=120)
    neighbour.end()
    worker.end()
    if worker.failure:
        raise worker.failure
    exactly(service, worker.NUMBER, worker.truth)
    status = service.status()
    equal("epoch and restarts", (status["epoch"], status["restarts"]), (epoch, KILLS))
    service.stop()
    env.remark = (f"{KILLS} kills, {KILLS // 2} of them in slices; {worker.truth['syscr']} reads and "
                  f"{worker.truth['syscw']} writes, all exact")


test_kills.time_limit = 120 + 12 * KILLS
