# SPDX-License-Identifier: GPL-2.0-only
"""Many processors count the same function, process and job at once: nothing is lost, nothing twice.

tests/kernels/run boots machines that have so many.
"""

import os
import signal

from harness import Skip, check, check_ledgers, check_lossless, compare, equal
from test_cgroup import joining
from test_jobs import Scheduler

STANDS_LOAD = True

CALLS, SIZE = 250, 512
JOB = "91"


def trace(env, n):
    """`load processors` as a job on n processors: (records, truth)."""
    have = len(os.sched_getaffinity(0))
    if have < n:
        raise Skip(f"{n} processors are needed, there are {have}: tests/kernels/boot --smp {n}")
    slurm = Scheduler(env)
    with slurm.step(JOB, "0") as cgroup:
        # Its libraries are probed before it begins.
        load = env.waiting_load("--threads", str(n), "--count", str(CALLS), "--size", str(SIZE),
                                "--dir", env.dir, "processors", prefix=joining(cgroup))
        tracer = env.attach("--cgroup", slurm.scope, "--layer", "vfs,sample", "--processes")
        load.go()
        truth = load.finish()
    return tracer.finish(stop=signal.SIGINT), truth


def check_function(records, layer, function, calls):
    """All of it in records of one job, and in their histograms."""
    found = records.functions(layer, function, jobid=JOB)
    equal(f"{function}: count", sum(r["count"] for r in found), calls)
    for kind in ("buckets", "size_buckets"):
        lists = [r[kind] for r in found if r[kind]]
        if lists:
            equal(f"{function}: {kind}", sum(b[2] for one in lists for b in one), calls)
    return sum(r["bytes"] or 0 for r in found)


def exact(env, n):
    records, truth = trace(env, n)
    check_ledgers(records)
    check_lossless(records)
    compare(records, truth, layers=("sample",))
    calls = 2 * n * CALLS
    equal("length of the file", os.path.getsize(truth["written"]), calls * SIZE)
    check_function(records, "sample", "sample_leaf", calls)
    equal("bytes of sample_write",
          check_function(records, "sample", "sample_write", calls), calls * SIZE)
    by_pid = {r["pid"]: r for r in records.of("process")}
    for worker in truth["workers"]:
        record = by_pid[worker["pid"]]
        equal("writes of a process", record["posix_write_count"], worker["calls"])
        equal("bytes of a process", record["vfs_write_bytes"], worker["calls"] * SIZE)
        equal("write calls by the kernel", record["kernel_io"]["syscw"], worker["calls"])
        equal("threads", record["threads"], n + 1 if worker["calls"] > CALLS else 1)
    job, = (r for r in records.of("job") if r["jobid"] == JOB)
    # Beside the workers, the program itself writes the truth.
    writes = sum(r["posix_write_count"] for r in by_pid.values() if r["jobid"] == JOB)
    written = sum(r["vfs_write_bytes"] for r in by_pid.values() if r["jobid"] == JOB)
    check(writes >= calls, f"{writes} writes of processes")
    equal("writes of the job", sum(r["count"] for r in records.functions("vfs", "write", jobid=JOB)),
          writes)
    equal("bytes of the job", job["vfs_write_bytes"], written)
    equal("calls of the job", job["layers"]["sample"]["count"], 2 * calls)
    equal("by the kernel", job["kernel_io"]["syscw"],
          sum(r["kernel_io"]["syscw"] for r in by_pid.values() if r["jobid"] == JOB))
    env.remark = f"{2 * calls} calls, {writes} writes by {2 * n} threads on {n} processors"


def test_eight(env):
    """8 threads of a process and 8 processes of a job, one of each on each processor."""
    exact(env, 8)


def test_sixteen(env):
    """The same with 16."""
    exact(env, 16)
