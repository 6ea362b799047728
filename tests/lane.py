# SPDX-License-Identifier: GPL-2.0-only
"""A process that runs integration tests, one after the other, each in a process of its own.

What a test leaves running becomes a child of the lane that ran it, and of no other: lanes beside
one another end only what is theirs.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import sys
import time
import traceback

import harness

TIME_LIMIT = 120
DETACHING = "tmtrace-detach"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
# What tests use of a build folder.
COPIED = ("tmtrace", "tmtrace-metrics", "probes", "stack", "endbr64")


def describe(error):
    """What went wrong, in one line; for what is not a Failure, where."""
    text = " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error, harness.Failure):
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {text} ({os.path.basename(place.filename)}:{place.lineno})"
    return text[:2000]


def run_here(function, build, source):
    """Runs a test in this process: (outcome, reason)."""
    env = harness.Env(build, source)
    try:
        function(env)
        return "ok", env.remark
    except harness.Skip as reason:
        return "skip", describe(reason).removeprefix("Skip: ")
    except Exception as error:  # pylint: disable=broad-except
        return "FAIL", describe(error)
    finally:
        env.close()


def run_child(function, build, source, report):
    # Also where this was started with SIGINT ignored: tests send it to what they start.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.setpgid(0, 0)
    try:
        outcome, text = run_here(function, build, source)
    except BaseException as error:  # pylint: disable=broad-except
        outcome, text = "FAIL", describe(error)
    os.write(report, f"{outcome}\n{text}".encode("utf-8", "replace"))
    os._exit(0)


def children():
    with open("/proc/thread-self/children", encoding="ascii") as f:
        return [int(pid) for pid in f.read().split()]


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def is_detaching(pid):
    """Is it what tmtrace leaves behind on purpose? The kernel removes perf uprobes slowly."""
    return harness.read_text(f"/proc/{pid}/comm").strip() == DETACHING


def ends_within(pid, seconds):
    """Does it end by itself? Then it is reaped."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return True
    return False


def end_leftovers():
    """Ends what a test left running; their command lines. They were given to us to reap."""
    found = []
    while True:
        pids = children()
        if not pids:
            return found
        for pid in pids:
            if is_detaching(pid):
                os.waitpid(pid, 0)
                continue
            if os.waitpid(pid, os.WNOHANG)[0] == pid:
                continue
            command = command_of(pid)
            # One that was only about to end gets the time for it: more, where it has given up its
            # memory, as the kernel takes probes away at the end of who has them.
            if ends_within(pid, 0.2 if command else 10):
                continue
            found.append(command or str(pid))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def await_report(reader, pid, seconds):
    """What the test's process reports, None when its time is over."""
    ready = select.select([reader], [], [], seconds)[0]
    text = os.read(reader, 65536).decode("utf-8", "replace") if ready else None
    if not ready:
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return text


def run_test(function, build, source):
    """Runs a test in a process of its own: (outcome, reason)."""
    seconds = getattr(function, "time_limit", TIME_LIMIT) * harness.PATIENCE
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        run_child(function, build, source, writer)
    os.close(writer)
    try:
        text = await_report(reader, pid, seconds)
    except BaseException:  # interrupted, or told to end: so are the test and what it started
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        end_leftovers()
        raise
    os.close(reader)
    leftovers = end_leftovers()
    if text is None:
        return "FAIL", f"not done after {seconds:.0f} s"
    outcome, _, reason = (text or "FAIL\nthe test's process died").partition("\n")
    if leftovers and outcome == "ok":
        return "FAIL", f"left running: {', '.join(leftovers)}"
    return outcome, reason


def left_out(folder, names):
    """What need not be copied, or cannot be: sockets that somebody left."""
    return [name for name in names if name == "obj" or not (
        os.path.isfile(os.path.join(folder, name)) or os.path.isdir(os.path.join(folder, name))
        or os.path.islink(os.path.join(folder, name)))]


def copy_build(build, copy):
    """Copies what tests use of a build folder into one whose files nobody else maps."""
    for name in filter(lambda name: os.path.lexists(os.path.join(build, name)), COPIED):
        path = os.path.join(build, name)
        if not os.path.isdir(path) or os.path.islink(path):
            shutil.copy2(path, copy, follow_symlinks=False)
        else:
            shutil.copytree(path, os.path.join(copy, name), symlinks=True, ignore=left_out)


class Lane:
    """One lane: start() a test, and take() its result when the lane's fileno() can be read."""

    def __init__(self, functions, build, source):
        self.functions, self.build, self.source = functions, build, source
        self.pid = None
        self.begin()

    def begin(self):
        names, self.names = os.pipe()
        self.results, results = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.names)
            os.close(self.results)
            self.serve(names, results)
        os.close(names)
        os.close(results)

    def serve(self, names, results):
        """What the lane's process does: reads names, writes results, until there is no name."""
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        try:
            signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
            with os.fdopen(names, encoding="utf-8") as asked:
                for name in asked:
                    result = run_test(self.functions[name.strip()], self.build, self.source)
                    os.write(results, (json.dumps(result) + "\n").encode())
        finally:
            os._exit(0)

    def fileno(self):
        return self.results

    def start(self, name):
        os.write(self.names, (name + "\n").encode())

    def take(self):
        """The result of what was started: (outcome, reason)."""
        text = b""
        while not text.endswith(b"\n"):
            data = os.read(self.results, 65536)
            if not data:
                self.end()
                self.begin()
                return "FAIL", "the process that runs the tests died"
            text += data
        return tuple(json.loads(text))

    def end(self):
        """Ends it, with the test that it runs."""
        os.close(self.names)
        os.close(self.results)
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
