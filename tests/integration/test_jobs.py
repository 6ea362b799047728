# SPDX-License-Identifier: GPL-2.0-only
"""Jobs: the cgroups of one are one, those that are gone before anybody could look, too."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time

from harness import Records, check, equal, read_text, wait_for
from test_cgroup import joining, mount_v2, new_cgroup

STANDS_LOAD = True

BLOCK = 4096


class Scheduler:
    """Cgroups as Slurm lays them out, below a cgroup that is like slurmstepd's."""

    def __init__(self, env):
        self.env = env
        self.mount = mount_v2()
        self.scope = new_cgroup(env, self.mount, "x_slurmstepd.scope")

    @contextlib.contextmanager
    def step(self, job, step):
        """A step's innermost cgroup, while it runs."""
        made = []
        path = os.path.join(self.scope, f"job_{job}")
        for part in ("", f"step_{step}", "user", "task_0"):
            path = os.path.join(path, part) if part else path
            os.makedirs(path, exist_ok=True)
            made.append(path)
        try:
            yield path
        finally:
            for path in reversed(made):
                with contextlib.suppress(OSError):  # the job has another step
                    os.rmdir(path)

    def run(self, job, step, writes, **environment):
        with self.step(job, step) as cgroup:
            subprocess.run(writing(self.env, writes, cgroup), check=True,
                           env={**os.environ, **environment})


def writing(env, writes, cgroup):
    return (*joining(cgroup), "dd", "status=none", "if=/dev/zero", f"of={env.path('out')}",
            f"bs={BLOCK}", f"count={writes}")


def job_writes(records, **fields):
    """{(jobid, step): (count, bytes)} of writes to files."""
    found = {}
    for r in records.functions("vfs", "write", **fields):
        if r["mount"] is not None:
            check((r["jobid"], r["step"]) not in found, f"two records of job {r['jobid']}")
            found[r["jobid"], r["step"]] = (r["count"], r["bytes"])
    return found


def wanted(**counts):
    return {(job[1:].split("_")[0], job.partition("_")[2] or None): (n, n * BLOCK)
            for job, n in counts.items()}


def test_steps(env):
    """Steps of a job add up, each job is one; a recording shows one of them alone."""
    slurm = Scheduler(env)
    data = env.path("data")
    tracer = env.attach("--cgroup", slurm.scope, "--layer", "vfs", "--objects", "-o", data,
                        "--no-per-process")
    slurm.run(71, "0", 10)
    slurm.run(72, "0", 7, SLURM_JOB_ID="71")  # its cgroup says whose it is
    slurm.run(71, "batch", 5)
    with slurm.step(73, "2") as cgroup:
        for _ in range(2):
            subprocess.run(writing(env, 3, cgroup), check=True)
    records = tracer.finish(stop=signal.SIGINT)
    equal("writes", job_writes(records), wanted(j71=15, j72_0=7, j73_2=6))
    for record in records.functions("vfs", "write"):
        equal("cgroup", record["cgroup"],
              f"{slurm.scope[len(slurm.mount):]}/job_{record['jobid']}")
    equal("jobs of objects", {r["jobid"] for r in records.of("object")}, {"71", "72", "73"})

    again = env.path("again.json")
    status, _, err = env.trace("report", data, "--job", "71", "--json", again)
    equal(f"exit status ({err})", status, 0)
    equal("writes of one", job_writes(Records(again)), wanted(j71=15))
    status, out, err = env.trace("report", data)
    equal(f"exit status ({err})", status, 0)
    for title in ("== slurm job 71\n", "== slurm job 72, step 0\n", "== slurm job 73, step 2\n"):
        check(title in out, f"no {title!r} in {out}")
    status, _, err = env.trace("report", data, "--job", "7")
    equal("exit status", status, 1)
    check("nothing was recorded of a job 7;" in err, err)


BURN = """
import resource, sys
usage = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
begin = usage()
while usage() - begin < float(sys.argv[1]): pass
with open(sys.argv[2], "wb", buffering=0) as f: f.write(b"x" * 4096)
print(usage() - begin)
"""


def burn(env, cgroup, seconds):
    """A process that uses so much of a CPU and writes a block: the CPU time that it has used at
    least in the cgroup, and at most, with what came before it was there."""
    command = (*joining(cgroup), sys.executable, "-c", BURN, str(seconds), env.path("out"))
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    least = float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return least, sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before


def test_records(env):
    """A job has a record at its end, another at the end of the run: of what it did and used."""
    slurm = Scheduler(env)
    data = env.path("data")
    tracer = env.attach("--cgroup", slurm.scope, "--layer", "vfs", "--processes", "-o", data)
    used = {}
    begin = time.time_ns()
    # As Slurm's own, it is there as long as the job, which would end between its steps without it.
    with slurm.step(81, "extern"):
        for step in ("0", "1"):
            with slurm.step(81, step) as cgroup:
                spent = burn(env, cgroup, 0.2)
                used["81"] = [a + b for a, b in zip(used.get("81", (0, 0)), spent)]
    end = time.time_ns()
    with slurm.step(82, "0") as cgroup:
        used["82"] = burn(env, cgroup, 0.2)
        records = tracer.finish(stop=signal.SIGINT)
    jobs = {r["jobid"]: r for r in records.of("job")}
    equal("jobs", set(jobs), {"81", "82"})
    equal("records of jobs", len(records.of("job")), 2)
    for jobid, record in jobs.items():
        own = [r for r in records.functions("vfs") if r["jobid"] == jobid]
        equal("operations", record["layers"]["vfs"]["count"], sum(r["count"] for r in own))
        equal("processes", record["processes"], len({r["pid"] for r in own}))
        writes = sum(r["bytes"] for r in own if r["function"] == "write")
        equal("bytes written", record["vfs_write_bytes"], writes)
        least, most = used[jobid]
        check(least * 0.95 <= record["cpu_ns"] / 1e9 <= most * 1.05 + 0.05,
              f"job {jobid} used {least} to {most} s, told are {record['cpu_ns']} ns")
        parts = record["cpu_user_ns"] + record["cpu_system_ns"]
        check(abs(parts - record["cpu_ns"]) < 1e6, f"parts of the CPU time: {record}")
        equal("final", record["final"], True)
    check(begin - 1e9 < jobs["81"]["start_ns"] < jobs["81"]["end_ns"] < end + 1e9, f"{jobs}")
    equal("end", jobs["82"]["end_ns"], None)

    steps = {(r["jobid"], r["step"]) for r in records.of("process")}
    equal("steps of processes", steps, {("81", "0"), ("81", "1"), ("82", "0")})

    again = env.path("again.json")
    equal("report", env.trace("report", data, "--json", again)[0], 0)
    equal("records of report", Records(again).of("job"), records.of("job"))
    dumped = env.path("dumped.json")
    with open(dumped, "w", encoding="utf-8") as f:
        equal("dump", env.start("dump", data, stdout=f).wait(), 0)
    last = [r["jobid"] for r in Records(dumped).of("job") if r["end_ns"]]
    equal("records of a job's end", last, ["81"])


def test_sluid(env):
    """Slurm's newest layout: the path has another name, the environment what a job is called."""
    slurm = Scheduler(env)
    data, sluid = env.path("data"), "sEKNKTV3WPV500"
    tracer = env.attach("--cgroup", slurm.scope, "--layer", "vfs", "-o", data)
    cgroup = os.path.join(slurm.scope, sluid, "step_0")
    os.makedirs(cgroup)
    env.cleanup(os.rmdir, os.path.dirname(cgroup))
    env.cleanup(os.rmdir, cgroup)
    subprocess.run(writing(env, 6, cgroup), check=True, env={**os.environ, "SLURM_JOB_ID": "91"})
    waits = subprocess.Popen((*joining(cgroup), "sleep", "1000"),
                             env={**os.environ, "SLURM_JOB_ID": "91"})
    env.cleanup(waits.wait)
    env.cleanup(waits.kill)
    wait_for(lambda: str(waits.pid) in read_text(os.path.join(cgroup, "cgroup.procs")), "sleep")
    records = tracer.finish(stop=signal.SIGINT)
    found = [r for r in records.functions("vfs", "write", comm="dd") if r["mount"] is not None]
    equal("writes", [(r["jobid"], r["step"], r["count"]) for r in found], [("91", "0", 6)])
    equal("jobs", [(r["jobid"], r["sluid"]) for r in records.of("job")], [("91", sluid)])
    status, out, err = env.trace("report", data, "--job", "91")
    equal(f"exit status ({err})", status, 0)
    check("== slurm job 91, step 0\n" in out, out)


def test_patterns(env):
    """A site's own layout; what is no pattern is refused before anything runs."""
    mount = mount_v2()
    cgroup = new_cgroup(env, mount, "site")
    patterns, path = env.path("patterns"), env.path("records.json")
    with open(patterns, "w", encoding="utf-8") as f:
        f.write("# ours\nsite ^/tmtrace-test-(?<jobid>[0-9]+)-(?<step>site)\n")
    options = ("--layer", "vfs", "--json", path, "--job-patterns", patterns)
    status, _, err = env.trace(*options, "--", *writing(env, 4, cgroup))
    equal(f"exit status ({err})", status, 0)
    found = job_writes(Records(path))
    equal("writes", found.get((str(os.getpid()), "site")), (4, 4 * BLOCK))

    with open(patterns, "a", encoding="utf-8") as f:
        f.write("site ^/x(?<job>.*)\n")
    status, _, err = env.trace(*options, "--", "touch", env.path("ran"))
    equal("exit status", status, 125)
    check("patterns:3: " in err and "known are jobid, sluid and step" in err, err)
    check(not os.path.exists(env.path("ran")), "the command ran")
