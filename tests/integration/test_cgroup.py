# SPDX-License-Identifier: GPL-2.0-only
"""Tracing by cgroup, of both versions, and of the whole machine."""

import os
import signal

from harness import Skip, alone, check, compare, equal, need, read_text, sum_truths, truth_functions

SHARES_MACHINE = True
STANDS_LOAD = True

LAYERS = ("mstro", "mio", "m0", "sample")


def hierarchies():
    """[(mount point, type, options)] of the cgroup hierarchies."""
    found = []
    for line in read_text("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        words = after.split()
        if words[0] in ("cgroup", "cgroup2"):
            found.append((before.split()[4], words[0], words[2].split(",")))
    return found


def mount_v2():
    mounts = [path for path, kind, _ in hierarchies() if kind == "cgroup2"]
    if not mounts:
        raise Skip("no cgroup v2 hierarchy is mounted")
    return mounts[0]


def mount_v1():
    """A v1 hierarchy in which a new cgroup needs no settings before a process can join it."""
    mounts = [path for path, kind, options in hierarchies() if kind == "cgroup"
              and any(o in options for o in ("memory", "cpu", "pids", "freezer"))]
    if not mounts:
        raise Skip("no cgroup v1 hierarchy is mounted")
    return mounts[0]


def new_cgroup(env, mount, name):
    """A cgroup that is removed with the test: its path."""
    path = os.path.join(mount, f"tmtrace-test-{os.getpid()}-{name}")
    try:
        os.mkdir(path)
    except OSError as error:
        raise Skip(f"{path}: {error.strerror}") from error
    env.cleanup(os.rmdir, path)
    return path


def move(pid, cgroup):
    with open(os.path.join(cgroup, "cgroup.procs"), "w", encoding="ascii") as f:
        f.write(str(pid))


def joining(cgroup):
    """Words before a command: it runs in the cgroup from its start."""
    return ("sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', cgroup)


class Loads:
    """Processes of a private copy of the stack, so that nobody else's calls are counted."""

    def __init__(self, env):
        need("sh")
        self.env = env
        self.stack = env.private_stack()
        self.load = os.path.join(self.stack, "load")

    def waiting(self, name, cgroup=None, *words):
        return self.env.waiting_load(*(words or ("--threads", "2", "all")), name=name,
                                     load=self.load, prefix=joining(cgroup) if cgroup else ())

    def own_probes(self, records):
        return [p for p in records.of("probe") if (p["library"] or "").startswith(self.stack)]


def finish(load):
    load.go()
    return load.finish()


def by_cgroup(env, mount):
    """Counted: who is in it at the start, who joins, who comes later; nobody else."""
    loads = Loads(env)
    cgroup = new_cgroup(env, mount, "in")
    first = loads.waiting("first", cgroup)
    joins = loads.waiting("joins")
    leaves = loads.waiting("leaves", cgroup)
    outside = loads.waiting("outside")
    tracer = env.attach("--cgroup", cgroup)
    move(leaves.pid, mount)
    move(joins.pid, cgroup)
    later = loads.waiting("later", cgroup)
    counted = [finish(load) for load in (first, joins, later)]
    others = [finish(load) for load in (leaves, outside)]
    records = tracer.finish(stop=signal.SIGINT)
    check_counts(loads, records, sum_truths(*counted), sum_truths(*others))
    names = {r["cgroup"] for layer in LAYERS for r in records.functions(layer) if r["count"]}
    equal("cgroups", names, {"/" + os.path.basename(cgroup)})


def check_counts(loads, records, counted, others):
    compare(records, counted)
    lost = {key: n for key, n in records.losses().items() if n and key[0] in LAYERS}
    check(not lost, f"losses: {lost}")
    true = truth_functions(others)
    for probe in loads.own_probes(records):
        calls = true.get((probe["layer"], probe["function"]), {"calls": 0})["calls"]
        equal(f"{probe['function']}: hits outside that were filtered", probe["filtered"], calls)
        parts = probe["recorded"] + probe["filtered"] + probe["lost"] + probe["in_flight"]
        equal(f"{probe['function']}: hits", probe["hits"], parts)


def test_version_2(env):
    by_cgroup(env, mount_v2())


def test_version_1(env):
    by_cgroup(env, mount_v1())


def test_below(env):
    """A cgroup below the traced one belongs to it."""
    loads = Loads(env)
    cgroup = new_cgroup(env, mount_v2(), "above")
    below = os.path.join(cgroup, "below")
    os.mkdir(below)
    env.cleanup(os.rmdir, below)
    load = loads.waiting("below", below)
    tracer = env.attach("--cgroup", cgroup)
    truth = finish(load)
    records = tracer.finish(stop=signal.SIGINT)
    compare(records, truth, cgroup=f"/{os.path.basename(cgroup)}/below")


@alone
def test_all_by_cgroup(env):
    """--all: a record for each function and job, both exact."""
    loads = Loads(env)
    cgroups = [new_cgroup(env, mount_v2(), name) for name in ("a", "b")]
    waiting = [loads.waiting(os.path.basename(c), c, "--threads", str(i + 1), "all")
               for i, c in enumerate(cgroups)]
    tracer = env.attach("--all")
    for load in waiting:
        load.go()
    truths = [load.finish() for load in waiting]
    records = tracer.finish(stop=signal.SIGINT)
    for cgroup, truth in zip(cgroups, truths):
        compare(records, truth, cgroup="/" + os.path.basename(cgroup))
    for probe in loads.own_probes(records):
        parts = probe["recorded"] + probe["filtered"] + probe["lost"] + probe["in_flight"]
        equal(f"{probe['function']}: hits", probe["hits"], parts)
