# SPDX-License-Identifier: GPL-2.0-only
"""Targets that come into view while tracing: from which call on they are seen.

A note says how long after a file was mapped its probes were armed. A program that waits longer than
that before its first call loses none.
"""

import fcntl
import os
import re
import shutil
import signal
import statistics
import time

from harness import (PATIENCE, Records, Skip, check, check_ledgers, compare, compare_clean, equal,
                     need, read_text, read_truth, sum_truths, truth_functions, wait_for)
from test_cgroup import mount_v1, mount_v2, move, new_cgroup
from test_files import SAMPLE, build_static, copy_library, libraries, overlays, trace_waiting

SHARES_MACHINE = True

LATENCY = re.compile(r"probed ([0-9.]+) ms later")
# Far more than it takes (under 50): on a slow or busy machine tmtrace waits for its turn.
MOST_MS = 2000
CHANGED = "changed, or opened for writing, while it was probed"


def latencies(records):
    return [float(m.group(1)) for n in records.notes() for m in LATENCY.finditer(n)]


def check_latency(env, found):
    """That it comes, and soon; how soon is told."""
    check(found, "no note says when something late was probed")
    median = statistics.median(found)
    env.remark = f"probed {median:.1f} ms after mapping, median of {len(found)}"
    check(median <= MOST_MS * PATIENCE, f"{env.remark}: more than {MOST_MS} ms")


class Late:
    """A tmtrace that traces a shell script, and loads that the script starts one by one."""

    def __init__(self, env, script, *options, **kwargs):
        self.env = env
        self.tracer = env.start("--json", env.path("late.json"), "--probes", env.sample, *options,
                                "--", "sh", "-c", script, **kwargs)

    def await_probes(self, *words):
        """Until what the load maps that now waits is probed."""
        self.pid = int(self.tracer.stderr.readline())
        check(self.pid > 0, "no load has started")
        await_probes(self.pid, *words)

    def finish(self):
        self.tracer.communicate(timeout=90 * PATIENCE)
        equal("exit status", self.tracer.returncode, 0)
        return Records(self.env.path("late.json"))


def probed_kib(pid, *words):
    """Code in which there are breakpoints: of these pages the process has copies of its own."""
    name, copied = None, 0
    for line in read_text(f"/proc/{pid}/smaps").splitlines():
        if "-" in line.split(" ")[0]:
            fields = line.split(None, 5)
            name = fields[5] if len(fields) > 5 and "x" in fields[1] else None
        elif name and line.startswith("Anonymous:") and all(word in name for word in words):
            copied += int(line.split()[1])
    return copied


def probes_in(pid, path):
    """Bytes of code that are not those of the file: not each page of before becomes the file's."""
    altered = 0
    with open(path, "rb") as f, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in read_text(f"/proc/{pid}/maps").splitlines():
            place, flags, offset, _, _, *name = line.split(None, 5)
            if name != [path] or "x" not in flags:
                continue
            begin, end = (int(address, 16) for address in place.split("-"))
            f.seek(int(offset, 16))
            memory.seek(begin)
            code = f.read(end - begin)
            altered += sum(a != b for a, b in zip(code, memory.read(len(code))))
    return altered


def await_probes(pid, *words):
    """Until the probes are there, and no more come."""
    wait_for(lambda: probed_kib(pid, *words), "the probes of what is mapped late")
    before = 0
    while before != probed_kib(pid, *words):
        before = probed_kib(pid, *words)
        time.sleep(0.3 * PATIENCE)


def waiting(env, load, name, *words):
    """The shell command of a load that waits until go() is called for its name."""
    words = words or ("all",)
    return (f"{load} wait-then --truth {env.path(name)}.json --go {env.path(name)}.go "
            f"{' '.join(words)}")


def until(env, name):
    """The shell commands that wait until go() is called for a name."""
    return f"while [ ! -e {env.path(name)}.go ]; do sleep 0.05; done; "


def go(env, name):
    with open(env.path(name) + ".go", "w", encoding="ascii"):
        pass


def truth(env, name):
    return read_truth(env.path(name) + ".json")


def test_dlopen(env):
    """Loaded after a second: how soon it is probed; later calls are exact."""
    found = []
    for _ in range(3):
        records, true = env.trace_load("dlopen", "--delay", "1", "--duration",
                                       str(0.4 * PATIENCE))
        check_ledgers(records)
        seen = records.total("sample", "sample_leaf", "count")
        calls = truth_functions(true)["sample", "sample_leaf"]["calls"]
        check(0 < seen <= calls, f"{seen} of {calls} calls were seen")
        found += latencies(records)
    equal("notes", len(found), 3)
    check_latency(env, found)


def test_dlopen_by_soname(env):
    """A file whose name says nothing is known by the name that it gives itself."""
    odd = env.path("plugin.bin")
    shutil.copy(os.path.join(env.stack, SAMPLE), odd)
    records, _ = env.trace_load("dlopen", "--library", odd, "--delay", "0.3", "--duration",
                                str(max(2, 0.5 * PATIENCE)))
    equal("libraries", libraries(records), [odd])
    check_latency(env, latencies(records))


def test_exec_of_a_static_program(env):
    """Functions that are linked into a program that the command starts later."""
    program = build_static(env)
    late = Late(env, waiting(env, program, "load", "--local", "all"))
    late.await_probes("load-static")
    go(env, "load")
    records = late.finish()
    check(compare_clean(records, truth(env, "load")) > 80, "too few functions were traced")
    equal("libraries", libraries(records), [program])
    check_latency(env, latencies(records))


test_exec_of_a_static_program.time_limit = 300  # it is compiled first


def test_mount_namespace(env):
    """A container's own copy: by its path, another file is found outside."""
    need("unshare", "mount")
    if env.run("unshare", "-m", "true")[0]:
        raise Skip("unshare -m is not permitted")
    stack = env.private_stack()
    copy = os.path.join(copy_library(env, "elsewhere"), SAMPLE)
    path = os.path.join(stack, SAMPLE)
    load = waiting(env, os.path.join(stack, "load"), "load")
    late = Late(env, f"unshare -m sh -c 'mount --bind {copy} {path} && exec {load}'")
    late.await_probes(SAMPLE)
    go(env, "load")
    records = late.finish()
    compare_clean(records, truth(env, "load"))
    check_latency(env, latencies(records))


def test_overlay(env):
    """The same file through two overlays, one after the other: probed when it is first mapped."""
    need("mount")
    first, second = overlays(env, 2)[1:]
    load = os.path.join(env.private_stack(), "load")
    late = Late(env, f"LD_LIBRARY_PATH={first} {waiting(env, load, 'first')}; "
                     f"LD_LIBRARY_PATH={second} {waiting(env, load, 'second')}")
    for name in ("first", "second"):
        late.await_probes(SAMPLE)
        go(env, name)
    records = late.finish()
    compare_clean(records, sum_truths(truth(env, "first"), truth(env, "second")))
    equal("probed files", len(records.probes("sample", "sample_leaf")), 1)
    check_latency(env, latencies(records))


def test_replaced(env):
    """Another file takes a library's place while it is probed: both are traced."""
    stack = env.private_stack()
    path = os.path.join(stack, SAMPLE)
    new = os.path.join(copy_library(env, "new"), SAMPLE)
    load = os.path.join(stack, "load")
    late = Late(env, f"{waiting(env, load, 'old')} & "
                     f"{until(env, 'replaced')}{waiting(env, load, 'new')}; wait")
    late.await_probes(SAMPLE)
    os.rename(new, path)
    go(env, "replaced")
    late.await_probes(SAMPLE)
    for name in ("old", "new"):
        go(env, name)
    records = late.finish()
    compare_clean(records, sum_truths(truth(env, "old"), truth(env, "new")))
    equal("libraries", libraries(records), [path, path])


def test_deleted(env):
    """Attached to a process whose library was replaced before: the mapped file is probed."""
    stack = env.private_stack()
    path = os.path.join(stack, SAMPLE)
    load = env.waiting_load("all", load=os.path.join(stack, "load"))
    os.rename(os.path.join(copy_library(env, "new"), SAMPLE), path)
    equal("libraries", libraries(trace_waiting(env, load)), [path])


def changed(env, early):
    """A library is written to while it is probed: no probe stays, and what was counted stays."""
    stack = env.private_stack()
    path = os.path.join(stack, SAMPLE)
    load = os.path.join(stack, "load")
    writer = open(path, "ab") if early else None
    late = Late(env, f"{waiting(env, load, 'before')}; "
                     f"{until(env, 'changed')}{waiting(env, load, 'after')}")
    late.await_probes(SAMPLE)
    go(env, "before")
    wait_for(lambda: read_text(env.path("before") + ".json").endswith("}\n"), "the first load")
    with writer or open(path, "ab") as f:
        f.write(b"more")
    go(env, "changed")
    late.await_probes(SAMPLE)
    go(env, "after")
    records = late.finish()
    compare(records, sum_truths(truth(env, "before"), truth(env, "after")))
    states = {(p["state"], p["reason"]) for p in records.probes("sample", "sample_leaf")}
    equal("states", states, {("armed", None),
                             ("failed", f"its file was {CHANGED}")})
    check(any(f"{path} was {CHANGED}" in note for note in records.notes()), "no note")


def test_changed(env):
    changed(env, early=False)


def need_leases(path):
    """They make who opens a file for writing wait for who holds them."""
    with open(path, "rb") as f:
        try:
            fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            raise Skip("the file system, or /proc/sys/fs/leases-enable, gives no leases") from error


def writer_waits(env, *options):
    """Who opens a probed library for writing goes on once no probe is in it any more."""
    stack = env.private_stack()
    path = os.path.join(stack, SAMPLE)
    need_leases(path)
    late = Late(env, waiting(env, os.path.join(stack, "load"), "load"), *options)
    late.await_probes(path)
    check(probes_in(late.pid, path), "no probe is seen")
    before = time.monotonic()
    with open(path, "ab"):
        env.remark = f"waited {1000 * (time.monotonic() - before):.1f} ms"
        left = probes_in(late.pid, path)
    go(env, "load")
    records = late.finish()
    equal("bytes that are a probe's", left, 0)
    check(truth_functions(truth(env, "load")), "the load did not run")
    equal("calls", sum(f["calls"] for f in records.functions("sample")), 0)


def test_writer_waits(env):
    writer_waits(env)


def test_writer_waits_for_perf(env):
    """Another process takes away probes that go one by one."""
    env.sample = env.sample_of(("sample_red_*",))
    writer_waits(env, "--mechanism", "user=perf", "--layer", "sample")


def test_changed_by_early_writer(env):
    """Somebody has it open for writing before it is probed: seen once it is written to."""
    changed(env, early=True)


def test_cut_short(env):
    """A library is cut short while it is probed: said, and what was counted stays."""
    stack = env.private_stack()
    path = os.path.join(stack, SAMPLE)
    late = Late(env, f"{waiting(env, os.path.join(stack, 'load'), 'before')}; "
                     f"{until(env, 'cut')}sleep 0.3; "
                     f"{os.path.join(stack, 'load')} all 2>/dev/null || true")
    late.await_probes(SAMPLE)
    go(env, "before")
    wait_for(lambda: read_text(env.path("before") + ".json").endswith("}\n"), "the first load")
    os.truncate(path, 5000)
    go(env, "cut")
    records = late.finish()
    compare(records, truth(env, "before"))
    check(any(f"{path} was {CHANGED}" in note for note in records.notes()),
          f"no note: {records.notes()}")


def arrival(env, mount):
    """Moved into the cgroup with a library that nobody else maps: its calls count from then on."""
    stack = env.private_stack()
    cgroup = new_cgroup(env, mount, "late")
    load = env.waiting_load("all", load=os.path.join(stack, "load"))
    tracer = env.attach("--cgroup", cgroup)
    equal("probed before it came", probed_kib(load.pid, SAMPLE), 0)
    move(load.pid, cgroup)
    await_probes(load.pid, stack)  # of all its libraries, whichever is the first
    load.go()
    true = load.finish()
    records = tracer.finish(stop=signal.SIGINT)
    compare(records, true)
    check(any("came into the cgroup" in note for note in records.notes()), "no note")
    check_latency(env, latencies(records))


def test_arrival_version_2(env):
    arrival(env, mount_v2())


def test_arrival_version_1(env):
    arrival(env, mount_v1())
