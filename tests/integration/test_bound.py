# SPDX-License-Identifier: GPL-2.0-only
"""What the service's bounds leave alone: a node with little to do is told completely, with times."""

import os
import subprocess
import sys
import time

from harness import PATIENCE, check, equal, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_governor import Governed
from test_parked_layer import need_tracepoints

STARTS_PER_S = 16

# 5,000 writes a second, in bursts.
WRITES = """
import os, sys, time
fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY, 0o644)
for _ in range(30):
    for _ in range(1000):
        os.write(fd, b"x" * 100)
    time.sleep(0.2)
"""

ASK = "import os\nwhile True: os.getppid()"


def writes_of(service, cgroup):
    return [r for r in service.records("--all").functions("vfs", "write")
            if r["cgroup"] == "/" + os.path.basename(cgroup)]


def start_processes(seconds):
    """As many a second as on a node that does something else, too."""
    begin = time.monotonic()
    for i in range(int(seconds * STARTS_PER_S)):
        subprocess.run(["true"], check=True)
        time.sleep(max(0, begin + i / STARTS_PER_S - time.monotonic()))


def test_not_blind(env):
    """What a job writes is told completely beside starts of processes, whatever the service costs."""
    cgroup = new_cgroup(env, mount_v2(), "writer")
    service = Governed(env, layers="sample, vfs", max_thread_overhead="5%")
    writer = env.spawn([*joining(cgroup), sys.executable, "-c", WRITES, env.path("data")])
    start_processes(8 * PATIENCE)
    equal("the writer's end", writer.wait(timeout=60 * PATIENCE), 0)
    wait_for(lambda: sum(r["count"] for r in writes_of(service, cgroup)) >= 30000,
             "all writes to be told")
    records = writes_of(service, cgroup)
    equal("writes, timed ones, and bytes",
          [sum(r[member] for r in records) for member in ("count", "timed", "bytes")],
          [30000, 30000, 3000000])
    check(all("interval" not in r for r in records), "an interval of whatever length")
    status = service.status()
    check(not [p for p in status["parked"] if p["layer"] == "vfs"], status["parked"])
    service.stop()


def test_thread(env):
    """From no thread is more taken than may be, whatever the node can afford; and it is said."""
    service = Governed(env, layers="sample, vfs", bound="100%", max_thread_overhead="4%")
    need_tracepoints(service)
    text = service.command("status")
    check("(at most 100 %, and at most 4 % of a thread's time)" in text, text)
    cgroup = new_cgroup(env, mount_v2(), "asker")
    busy = env.spawn([*joining(cgroup), sys.executable, "-c", ASK])

    def is_away():
        return [p for p in service.probes("vfs") if "the time of a thread of process" in (p["reason"] or "")]
    parked = wait_for(is_away, "vfs to be taken away for a thread", seconds=60)
    check(all(p["parked_thread_ppm"] > 40000 for p in parked), parked)
    check(all(f" of process {busy.pid}," in p["reason"] and "may take 4 % of it" in p["reason"]
              for p in parked), parked)
    record = next(p for p in service.status()["parked"] if p["layer"] == "vfs")
    equal("whose it is", (record["thread_pid"], record["jobid"], record["cgroup"]),
          (busy.pid, None, "/" + os.path.basename(cgroup)))
    check(f"most was taken from process {busy.pid}, cgroup /" in service.command("status"), "not told")
    busy.kill()
    busy.communicate()
    # It comes back soon, and does not go again.
    wait_for(lambda: not service.status()["parked"], "vfs to come back", seconds=30)
    service.stop()


def test_thread_reads(env):
    """The same of operations on files, by whatever they are seen."""
    data = env.path("data")
    with open(data, "wb") as f:
        f.truncate(1 << 30)
    service = Governed(env, layers="vfs, block", bound="100%", max_thread_overhead="1%")
    busy = env.spawn(["dd", f"if={data}", "of=/dev/null", "bs=1", "status=none"])

    def is_away():
        return [p for p in service.probes("vfs") if p["function"] in ("read", "write") and
                f"the time of a thread of process {busy.pid}," in (p["reason"] or "")]
    wait_for(is_away, "reads or writes to be taken away for a thread", seconds=60)
    busy.kill()
    busy.communicate()
    wait_for(lambda: not service.status()["parked"], "them to come back", seconds=60)
    service.stop()


def test_own_cost(env):
    """The service's own bound: it does less when it is too dear, and probes are not parked for it."""
    service = Governed(env, layers="vfs, block", bound="20%", max_service_overhead="0.0001%")
    status = service.status()
    equal("bound", status["max_service_overhead"], 0.000001)
    equal("history", status["history_interval"], 1)
    wait_for(lambda: service.status()["history_interval"] > 1, "the history to be written less often",
             seconds=60)
    status = service.status()
    equal("parked", status["parked"], [])
    text = service.command("status")
    check("as the service costs more than it may" in text and "(at most 0.0001 %)" in text, text)
    service.reload("1%", layers="vfs, block", max_service_overhead="none")
    wait_for(lambda: service.status()["history_interval"] == 1, "the history to be written as before",
             seconds=60)
    service.stop()
