# SPDX-License-Identifier: GPL-2.0-only
"""Processes: children, exec, late libraries, attaching to what runs, sudden ends."""

import ctypes
import os
import re
import signal
import time

from harness import (PATIENCE, REMOVAL, Records, Skip, check, check_ledgers, compare,
                     compare_clean, equal, need, read_text, read_truth, sum_truths,
                     truth_functions, wait_for)

SHARES_MACHINE = True

PR_SET_CHILD_SUBREAPER = 36


def test_fork(env):
    records, truth = env.trace_load("fork")
    compare_clean(records, truth)
    equal("children", truth["children"], 4)


def test_exec(env):
    records, truth = env.trace_load("exec")
    check(compare_clean(records, truth) > 80, "the calls after exec were not traced")


def test_exec_inside(env):
    records, truth = env.trace_load("exec", "--how", "inside")
    check_ledgers(records)
    check(compare(records, truth) > 80, "the calls after exec were not traced")
    equal("killed", records.lost("killed"), 1)
    equal("all losses", sum(records.losses().values()), 1)


def late_library(env, *options):
    records, truth = env.trace_load("dlopen", "--delay", "0.3", "--duration", "1.5",
                                    options=options)
    check_ledgers(records)
    true = truth_functions(truth)["sample", "sample_leaf"]
    late = os.path.join(env.stack, "late", "libsample.so.1")
    probes = [p for p in records.probes("sample", "sample_leaf") if p["library"] == late]
    equal("probes on the late library", len(probes), 1)
    return records, true["returns"], records.total("sample", "sample_leaf", "count")


def test_dlopen(env):
    """A library that is loaded later is probed; that its first calls are missing is said."""
    records, true, seen = late_library(env)
    check(0 < seen <= true, f"{seen} of {true} calls of the late library were seen")
    notes = [n for n in records.notes() if "late/libsample" in n]
    check(any("missing" in n for n in notes), f"no note says that calls are missing: {notes}")
    env.remark = f"{100 * seen / true:.0f} % of 1.5 s seen"


def test_dlopen_named(env):
    """Named with --lib, it is probed before it is loaded: nothing is missing."""
    late = os.path.join(env.stack, "late", "libsample.so.1")
    _, true, seen = late_library(env, "--lib", f"sample={late}")
    equal("sample_leaf", seen, true)


def test_pid(env):
    """Attached to a process: exactly what it, and its children, do afterwards."""
    load = env.waiting_load("all")
    tracer = env.attach("--pid", str(load.pid))
    load.go()
    truth = load.finish()
    records = tracer.finish()
    check(compare_clean(records, truth) > 80, "too few functions")
    check(records.total("vfs", "fsync", "count") > 0, "the server's file operations are missing")


def test_pid_twice(env):
    """Two processes in one list of --pid."""
    loads = [env.waiting_load("all", name=f"load{i}") for i in range(2)]
    tracer = env.attach("--pid", ",".join(str(load.pid) for load in loads))
    for load in loads:
        load.go()
    truths = [load.finish() for load in loads]
    compare_clean(tracer.finish(), sum_truths(*truths))


def test_pid_ignores_other_libraries(env):
    """What a process that is not traced loads is neither probed nor noted."""
    load = env.waiting_load("--count", "1000", "spin")
    tracer = env.attach("--pid", str(load.pid))
    env.load = os.path.join(env.private_stack(), "load")
    env.plain_load("spin", "--duration", "0.5")
    load.go()
    load.finish()
    records = tracer.finish()
    libraries = {p["library"] for p in records.of("probe") if p["library"]}
    strange = {library for library in libraries if library.startswith(env.dir)}
    check(not strange, f"probed for a process that is not traced: {strange}")
    check(not any(env.dir in note for note in records.notes()), f"notes: {records.notes()}")


def test_two_tracers(env):
    """Two tmtrace on one library, each with a process of its own."""
    loads = [env.waiting_load("all", name=f"load{i}") for i in range(2)]
    tracers = [env.attach("--pid", str(load.pid), records=f"records{i}.json")
               for i, load in enumerate(loads)]
    for load in loads:
        load.go()
    truths = [load.finish() for load in loads]
    for tracer, truth in zip(tracers, truths):
        compare_clean(tracer.finish(), truth)


def test_two_tracers(env):
    """A program that two trace at once: both see all its calls, and time them.

    Where the kernel lets programs write registers (7.2), the first one does the `ret`: the other one
    sees registers that are beyond it.
    """
    other = env.attach("--all", "--max-overhead", "none", "--layer", "sample", records="other.json")
    records, truth = env.trace_load("all", options=("--layer", "sample"))
    compare(records, truth, layers=["sample"])
    others = other.finish(signal.SIGINT)
    check(others.functions("sample"), "the other one saw no function")
    for (_, function), true in truth_functions(truth).items():
        found = records.functions("sample", function)
        if found and true["calls"] == true["returns"]:
            equal(f"{function}: counted, and timed",
                  [sum(r[field] for r in found) for field in ("count", "timed")],
                  [true["calls"]] * 2)
    for seen in (records, others):
        check(not seen.lost("unwound") or truth["unwound"], f"lost: {seen.losses()}")


def test_pid_inside_a_call(env):
    """What was begun before is not counted when it ends; what comes later is exact."""
    load = env.waiting_load("--duration", str(2.5 * PATIENCE), "--count", "50",
                            subcommand="inside")
    tracer = env.attach("--pid", str(load.pid))
    load.go()
    truth = load.finish()
    records = tracer.finish()
    true = truth_functions(truth)
    for function in ("sample_sleep", "sample_call"):
        equal(f"the truth of {function}", true["sample", function]["returns"], 1)
        equal(function, records.total("sample", function, "count"), 0)
    equal("sample_leaf", records.total("sample", "sample_leaf", "count"), 100)
    check_ledgers(records)


def test_sigkill_of_the_program(env):
    """Killed within two calls: they are counted as killed, the status says how it ended."""
    table = env.path("table")
    records = env.path("records.json")
    tracer = env.start("--json", records, "--probes", env.sample, "--", env.load, "block",
                       "--dir", env.dir, env={**os.environ, "STACK_TRUTH": table})
    pid = int(tracer.stderr.readline())
    wait_for(lambda: "pause" in read_text(f"/proc/{pid}/wchan") or is_asleep(pid), "the block")
    os.kill(pid, signal.SIGKILL)
    tracer.communicate(timeout=30 * PATIENCE)
    equal("exit status", tracer.returncode, 128 + signal.SIGKILL)
    env.run(env.load, "truth", "--truth", env.path("truth.json"), "--dir", env.dir,
            env={**os.environ, "STACK_TRUTH": table})
    truth = read_truth(env.path("truth.json"))
    found = Records(records)
    check_ledgers(found)
    equal("killed", found.lost("killed"), truth["killed"])
    compare(found, truth)


def is_asleep(pid):
    match = re.search(r"^State:\s+(\w)", read_text(f"/proc/{pid}/status"), re.M)
    return bool(match) and match.group(1) == "S"


def function_offset(library, function):
    """The offset in the file of a function of a library whose text is mapped as it lies there."""
    need("nm", "readelf")
    out = os.popen(f"nm -D --defined-only '{library}'").read()
    address = int(re.search(rf"^([0-9a-f]+) T {function}$", out, re.M).group(1), 16)
    for line in os.popen(f"readelf -lW '{library}'").read().splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, start, size = (int(words[i], 16) for i in (1, 2, 4))
            if start <= address < start + size:
                return address - start + offset
    raise Skip(f"{library} has no segment with {function}")


def is_patched(pid, library, function):
    """Does the first instruction in a process's memory differ from the file's?"""
    offset = function_offset(library, function)
    for line in read_text(f"/proc/{pid}/maps").splitlines():
        match = re.match(r"([0-9a-f]+)-([0-9a-f]+) r-x\S* ([0-9a-f]+) ", line)
        if match and os.path.basename(line) == os.path.basename(library):
            start, end, base = (int(x, 16) for x in match.groups())
            if base <= offset < base + end - start:
                return memory_differs(pid, start + offset - base, library, offset)
    return False


def memory_differs(pid, address, library, offset):
    with open(library, "rb") as f:
        f.seek(offset)
        wanted = f.read(16)
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as f:
        f.seek(address)
        return f.read(16) != wanted


def link_ids(pid):
    """The BPF links that a process holds."""
    ids = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        match = re.search(r"^link_id:\s*(\d+)", read_text(f"/proc/{pid}/fdinfo/{fd}"), re.M)
        if match:
            ids.add(match.group(1))
    return ids


def are_gone(env, ids):
    return all(env.run("bpftool", "link", "show", "id", i)[0] != 0 for i in ids)


def child_of(pid):
    text = read_text(f"/proc/{pid}/task/{pid}/children").split()
    return int(text[0]) if text else 0


def test_sigkill_of_tmtrace(env):
    """The program goes on unharmed, and no probe remains."""
    need("bpftool")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    stack = env.private_stack()
    library = os.path.join(stack, "libsample.so.1")
    env.load = os.path.join(stack, "load")
    truth_path = env.path("truth.json")
    # Where all is slow, looking for the probes is slower still.
    seconds = "2" if PATIENCE == 1 else str(5 * PATIENCE)
    tracer = env.start("--json", env.path("records.json"), "--probes", env.sample, "--",
                       env.load, "spin", "--duration", seconds, "--truth", truth_path)
    pid = wait_for(lambda: child_of(tracer.pid), "the program")
    wait_for(lambda: is_patched(pid, library, "sample_leaf"), "a probe in the program's memory")
    links = link_ids(tracer.pid)
    check(links, "tmtrace holds no BPF link, so this test would show nothing")
    time.sleep(0.3)
    tracer.kill()
    _, status = os.waitpid(pid, 0) if tracer.wait() else (0, 1)
    equal("the program's status", status, 0)
    equal("its calls", truth_functions(read_truth(truth_path))["sample", "sample_leaf"]["calls"],
          read_truth(truth_path)["spin_calls"])
    wait_for(lambda: are_gone(env, links), "the BPF links to go")
    load = env.waiting_load("all")
    wait_for(lambda: not is_patched(load.pid, library, "sample_leaf"), "the probes to go")
    load.go()
    load.finish()


def test_pid_ends(env):
    """When the last process of --pid has ended, so does tmtrace, with tables."""
    stack = env.private_stack()
    library = os.path.join(stack, "libsample.so.1")
    load = env.waiting_load("--count", "100", "threads", load=os.path.join(stack, "load"))
    tracer = env.start("--probes", env.sample, "--pid", str(load.pid))
    wait_for(lambda: is_patched(load.pid, library, "sample_leaf"), "the probes")
    # Probes are placed file by file, and the targets are named last.
    time.sleep(PATIENCE)
    load.go()
    load.finish()
    out, err = tracer.communicate(timeout=60 * PATIENCE)
    equal("exit status", tracer.returncode, 0)
    # Of perf uprobes it says who removes them.
    equal("standard error", REMOVAL.sub("", err), "")
    check(re.search(r"^sample_leaf\s+6,400\s", out, re.M), f"no table of 6,400 calls: {out}")


def test_sigint(env):
    """SIGINT ends tracing of a process that goes on, with the tables."""
    stopped_by(env, signal.SIGINT)


def test_sigterm(env):
    stopped_by(env, signal.SIGTERM)


def processor_time(pid):
    """In user mode, in ticks."""
    return int(read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()[11])


def stopped_by(env, stop):
    load = env.waiting_load("--duration", str(60 * PATIENCE), "spin")
    tracer = env.attach("--pid", str(load.pid))
    load.go()
    time.sleep(0.5 * PATIENCE)
    records = tracer.finish(stop=stop)
    check(load.process.poll() is None, "the traced process has ended, too")
    check(records.total("sample", "sample_leaf", "count") > 1000, "no calls were counted")
    check_identity(records)
    before = processor_time(load.pid)
    wait_for(lambda: processor_time(load.pid) > before, "the traced process to go on")
    load.process.terminate()
    equal("its end", load.process.wait(), -signal.SIGTERM)


def check_identity(records):
    """As check_ledgers(); at most one call of the one thread may be open or between two reads."""
    for p in records.probes("sample"):
        parts = p["recorded"] + p["filtered"] + p["lost"] + p["in_flight"]
        check(abs(p["hits"] - parts) <= 1, f"hits {p['hits']}, but accounted for are {parts}")


def stop_perf(env, name, stop):
    """Ends a tmtrace that has perf uprobes, in one way: it must not wait for their removal."""
    load = env.waiting_load("all", name=name)
    tracer = env.attach("--pid", str(load.pid), "--layer", "sample", "--mechanism", "user=perf",
                        records=f"{name}.json").process
    if stop:
        tracer.send_signal(stop)
    else:
        load.go()
    # To the end of its output: what goes on behind must not hold it.
    _, err = tracer.communicate(timeout=60 * PATIENCE)
    equal(f"{name}: status", tracer.returncode, 0)
    said = REMOVAL.search(err)
    check(said, f"{name}: nothing is said of the background: {err}")
    check(int(said.group(1)) > 10, f"{name}: too few probes to show anything: {err}")
    equal(f"{name}: the process in the background",
          read_text(f"/proc/{said.group(2)}/comm").strip(), "tmtrace-detach")
    load.go()
    load.finish()
    return int(said.group(2))


def test_perf_uprobes_are_removed_behind(env):
    """The kernel needs 0.1 s for each: tmtrace ends at once, the program goes on."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    env.load = os.path.join(env.private_stack(), "load")
    env.sample = env.sample_of(("sample_leaf", "sample_call", "sample_recurse", "sample_sum",
                                "sample_fail", "sample_write"))
    pids = [stop_perf(env, name, stop) for name, stop in
            (("sigint", signal.SIGINT), ("sigterm", signal.SIGTERM), ("end", None))]
    for pid in pids:
        os.waitpid(pid, 0)


def test_sigint_with_command(env):
    """A SIGINT of somebody's is passed on to the command; its status is 130."""
    records = env.path("records.json")
    tracer = env.start("--json", records, "--probes", env.sample, "--", env.load, "spin",
                       "--duration", "60", "--truth", env.path("truth.json"))
    pid = wait_for(lambda: child_of(tracer.pid), "the program")
    library = os.path.join(env.stack, "libsample.so.1")
    wait_for(lambda: is_patched(pid, library, "sample_leaf"), "the program to call")
    time.sleep(0.3)
    tracer.send_signal(signal.SIGINT)
    tracer.communicate(timeout=30 * PATIENCE)
    equal("exit status", tracer.returncode, 128 + signal.SIGINT)
    check(Records(records).total("sample", "sample_leaf", "count") > 0, "no calls were counted")
