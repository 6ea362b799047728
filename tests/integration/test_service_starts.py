# SPDX-License-Identifier: GPL-2.0-only
"""The service while processes start: what they map for the first time is looked at at once, what
was mapped before wakes it no more."""

import os
import shutil
import statistics
import subprocess
import time

from harness import PATIENCE, check, read_text, wait_for
from test_late import LATENCY
from test_service import Service

SHARES_MACHINE = True

STARTS = 60


def switches(pid):
    """How often the service's loop has slept so far."""
    for line in read_text(f"/proc/{pid}/task/{pid}/status").splitlines():
        if line.startswith("voluntary_ctxt_switches:"):
            return int(line.split()[1])
    return 0


def start_some(n):
    for _ in range(n):
        subprocess.run(["true"], check=True)
        time.sleep(0.02)


def test_known_programs(env):
    """Starts of a program that was started before do not wake it: they did so five times each."""
    service = Service(env)
    start_some(3)
    time.sleep(1.5)  # their mappings are looked at within a second
    before, begin = switches(service.process.pid), time.monotonic()
    start_some(STARTS)
    woken, seconds = switches(service.process.pid) - before, time.monotonic() - begin
    time.sleep(seconds)
    idle = switches(service.process.pid) - before - woken
    env.remark = f"woken {woken} times by {STARTS} starts, {idle} times without any"
    check(woken - idle < 2 * STARTS, env.remark)
    service.stop()


def probed_later(service, n):
    """How long after it was mapped each of these n libraries was probed, in ms; None: not yet."""
    notes = [note for note in service.status().get("notes", []) if service.env.dir in note]
    found = [float(m.group(1)) for note in notes for m in LATENCY.finditer(note)]
    return found if len(found) >= n else None


def test_new_libraries(env):
    """A library that nobody has mapped before rings: it need not wait for the next look."""
    service = Service(env)
    copies = 5
    for i in range(copies):
        folder = env.path(f"stack-{i}")
        shutil.copytree(env.stack, folder, ignore=shutil.ignore_patterns("obj"))
        # A process that is gone before its library is looked at leaves that to the next one.
        for _ in range(2):
            subprocess.run([os.path.join(folder, "load"), "all"], check=True,
                           stdout=subprocess.DEVNULL,
                           env={**os.environ, "LD_LIBRARY_PATH": folder})
            time.sleep(0.2)
    found = wait_for(lambda: probed_later(service, copies), "a note on each")
    median = statistics.median(found)
    env.remark = f"probed {median:.1f} ms after mapping, median of {len(found)}"
    # Without a ring it would take up to 500 ms, 250 on average.
    check(median < 100 * PATIENCE, env.remark)
    service.stop()
