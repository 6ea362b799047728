# SPDX-License-Identifier: GPL-2.0-only
"""vfs as a whole is taken away where what is left of its parked functions costs too much."""

import os
import signal
import subprocess

from harness import Skip, check, equal, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_governor import Governed, KeptGoverned, wait_fates

# Reads of one byte without end cost far more, also what is left of them when they are parked.
BOUND = "0.5%"
REASON = "taken away for all of vfs"


class Reads:
    """Reads that are counted exactly: by a program in a cgroup of its own."""

    def __init__(self, env):
        self.env, self.cgroup, self.runs = env, new_cgroup(env, mount_v2(), "reader"), 0
        self.data = env.path("data")
        with open(self.data, "wb") as f:
            f.truncate(1 << 30)
        self.busy = None

    def name(self):
        return "/" + os.path.basename(self.cgroup)

    def run(self):
        status, _, err = self.env.run(*joining(self.cgroup), "dd", f"if={self.data}",
                                      "of=/dev/null", "bs=1000", "count=500", "status=none")
        equal(f"dd, {err}", status, 0)

    def sum(self, service, function, field):
        return sum(r[field] for r in service.records("--all").functions("vfs", function)
                   if r["cgroup"] == self.name())

    def counted(self, service, what):
        """Counts of reads and bytes that one run more makes."""
        def figures():
            return self.sum(service, "read", "count"), self.sum(service, "read", "bytes")
        before = figures()
        self.run()
        wait_for(lambda: figures()[1] >= before[1] + 500000, f"reads {what}", seconds=60)
        return [now - then for now, then in zip(figures(), before)]

    def burst(self):
        self.busy = self.env.spawn(["dd", f"if={self.data}", "of=/dev/null", "bs=1",
                                    "status=none"])

    def finish(self):
        self.busy.kill()
        self.busy.communicate()


def is_away(service):
    """Are all functions of vfs parked, with the reason?"""
    reasons = [p["reason"] or "" for p in service.probes("vfs")]
    check(not any(" 0 hits/s" in reason for reason in reasons), reasons)
    return all(REASON in reason for reason in reasons) and reasons


def park(service, reads):
    reads.burst()
    wait_for(lambda: is_away(service), "vfs to be taken away", seconds=120)


def put_back(service, **values):
    """By the configuration: there is no bound any more."""
    service.reload("none", **values)
    wait_for(lambda: all(p["state"] == "armed" for p in service.probes("vfs")),
             "vfs to be put back", seconds=60)


class Layered:
    """Of vfs and the sample, which are asked for together."""

    def write(self, **values):
        super().write(**{**values, "layers": "sample, vfs"})


class GovernedLayer(Layered, Governed):
    pass


class KeptLayer(Layered, KeptGoverned):
    pass


def need_tracepoints(service):
    """Hooks on functions are left where they are."""
    mechanism = service.status()["mechanisms"]["vfs"]
    if mechanism != "tp_btf":
        raise Skip(f"vfs is seen by {mechanism}, which is not taken away")


def test_taken_away(env):
    """It counts exactly before and after; meanwhile nothing is said of the time inside calls."""
    reads = Reads(env)
    load = env.waiting_load("--count", "50", "tail")
    service = GovernedLayer(env, bound="none")
    need_tracepoints(service)
    before = reads.counted(service, "before")
    service.reload(BOUND)
    park(service, reads)
    known = reads.sum(service, "read", "count")
    reads.run()
    load.go()
    load.finish()
    if is_away(service):
        records = service.records("--all")
        equal("time in files", {r["vfs_ns"] for r in records.functions("sample")}, {None})
        notes = [n for n in service.status()["notes"] if "inside library calls" in n]
        equal("notes on it", len(notes), 1)
    check(reads.sum(service, "read", "count") <= known + before[0], "more reads than there were")
    put_back(service)
    reads.finish()
    equal("reads afterwards, and bytes", reads.counted(service, "afterwards"), before)
    check(all(p["parked_ns"] > 0 for p in service.probes("vfs")), "no gap is told")
    wait_fates(service, "vfs")
    service.stop()


def test_open_meanwhile(env):
    """A system call that is open over the change is not counted, nor the next one for it."""
    reads, pipes = Reads(env), [env.path("first"), env.path("second")]
    for pipe in pipes:
        os.mkfifo(pipe)
    service = GovernedLayer(env, bound="none")
    need_tracepoints(service)
    shell = env.spawn([*joining(reads.cgroup), "sh", "-c",
                       f"exec 3< {pipes[0]}; exec 3< {pipes[1]}; exec 3< {reads.data}; read x"],
                      stdin=subprocess.PIPE)
    wait_for(lambda: reads.sum(service, "open", "in_flight") == 1, "the shell to wait", seconds=60)
    before = reads.sum(service, "open", "count")
    service.reload(BOUND)
    park(service, reads)
    # Not until someone reads it can it be opened so: the shell is in its open, the first or second.
    for i, pipe in enumerate(pipes):
        os.close(wait_for(lambda pipe=pipe: opened(pipe), f"open {i} of the shell", seconds=60))
        if i == 0:
            wait_for(lambda: waits_in(shell.pid, 257), "the shell to wait again", seconds=60)
            put_back(service)
            reads.finish()
    wait_for(lambda: reads.sum(service, "open", "count") == before + 1, "the last open",
             seconds=60)
    equal("opens that go on", reads.sum(service, "open", "in_flight"), 0)
    shell.communicate("\n")
    equal("opens", reads.sum(service, "open", "count"), before + 1)
    service.stop()


def opened(pipe):
    """A descriptor of a pipe to write to, None where nobody reads it."""
    try:
        return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK) or None
    except OSError:
        return None


def waits_in(pid, number):
    """Is it in the system call of that number?"""
    with open(f"/proc/{pid}/syscall", encoding="ascii") as f:
        return f.read().split()[0] == str(number)


ASK = "import os\nwhile True: os.getppid()"


def test_no_files(env):
    """System calls that are no operations on files cost their thread, too."""
    service = GovernedLayer(env, bound=BOUND, max_thread_overhead="4%")
    need_tracepoints(service)
    busy = env.spawn(["python3", "-c", ASK])
    wait_for(lambda: is_away(service), "vfs to be taken away", seconds=120)
    put_back(service)
    busy.kill()
    busy.communicate()
    service.stop()


def test_inside_calls(env):
    """The same without vfs, where they are looked at for the time inside library calls."""
    service = Governed(env, bound=BOUND, max_thread_overhead="4%", layers="sample")
    busy = env.spawn(["python3", "-c", ASK])

    def told():
        return [n for n in service.status()["notes"] if "the time inside library calls is parked" in n]
    wait_for(told, "a note that they are not looked at", seconds=120)
    busy.kill()
    busy.communicate()
    service.stop()


def test_killed(env):
    """The next service attaches what the killed one had taken away, and counts go on."""
    reads = Reads(env)
    service = KeptLayer(env, bound="none")
    need_tracepoints(service)
    before = reads.counted(service, "before")
    service.reload(BOUND, pins=service.pins)
    park(service, reads)
    service.kill()
    reads.finish()
    service.bound = "none"
    service.write(pins=service.pins)
    service.start_again()
    equal("restarts", service.status()["restarts"], 1)
    equal("states", {p["state"] for p in service.probes("vfs")}, {"armed"})
    equal("reads afterwards, and bytes", reads.counted(service, "afterwards"), before)
    # One that ends puts it back, too.
    service.reload(BOUND, pins=service.pins)
    park(service, reads)
    service.stop()
    reads.finish()
    service.bound = "none"
    service.write(pins=service.pins)
    service.start_again()
    equal("reads of the next one", reads.counted(service, "of the next one"), before)
    service.stop(signal.SIGINT)
