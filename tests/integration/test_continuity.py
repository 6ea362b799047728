# SPDX-License-Identifier: GPL-2.0-only
"""A service that is killed, restarted or upgraded: the next one goes on with its counters."""

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time

from harness import (PATIENCE, Records, Skip, check, check_ledgers, compare, equal, need, sum_truths,
                     wait_for)
from test_cgroup import Loads, finish, joining, mount_v2, new_cgroup
from test_files import SAMPLE
from test_late import await_probes, need_leases, probes_in
from test_service import Service, fill

STANDS_LOAD = True

# The SIGKILLs of test_kills.
KILLS = int(os.environ.get("TMTRACE_KILLS", "12"))


def new_pins(env):
    """A folder for pins, in a BPF file system of the test's own."""
    mount = env.path("bpf")
    os.mkdir(mount)
    done = subprocess.run(["mount", "-t", "bpf", "bpf", mount], stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        raise Skip(f"no BPF file system can be mounted: {done.stderr}")
    env.cleanup(subprocess.run, ["umount", mount])
    return os.path.join(mount, "tmtrace")


class Kept(Service):
    """A service whose probes and counters are kept."""

    def __init__(self, env, **values):
        self.pins = new_pins(env)
        super().__init__(env, pins=self.pins, **values)
        env.cleanup(self.clean)
        status = self.status()
        if "perf" in status["mechanisms"].values():
            check(any("begin anew" in note for note in status["notes"]), status["notes"])
            raise Skip("this kernel probes libraries by perf alone: counters begin anew")

    def clean(self):
        if self.process.poll() is None:
            self.kill()
        return self.env.trace("service", "--clean", "--config", self.config)

    def restart(self):
        """Kills it, and starts the next one; what the killed one had said."""
        err = self.kill()
        self.start_again()
        return err

    def is_ready(self):
        """Has one that is killed said so? Nothing of what it said is left then."""
        ready = False
        self.manager.setblocking(False)
        while True:
            try:
                ready |= b"READY=1" in self.manager.recv(4096)
            except BlockingIOError:
                return ready

    def start_again(self):
        self.is_ready()
        self.begin()
        self.told("READY=1")


class OwnLoads(Loads):
    """Loads in a cgroup of their own: what others on this machine do is not theirs."""

    def __init__(self, env):
        super().__init__(env)
        self.cgroup = new_cgroup(env, mount_v2(), "loads")

    def waiting(self, name, *words):
        return super().waiting(name, self.cgroup, *words)

    def compare(self, records, truths, *layers):
        """Calls are those of the truth, each hit is accounted for, and nothing is lost."""
        compare(records, sum_truths(*truths), layers=layers,
                cgroup="/" + os.path.basename(self.cgroup))
        records.all = [r for r in records.all if r["type"] in ("probe", "loss")
                       and (r["library"] or "").startswith(self.stack)]
        check_ledgers(records)
        equal("losses", {key: n for key, n in records.losses().items() if n}, {})


def test_writer_waits(env):
    """Who opens a library for writing goes on once no kept probe is in it, of two services."""
    loads = OwnLoads(env)
    path = os.path.join(loads.stack, SAMPLE)
    need_leases(path)
    service, left = Kept(env), []
    for name in ("first", "restarted"):
        load = loads.waiting(name)
        await_probes(load.pid, path)
        if name == "restarted":
            service.restart()
        with open(path, "ab"):
            left.append(probes_in(load.pid, path))
        finish(load)
    equal("bytes that are a probe's", left, [0, 0])
    check(any(path in note and "opened for writing" in note
              for note in service.status()["notes"]), service.status()["notes"])


def test_sigkill(env):
    """Calls before, between and after two services, of which the first is killed: all of them."""
    loads = OwnLoads(env)
    before, between, after = (loads.waiting(name) for name in ("before", "between", "after"))
    service = Kept(env)
    first = service.status()
    truths = [finish(before)]
    service.kill()
    truths.append(finish(between))
    service.start_again()
    truths.append(finish(after))
    records = service.records("--all")
    loads.compare(records, truths, "sample")
    second = service.status()
    for field in ("epoch", "start_ns"):
        equal(field, second[field], first[field])
    equal("restarts", (first["restarts"], second["restarts"]), (0, 1))
    check(second["probes"]["armed"] >= first["probes"]["armed"], second)
    err = service.stop()
    check("the probes go on counting" in err, err)


class Writer:
    """Writes to a file in a cgroup of its own, again and again: how much, is known."""

    SIZE = 1000
    AT_ONCE = 5000

    def __init__(self, env):
        self.env = env
        self.cgroup = new_cgroup(env, mount_v2(), "writer")
        self.name = "/" + os.path.basename(self.cgroup)
        self.count = 0

    def once(self):
        status, _, err = self.env.run(
            *joining(self.cgroup), "dd", "if=/dev/zero", f"of={self.env.path('written')}",
            f"bs={self.SIZE}", f"count={self.AT_ONCE}", "status=none")
        equal(f"dd, {err}", status, 0)
        self.count += self.AT_ONCE

    def check(self, records):
        written = [r for r in records.functions("vfs", "write") if r["cgroup"] == self.name]
        equal("writes", sum(r["count"] for r in written), self.count)
        equal("bytes", sum(r["bytes"] for r in written), self.count * self.SIZE)


class Load(threading.Thread):
    """Calls of libraries and of files, by one process after the other, until it is to end."""

    def __init__(self, env, loads):
        super().__init__()
        self.env, self.loads = env, loads
        self.writer = Writer(env)
        self.truths = []
        self.over = False
        self.failure = None

    def run(self):
        try:
            while not self.over:
                self.truths.append(finish(self.loads.waiting(f"load-{len(self.truths)}")))
                self.writer.once()
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure

    def end(self):
        self.over = True
        self.join()

    def finish(self):
        self.end()
        if self.failure:
            raise self.failure


def test_kills(env):
    """SIGKILL at random moments under load, also while it starts: counts are the truth's.

    TMTRACE_KILLS says how many.
    """
    loads = OwnLoads(env)
    present = loads.waiting("present")  # its libraries are mapped from the start on
    service = Kept(env, layers="sample, mio, mstro, vfs")
    epoch = service.status()["epoch"]
    load = Load(env, loads)
    load.start()
    env.cleanup(load.end)
    dice = random.Random(50)
    ready = 0
    for _ in range(KILLS):
        # A third of them while it starts.
        time.sleep(dice.choice((0.3, 1, 1)) * dice.random() * PATIENCE)
        service.kill()
        ready += service.is_ready()
        service.begin()
    service.told("READY=1")
    service.kill()
    service.start_again()
    load.finish()
    truths = [*load.truths, finish(present)]
    records = service.records("--all")
    status = service.status()
    equal("epoch", status["epoch"], epoch)
    load.writer.check(records)
    loads.compare(records, truths, "sample", "mio", "mstro")
    service.stop()
    calls = sum(f["returns"] for f in sum_truths(*truths)["functions"]
                if f["layer"] in ("sample", "mio", "mstro"))
    env.remark = (f"{KILLS} kills, {KILLS - ready} of them before it was ready; {calls} calls, "
                  f"{load.writer.count} writes, all exact")


def bpftool(*words):
    done = subprocess.run(["bpftool", "-j", *words], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)


def kept_ids(pins):
    """The numbers of all that is kept: of links, programs and maps."""
    found = {}
    for kind, folder in (("link", "links"), ("prog", "programs"), ("map", "maps")):
        found[kind] = {bpftool(kind, "show", "pinned", os.path.join(pins, folder, name))["id"]
                       for name in os.listdir(os.path.join(pins, folder))}
    return found


def present_ids(kept):
    """Those of them that are there."""
    return {kind: ids & {item["id"] for item in bpftool(kind, "list")}
            for kind, ids in kept.items()}


def test_clean(env):
    """--clean leaves nothing, and is refused while a service runs."""
    need("bpftool")
    service = Kept(env)
    status, _, err = env.trace("service", "--clean", "--config", service.config)
    equal(f"--clean beside a service, {err}", status, 1)
    check(f"process {service.process.pid}" in err, err)
    service.kill()
    kept = kept_ids(service.pins)
    equal("what is kept", present_ids(kept), kept)
    check(all(kept.values()), kept)
    status, out, err = service.clean()
    equal(f"--clean, {out}{err}", (status, out, err), (0, "", ""))
    wait_for(lambda: not any(present_ids(kept).values()), "all to be gone")
    check(not os.path.exists(service.pins), "pins are left")
    check(not os.path.exists(service.socket), "the socket is left")
    # Nothing to do is fine, too.
    equal("--clean again", env.trace("service", "--clean", "--config", service.config)[0], 0)
    # Ctrl-C leaves nothing either.
    service.start_again()
    equal("restarts", service.status()["restarts"], 0)
    service.stop(signal.SIGINT)
    check(not os.path.exists(service.pins), "pins are left by Ctrl-C")


def log_of(env):
    """A log daemon's socket that keeps what comes until somebody reads it."""
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind(env.path("log"))
    return log


def records_until(log, done):
    """The records that come, until done(record)."""
    records = []
    log.settimeout(30 * PATIENCE)
    while not records or not done(records[-1]):
        records.append(json.loads(log.recv(65536).decode().partition("@cee: ")[2]))
    return records


def test_processes(env):
    """Those that end before, between and after two services: a record each, and one alone."""
    log = log_of(env)
    service = Kept(env, layers="vfs", log=f"{{types: [process], socket: {env.path('log')}}}")

    def run(script, **variables):
        process = env.spawn(["sh", "-c", script], env={**os.environ, **variables})
        process.communicate()
        return process.pid

    lasting = env.spawn(["sh", "-c", "read x; cat /etc/passwd; exit 3"], stdin=subprocess.PIPE,
                        env={**os.environ, "SLURM_JOB_ID": "4711", "PMI_RANK": "7"})
    pids = [run("cat /etc/passwd"), run("cat /etc/passwd; kill -9 $$")]
    before = records_until(log, lambda r: r["pid"] == pids[1])
    service.kill()
    while_down = [run("cat /etc/group; exit 5"), run("kill -9 $$", SLURM_JOB_ID="12"),
                  *(run("exit 1") for _ in range(30))]
    service.start_again()
    lasting.communicate()
    last = run("exit 2")
    after = records_until(log, lambda r: r["pid"] == last)
    service.stop()
    records = {}
    for record in before + after:
        records.setdefault(record["pid"], []).append(record)
    own = [*pids, *while_down, lasting.pid, last]
    equal("records of each", {pid: len(records.get(pid, [])) for pid in own},
          {pid: 1 for pid in own})
    check(records[while_down[0]][0]["exit_code"] == 5, records[while_down[0]])
    check(records[while_down[1]][0]["signal"] == 9, records[while_down[1]])
    # What it was started with was told the service that was killed.
    equal("the one that was there all the time",
          [records[lasting.pid][0][k] for k in ("exit_code", "jobid", "rank")], [3, "4711", 7])
    # Environments wait, too.
    equal("job of one that ended meanwhile", records[while_down[1]][0]["jobid"], "12")


class LogReader(threading.Thread):
    """Takes what a log daemon gets, until stop(): of which processes there are records."""

    def __init__(self, log):
        super().__init__()
        self.log, self.pids, self.over = log, set(), False
        self.start()

    def run(self):
        self.log.settimeout(0.1)
        while not self.over:
            try:
                line = self.log.recv(65536).decode().partition("@cee: ")[2]
            except TimeoutError:
                continue
            if line:
                self.pids.add(json.loads(line)["pid"])

    def stop(self):
        self.over = True
        self.join()


def test_log_at_end(env):
    """What waits for the log when a service ends whose probes stay: it is sent, or told as lost."""
    log = log_of(env)
    service = Kept(env, layers="vfs", log=f"{{types: [process], socket: {env.path('log')}}}")
    fill(env.path("log"))
    ended = [env.spawn(["true"]) for _ in range(40)]
    pids = {process.pid for process in ended if process.wait() == 0}
    wait_for(lambda: service.status()["log"]["waiting"] >= len(pids), "the records")
    reader = LogReader(log)
    env.cleanup(reader.stop)
    err = service.stop()
    check("records were lost" not in err, err)
    wait_for(lambda: reader.pids >= pids, "the records that waited")
    reader.stop()
    # A daemon that takes nothing.
    service.start_again()
    fill(env.path("log"))
    env.run("true")
    wait_for(lambda: service.status()["log"]["waiting"], "a record")
    err = service.stop()
    check("records were lost" in err, err)


def test_new_library(env):
    """A library that is first mapped while no service runs is probed by the next one, which says so."""
    loads = OwnLoads(env)
    service = Kept(env)
    service.kill()
    late = loads.waiting("late")
    service.start_again()
    notes = service.status()["notes"]
    library = os.path.join(loads.stack, "libsample.so.1")
    equal("notes", [n for n in notes if library in n],
          [f"{library} was first seen when the service was started again: calls before that are "
           "missing"])
    truths = [finish(late)]
    # It is known from now on.
    service.restart()
    check(not [n for n in service.status()["notes"] if library in n], "told again")
    after = loads.waiting("after")
    truths.append(finish(after))
    loads.compare(service.records("--all"), truths, "sample")
    service.stop()


def test_other_layout(env):
    """Another configuration: what was counted is recorded as the epoch that it was, and all anew."""
    loads = OwnLoads(env)
    before, between, after = (loads.waiting(name) for name in ("before", "between", "after"))
    service = Kept(env)
    first = service.status()
    truths = [finish(before)]
    service.kill()
    truths.append(finish(between))
    service.write(pins=service.pins, layers="sample, vfs, block")
    service.start_again()
    second = service.status()
    check(second["epoch"] != first["epoch"] and not second["restarts"], second)
    notes = [n for n in second["notes"] if "epoch" in n]
    equal("notes", notes, [
        f"the epoch before was recorded into {env.path('history.data.last')}",
        "the probes and counters of the service before were removed, a new epoch begins: its "
        "configuration, its version or its PID namespace was another one"])
    path = env.path("last.json")
    status, out, err = env.trace("dump", env.path("history.data.last"))
    equal(f"exit status of dump, {err}", status, 0)
    with open(path, "w", encoding="utf-8") as f:
        f.write(out)
    records = Records(path)
    equal("epoch", {r["epoch"] for r in records.all}, {first["epoch"]})
    loads.compare(records, truths, "sample")
    truths = [finish(after)]
    loads.compare(service.records("--all"), truths, "sample")
    service.stop(signal.SIGINT)


def test_damaged(env):
    """Pins that are not whole, or whose state makes no sense: removed, and a new epoch."""
    service = Kept(env)
    first = service.status()["epoch"]
    service.kill()
    state = os.path.join(service.pins, "state")
    os.remove(state)
    service.start_again()
    second = service.status()["epoch"]
    check(first != second, second)
    service.kill()
    # Another map in its place.
    os.rename(os.path.join(service.pins, "maps", "tm_switchers"), state)
    service.start_again()
    third = service.status()
    check(third["epoch"] != second and not third["restarts"], third)
    check(any("is damaged" in note for note in third["notes"]), third["notes"])
    service.stop(signal.SIGINT)
