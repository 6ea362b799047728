# SPDX-License-Identifier: GPL-2.0-only
"""The service: its configuration, what it counts and answers to whom, and how it ends."""

import contextlib
import json
import os
import random
import re
import signal
import socket

from harness import (PATIENCE, Failure, Records, check, compare, ended, equal, read_text, wait_for)
from test_cgroup import joining, mount_v2, new_cgroup
from test_jobs import Scheduler

STANDS_LOAD = True

NOBODY = 65534

CONFIG = """
layers: [{layers}]
probes: {probes}
interval: 1
history:
  file: {dir}/history.data
  size: 4M
log: {log}
max_overhead: {max_overhead}
max_thread_overhead: {max_thread_overhead}
max_service_overhead: {max_service_overhead}
socket: {dir}/run/socket
snapshot:
  file: {dir}/pairs
  prometheus: {dir}/node.prom
  interval: 1
pins: {pins}
{more}"""


def configuration(env, **values):
    """The text of a service's file; what is not named is as most tests need it."""
    return CONFIG.format(**{"layers": "sample, vfs", "log": "none", "probes": env.sample,
                            "dir": env.dir, "pins": "none", "more": "",
                            "max_overhead": "none", "max_thread_overhead": "none",
                            "max_service_overhead": "none", **values})


class Service:
    """A service of the test's own, with a manager that it tells how it fares."""

    def __init__(self, env, layers="sample, vfs", log="none", pins="none", more="",
                 **environment):
        self.env = env
        self.environment = environment
        self.socket = env.path("run/socket")
        self.config = env.path("tmtrace.yaml")
        os.chmod(env.dir, 0o755)  # others may ask, too
        self.write(layers=layers, log=log, pins=pins, more=more)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(env.path("notify"))
        self.begin()
        self.told("READY=1")

    def begin(self):
        """Starts it, without waiting for it."""
        self.process = self.env.start("service", "--config", self.config, env={
            **os.environ, "NOTIFY_SOCKET": self.env.path("notify"), **self.environment})

    def kill(self):
        """Kills it; what it had said."""
        self.process.kill()
        return self.process.communicate(timeout=60 * PATIENCE)[1]

    def write(self, **values):
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(configuration(self.env, **values))

    def told(self, what):
        """Waits for what the manager is told."""
        self.manager.settimeout(1)
        for _ in range(int(60 * PATIENCE)):
            if self.process.poll() is not None:
                raise Failure(f"the service ended: {ended(self.process)}")
            try:
                if what in self.manager.recv(4096).decode().splitlines():
                    return
            except TimeoutError:
                pass
        raise Failure(f"the service has not told {what}")

    def command(self, *argv):
        """A command that asks the service; its standard output."""
        status, out, err = self.env.trace(*argv, "--socket", self.socket)
        equal(f"{' '.join(argv)}: exit status, {err}", status, 0)
        return out

    def status(self):
        return json.loads(self.command("status", "--json"))

    def records(self, *argv):
        path = self.env.path("answer.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.command("dump", *argv))
        return Records(path)

    def send(self, data):
        """What comes back for any bytes."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(60 * PATIENCE)
            client.connect(self.socket)
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: client.recv(65536), b""))

    def asked_by(self, uid, /, **request):
        """What another user is answered: (header, the lines after it)."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                answer = self.send(json.dumps(request).encode() + b"\n")
            except OSError as error:
                answer = repr(error).encode()
            with os.fdopen(writer, "wb") as f:
                f.write(answer)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as f:
            header, *lines = f.read().splitlines()
        os.waitpid(pid, 0)
        check(header.startswith(b"{"), header)
        if b'"report"' in json.dumps(request).encode():
            return json.loads(header), []
        return json.loads(header), [json.loads(line) for line in lines]

    def stop(self, how=signal.SIGTERM):
        """Ends it, which must go well; what it said."""
        self.process.send_signal(how)
        _, err = self.process.communicate(timeout=60 * PATIENCE)
        equal(f"exit status, {err}", self.process.returncode, 0)
        return err


def load_and_service(env, **environment):
    """A load that runs once its libraries are probed: (service, truth)."""
    load = env.waiting_load("all")
    service = Service(env, **environment)
    load.go()
    return service, load.finish()


def test_counts(env):
    """What it counted: by records, as a report, as pairs and for Prometheus, and in its history."""
    service, truth = load_and_service(env, WATCHDOG_USEC="200000")
    compare(service.records("--all"), truth, layers=("sample",))
    status = service.status()
    equal("pid", status["pid"], service.process.pid)
    check(status["probes"]["armed"] > 20 and status["hits"] >= status["recorded"] > 0, status)
    equal("mechanisms", set(status["mechanisms"]), {"sample", "vfs"})
    check(status["cost"]["memory_bytes"] > 0 and status["cost"]["own_cpu_ns"] > 0, status)
    probes = [json.loads(line) for line in service.command("status", "--probes").splitlines()]
    check({"status", "probe"} == {r["type"] for r in probes}, probes[0])
    check("probes     " in service.command("status"), "no text")
    calls = sum(f["returns"] for f in truth["functions"] if f["layer"] == "sample")
    pairs = wait_for(lambda: [line for line in read_text(env.path("pairs")).splitlines()
                              if line.startswith("tmtrace.job_calls{") and ",sample} " in line],
                     "the pairs of the sample")
    wait_for(lambda: f",sample}} {calls}\n" in read_text(env.path("pairs")), f"{calls} in {pairs}")
    wait_for(lambda: re.search(rf'calls_total{{[^}}]*layer="sample"[^}}]*}} {calls}\n',
                               read_text(env.path("node.prom"))), f"{calls} for Prometheus")
    service.told("WATCHDOG=1")
    equal("its children", children_of(service.process.pid), [])
    service.stop()
    check(not os.path.exists(service.socket), "the socket is left")
    # Everybody's jobs are in these; who has no right to them asks the service.
    for name, mode in (("history.data", 0o600), ("pairs", 0o600), ("node.prom", 0o644)):
        equal(f"{name}: mode", os.stat(env.path(name)).st_mode & 0o777, mode)
    path = env.path("history.json")
    status, out, err = env.trace("dump", env.path("history.data"))
    equal(f"exit status of dump, {err}", status, 0)
    with open(path, "w", encoding="utf-8") as f:
        f.write(out)
    compare(Records(path), truth, layers=("sample",))


def fill(path):
    """Sends to a socket that nobody reads, until it takes nothing any more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, \
            contextlib.suppress(BlockingIOError):
        sender.setblocking(False)
        while True:
            sender.sendto(b"STATUS=full", path)


def test_full_manager(env):
    """A manager that takes nothing holds nothing up: it answers, is told later, and ends."""
    service = Service(env, WATCHDOG_USEC="20000")
    fill(env.path("notify"))
    service.process.send_signal(signal.SIGHUP)
    equal("pid", service.status()["pid"], service.process.pid)
    service.manager.settimeout(30 * PATIENCE)
    told = b""
    while told != b"READY=1":  # behind what it was full of
        told = service.manager.recv(4096)
    fill(env.path("notify"))
    check("was read again" in service.stop(), "not reloaded")


def test_reload(env):
    """SIGHUP reads the file again; a wrong one, or one that needs a restart, changes nothing."""
    service, truth = load_and_service(env)
    for change, words in (({"log": "nonsense"}, "goes on as before"),
                          ({"layers": "vfs"}, "need a restart"),
                          ({}, "was read again")):
        service.write(**change)
        service.process.send_signal(signal.SIGHUP)
        service.told("READY=1")
        check(service.process.poll() is None, words)
    compare(service.records("--all"), truth, layers=("sample",))
    err = service.stop()
    for words in ("tmtrace.yaml:8: log is no mapping", "goes on as before", "need a restart",
                  "was read again"):
        check(words in err, err)


def records_of(log):
    """Records that a log daemon's socket gets, as they come."""
    while True:
        yield json.loads(log.recv(65536).decode().partition("@cee: ")[2])


def test_log(env):
    """A line for a process that is killed, and one for its job, in the log."""
    cgroup = new_cgroup(env, mount_v2(), "logged")
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind(env.path("log"))
    log.settimeout(60 * PATIENCE)
    service = Service(env, layers="vfs", log=f"{{types: [process, job], socket: {env.path('log')}}}")
    killed = env.spawn([*joining(cgroup), "sh", "-c", "cat /etc/passwd && kill -9 $$"])
    killed.communicate()
    awaited = {"process", "job"}
    for record in records_of(log):
        if record["type"] == "process" and record["pid"] == killed.pid:
            equal("signal", record["signal"], 9)
            awaited.discard("process")
        if record["type"] == "job" and record["cgroup"] == "/" + os.path.basename(cgroup):
            check(record["layers"]["vfs"]["count"] > 0, record)
            awaited.discard("job")
        if not awaited:
            break
    service.stop()


def children_of(pid):
    """[(pid, state)] of a process's children, but for those that look at far files and live."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        name, _, rest = read_text(f"/proc/{number}/stat").rpartition(")")
        fields = rest.split()
        if name.endswith("(tmtrace-reach") and fields and fields[0] != "Z":
            continue
        if fields and int(fields[1]) == pid:
            found.append((int(number), fields[0]))
    return found


def figures(records, cgroup):
    """What its records say was counted of a cgroup, but for when it was read."""
    return [{key: value for key, value in r.items() if key not in ("time", "time_ns", "interval")}
            for r in records.all if r["type"] in ("function", "op") and r["cgroup"] == cgroup]


def test_users(env):
    """Root sees all; others their own jobs, and nothing of the node."""
    own = new_cgroup(env, mount_v2(), "own")
    foreign = new_cgroup(env, mount_v2(), "foreign")
    name, other = os.path.basename(own), os.path.basename(foreign)
    mine = env.waiting_load("all", name="mine", prefix=joining(own))
    # Its user is known by its processes alone, as where a batch system makes the cgroup.
    os.chown(own, 0, 0)
    theirs = env.waiting_load("all", name="theirs", prefix=joining(foreign))
    os.chown(foreign, NOBODY, NOBODY)
    service = Service(env)
    truths = []
    for load in (mine, theirs):
        load.go()
        truths.append(load.finish())
    # A recording of the job, as tables.
    check("sample: " in service.command("report", "--job", name), "no table of the job")
    equal("the job's page", service.command("report", "--job", name, "--html", env.path("job.html")), "")
    check('"function":"sample_' in read_text(env.path("job.html")), "no function of the job in its page")
    alone = service.records("--job", name)
    compare(alone, truths[0], layers=("sample",))
    # One job's are read by themselves.
    equal("the job's figures", figures(alone, "/" + name),
          figures(service.records("--all"), "/" + name))
    header, lines = service.asked_by(NOBODY, request="dump")
    cgroups = {r["cgroup"] for r in lines if r["type"] == "function"}
    equal("nobody's cgroups", cgroups, {"/" + other})
    check(not [r for r in lines if r["type"] == "loss"], "losses of the node")
    calls = sum(r["count"] for r in lines if r["type"] == "function" and r["layer"] == "sample")
    equal("nobody's calls", calls,
          sum(f["returns"] for f in truths[1]["functions"] if f["layer"] == "sample"))
    # The root cgroup is of no job and no unit.
    check("/" in {r["cgroup"] for r in service.records("--job", "/").of("function")}, "no root")
    header, lines = service.asked_by(NOBODY, request="dump", job=name)
    check(header["type"] == "error" and "that user 65534 may see" in header["text"], header)
    header, lines = service.asked_by(NOBODY, request="report", job=other)
    equal("type", header["type"], "answer")
    header, lines = service.asked_by(NOBODY, request="status", probes=True)
    equal("type", header["type"], "error")
    header, lines = service.asked_by(NOBODY, request="status")
    equal("types", [r["type"] for r in lines], ["status"])
    service.stop()


def remove(folder):
    """A cgroup; some are gone already."""
    with contextlib.suppress(FileNotFoundError):
        os.rmdir(folder)


def answer(service, uid, job):
    """What a user is told of a job; None: there is none that this user may see."""
    header, lines = service.asked_by(uid, request="dump", job=job)
    return lines if header["type"] == "answer" else None


def test_job_of_a_scheduler(env):
    """A job whose processes are in cgroups below its own, root's beside the user's, is the user's."""
    slurm = Scheduler(env)
    service = Service(env, layers="vfs")
    with slurm.step(71, "0") as cgroup:
        beside = os.path.join(os.path.dirname(os.path.dirname(cgroup)), "slurm")
        os.mkdir(beside)
        for rest in ("", "step_0", "step_0/user", "step_0/user/task_0", "step_0/slurm"):
            env.cleanup(remove, os.path.join(slurm.scope, "job_71", rest))
        steps = [env.spawn([*joining(beside), "sleep", "1000"]),
                 env.spawn([*joining(cgroup), "setpriv", "--reuid", str(NOBODY), "--clear-groups",
                            "sh", "-c", "cat /etc/passwd >/dev/null; echo; exec sleep 1000"])]
        equal("the load", steps[1].stdout.readline(), "\n")
        lines = answer(service, NOBODY, "71")
        check(lines, "the job is not known as the user's")
        equal("jobs", {r["jobid"] for r in lines if r["type"] == "function"}, {"71"})
        for who, told in (("its user", lines), ("root", service.asked_by(0, request="dump", job="71")[1])):
            called, probed = ({r["function"] for r in told if r["type"] == kind and r["layer"] == "vfs"}
                              for kind in ("function", "probe"))
            equal(f"probes that {who} is told of", probed, called)
        header, _ = service.asked_by(NOBODY - 1, request="dump", job="71")
        equal(f"another's: {header}", header["type"], "error")
        header, _ = service.asked_by(NOBODY, request="dump", job="71", uid=0)
        check("only root may ask as another user" in header["text"], header)
        # Root says whose it is, but not against what is known.
        header, lines = service.asked_by(0, request="dump", job="71", uid=NOBODY)
        equal("root's as the user", header["type"], "answer")
        header, _ = service.asked_by(0, request="dump", job="71", uid=NOBODY - 1)
        equal("root's as another one", header["type"], "error")
        for process in steps:
            process.kill()
            process.wait()
    service.stop()


def test_begun_by_root(env):
    """A job that was root's when somebody asked is its user's from then on when that has processes."""
    cgroup, patterns = new_cgroup(env, mount_v2(), "begun"), env.path("patterns")
    with open(patterns, "w", encoding="utf-8") as f:
        f.write("site ^/tmtrace-test-(?<jobid>[0-9]+)-begun\n")
    service = Service(env, layers="vfs", more=f"job_patterns: {patterns}\n")
    job = os.path.basename(cgroup).split("-")[2]
    for uid, seen in ((0, False), (NOBODY, True)):
        process = env.spawn([*joining(cgroup), "setpriv", "--reuid", str(uid), "--clear-groups",
                             "sh", "-c", "cat /etc/passwd >/dev/null; echo; exec sleep 1000"])
        equal("the load", process.stdout.readline(), "\n")
        equal("is it seen", answer(service, NOBODY, job) is not None, seen)
        process.kill()
        process.wait()
    check(answer(service, NOBODY, job), "it is forgotten")
    service.stop()


def test_garbage(env):
    """Whatever is written to the socket: it is refused, and the service goes on."""
    service = Service(env, layers="vfs")
    dice = random.Random(6)
    for data in (b"\n", b"{}\n", b"\0" * 100 + b"\n", b"x" * 5000, b'{"request":"status"',
                 b'{"request":"dump","job":"' + b"a" * 600 + b'"}\n', b"[" * 1000 + b"\n",
                 *(dice.randbytes(dice.randrange(1, 2000)) + b"\n" for _ in range(50))):
        answer = service.send(data)
        if b"\n" in data[:1024] or len(data) > 1024:
            equal(f"{data[:20]}", json.loads(answer.splitlines()[0])["type"], "error")
    # Those who say nothing take no place away from others for long, and none from root.
    silent = [socket.socket(socket.AF_UNIX) for _ in range(40)]
    for client in silent:
        client.connect(service.socket)
    for client in silent:
        client.close()
    check(service.status()["probes"]["armed"] > 0, "no status")
    service.stop()


def refused(env, status, words, *argv):
    got, out, err = env.trace(*argv)
    equal(f"{' '.join(argv)}: exit status, {err}", got, status)
    check(words in err and len(err.splitlines()) == 1 and not out, f"{words} is not in {err}{out}")


def test_bad_input(env):
    """What is wrong is said in a line, with its place; a second service does not begin."""
    service = Service(env, layers="vfs")
    refused(env, 1, "another service runs here, process", "service", "--config", service.config)
    check(service.status()["hits"] >= 0, "the first one is gone")
    refused(env, 1, "there is no job nonsense that user 0 may see", "report", "--job", "nonsense",
            "--socket", service.socket)
    service.stop()
    refused(env, 1, "no service of tmtrace runs here", "status", "--socket", service.socket)
    refused(env, 1, "No such file", "service", "--config", env.path("nothing"))
    for text, words in (("layers: [vfs, nonsense]\n", ":1: there is no layer nonsense, known are"),
                        ("socket: here\n", ":1: socket is"), ("- a\n", ":1: the file holds a list")):
        with open(service.config, "w", encoding="utf-8") as f:
            f.write(text)
        for option in ((), ("--check",)):
            refused(env, 2, words, "service", "--config", service.config, *option)
    # What cannot be written.
    for values, words in (({"dir": env.path("no/folder")}, "cannot be made"),):
        service.write(**values)
        refused(env, 1, words, "service", "--config", service.config)
    service.write()
    status, out, err = env.trace("service", "--check", "--config", service.config)
    equal("exit status", status, 0)
    check(out.strip().endswith(": right") and not err, out + err)
    os.remove(env.path("history.data"))
    os.mkdir(env.path("history.data"))
    refused(env, 1, "history.data", "service", "--config", service.config)
    os.rmdir(env.path("history.data"))
    with open(service.socket, "w", encoding="utf-8"):
        pass
    refused(env, 1, "is there and no socket", "service", "--config", service.config)
    refused(env, 2, "--socket goes with --job", "report", "--socket", service.socket)
    refused(env, 2, "no recording is read", "dump", "--all", "file")


def test_shipped(env):
    """The file that is shipped is right, with what is commented out, too: these are the defaults."""
    shipped = os.path.join(env.source, "scripts", "service", "tmtrace.yaml")
    full = env.path("full.yaml")
    with open(full, "w", encoding="utf-8") as f:
        f.write(re.sub("^#([a-z]|  [a-z])", r"\1", read_text(shipped), flags=re.M))
    check("max_series: 16384" in read_text(full).splitlines(), read_text(full))
    for path in (shipped, full):
        status, out, err = env.trace("service", "--check", "--config", path)
        equal(f"exit status, {err}", (status, out), (0, f"{path}: right\n"))


def test_unwritable_later(env):
    """A file that cannot be written is told once; counting goes on."""
    service = Service(env, layers="vfs")
    os.remove(env.path("pairs"))
    os.mkdir(env.path("pairs"))
    hits = service.status()["hits"]
    wait_for(lambda: service.status()["hits"] > hits, "more hits")
    os.rmdir(env.path("pairs"))
    wait_for(lambda: os.path.isfile(env.path("pairs")), "the pairs again")
    err = service.stop()
    check(err.count("pairs: cannot be written") <= 1, err)
