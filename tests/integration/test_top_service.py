# SPDX-License-Identifier: GPL-2.0-only
"""tmtrace top without root: the own jobs, from the service."""

import os
import shutil

from harness import PATIENCE, check, equal, need, read_text, wait_for
from terminal import Terminal
from test_cgroup import joining, mount_v2, new_cgroup
from test_service import NOBODY, Service
from test_top import Frame, Looping, empty, frames, near

STANDS_LOAD = True

COUNT, SIZE = 600, 1000

# Writes so often, when the file is there.
WRITES = f"""
import os, sys, time
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
fd = os.open(sys.argv[1] + ".out", os.O_WRONLY | os.O_CREAT)
for _ in range({COUNT}):
    os.write(fd, b"x" * {SIZE})
    time.sleep(0.002)
print("done", flush=True)
time.sleep(600)
"""


class Own:
    """A cgroup of that user, in which a process writes once it is told to."""

    def __init__(self, env, name, uid):
        self.env = env
        self.cgroup = new_cgroup(env, mount_v2(), name)
        os.chown(self.cgroup, uid, uid)
        self.name = "/" + os.path.basename(self.cgroup)
        self.path = env.path(name)
        env.cleanup(empty, self.cgroup)
        self.process = env.spawn([*joining(self.cgroup), "python3", "-c", WRITES, self.path])

    def go(self):
        with open(self.path, "w", encoding="ascii"):
            pass

    def is_done(self):
        equal("the writer", self.process.stdout.readline(), "done\n")


def as_nobody(env):
    """What runs top as that user, who may not be able to reach where it was built."""
    need("setpriv")
    program = env.path("tmtrace")
    if not os.path.exists(program):
        shutil.copy(env.tmtrace, program)
        os.chmod(program, 0o755)
        os.chmod(env.dir, 0o755)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", program, "top"]


class Asking:
    """top -b as that user, counting when this returns."""

    def __init__(self, env, service, *options):
        self.path = env.path(f"frames{len(env.started)}.txt")
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = env.spawn([*as_nobody(env), "-b", "--socket", service.socket,
                                      "--interval", "0.5", *options], stdout=out,
                                     env={**os.environ, "TZ": "UTC"})
        self.wait(1)

    def text(self):
        return read_text(self.path)

    def wait(self, n):
        """For n frames more."""
        last = self.text().count("\n\n")
        wait_for(lambda: self.process.poll() is not None or self.text().count("\n\n") >= last + n,
                 "frames")
        equal("top", self.process.poll(), None)

    def finish(self):
        self.process.terminate()
        _, err = self.process.communicate(timeout=60 * PATIENCE)
        equal(f"exit status of top ({err})", self.process.returncode, 0)
        return self.text()


def sums_of(text):
    """What intervals of functions add up to: {function: (operations, bytes)}."""
    sums = {}
    for part in text.split("\n\n")[:-1]:
        frame = Frame(part)
        for name in frame.rows:
            count, size = sums.get(name.split()[0], (0, 0))
            sums[name.split()[0]] = (count + frame.value(name, "OPS/s") * frame.seconds,
                                     size + frame.value(name, "BYTES/s") * frame.seconds)
    return sums


def test_own(env):
    """Own jobs alone, with all that came, by job and by function."""
    service = Service(env, layers="vfs")
    own, others = Own(env, "own", NOBODY), Own(env, "others", 0)
    tops = [Asking(env, service), Asking(env, service, "--functions", "vfs")]
    for job in (own, others):
        job.go()
    for job in (own, others):
        job.is_done()
    for top in tops:
        top.wait(2)
    jobs, functions = (top.finish() for top in tops)
    shown = frames(jobs)
    equal("jobs", {name for frame in shown for name in frame.rows}, {own.name})
    written = sum(f.value(own.name, "WRITE/s") * f.seconds for f in shown)
    near("bytes written", written, COUNT * SIZE, 0.02)
    check("your jobs on" in shown[0].header[0], shown[0].header)
    check("the service answered in" in shown[0].header[-1], shown[0].header)
    count, size = sums_of(functions)["write"]
    near("writes", count, COUNT, 0.02)
    near("bytes of writes", size, COUNT * SIZE, 0.02)
    # A job that is somebody else's is not told.
    status, out, err = env.run(*as_nobody(env), "-b", "-n", "1", "--socket", service.socket,
                               "--job", others.name)
    equal("another one's job: exit status", status, 1)
    check("there is no job " + others.name in err and not out, f"another one's job: {err}{out}")


def test_begun_anew(env):
    """A service that is gone is told, and the picture goes on when there is one again."""
    service = Service(env, layers="vfs")
    job = Looping(env, "looping")
    os.chown(job.cgroup, NOBODY, NOBODY)
    terminal = Terminal([*as_nobody(env), "--socket", service.socket, "--interval", "0.5"],
                        columns=140)
    env.cleanup(terminal.close)
    terminal.select(job.name)
    terminal.send("\r")
    terminal.wait(r" vfs$")
    service.stop()
    terminal.wait(r"no service of tmtrace runs here")
    terminal.wait(r" vfs$")
    service.begin()
    service.told("READY=1")
    wait_for(lambda: terminal.read(0.1) or not any("no service" in line
                                                   for line in terminal.lines()), "an answer")
    terminal.wait(r" vfs$")
    terminal.send("q")
    status, err = terminal.finish()
    equal(f"exit status ({err})", status, 0)


def test_no_service(env):
    """Who may not trace is told both ways out."""
    status, out, err = env.run(*as_nobody(env), "-b", "-n", "1", "--socket", env.path("none"))
    equal("exit status", status, 1)
    check("no service of tmtrace runs here" in err and not out, err)
    for options in (("--socket", "x", "--layer", "vfs"), ("--socket", "x", "--pid", "1")):
        status, out, err = env.trace("top", *options)
        equal(f"{options}: exit status", status, 2)
        check("the service traces what its configuration says" in err, err)
