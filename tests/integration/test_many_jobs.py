# SPDX-License-Identifier: GPL-2.0-only
"""More jobs than there is room for, one after another: all totals exact, and no more memory."""

import collections
import contextlib
import ctypes
import json
import os
import random
import signal
import socket
import threading
import time

from harness import Failure, Records, check, equal, read_text, wait_for
from test_cgroup import mount_v2, move, new_cgroup
from test_service import Service

STANDS_LOAD = True

BLOCK = 4096


class Load:
    """Jobs that call libsample's sample_leaf() and write blocks, each a process of its own."""

    def __init__(self, env, library=True):
        self.library = None
        if library:
            self.load_library(env)
        self.scope = new_cgroup(env, mount_v2(), "x_slurmstepd.scope")
        self.name = "/" + os.path.basename(self.scope)
        self.file = os.open(env.path("out"), os.O_RDWR | os.O_CREAT)
        self.block = b"x" * BLOCK
        self.truth = {}  # jobid: (calls, writes)
        self.endless = []
        self.go = env.path("go")

    def load_library(self, env):
        os.environ["STACK_TRUTH"] = "off"
        self.library = ctypes.CDLL(os.path.join(env.private_stack(), "libsample.so.1"))

    def work(self, calls, writes):
        for _ in range(calls if self.library else 0):
            self.library.sample_leaf(1)
        for i in range(writes):
            os.pwrite(self.file, self.block, i * BLOCK)

    def start(self, cgroup, work):
        """A process that joins a cgroup; its pid."""
        pid = os.fork()
        if pid:
            return pid
        try:
            move(os.getpid(), cgroup)
            work()
        finally:
            os._exit(0)

    @contextlib.contextmanager
    def cgroup(self, jobid):
        job = os.path.join(self.scope, f"job_{jobid}")
        step = os.path.join(job, "step_0")
        os.makedirs(step)
        try:
            yield step
        finally:
            os.rmdir(step)
            os.rmdir(job)

    def run(self, jobid):
        dice = random.Random(jobid)
        calls, writes = dice.randrange(1, 200), dice.randrange(1, 50)
        with self.cgroup(jobid) as step:
            os.waitpid(self.start(step, lambda: self.work(calls, writes)), 0)
        self.truth[str(jobid)] = (calls if self.library else 0, writes)

    def run_all(self, first, n, seconds):
        """That many, evenly over a time at least."""
        begin = time.monotonic()
        for i in range(n):
            self.run(first + i)
            time.sleep(max(0, begin + (i + 1) * seconds / n - time.monotonic()))

    def begin_endless(self, env, jobid):
        """One that goes on beside the others, from go_endless() until end_endless()."""
        context = contextlib.ExitStack()
        step = context.enter_context(self.cgroup(jobid))
        told = env.path(f"count_{jobid}")

        def work():
            n = 0
            ended = []
            signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
            while not os.path.exists(self.go):
                time.sleep(0.01)
            while not ended:
                self.work(10, 1)
                n += 1
                time.sleep(0.001)
            with open(told, "w", encoding="ascii") as f:
                f.write(str(n))  # a write that counts, of no whole block

        self.endless.append((jobid, told, context, self.start(step, work)))

    def go_endless(self, service):
        """The library being probed, nothing is missed."""
        def is_probed():
            probes = map(json.loads, service.command("status", "--probes").splitlines())
            return any(p["type"] == "probe" and p["function"] == "sample_leaf" and
                       p["state"] == "armed" for p in probes)

        if self.library:
            wait_for(is_probed, "the library's probes")
        with open(self.go, "w", encoding="ascii"):
            pass

    def end_endless(self):
        for jobid, told, context, pid in self.endless:
            os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
            context.close()
            n = int(read_text(told))
            self.truth[str(jobid)] = (10 * n if self.library else 0, n)
        self.endless.clear()


class Log:
    """The records of jobs that come to a log's socket: the last one of each."""

    def __init__(self, env):
        self.path = env.path("log")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.final = {}
        self.twice = []
        thread = threading.Thread(target=self.read, daemon=True)
        thread.start()

    def read(self):
        while True:
            record = json.loads(self.socket.recv(65536).decode().partition("@cee: ")[2])
            if record["type"] != "job" or not record["final"] or record["kind"] != "slurm":
                continue
            if record["jobid"] in self.final:
                self.twice.append(record["jobid"])
            self.final[record["jobid"]] = record

    def wait_for(self, jobs, service):
        try:
            wait_for(lambda: set(self.final) == set(jobs), "the records of all jobs")
        except Failure as failure:
            missing = sorted(set(jobs) - set(self.final), key=int)
            raise Failure(f"{failure}: {len(missing)} are missing, {missing[:5]} to {missing[-5:]}; "
                          f"the log: {service.status()['log']}") from failure


def sums(records, load, **fields):
    """{jobid: [calls, writes, bytes]} of the load's jobs and of all others that are over."""
    found = collections.defaultdict(lambda: [0, 0, 0])
    for r in records.of("function", **fields):
        if r["jobid"] != "other" and not (r["cgroup"] or "").startswith(load.name):
            continue
        if (r["layer"], r["function"]) == ("sample", "sample_leaf"):
            found[r["jobid"]][0] += r["count"]
        elif (r["layer"], r["function"]) == ("vfs", "write"):
            # What is no block: the count of the one that goes on.
            blocks = sum(n for low, high, n in r["size_buckets"] if low <= BLOCK <= high)
            found[r["jobid"]][1] += blocks
            found[r["jobid"]][2] += r["bytes"]
    return found


def check_totals(what, records, load, **fields):
    found = sums(records, load, **fields)
    calls = sum(calls for calls, _ in load.truth.values())
    writes = sum(writes for _, writes in load.truth.values())
    equal(f"{what}: calls", sum(f[0] for f in found.values()), calls)
    equal(f"{what}: writes", sum(f[1] for f in found.values()), writes)
    small = sum(f[2] for f in found.values()) - writes * BLOCK
    check(0 <= small < BLOCK, f"{what}: {small} bytes too many")
    check("other" in found, f"{what}: all jobs are shown: {len(found)}")
    check(len(found) >= 10, f"{what}: {len(found)} jobs are shown")
    for jobid, (n_calls, n_writes, _) in found.items():
        if jobid != "other":
            equal(f"{what}: job {jobid}", (n_calls, n_writes), load.truth[jobid])
    equal(f"{what}: losses", [loss for loss in records.of("loss") if loss["reason"] == "no_slot"],
          [])


def resident_kib(pid):
    return int(read_text(f"/proc/{pid}/status").partition("VmRSS:")[2].split()[0])


def maps_kib(pid):
    """What the maps take that a process holds, as the kernel accounts for it."""
    sizes = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        fields = dict(line.split(":\t", 1) for line in
                      read_text(f"/proc/{pid}/fdinfo/{fd}").splitlines() if ":\t" in line)
        if "map_id" in fields:
            sizes[fields["map_id"]] = int(fields["memlock"])
    return sum(sizes.values()) // 1024


def test_totals(env):
    """Six hundred jobs in a table of 512 series: every one is told once, no figure is lost."""
    jobs = int(os.environ.get("TMTRACE_TEST_JOBS", "600"))
    seconds = int(os.environ.get("TMTRACE_TEST_JOBS_SECONDS", "12"))
    series = 512 if jobs <= 1000 else 4096
    # A long run calls no library that other tests at the same time may have probed.
    load, log = Load(env, library=jobs <= 1000), Log(env)
    service = Service(env, layers="vfs, sample",
                      log=f"{{types: [job], rate: 100000, socket: {log.path}}}",
                      more=f"max_series: {series}\npast_jobs: 20\ncgroup: {load.scope}\n")
    load.begin_endless(env, 1)
    load.go_endless(service)
    resident, maps = [], []
    for part in range(10):
        load.run_all(1000 + part * jobs // 10, jobs // 10, seconds / 10)
        resident.append(resident_kib(service.process.pid))
        maps.append(maps_kib(service.process.pid))
    load.end_endless()
    log.wait_for(load.truth, service)
    equal("told twice", log.twice, [])
    for jobid, (_, writes) in load.truth.items():
        check(0 <= log.final[jobid]["vfs_write_bytes"] - writes * BLOCK < BLOCK, jobid)
        calls = log.final[jobid]["layers"].get("sample", {"count": 0})["count"]
        equal(jobid, calls, load.truth[jobid][0])
    time.sleep(2)  # what is gone is among others
    records = service.records("--all")
    check_totals("the service", records, load)
    status = service.status()
    check(status["series"] < series, f"{status['series']} series")
    service.stop()
    path = env.path("history.json")
    _, out, _ = env.trace("dump", env.path("history.data"))
    with open(path, "w", encoding="utf-8") as f:
        f.write(out)
    check_totals("its history", Records(path), load, final=True)
    env.remark = (f"{len(load.truth)} jobs, {sum(c for c, _ in load.truth.values())} calls, "
                  f"{sum(w for _, w in load.truth.values())} writes; "
                  f"KiB resident: {' '.join(map(str, resident))}; "
                  f"of maps: {maps[0]} {maps[5]} {maps[-1]}")
    # From a third of the time on it grows no more, but for what malloc() makes of it.
    check(resident[-1] < resident[3] + 4096, f"KiB resident: {resident}")


def test_no_room(env):
    """More jobs at a time than the table has room for: the sums are exact, and a note says so."""
    load = Load(env)
    tracer = env.attach("--cgroup", load.scope, "--layer", "vfs", "--max-series", "64",
                        "--no-per-process")
    with contextlib.ExitStack() as cgroups:
        for jobid in range(100):
            step = cgroups.enter_context(load.cgroup(jobid))
            os.waitpid(load.start(step, lambda n=jobid: load.work(0, n)), 0)
        records = tracer.finish(stop=signal.SIGINT)
    writes = list(records.functions("vfs", "write"))
    equal("writes", sum(r["count"] for r in writes), sum(range(100)))
    equal("bytes", sum(r["bytes"] for r in writes), sum(range(100)) * BLOCK)
    others = [r for r in writes if r["jobid"] == "other"]
    equal("records of others", len(others), 1)
    check(others[0]["count"] > 1000, others[0])
    equal("their mount", others[0]["mount"], None)
    equal("losses", list(records.of("loss")), [])
    check(any("others have what it counts" in note for note in records.notes()), records.notes())
