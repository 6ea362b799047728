# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel itself counts of tasks (kernel_io): each job's is equal to the truth, to the unit."""

import contextlib
import json
import os
import subprocess
import threading
import time

from harness import BRIEF, PATIENCE, Failure, Records, Skip, check, equal, wait_for
from real_machine import compile_c
from test_cgroup import mount_v2, new_cgroup
from test_continuity import Kept
from test_jobs import Scheduler
from test_service import Service

STANDS_LOAD = True

NAMES = ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes",
         "cancelled_write_bytes")


def truth_of(line):
    return dict(zip(NAMES, map(int, line.split())))


class Job:
    """Runs task_io.c in cgroups of jobs."""

    def __init__(self, env):
        self.env = env
        self.program = compile_c(env, "task_io.c", "-static", "-pthread")
        self.scheduler = Scheduler(env)
        self.file = env.path("written")

    def words(self, cgroup, threads, processes, rounds, *more):
        return (self.program, "run", cgroup, self.file, str(threads), str(processes), str(rounds),
                *more)

    def run(self, job, threads, processes, rounds):
        """One job; its truth."""
        with self.scheduler.step(job, "0") as cgroup:
            return self.run_in(cgroup, threads, processes, rounds)

    def run_in(self, cgroup, threads, processes, rounds):
        status, out, err = self.env.run(*self.words(cgroup, threads, processes, rounds))
        equal(f"exit status, {err}", status, 0)
        return truth_of(out)


def kernel_io(records, job):
    """Of a job; None: there is no such record."""
    for r in records.of("job"):
        if r["jobid"] == job:
            return r["kernel_io"]
    return None


def asked(service, job):
    return kernel_io(service.records("--job", job), job)


# There, the kernel does not run each program at the end of each thread (docs/internals.md): what it
# had done comes when the kernel frees it, a moment later.
PREEMPTS = int(os.uname().release.split(".")[0]) >= 7


def exactly(service, job, truth, what="kernel_io"):
    if PREEMPTS:
        with contextlib.suppress(Failure):
            wait_for(lambda: asked(service, job) == truth, what, seconds=15, pause=0.2)
    equal(what, asked(service, job), truth)


@contextlib.contextmanager
def hammered(service):
    """Asks all the time meanwhile, and each answer has the tasks gone through before."""
    over = threading.Event()
    n = [0]

    def hammer():
        while not over.is_set():
            service.send(json.dumps({"request": "status"}).encode() + b"\n")
            n[0] += 1

    thread = threading.Thread(target=hammer)
    thread.start()
    try:
        yield n
    finally:
        over.set()
        thread.join()


def exact(env, layers):
    job, service = Job(env), Service(env, layers=layers)
    threads, processes = (60, 20) if BRIEF else (1000, 200)
    with hammered(service) as n:
        truth = job.run("7101", threads, processes, 20)
    exactly(service, "7101", truth, f"kernel_io after {n[0]} passes")
    status = service.status()["kernel_io"]
    equal("lost", status["lost"], {})
    check(status["tasks"] > 0 and 1 <= status["interval_s"] <= 60, status)


def test_exact(env):
    """Threads that die and short processes, with exec and without, while passes go on."""
    exact(env, "vfs, block")


def test_without_vfs(env):
    """The same where nothing of files is traced: there is such a job all the same."""
    exact(env, "sample")


def test_moved(env):
    """A process whose threads live is moved: each job gets what was done in its cgroup."""
    job, service = Job(env), Service(env, layers="vfs")
    for passes in (False, True):
        one, two = ("7102", "7103") if passes else ("7104", "7105")
        with job.scheduler.step(one, "0") as first, job.scheduler.step(two, "0") as second:
            with hammered(service) if passes else contextlib.nullcontext():
                status, out, err = env.run(*job.words(first, 9, 7, 50, second))
        equal(f"exit status, {err}", status, 0)
        truths = [truth_of(line) for line in out.splitlines()]
        exactly(service, one, truths[0], "before the move")
        exactly(service, two, truths[1], "after it")
    equal("lost", service.status()["kernel_io"]["lost"], {})


READER = """
import os, sys
cgroup, zero = sys.argv[1], os.open("/dev/zero", os.O_RDONLY)
with open(cgroup + "/cgroup.procs", "wb", buffering=0) as f:
    f.write(str(os.getpid()).encode())
os.read(zero, 70000)
os.write(1, b"ready\\n")
while True:
    n = os.read(0, 1)
    if not n:
        break
    for i in range(100):
        os.read(zero, 1000)
    os.write(1, b"done\\n")
os._exit(0)
"""


def test_before(env):
    """What was done before the service began is not counted, and what a live process does is."""
    scheduler = Scheduler(env)
    with scheduler.step("7106", "0") as cgroup, contextlib.ExitStack() as stack:
        reader = env.spawn(("python3", "-Ic", READER, cgroup), stdin=subprocess.PIPE)
        stack.callback(reader.communicate)
        stack.callback(reader.kill)
        equal("it", reader.stdout.readline(), "ready\n")
        service = Service(env, layers="sample")
        check(not [r for r in service.records("--all").of("job") if r["jobid"] == "7106"],
              "there is something of a job that has done nothing")
        for n in (1, 2):
            reader.stdin.write("x")
            reader.stdin.flush()
            equal("it", reader.stdout.readline(), "done\n")
            # Then it asks for the next byte, which counts when it comes.
            equal("kernel_io", asked(service, "7106"), {
                "rchar": 100001 * n, "wchar": 5 * n, "syscr": 101 * n, "syscw": n,
                "read_bytes": 0, "write_bytes": 0, "cancelled_write_bytes": 0})
        reader.communicate(timeout=60 * PATIENCE)
    equal("calls that read, with the last one, of no bytes", asked(service, "7106")["syscr"], 203)


def test_named(env):
    """A job that the environment names begins with its exec; what was before is its cgroup's."""
    service = Service(env, layers="sample")
    script = "import os\nz = os.open('/dev/zero', os.O_RDONLY)\n" \
             "for i in range(5000): os.read(z, 10)\nos.execv('/bin/true', ['true'])"
    named = dict(os.environ, SLURM_JOB_ID="7107")
    done = subprocess.run(["python3", "-Ic", script], env=named, check=False)
    equal("exit status", done.returncode, 0)
    io = asked(service, "7107")
    check(io and io["syscr"] > 5000 and io["rchar"] > 50000, io)
    # The environment names it no more: all that follows is of the cgroup again.
    done = subprocess.run(
        ["python3", "-Ic", script.replace("execv('/bin/true', ['true'])",
                                          "execve('/usr/bin/env', ['env', '-i', 'head', '-c', "
                                          "'9000000', '/dev/zero'], {})")],
        env=dict(os.environ, SLURM_JOB_ID="7108"), stdout=subprocess.DEVNULL, check=False)
    equal("exit status", done.returncode, 0)
    io = asked(service, "7108")
    check(io and 50000 < io["rchar"] < 4000000, io)


def test_killed(env):
    """The counts go on without a service, and with the next one: nothing twice, nothing missing."""
    kept, job = Kept(env, layers="sample"), Job(env)
    with job.scheduler.step("7109", "0") as cgroup:
        truths = [job.run_in(cgroup, 40, 10, 10)]
        kept.kill()
        truths.append(job.run_in(cgroup, 40, 10, 10))
        # One that runs on from one service to the next.
        load = env.spawn(job.words(cgroup, 4000, 40, 10))
        kept.begin()
        kept.told("READY=1")
        out, err = load.communicate(timeout=60 * PATIENCE)
        equal(f"exit status, {err}", load.returncode, 0)
        truths.append(truth_of(out))
    exactly(kept, "7109", {n: sum(t[n] for t in truths) for n in NAMES})


def test_command(env):
    """Of a command, the job record has what all its processes did, and each process its own."""
    program, cgroup = compile_c(env, "task_io.c", "-static", "-pthread"), \
        new_cgroup(env, mount_v2(), "command")
    path = env.path("records.json")
    status, out, err = env.trace("--json", path, "--processes", "--layer", "vfs", "--", program,
                                 "run", cgroup, env.path("written"), "50", "20", "20")
    equal(f"exit status, {err}", status, 0)
    records = Records(path)
    job = [r for r in records.of("job") if os.path.basename(cgroup) in r["cgroup"]]
    equal("kernel_io", [r["kernel_io"] for r in job], [truth_of(out)])
    processes = records.of("process")
    equal("processes", len(processes), 21)
    everything = {n: sum(r["kernel_io"][n] for r in records.of("job")) for n in NAMES}
    # But for the reading of the program, which begins before there is an account of it.
    told = {n: sum(r["kernel_io"][n] for r in processes) for n in NAMES}
    for name in ("wchar", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"):
        equal(name, told[name], everything[name])
    check(0 <= everything["syscr"] - told["syscr"] <= 10, (told, everything))


def test_files_given_back(env):
    """What the kernel does for a thread after its end, giving back a file that is removed."""
    service = Service(env, layers="sample")
    scheduler = Scheduler(env)
    script = 'echo $$ > "$0/cgroup.procs"; exec 3>"$1"; rm "$1"; ' \
             'dd if=/dev/zero bs=64k count=16 status=none >&3'
    with scheduler.step("7110", "0") as cgroup:
        subprocess.run(["sh", "-c", script, cgroup, env.path("removed")], check=True)
        written = (asked(service, "7110") or {}).get("write_bytes")
        if not written:
            raise Skip("the file system here has no dirty pages")
        # The file's, and the file system's own.
        check(16 << 16 <= written < 18 << 16, written)
        wait_for(lambda: asked(service, "7110")["cancelled_write_bytes"] == 16 << 16,
                 "what was cancelled", seconds=15)


def test_asked_seldom(env):
    """Nobody asks: figures of a recording have it, too, by passes of the service's own."""
    service = Service(env, layers="sample", more="")
    job = Job(env)
    truth = job.run("7111", 10, 4, 10)
    time.sleep(1.2)
    report = env.path("report.data")
    with open(report, "wb") as f:
        f.write(service.send(json.dumps({"request": "report", "job": "7111"}).encode() + b"\n")
                .split(b"\n", 1)[1])
    status, out, err = env.trace("dump", report)
    equal(f"exit status, {err}", status, 0)
    records = [json.loads(line) for line in out.splitlines()]
    equal("kernel_io", [r["kernel_io"] for r in records if r["type"] == "job"], [truth])
