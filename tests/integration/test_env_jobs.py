# SPDX-License-Identifier: GPL-2.0-only
"""Jobs that no cgroup tells, but the environment of their processes."""

import collections
import ctypes
import json
import mmap
import os
import resource
import shutil
import signal
import struct
import subprocess
import time

from harness import PATIENCE, Records, alone, check, equal, wait_for
from real_machine import compile_c
from test_cgroup import joining, mount_v2, move, new_cgroup
from test_continuity import Kept
from test_jobs import Scheduler
from test_service import NOBODY, Service

SHARES_MACHINE = True
STANDS_LOAD = True

# Users of many names, of which others may trace the machine: nobody else's.
CROWD = 61000

WRITER = "dd if=/dev/zero of={path} bs=4096 count={count} status=none"


def writing(env, job, count, folder=None, variable="SLURM_JOB_ID", uid=0):
    """A command of a job, whose grandchild writes."""
    path = os.path.join(folder or env.dir, f"written-{variable}-{count}")
    script = WRITER.format(path=path, count=count) + "; exit 0"
    return ("setpriv", "--reuid", str(uid), "--clear-groups", "env", f"{variable}={job}", "sh",
            "-c", f"sh -c '{script}'; exit 0")


def writes(records):
    """Writes and bytes of dd by (kind, job): of records of a run."""
    kinds = {r["jobid"]: r["kind"] for r in records.of("job")}
    found = {}
    for record in records.functions("vfs", "write"):
        if record["jobid"] is not None and record["mount"] is not None:
            key = kinds.get(record["jobid"]), record["jobid"]
            before = found.get(key, (0, 0))
            found[key] = before[0] + record["count"], before[1] + record["bytes"]
    return found


def test_apart(env):
    """In one cgroup each is a job of its own, from its first operation on, and counts exactly."""
    tracer = env.attach("--all", "--layer", "vfs")
    loads = [env.spawn(writing(env, "9071", 11)), env.spawn(writing(env, "9072", 7)),
             env.spawn(writing(env, "9073.host", 5, variable="PBS_JOBID")),
             env.spawn(writing(env, "9072", 6)), env.spawn(writing(env, "no;job", 3))]
    for load in loads:
        equal("exit status", load.wait(), 0)
    records = tracer.finish(stop=signal.SIGINT)
    found = {key: value for key, value in writes(records).items() if key[1].startswith("907")}
    equal("writes and bytes", found, {
        ("slurm", "9071"): (11, 11 * 4096), ("slurm", "9072"): (13, 13 * 4096),
        ("pbs", "9073.host"): (5, 5 * 4096)})
    check(not [r for r in records.of("job") if r["jobid"] == "no;job"], "what is no name is a job")
    jobs = {r["jobid"]: r for r in records.of("job")}
    for job in ("9071", "9072", "9073.host"):
        equal(f"cgroup_id of {job}", jobs[job]["cgroup_id"], None)


def answer(service, uid, job):
    """Writes of a job, as a user is told."""
    header, lines = service.asked_by(uid, request="dump", job=job)
    if header["type"] == "error":
        return None
    return sum(r["count"] for r in lines if r["type"] == "function" and r["function"] == "write")


def test_owner(env):
    """Who runs a job sees it, and nobody else's of the same name."""
    service = Service(env, layers="vfs")
    folder = env.path("mine")
    os.mkdir(folder)
    shutil.chown(folder, NOBODY, NOBODY)
    for uid, count in ((NOBODY, 9), (0, 4)):
        load = env.spawn(writing(env, "9081", count, folder=folder, uid=uid))
        equal("exit status", load.wait(), 0)
    # At once: the job has ended just now.
    equal("writes", answer(service, NOBODY, "9081"), 9)
    equal("to another user", answer(service, NOBODY - 1, "9081"), None)


class Named:
    """Processes of named.c in a cgroup of the test's own: nobody else takes numbers there."""

    def __init__(self, env, name="named"):
        self.env = env
        self.program = compile_c(env, "named.c", "-static", "-pthread")
        self.file = env.path("out")
        with open(self.file, "w", encoding="ascii"):
            pass
        os.chmod(self.file, 0o666)
        os.chmod(env.dir, 0o755)
        self.cgroup = new_cgroup(env, mount_v2(), name)

    def trace(self, *options):
        return self.env.attach("--cgroup", self.cgroup, "--layer", "vfs", *options)

    def words(self, *argv, cgroup=None, **variables):
        return (*joining(cgroup or self.cgroup), "sh", "-c", 'exec env "$@" 3>>"$0"', self.file,
                *(f"{key}={value}" for key, value in variables.items()), self.program, *argv)

    def run(self, *argv, **kwargs):
        status, out, err = self.env.run(*self.words(*argv, **kwargs))
        equal(f"exit status, {err}", status, 0)
        return out

    def spawn(self, *argv, **kwargs):
        return self.env.spawn(self.words(*argv, **kwargs), stdin=subprocess.PIPE)


def bytes_of(records):
    """{(kind, job): writes of a byte to the file that named.c has}."""
    found = collections.Counter()
    kinds = {r["jobid"]: r["kind"] for r in records.of("job")}
    for r in records.of("function", layer="vfs", function="write"):
        if r["mount"] is not None or r["jobid"] == "other":
            found[kinds.get(r["jobid"]), r["jobid"]] += r["count"]
    return {key: n for key, n in found.items() if key[0]}


def end(process):
    """Lets it go on, to its end: what it has printed."""
    out, err = process.communicate(timeout=60 * PATIENCE)
    equal(f"exit status, {err}", process.returncode, 0)
    return out


def test_before(env):
    """What ran before is of its job, threads and children included; in a job's cgroup it is that's."""
    named, slurm = Named(env), Scheduler(env)
    waits = [named.spawn("threads", "5", SLURM_JOB_ID=31),
             # The first of the variables is taken; what is long, or looks similar, is none.
             named.spawn("threads", "2", MY_SLURM_JOB_ID=1, SLURM_JOB_ID_2=2, PBS_JOBID="33.host",
                         LSB_JOBID=3, FILLER="x" * 9000, SLURM_JOB_ID="x" * 200),
             named.spawn("threads", "3", FILLER="x" * 100000, LSB_JOBID=34),
             named.spawn("threads", "1")]
    with slurm.step(35, "0") as step:
        waits.append(named.spawn("threads", "4", cgroup=step, SLURM_JOB_ID=36))
        # Their programs are running.
        for process in waits:
            wait_for(lambda p=process: os.readlink(f"/proc/{p.pid}/exe") == named.program, "it")
        tracer = env.attach("--all", "--layer", "vfs")
        for process in waits:
            end(process)
        records = tracer.finish(stop=signal.SIGINT)
    found = {key: n for key, n in bytes_of(records).items() if key[1] in ("31", "33.host", "34",
                                                                         "35", "36")}
    equal("writes", found, {("slurm", "31"): 6, ("pbs", "33.host"): 3, ("lsf", "34"): 4,
                            ("slurm", "35"): 5})
    jobs = {r["jobid"]: r for r in records.of("job")}
    equal("where nobody saw the begin", jobs["31"]["start_ns"], None)
    check(not [note for note in records.notes() if "ran before" in note], records.notes())


def test_forking(env):
    """Children that are forked while those that run are looked through are of their job, too."""
    named = Named(env)
    load = named.spawn("fork", SLURM_JOB_ID=41)
    wait_for(lambda: os.readlink(f"/proc/{load.pid}/exe") == named.program, "the load")
    tracer = named.trace()
    truth = int(end(load))
    check(truth > 10, f"{truth} processes")
    equal("writes", bytes_of(tracer.finish(stop=signal.SIGINT)), {("slurm", "41"): truth})
    env.remark = f"{truth} processes"


def test_forged(env):
    """Who runs already and has the name of another user's job does not join it."""
    named = Named(env)
    loads = [named.spawn("threads", "2", SLURM_JOB_ID=45)]
    words = named.words("threads", "1", SLURM_JOB_ID=45)
    loads.append(env.spawn(("setpriv", "--reuid", str(NOBODY), "--clear-groups", *words[4:]),
                           stdin=subprocess.PIPE))
    move(loads[1].pid, named.cgroup)
    for load in loads:
        wait_for(lambda p=load: os.readlink(f"/proc/{p.pid}/exe") == named.program, "the load")
    tracer = named.trace()
    for load in loads:
        end(load)
    records = tracer.finish(stop=signal.SIGINT)
    equal("jobs", sorted((r["jobid"], r["uid"], r["vfs_write_bytes"]) for r in records.of("job")),
          [("45", 0, 3), ("45", NOBODY, 2)])


def sums_of(first, n):
    return {("slurm", str(job)): 1 + job % 3 for job in range(first, first + n)}


def test_share(env):
    """A user has 512 names: of 600, 88 are in "other"; those of another user are all there."""
    named = Named(env)
    tracer = named.trace("--max-series", "20000")
    named.run("many", str(CROWD), "1000", "600")
    named.run("many", str(CROWD + 1), "3000", "3")
    # A name that is there already is no further one.
    named.run("many", str(CROWD), "1000", "1")
    found = bytes_of(tracer.finish(stop=signal.SIGINT))
    others = sum(sums_of(1512, 88).values())
    equal("writes", found, {**sums_of(1000, 512), **sums_of(3000, 3), ("slurm", "1000"): 4,
                            ("other", "other"): others})


def test_in_a_job(env):
    """In the cgroup of a scheduler's job it is that job's, whatever and how much processes name."""
    slurm = Scheduler(env)
    named = Named(env)
    tracer = env.attach("--cgroup", slurm.scope, "--layer", "vfs", "--max-series", "20000")
    with slurm.step(55, "0") as step:
        named.run("many", str(CROWD), "1000", "600", cgroup=step)
    found = bytes_of(tracer.finish(stop=signal.SIGINT))
    equal("writes", found, {("slurm", "55"): sum(sums_of(1000, 600).values())})


@alone
def test_more_than_fit(env):
    """There are 4,094 names in all: what comes after is in "other", and all sums are exact."""
    named = Named(env)
    tracer = named.trace("--max-series", "40000")
    for user in range(9):
        named.run("many", str(CROWD + user), str(10000 * (user + 1)), "500")
    found = bytes_of(tracer.finish(stop=signal.SIGINT))
    truth = {}
    for user in range(9):
        truth.update(sums_of(10000 * (user + 1), 500))
    others = found.pop(("other", "other"))
    equal("jobs", len(found), 4094)
    equal("their writes", found, dict(list(truth.items())[:4094]))
    equal("others'", others, sum(list(truth.values())[4094:]))


class Table:
    """The kernel side's table of such jobs, of a service that keeps its maps."""

    ELEMENTS, FREE = 4095, 0
    ELEMENT = struct.Struct("<QII72sQQQ48xiI")  # struct tm_env_job

    def __init__(self, pins):
        path = ctypes.create_string_buffer(os.path.join(pins, "maps", "tm_env_jobs").encode())
        attributes = struct.pack("<QII", ctypes.addressof(path), 0, 0)
        fd = ctypes.CDLL(None, use_errno=True).syscall(321, 7, attributes, len(attributes))
        check(fd >= 0, f"BPF_OBJ_GET of tm_env_jobs: {os.strerror(ctypes.get_errno())}")
        size = self.ELEMENTS * self.ELEMENT.size
        self.bytes = mmap.mmap(fd, (size + mmap.PAGESIZE - 1) // mmap.PAGESIZE * mmap.PAGESIZE)
        os.close(fd)

    def elements(self):
        """(place, fields) of those that are in use."""
        for i in range(1, self.ELEMENTS):
            fields = self.ELEMENT.unpack_from(self.bytes, i * self.ELEMENT.size)
            if fields[-1] != self.FREE:
                yield i * self.ELEMENT.size, fields

    def names(self):
        return {fields[3].rstrip(b"\0").decode() for _, fields in self.elements()}

    def age(self, seconds):
        """Who is over has been for so much longer: what takes half a minute need not be waited for."""
        for place, fields in self.elements():
            end = struct.pack("<Q", max(1, fields[6] - seconds * 10**9))
            self.bytes[place + 104:place + 112] = end


def test_given_back(env):
    """Jobs that are over give their numbers back, also those of which nothing was counted."""
    named = Named(env)
    service = Kept(env, layers="vfs", more=f"past_jobs: 10\ncgroup: {named.cgroup}\n")
    named.run("idle", str(CROWD), "1000", "462")
    named.run("many", str(CROWD), "2000", "50")
    named.run("many", str(CROWD), "3000", "3")
    table = Table(service.pins)
    equal("numbers", len(table.names()), 512)
    equal("in other", answer(service, 0, "other"), sum(sums_of(3000, 3).values()))
    lives = named.spawn("threads", "1", SLURM_JOB_ID=4000)
    table.age(60)
    kept = {str(job) for job in range(2040, 2050)}
    wait_for(lambda: table.names() <= {*kept, "4000"}, "the numbers to be free", 60)
    # Those that are shown have theirs yet; so has what goes on.
    equal("numbers", table.names(), {*kept, "4000"})
    equal("in other", answer(service, 0, "other"),
          sum(sums_of(2000, 40).values()) + sum(sums_of(3000, 3).values()))
    for job in kept:
        equal(job, answer(service, 0, job), 1 + int(job) % 3)
    end(lives)
    # Another job with an old number is none of the old ones.
    named.run("many", str(CROWD), "5000", "400")
    for job in (5000, 5399):
        equal(str(job), answer(service, CROWD, str(job)), 1 + job % 3)
    service.stop()


def test_levels(env):
    """A level of a job holds for all its processes, wherever they are and whenever they begin."""
    named = Named(env)
    cgroups = [named.cgroup] + [os.path.join(named.cgroup, name) for name in ("a", "b", "c")]
    for cgroup in cgroups[1:]:
        os.mkdir(cgroup)
        env.cleanup(os.rmdir, cgroup)
    service = Service(env, layers="vfs", more=f"cgroup: {named.cgroup}\n")
    for cgroup in cgroups[:2]:
        named.run("write", "7", cgroup=cgroup, SLURM_JOB_ID=51)
    waits = [named.spawn("threads", "2", cgroup=cgroup, SLURM_JOB_ID=51, SLURM_STEP_ID=step)
             for step, cgroup in enumerate(cgroups[:2])]
    for process in waits:
        wait_for(lambda p=process: os.readlink(f"/proc/{p.pid}/exe") == named.program, "the load")
    service.command("set", "off", "--layer", "vfs", "--job", "51")
    for process in waits:
        end(process)
    named.run("write", "5", cgroup=cgroups[2], SLURM_JOB_ID=51, SLURM_STEP_ID=2)
    named.run("write", "5", cgroup=cgroups[2], SLURM_JOB_ID=52)
    equal("writes", [answer(service, 0, job) for job in ("51", "52")], [14, 5])
    # The service looks every 5 s whose levels nobody needs any more.
    time.sleep(6)
    named.run("write", "5", cgroup=cgroups[3], SLURM_JOB_ID=51)
    named.run("write", "5", cgroup=cgroups[0], SLURM_JOB_ID=51)
    equal("writes later", answer(service, 0, "51"), 14)
    equal("levels", [(j["jobid"], j["layers"]) for j in service.status()["levels"]["jobs"]],
          [("51", {"vfs": "off"})])
    service.command("set", "default", "--job", "51")
    for cgroup in cgroups:
        named.run("write", "2", cgroup=cgroup, SLURM_JOB_ID=51)
    equal("writes after that", answer(service, 0, "51"), 14 + 4 * 2)
    service.stop()


def test_levels_of_its_user(env):
    """A user raises what is told of the own job, and not of another user's of that name."""
    named = Named(env)
    service = Service(env, layers="vfs", more=f"cgroup: {named.cgroup}\n")
    for uid in (NOBODY, 0):
        named.run("many", str(uid), "61", "1")
    header, _ = service.asked_by(NOBODY, request="set", level="calls", layers="vfs", job="61")
    equal("the answer", header["type"], "answer")
    header, _ = service.asked_by(NOBODY - 1, request="set", level="calls", layers="vfs", job="61")
    equal("to another user", header["type"], "error")
    for uid in (NOBODY, 0):
        named.run("many", str(uid), "61", "1")
    service.stop()
    status, out, err = env.trace("dump", env.path("history.data"))
    equal(f"exit status, {err}", status, 0)
    calls = [json.loads(line) for line in out.splitlines() if '"call"' in line]
    found = [c for c in calls if c["type"] == "call" and c["function"] == "write"]
    equal("single calls", len(found), 1 + 61 % 3)


def test_usage(env):
    """A job's CPU time is the sum of its processes', while they were its; those that run, too."""
    named = Named(env)
    service = Service(env, layers="vfs", more=f"cgroup: {named.cgroup}\n")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # What the processes take that join the cgroup, and env, before the name is there.
    load = named.spawn("burn", "60", "3", SLURM_JOB_ID=71)
    children_ns = int(load.stdout.readline())
    named.run("write", "1", SLURM_JOB_ID=72)

    def usage(job):
        records = service.records("--job", job).of("job")
        return records[0] if records else {"cpu_ns": 0}

    wait_for(lambda: usage("71")["cpu_ns"] >= children_ns, f"{children_ns} ns of children")
    check(children_ns >= 4 * 60_000_000, f"{children_ns} ns")
    equal("its memory", usage("71")["memory_peak_bytes"], None)
    least = children_ns + int(end(load))
    record = wait_for(lambda: (r := usage("71"))["cpu_ns"] >= least and r, f"{least} ns")
    parts = record["cpu_user_ns"] + record["cpu_system_ns"]
    check(abs(parts - record["cpu_ns"]) <= 1, f"parts of the CPU time: {record}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    most = (now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) * 1e9
    check(record["cpu_ns"] <= most, f"{record['cpu_ns']} ns of {most}")
    check(0 < usage("72")["cpu_ns"] < 60_000_000, usage("72"))
    check(record["start_ns"] and record["end_ns"] is None, record)
    service.stop()
    env.remark = f"{record['cpu_ns']} ns, of {least} to {most:.0f}"


def test_ranks(env):
    """Step and rank of a process are those that its environment says, in records and tables."""
    named = Named(env)
    data = env.path("data")
    tracer = named.trace("--processes", "-o", data)
    ranks = [("0", "SLURM_PROCID"), ("1", "PMI_RANK"), ("0", "OMPI_COMM_WORLD_RANK"),
             ("4294967291", "SLURM_PROCID")]
    for rank, (step, variable) in enumerate(ranks):
        named.run("write", str(10 + 100 * (rank == 2)), SLURM_JOB_ID=81, SLURM_STEP_ID=step,
                  **{variable: rank})
    records = tracer.finish(stop=signal.SIGINT)
    path = env.path("again.json")
    status, _, err = env.trace("report", data, "--json", path)
    equal(f"exit status, {err}", status, 0)
    for found in (records, Records(path)):
        equal("ranks", sorted((r["rank"], r["step"], r["jobid"], r["vfs_write_bytes"])
                              for r in found.of("process") if r["rank"] is not None),
              [(0, "0", "81", 10), (1, "1", "81", 10), (2, "0", "81", 110), (3, "batch", "81", 10)])
    status, out, err = env.trace("report", data)
    equal(f"exit status, {err}", status, 0)
    check("vfs by 4 ranks: slowest: rank " in out, out)


def test_restart(env):
    """A service that is killed and started again goes on: names, numbers, and who is of which job."""
    named = Named(env)
    service = Kept(env, layers="vfs", more=f"cgroup: {named.cgroup}\n")
    named.run("many", str(NOBODY), "95", "1")
    waits = [named.spawn("threads", "3", SLURM_JOB_ID=96), named.spawn("fork", SLURM_JOB_ID=97)]
    for process in waits:
        wait_for(lambda p=process: os.readlink(f"/proc/{p.pid}/exe") == named.program, "the load")
    service.kill()
    end(waits[0])
    named.run("many", str(NOBODY), "95", "1")
    service.start_again()
    named.run("many", str(NOBODY), "98", "1")
    forked = int(end(waits[1]))
    truth = {"95": 2 * (1 + 95 % 3), "96": 4, "97": forked, "98": 1 + 98 % 3}
    equal("writes", {job: answer(service, 0, job) for job in truth}, truth)
    equal("to its user", answer(service, NOBODY, "95"), truth["95"])
    service.stop()
