# SPDX-License-Identifier: GPL-2.0-only
"""Which hierarchy of cgroups jobs are told by: the one in which they live, of version 1 or 2."""

import contextlib
import os
import signal
import subprocess

from harness import Failure, Records, Skip, check, equal, read_text, wait_for
from test_cgroup import hierarchies, joining, mount_v2
from test_continuity import new_pins
from test_jobs import BLOCK, Scheduler
from test_service import Service

STANDS_LOAD = True

# Not that of Slurm's own tests. The others are hidden from the tracer.
CONTROLLER = "pids"
UID = 4711


def slurm_writes(records):
    """{(jobid, step): (count, bytes)} of Slurm's jobs; of mounts another namespace knows nothing."""
    found = {}
    for r in records.functions("vfs", "write"):
        if r["jobid"] and r["jobid"].isdigit():
            count, size = found.get((r["jobid"], r["step"]), (0, 0))
            found[r["jobid"], r["step"]] = (count + r["count"], size + r["bytes"])
    return found


def mount_v1():
    for path, kind, options in hierarchies():
        if kind == "cgroup" and CONTROLLER in options:
            return path
    raise Skip(f"no cgroups of version 1 with {CONTROLLER} are mounted")


def seeing(*mounts):
    """Words before a command: of all cgroups, it sees those that are mounted there."""
    hidden = [path for path, _, _ in hierarchies() if path not in mounts]
    return ("unshare", "--mount", "sh", "-c",
            "".join(f"umount -n {path} && " for path in hidden) + 'exec "$@"', "sh")


class Place:
    """Where a scheduler puts jobs: a folder in each version's hierarchy, as Slurm makes them."""

    def __init__(self, env):
        self.env = env
        self.v2, self.v1 = mount_v2(), mount_v1()
        self.scope = Scheduler(env).scope
        self.slurm = os.path.join(self.v1, f"slurm_t{os.getpid()}")
        self.make(f"{self.slurm}/uid_{UID}")

    def make(self, path):
        """Folders that go with the test."""
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        for folder in reversed(missing):
            os.mkdir(folder)
            self.env.cleanup(remove, folder)

    def folder(self, job, version):
        path = {1: f"{self.slurm}/uid_{UID}/job_{job}", 2: f"{self.scope}/job_{job}"}[version]
        self.make(f"{path}/step_0")
        return f"{path}/step_0"

    @contextlib.contextmanager
    def job(self, job, version):
        """A job that lives; yields what makes so many writes in it."""
        folder = self.folder(job, version)
        waits = subprocess.Popen((*joining(folder), "sleep", "1000"))
        try:
            wait_for(lambda: str(waits.pid) in read_text(f"{folder}/cgroup.procs").split(), "a job")
            yield lambda count: subprocess.run(
                (*joining(folder), "dd", "status=none", "if=/dev/zero", f"bs={BLOCK}",
                 f"of={self.env.path('out')}", f"count={count}"), check=True)
        finally:
            waits.kill()
            waits.wait()


def remove(folder):
    with contextlib.suppress(FileNotFoundError):
        os.rmdir(folder)


class Seeing(Service):
    """A service that sees these hierarchies alone."""

    def __init__(self, env, *mounts, **values):
        self.prefix = seeing(*mounts)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(env.path("notify"))  # of one before
        super().__init__(env, layers="vfs", **values)

    def begin(self):
        self.process = self.env.spawn(
            [*self.prefix, self.env.tmtrace, "service", "--config", self.config],
            env={**os.environ, "NOTIFY_SOCKET": self.env.path("notify")})

    def told_by(self):
        """(hierarchy, why that one)"""
        told = self.status()["hierarchy"]
        return told["name"], told["reason"]

    def check_writes(self, job, count):
        """What was read a moment ago may be told once more."""
        wanted, got = {(job, "0"): (count, count * BLOCK)}, {}

        def told():
            got.clear()
            got.update(slurm_writes(self.records("--all")))
            return got == wanted

        with contextlib.suppress(Failure):
            wait_for(told, "its writes", 5)
        equal("writes", got, wanted)


def test_version_1(env):
    """Jobs of version 1, with version 2 beside it and without: exact, and their user sees them."""
    place = Place(env)
    for mounts in ((place.v1, place.v2), (place.v1,)):
        with place.job(11, 1) as write:
            service = Seeing(env, *mounts)
            equal("told by", service.told_by(),
                  (CONTROLLER, "jobs" if len(mounts) == 2 else "only"))
            write(7)
            service.check_writes("11", 7)
            header, _ = service.asked_by(UID, request="dump", job="11")
            equal("its user is answered", header["type"], "answer")
            header, _ = service.asked_by(UID + 1, request="dump", job="11")
            equal("another one is answered", header["type"], "error")
            service.stop()


def test_version_2(env):
    """Jobs of version 2, with version 1 beside it, where folders are left of old ones."""
    place = Place(env)
    for old in range(3):
        place.folder(old, 1)
    with place.job(12, 2) as write:
        for mounts, reason in (((place.v1, place.v2), "jobs"), ((place.v2,), "only")):
            service = Seeing(env, *mounts)
            equal("told by", service.told_by(), ("v2", reason))
            equal("notes", [n for n in service.status()["notes"] if "hierarchy" in n], [])
            write(5)
            service.check_writes("12", 5)
            service.stop()


def test_left(env):
    """Folders that are left decide nothing, but a service that is started again stays where it was."""
    place = Place(env)
    pins = new_pins(env)
    for old in range(3):
        place.folder(old, 1)
    service = Seeing(env, place.v1, place.v2, pins=pins)
    env.cleanup(env.trace, "service", "--clean", "--config", service.config)
    equal("told by", service.told_by(), ("v2", "default"))
    service.stop()
    with place.job(13, 1) as write:
        service.begin()
        service.told("READY=1")
        equal("told by", service.told_by(), (CONTROLLER, "jobs"))
        notes = service.status()["notes"]
        check(any("its jobs were told by another hierarchy" in note for note in notes), notes)
        write(9)
        epoch = service.status()["epoch"]
        service.stop()
        with place.job(20, 2), place.job(21, 2):
            service.begin()
            service.told("READY=1")
            equal("told by", service.told_by(), (CONTROLLER, "jobs"))
            equal("epoch", service.status()["epoch"], epoch)
            service.stop()
    service.begin()
    service.told("READY=1")
    equal("told by", service.told_by(), (CONTROLLER, "before"))
    equal("epoch", service.status()["epoch"], epoch)
    service.check_writes("13", 9)


def test_later(env):
    """Jobs that begin in the other hierarchy: the service goes there, in a new epoch; once."""
    place = Place(env)
    service = Seeing(env, place.v1, place.v2, pins=new_pins(env))
    env.cleanup(env.trace, "service", "--clean", "--config", service.config)
    before = service.status()
    equal("told by", service.told_by(), ("v2", "default"))
    with place.job(14, 1) as write:
        service.told("READY=1")
        after = service.status()
        equal("told by", service.told_by(), (CONTROLLER, "jobs"))
        equal("process", after["pid"], before["pid"])
        check(after["epoch"] != before["epoch"], after["epoch"])
        write(6)
        service.check_writes("14", 6)
    status, out, err = env.trace("dump", env.path("history.data.last"))
    equal(f"the epoch before, {err}", (status, before["epoch"] in out), (0, True))
    with place.job(15, 2) as write:
        noted = wait_for(lambda: [n for n in service.status()["notes"] if "hierarchy v2" in n], "a note")
        check(f"jobs are told by {CONTROLLER} ({place.v1})" in noted[0], noted)
        equal("told by", service.told_by(), (CONTROLLER, "jobs"))
    err = service.stop()
    check(f"jobs live in cgroups of {CONTROLLER} ({place.v1}): the service begins a new epoch" in err,
          err)


def test_both(env):
    """Jobs in both hierarchies: most decide, the others are noted; the configuration can say which."""
    place = Place(env)
    with place.job(16, 2), place.job(17, 2), place.job(18, 1) as write:
        service = Seeing(env, place.v1, place.v2)
        equal("told by", service.told_by(), ("v2", "jobs"))
        notes = service.status()["notes"]
        check(any(f"in cgroups of the hierarchy {CONTROLLER} ({place.v1})" in n for n in notes), notes)
        check(": where jobs live\n" in service.command("status"), service.command("status"))
        service.stop()
        service = Seeing(env, place.v1, place.v2, more=f"hierarchy: {CONTROLLER}")
        equal("told by", service.told_by(), (CONTROLLER, "said"))
        write(3)
        service.check_writes("18", 3)
        service.write(layers="vfs", more="hierarchy: freezer")
        service.stop()
        status, _, err = env.run(*service.prefix, env.tmtrace, "service", "--config", service.config)
        equal("exit status", status, 1)
        check(f"there are no cgroups of the hierarchy freezer, by which jobs are to be told: mounted are "
              f"v2, {CONTROLLER}\n" in err, err)


def test_commands(env):
    """--all as the service; --pid and commands as the job that they are in."""
    place = Place(env)
    prefix = seeing(place.v1, place.v2)

    def traced(*options, until=None, before=()):
        path = env.path("records.json")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        process = env.spawn([*before, *prefix, env.tmtrace, "--layer", "vfs", "--json", path, *options])
        if until:
            wait_for(lambda: '"run"' in read_text(path) or process.poll() is not None, "tmtrace")
            until()
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        equal(f"exit status, {err}", process.returncode, 0)
        return Records(path)

    with place.job(19, 1) as write:
        records = traced("--all", until=lambda: write(4))
        equal("writes", slurm_writes(records), {("19", "0"): (4, 4 * BLOCK)})
        records = traced("--all", "--hierarchy", "v2", until=lambda: write(4))
        equal("jobs by v2", {r["jobid"] for r in records.of("job") if r["kind"] == "slurm"}, set())
        check(not [n for n in records.notes() if "hierarchy" in n], records.notes())
        inside = joining(place.folder(19, 1))
        records = traced("--", "dd", "status=none", "if=/dev/zero", f"of={env.path('out')}",
                         f"bs={BLOCK}", "count=8", before=inside)
        equal("writes", slurm_writes(records), {("19", "0"): (8, 8 * BLOCK)})
        ready, go = env.path("ready"), env.path("go")
        script = (f"touch {ready}; until [ -e {go} ]; do sleep 0.1; done; exec dd status=none "
                  f"if=/dev/zero of={env.path('out')} bs={BLOCK} count=2")
        waits = env.spawn([*inside, "sh", "-c", script])
        wait_for(lambda: os.path.exists(ready), "the process")
        path = env.path("waiting.json")
        tracer = env.spawn([*prefix, env.tmtrace, "--layer", "vfs", "--json", path, "--pid", str(waits.pid)])
        wait_for(lambda: read_text(path).count('"epoch"') and "\n" in read_text(path), "tmtrace")
        with open(go, "w", encoding="ascii"):
            pass
        equal(f"exit status, {tracer.communicate(timeout=60)}", tracer.returncode, 0)
        equal("writes", slurm_writes(Records(path)), {("19", "0"): (2, 2 * BLOCK)})
    status, _, err = env.trace("--all", "--hierarchy", "nonsense", "--layer", "vfs")
    equal("exit status", status, 1)
    check("there are no cgroups of the hierarchy nonsense" in err, err)
    status, _, err = env.trace("--cgroup", place.scope, "--hierarchy", CONTROLLER, "--layer", "vfs")
    equal("exit status", status, 1)
    check(f"is of the hierarchy v2, and jobs are to be told by {CONTROLLER}: name one" in err, err)
