# SPDX-License-Identifier: GPL-2.0-only
"""What stands out: a period in which a run was slow, a node that is; and a load that explains it."""

import json
import os
import re
import sys

from harness import check, equal

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unusual_load.py")
SECONDS, RATE = 6, 150
# Where others use the processors, too, what is usual may vary as much as what stands out.
ATTEMPTS = 4


def record(env, size, more, name="r.data"):
    path = env.path(name)
    status, _, err = env.trace("record", "-q", "--layer", "vfs", "-o", path, "--", sys.executable,
                               LOAD, env.path("file"), str(SECONDS), str(RATE), str(size), str(more))
    equal(f"exit status ({err})", status, 0)
    return path


def report(env, *paths):
    status, out, err = env.trace("report", "--filter", "layer=vfs", "--json", "-", *paths)
    equal(f"exit status ({err})", status, 0)
    return [r for r in map(json.loads, out.splitlines()) if r["type"] == "unusual"]


def find_period(env, **load):
    """What stands out most of all periods, and the recording; tried again where nothing does."""
    for attempt in range(ATTEMPTS):
        path = record(env, name=f"{attempt}.data", **load)
        found = [r for r in report(env, path) if r["kind"] == "period"]
        if found:
            return max(found, key=lambda r: r["deviations"]), path
    check(False, f"nothing was found in {ATTEMPTS} recordings")


def test_slow_period(env):
    """A fifth of the time, reads take much longer, and there are no more of them: latency."""
    worst, path = find_period(env, size=16, more=1)
    equal("cause", worst["cause"], "latency")
    check(worst["latency_ns"] > 3 * worst["usual_latency_ns"], worst)
    status, out, err = env.trace("report", path)
    equal(f"exit status ({err})", status, 0)
    check(re.search(r"^unusual:\n  .*vfs from .*: latency$", out, re.M), out)


def test_load(env):
    """The same with many more of them: load."""
    worst, _ = find_period(env, size=16, more=3)
    equal("cause", worst["cause"], "load")
    check(worst["load"] > 1.5, worst)
