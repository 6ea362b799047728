# SPDX-License-Identifier: GPL-2.0-only
"""What stands out: a period in which a run was slow, a node that is; and a load that explains it."""

import contextlib
import json
import os
import re
import sqlite3
import sys

from harness import check, equal, need
from test_recording import IN_NODE

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unusual_load.py")
SECONDS, RATE = 6, 150
# Where others use the processors, too, what is usual may vary as much as what stands out.
ATTEMPTS = 4


def record(env, size, more, quick=0, name="r.data"):
    path = env.path(name)
    status, _, err = env.trace("record", "-q", "--layer", "vfs", "-o", path, "--", sys.executable,
                               LOAD, env.path("file"), str(SECONDS), str(RATE), str(size), str(more), str(quick))
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


def test_slow_among_quick(env):
    """The same where most calls are quick: compared are those that take the time."""
    worst, _ = find_period(env, size=16, more=1, quick=9)
    equal("cause", worst["cause"], "latency")
    # Of the tenth that are reads: the longer some are by chance, the fewer take half of the time.
    check(worst["percentile"] in (95, 98, 99), worst)
    check(worst["latency_ns"] > 3 * worst["usual_latency_ns"], worst)


def test_load(env):
    """The same with many more of them: load."""
    worst, _ = find_period(env, size=16, more=3)
    equal("cause", worst["cause"], "load")
    check(worst["load"] > 1.5, worst)


# Reads a file so often, so much of it each time.
READS = """
import os, sys
path, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, "wb") as file:
    file.write(bytes(size))
fd = os.open(path, os.O_RDONLY)
for _ in range(count):
    os.pread(fd, size, 0)
"""
# A tenth of what copying the larger one takes: machines that are busy are not as slow as that.
SMALL, LARGE = 16 << 10, 4 << 20


def record_nodes(env, attempt, others, slow=None):
    """Recordings of three "nodes", one after the other; others and slow: (reads, bytes of each)."""
    need("unshare")
    paths = []
    for name, (count, size) in (("node1", others), ("node2", slow or others), ("node3", others)):
        path = env.path(f"{name}.{attempt}.data")
        status, _, err = env.run("unshare", "--uts", "sh", "-c", IN_NODE, name, env.tmtrace,
                                 "record", "-q", "--layer", "vfs", "-o", path, "--",
                                 sys.executable, "-I", "-S", "-c", READS, env.path("file"),
                                 str(count), str(size))
        check(status == 0, f"recording {name} ended with {status}: {err}")
        paths.append(path)
    return paths


def find_node(env, others, slow):
    """What is said of nodes, and the recordings; tried again where nothing is."""
    for attempt in range(ATTEMPTS):
        paths = record_nodes(env, attempt, others, slow)
        found = [r for r in report(env, *paths) if r["kind"] == "node"]
        if found:
            return found, paths
    check(False, f"no node was found in {ATTEMPTS} times three recordings")


def test_slow_node(env):
    """One of three is slow, and did as much: it is named, and no other one, wherever one looks."""
    found, paths = find_node(env, others=(600, SMALL), slow=(600, LARGE))
    equal("nodes", [(r["node"], r["layer"], r["function"], r["cause"]) for r in found],
          [("node2", "vfs", "read", "latency")])
    node = found[0]
    check(node["percentile"] in (50, 90) and node["deviations"] >= 6, node)
    check(node["latency_ns"] >= 2 * node["usual_latency_ns"] and 0.5 < node["load"] < 1.5, node)
    status, out, err = env.trace("report", *paths)
    equal(f"exit status ({err})", status, 0)
    check(re.search(r"^  vfs read on node2: p(50|90) .*: latency$", out, re.M), out[-500:])
    database = env.path("nodes.db")
    status, _, err = env.trace("export", "--sqlite", database, *paths)
    equal(f"exit status of export ({err})", status, 0)
    with contextlib.closing(sqlite3.connect(database)) as db:
        rows = db.execute("SELECT run, node, layer, function, percentile, latency_ns, usual_latency_ns, "
                          "deviations, load, cause FROM unusual WHERE kind = 'node'").fetchall()
    equal("in the database", rows, [(2, *(node[key] for key in (
        "node", "layer", "function", "percentile", "latency_ns", "usual_latency_ns", "deviations", "load",
        "cause")))])


def test_loaded_node(env):
    """It is slow, and did three times as much: load."""
    found, _ = find_node(env, others=(400, SMALL), slow=(1600, LARGE))
    equal("nodes", [(r["node"], r["cause"]) for r in found], [("node2", "load")])
    check(found[0]["load"] > 1.5, found)


def test_equal_nodes(env):
    """Three that do the same: none is named. Of a busy machine one of them may be: then again."""
    for attempt in range(ATTEMPTS):
        found = [r for r in report(env, *record_nodes(env, attempt, (600, SMALL)))
                 if r["kind"] == "node"]
        if not found:
            return
    check(False, f"named in each of {ATTEMPTS} attempts: {found}")
