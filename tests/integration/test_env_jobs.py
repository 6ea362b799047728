# SPDX-License-Identifier: GPL-2.0-only
"""Jobs that no cgroup tells, but the environment of their processes."""

import os
import shutil
import signal

from harness import check, equal, wait_for
from test_service import NOBODY, Service

SHARES_MACHINE = True

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
    equal("writes", wait_for(lambda: answer(service, NOBODY, "9081"), "the job to be told"), 9)
    equal("to another user", answer(service, NOBODY - 1, "9081"), None)
