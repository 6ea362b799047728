# SPDX-License-Identifier: GPL-2.0-only
"""The mixed load of a soak: what it does, and its own truth of that.

The truth of a process is what the kernel says of it while it is a zombie (/proc/PID/io), less what
it had done before it was moved into its job: by system calls on any descriptor, to the unit. That of
its writes to files is what dd was told to do.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import threading
import time

IO = ("syscr", "syscw", "rchar", "wchar")


def io_of(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as f:
        lines = dict(line.split(": ") for line in f.read().splitlines())
    return {name: int(lines[name]) for name in IO}


def run_in(cgroup, *argv, stderr=None, interrupt=signal.SIGINT, interrupt_after=None, over=None):
    """
    Runs a program in a cgroup, where it does all it does; what the kernel counted of it, and of those
    that it waited for. It is interrupted after so many seconds, or when over is set.
    """
    pid = os.fork()
    if pid == 0:
        try:
            if stderr:
                os.dup2(stderr.fileno(), 2)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.execvp(argv[0], argv)
        finally:
            os._exit(127)
    os.waitid(os.P_PID, pid, os.WSTOPPED)
    with open(os.path.join(cgroup, "cgroup.procs"), "w", encoding="ascii") as f:
        f.write(str(pid))
    before = io_of(pid)
    os.kill(pid, signal.SIGCONT)
    if interrupt_after:
        (over or threading.Event()).wait(interrupt_after)
        os.kill(pid, interrupt)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    after = io_of(pid)
    os.waitpid(pid, 0)
    return {name: after[name] - before[name] for name in IO}


class Job:
    """What is known of a job: its figures by the kernel, and its writes to files."""

    def __init__(self, number):
        self.number = number
        self.io = dict.fromkeys(IO, 0)
        self.writes = 0

    def add(self, io, writes=0):
        for name in IO:
            self.io[name] += io[name]
        self.writes += writes


class Loads:
    """Threads that load the machine between start() and stop()."""

    def __init__(self, env, scheduler, ask):
        self.env = env
        self.scheduler = scheduler
        self.ask = ask
        self.lock = threading.Lock()
        self.random = random.Random(1)
        self.next = 100000
        self.jobs = []     # that are to be compared
        self.starts = self.rebuilds = self.answers = 0
        self.across = 0    # jobs that were over when the service was back
        self.unanswered = []
        self.over = threading.Event()
        self.threads = []

    def start(self):
        self.over.clear()
        kinds = (self.run_jobs, self.run_jobs, self.start_processes, self.rebuild, self.use)
        self.threads = [threading.Thread(target=self.repeat, args=(kind,)) for kind in kinds]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def repeat(self, what):
        while not self.over.is_set():
            what()

    def n_done(self):
        """So many jobs have ended in this minute."""
        with self.lock:
            return len(self.jobs)

    def new_job(self):
        with self.lock:
            self.next += 1
            return Job(str(self.next))

    def done(self, job):
        with self.lock:
            self.jobs.append(job)

    def run_jobs(self):
        """A job of a few programs, which comes and goes."""
        job, file = self.new_job(), self.env.path(f"out-{threading.get_ident()}")
        with self.scheduler.step(job.number, "0") as cgroup:
            for _ in range(3):
                writes = self.random.randrange(1, 20000)
                job.add(run_in(cgroup, "dd", "status=none", "if=/dev/zero", f"of={file}", "bs=100",
                               f"count={writes}"), writes)
                time.sleep(self.random.random() / 4)
        self.done(job)

    def start_processes(self):
        """A job of a hundred short processes, some twenty a second."""
        job = self.new_job()
        with self.scheduler.step(job.number, "0") as cgroup:
            for _ in range(100):
                if self.over.is_set():
                    break
                job.add(run_in(cgroup, "true"))
                self.starts += 1
                time.sleep(0.03)
        self.done(job)

    def rebuild(self):
        """A developer who builds a traced library again and again, and runs it each time."""
        folder = self.env.path("rebuilt")
        os.makedirs(folder, exist_ok=True)
        new, library = (os.path.join(folder, name) for name in ("new", "libmio.so"))
        shutil.copy(os.path.join(self.env.stack, "libmio.so"), new)
        os.rename(new, library)
        subprocess.run(["sleep", "0.3"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "LD_PRELOAD": library, "LD_LIBRARY_PATH": self.env.stack})
        self.rebuilds += 1
        self.over.wait(1)

    def use(self):
        """A user who asks how it goes."""
        error = self.ask()
        if error:
            self.unanswered.append(error)
        else:
            self.answers += 1
        self.over.wait(0.5)


class StuckFileSystem:
    """A file system that does not answer for a while, from which a process maps a library."""

    def __init__(self, env):
        self.env = env
        self.mount = env.path("stuck")
        self.real = env.path("real")
        self.server = None
        if not shutil.which("bindfs"):
            return
        for folder in (self.mount, self.real):
            os.mkdir(folder)
        shutil.copy(os.path.join(env.stack, "libmio.so"), self.real)
        self.server = env.spawn(["bindfs", "-f", "-o", "allow_other", self.real, self.mount])
        env.cleanup(self.close)
        time.sleep(1)

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            self.server.send_signal(signal.SIGCONT)
        subprocess.run(["umount", "-l", self.mount], check=False)

    def hang(self, seconds):
        """Does not answer for so long; a process has mapped a file of it just before."""
        if not self.server:
            return
        new = os.path.join(self.real, "new")
        shutil.copy(os.path.join(self.env.stack, "libmio.so"), new)
        os.rename(new, os.path.join(self.real, "libmio.so"))
        user = self.env.spawn(["sleep", str(seconds)], env={
            **os.environ, "LD_PRELOAD": os.path.join(self.mount, "libmio.so"),
            "LD_LIBRARY_PATH": self.env.stack})
        self.server.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.server.send_signal(signal.SIGCONT)
        user.communicate()
