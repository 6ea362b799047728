# SPDX-License-Identifier: GPL-2.0-only
"""Jobs whose cgroups are gone when a killed service is started again: they have their names."""

import contextlib
import os
import subprocess
import time

from harness import check, equal, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_continuity import Kept
from test_jobs import BLOCK, Scheduler, job_writes, wanted, writing

STANDS_LOAD = True


def remove(cgroup):
    with contextlib.suppress(OSError):
        os.rmdir(cgroup)


def told(service, job):
    """{(jobid, step): (count, bytes)} of the writes that are told of a job."""
    return job_writes(service.records("--job", job))


JOBS = ("71", "72", "73", "74")


def check_jobs(service, when, truth):
    """What is told of the jobs, and which of them are over: 74 is not."""
    found = {}
    for job in JOBS:
        found.update(told(service, job))
    equal(f"writes {when}", found, truth)
    over = {r["jobid"]: bool(r["end_ns"]) for r in service.records("--all").of("job")
            if r["jobid"] in JOBS}
    equal(f"over {when}", over, {"71": True, "72": True, "73": True, "74": False})


def test_ended(env):
    """Jobs that end before the service is killed, or while it is down; and one that lives on."""
    slurm = Scheduler(env)
    service = Kept(env, layers="vfs")
    slurm.run(71, "0", 10)
    time.sleep(3)  # what its step's cgroup has counted becomes the job's
    with slurm.step(74, "0") as lasting:
        with slurm.step(72, "0") as cgroup:
            subprocess.run(writing(env, 4, cgroup), check=True)
            subprocess.run(writing(env, 2, lasting), check=True)
            equal("before", {**told(service, "71"), **told(service, "72")},
                  wanted(j71_0=10, j72_0=4))
            service.kill()
            subprocess.run(writing(env, 3, cgroup), check=True)
        slurm.run(73, "1", 5)
        service.start_again()
        truth = wanted(j71_0=10, j72_0=7, j73_1=5, j74_0=2)
        check_jobs(service, "after one kill", truth)
        service.restart()
        check_jobs(service, "after two", truth)
    service.stop()


def test_uncounted(env):
    """The cgroups of units, too: not their numbers are told."""
    mount = mount_v2()
    service = Kept(env, layers="vfs")
    parent = new_cgroup(env, mount, "named")
    inner = os.path.join(parent, "inner")
    os.mkdir(inner)
    subprocess.run(writing(env, 6, inner), check=True)

    def writes():
        return [r["count"] for r in service.records("--all").functions("vfs", "write")
                if r["cgroup"] == inner[len(mount):] and r["mount"] is not None]

    equal("writes before", writes(), [6])
    service.kill()
    os.rmdir(inner)
    service.start_again()
    equal("writes after", writes(), [6])
    service.stop()


def test_sluid(env):
    """What processes of a job call it is known yet when they, and its cgroup, are gone."""
    slurm = Scheduler(env)
    service = Kept(env, layers="vfs")
    sluid = "sEKNKTV3WPV501"
    folder = os.path.join(slurm.scope, sluid, "step_0")
    os.makedirs(folder)
    for path in (os.path.dirname(folder), folder):
        env.cleanup(remove, path)
    environment = {**os.environ, "SLURM_JOB_ID": "93"}
    subprocess.run(writing(env, 6, folder), check=True, env=environment)
    waits = env.spawn((*joining(folder), "sh", "-c", "read line"), stdin=subprocess.PIPE,
                      env=environment)
    # What joins the cgroup is of that job by its environment, and of no step.
    wait_for(lambda: told(service, "93").get(("93", "0")) == (6, 6 * BLOCK), "the name")
    service.kill()
    waits.communicate()
    os.rmdir(folder)
    os.rmdir(os.path.dirname(folder))
    service.start_again()
    equal("after", told(service, "93").get(("93", "0")), (6, 6 * BLOCK))
    sluids = {r["sluid"] for r in service.records("--job", "93").of("job")}
    check(sluid in sluids, sluids)
    service.stop()


def test_many(env):
    """More cgroups come and go while it is down than its ring buffer has room for."""
    slurm = Scheduler(env)
    service = Kept(env, layers="vfs", more="past_jobs: 400\n")
    service.kill()
    for job in range(1000, 1300):
        with slurm.step(job, "0") as cgroup:
            pass
    slurm.run(1300, "0", 8)
    service.start_again()
    equal("the last one", told(service, "1300"), wanted(j1300_0=8))
    check("names to be kept" not in str(service.status()["notes"]), service.status()["notes"])
    service.stop()
