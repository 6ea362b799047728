# SPDX-License-Identifier: GPL-2.0-only
"""Recording single calls: all of them, or it is said what became of the others."""

import collections
import json
import os
import re
import signal

from harness import (BRIEF, PATIENCE, Records, check, check_ledgers, equal, read_text,
                     truth_functions, wait_for)

SHARES_MACHINE = True

NOT_RECORDED = ("too_short", "sampled_out", "full", "busy")


def sums(records):
    """
    {(layer, function): [calls, ns, bytes]} of records, all jobs and threads together; of devices with
    the time before they had their requests.
    """
    found = collections.defaultdict(lambda: [0, 0, 0])
    for r in records:
        total = found[r["layer"], r["function"]]
        total[0] += r.get("count", 1)
        total[1] += r.get("total_ns", r.get("duration_ns")) or 0
        total[1] += r["queue_ns"] if r["type"] == "device" else 0
        total[2] += r["bytes"] or 0
    return dict(found)


def check_identity(records):
    """Every call that was counted was recorded, or it is known why not: {what: calls}."""
    fates = collections.Counter()
    for p in records.of("probe"):
        equal(f"{p['layer']}.{p['function']}: {p['calls']}", sum(p["calls"].values()),
              p["recorded"])
        fates.update(p["calls"])
    equal("call records", len(records.of("call")), fates["recorded"])
    check_ledgers(records)
    return fates


def made(calls):
    """Those that were made, without block requests, which go on by themselves."""
    return [r for r in calls if r["layer"] != "block"]


def check_nesting(calls):
    """A call lies within the one around it, in time, thread and depth; how many have one."""
    by_id = {r["id"]: r for r in calls}
    equal("calls with an id of their own", len(by_id), len(calls))
    inner = [r for r in made(calls) if r["parent_id"] is not None and r["parent_id"] in by_id]
    for r in inner:
        outer = by_id[r["parent_id"]]
        check(outer["tid"] == r["tid"] and outer["pid"] == r["pid"], f"thread of {r} in {outer}")
        equal("depth", r["depth"], outer["depth"] + 1)
        check(outer["start_ns"] <= r["start_ns"] and r["start_ns"] + r["duration_ns"]
              <= outer["start_ns"] + outer["duration_ns"], f"{r} is not within {outer}")
    return len(inner)


def check_complete(records, truth):
    """Every call is there, and they have the times and sizes that the totals are made of."""
    fates = check_identity(records)
    equal("calls that were not recorded", [fates[f] for f in NOT_RECORDED], [0] * 4)
    calls = sums(records.of("call"))
    totals = sums(totals_of(records))
    for key, total in totals.items():
        equal(f"calls, time and bytes of {key}", calls.get(key), total)
    for key, true in truth_functions(truth).items():
        if key in totals:
            equal(f"calls of {key}", calls[key][0], true["returns"])
            equal(f"bytes of {key}", calls[key][2], true["bytes"])
    equal("functions with calls", sorted(calls), sorted(totals))


def totals_of(records):
    """What is timed."""
    everything = records.of("function", final=True) + records.of("device", final=True)
    return [r for r in everything if r["min_ns"] is not None]


def test_all(env):
    """Everything that the sample stack does, in libraries and on files, on several threads."""
    few = ("--count", "1") if BRIEF else ()
    records, truth = env.trace_load("all", *few, options=("--calls",))
    check_complete(records, truth)
    equal("parents that are known", check_nesting(records.of("call")),
          sum(r["parent_id"] is not None for r in made(records.of("call"))))
    calls = made(records.of("call"))
    check(len({r["tid"] for r in calls}) > 8, "too few threads")
    equal("names of threads", {r["comm"] for r in calls} - {"load", "motr-server"}, set())
    check(all(abs(r["timestamp"] - r["start_ns"] / 1e9) < 1e-5 for r in calls), "timestamp")
    check(all(abs(r["wtime"] - r["duration_ns"] / 1e9) < 1e-5 for r in calls), "wtime")


def test_parents(env):
    """A file operation belongs to the library call around it, a library call to the outer one."""
    records, _ = env.trace_load("all", "--local", options=("--calls",))
    by_id = {r["id"]: r for r in records.of("call")}
    pairs = {(by_id[r["parent_id"]]["layer"], r["layer"]) for r in by_id.values()
             if r["parent_id"] in by_id}
    check({("mio", "m0"), ("m0", "vfs")} & pairs and ("mio", "m0") in pairs,
          f"layers in one another: {pairs}")


def test_objects(env):
    """What a call is about, as the catalogue says: a name, a handle, an id of 128 bits."""
    records, _ = env.trace_load("all", options=("--calls",))
    objects = collections.defaultdict(set)
    for r in records.of("call"):
        objects[r["function"]].add(r["object"])
    check(all(re.fullmatch("0x[0-9a-f]+:0x[0-9a-f]+", o) for o in objects["mio_obj_open"]),
          f"ids: {objects['mio_obj_open']}")
    names = objects["mstro_cdo_declare"] - {None}
    check(names and not any(name.startswith("0x") for name in names), f"names: {names}")
    equal("objects of sample_leaf", objects["sample_leaf"], {None})


def test_fork(env):
    records, truth = env.trace_load("fork", options=("--calls",))
    check_complete(records, truth)
    check(len({r["pid"] for r in records.of("call", layer="mio")}) >= 4, "too few processes")


def test_asynchronous(env):
    """AIO control blocks and io_uring requests are calls of no one thread."""
    for load, wanted in (("aio", "write"), ("uring", "read")):
        records, truth = env.trace_load(load, options=("--calls",))
        if "skipped" in truth:
            env.remark = f"{load}: {truth['skipped']}"
            continue
        check_identity(records)
        calls = [r for r in records.of("call", layer="vfs", function=wanted)
                 if r["tid"] is None]
        check(len(calls) >= 10, f"{load}: {len(calls)} of {wanted}")
        equal(f"{load}: parents", {r["parent_id"] for r in calls}, {None})
        equal(f"{load}: processes", {r["pid"] for r in calls}, {truth["vfs_pid"]})


def test_longjmp(env):
    """A call that was left is no call record, nor a parent of what comes later."""
    records, truth = env.trace_load("longjmp", options=("--calls",))
    fates = check_identity(records)
    equal("recorded", fates["recorded"], len(records.of("call")))
    equal("unwound", records.lost("unwound"), truth["unwound"])
    check_nesting(records.of("call"))


def test_sample(env):
    """One in N of each thread, whichever; the rest is counted."""
    records, truth = env.trace_load("threads", "--threads", "8", "--count", "1000",
                                    options=("--calls", "--sample", "10", "--layer", "sample"))
    fates = check_identity(records)
    calls = sum(f["returns"] for f in truth_functions(truth).values())
    per_thread = collections.Counter(r["tid"] for r in records.of("call"))
    equal("all calls", fates["recorded"] + fates["sampled_out"], calls)
    for tid, n in per_thread.items():
        check(205 <= n <= 215 or n <= 1, f"thread {tid}: {n} of 2100 calls")
    equal("functions", {r["function"] for r in records.of("call")},
          {"sample_leaf", "sample_sum", "sample_fail"})


def test_min_duration(env):
    """Only those that take so long; the rest is counted."""
    least = int(20000 * PATIENCE)
    records, _ = env.trace_load("all", options=("--calls", "--min-duration", str(least)))
    fates = check_identity(records)
    check(min(r["duration_ns"] for r in records.of("call")) >= least, "a call is too short")
    check(fates["too_short"] > 0 and fates["recorded"] > 0, f"{fates}")
    longer = sum(bucket[2] for r in totals_of(records) for bucket in r["buckets"] or ()
                 if bucket[0] >= least)
    check(longer <= fates["recorded"], f"{fates['recorded']} of at least {longer}")


def test_small_buffer(env):
    """Calls that find no room are lost, exactly counted, and told."""
    records, truth = env.trace_load("spin", "--count", "200000", options=(
        "--calls", "--call-buffer", "4K", "--layer", "sample"))
    fates = check_identity(records)
    check(fates["full"] > 0, f"nothing was lost in 4 KiB: {fates}")
    equal("all calls", fates["recorded"] + fates["full"] + fates["busy"],
          truth_functions(truth)["sample", "sample_leaf"]["returns"])
    check(any(f"{fates['full']} calls were counted, but not recorded" in n
              for n in records.notes()), f"notes: {records.notes()}")


def test_busy_thread(env):
    """One thread that does nothing else loses none."""
    records, truth = env.trace_load("spin", "--count", "50000", options=(
        "--calls", "--layer", "sample"))
    fates = check_identity(records)
    equal("lost", fates["full"] + fates["busy"], 0)
    equal("calls", len(records.of("call")), truth["spin_calls"])


def test_killed(env):
    """Of a program that is killed, the calls that ended are all there."""
    path, truth_path = env.path("records.json"), env.path("table")
    tracer = env.start("--calls", "--json", path, "--probes", env.sample, "--layer", "sample",
                       "--", env.load, "block", env={**os.environ, "STACK_TRUTH": truth_path})
    pid = int(tracer.stderr.readline())
    wait_for(lambda: re.search(r"^State:\s+S", read_text(f"/proc/{pid}/status"), re.M), "the block")
    os.kill(pid, signal.SIGKILL)
    tracer.communicate(timeout=60 * PATIENCE)
    equal("exit status", tracer.returncode, 128 + signal.SIGKILL)
    records = Records(path)
    check_identity(records)
    equal("killed", records.lost("killed"), 2)
    equal("calls that ended", len(records.of("call")),
          sum(r["timed"] for r in records.functions("sample")))
    equal("all calls", sum(r["count"] for r in records.functions("sample")), len(records.of("call")) + 2)


def test_stream(env):
    """Records come while tracing goes on, whole lines, without an interval."""
    load = env.waiting_load("all", "--truth", env.path("truth.json"))
    tracer = env.attach("--calls", "--pid", str(load.pid), "--layer", "sample")
    load.go()
    truth = load.finish()
    wanted = sum(f["returns"] for key, f in truth_functions(truth).items() if key[0] == "sample")

    wait_for(lambda: '"type":"call"' in read_text(tracer.path), "call records")
    records = tracer.finish()
    check_identity(records)
    check(len(records.of("call")) <= wanted, "more calls than there were")


def lines_of(kind, text):
    return [line for line in text.splitlines() if f'"type":"{kind}"' in line]


def test_recording(env):
    """What is dumped from a recording is what came as records, call by call."""
    path, recording = env.path("records.json"), env.path("calls.data")
    status, _, err = env.trace("--calls", "--json", path, "-o", recording, "--probes", env.sample,
                               "--", env.load, "all", "--truth", env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    status, out, err = env.trace("dump", recording)
    equal(f"exit status of dump, {err}", status, 0)
    written = read_text(path)
    equal("calls in the recording", lines_of("call", out), lines_of("call", written))
    for line, other in zip(lines_of("probe", out), lines_of("probe", written)):
        equal("what became of calls", json.loads(line)["calls"], json.loads(other)["calls"])


def test_slowest(env):
    """tmtrace report --calls: the slowest, in order."""
    recording, path = env.path("calls.data"), env.path("records.json")
    status, _, err = env.trace("record", "--calls", "-o", recording, "--json", path, "--probes",
                               env.sample, "--", env.load, "all", "--truth",
                               env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    status, out, err = env.trace("report", "--calls=7", "--filter", "layer=sample", recording)
    equal(f"exit status of report, {err}", status, 0)
    calls = sorted(Records(path).of("call", layer="sample"), key=lambda r: -r["duration_ns"])
    rows = out[out.index("the slowest calls:"):].splitlines()[2:]
    equal("functions", [row.split()[4] for row in rows], [r["function"] for r in calls[:7]])
    args = ("report", "--json", "-", "--filter", "layer=sample", recording)
    status, out, err = env.trace(*args, "--calls=7")
    equal(f"exit status of report --json, {err}", status, 0)
    found = [json.loads(line) for line in out.splitlines()]
    slowest = [r for r in found if r["type"] == "call"]
    equal("durations", [r["duration_ns"] for r in slowest], [r["duration_ns"] for r in calls[:7]])
    by_id = {r["id"]: r for r in calls}
    equal("the records of the run", slowest, [by_id[r["id"]] for r in slowest])
    equal("the other records", [r for r in found if r["type"] != "call"],
          [json.loads(line) for line in env.trace(*args)[1].splitlines()])


def test_recording_wraps(env):
    """In a small recording the last calls are there, and the totals of all."""
    recording, dumped = env.path("calls.data"), env.path("dump.json")
    status, _, err = env.trace("record", "--calls", "-o", recording, "--size", "1M", "--probes",
                               env.sample, "--layer", "sample", "--", env.load, "spin",
                               "--count", "50000", "--truth", env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    with open(dumped, "w", encoding="utf-8") as f:
        equal("exit status of dump", env.trace("dump", recording, stdout=f)[0], 0)
    records = Records(dumped)
    calls = records.of("call")
    ids = [r["id"] for r in calls]
    check(1000 < len(ids) < 50000, f"{len(ids)} calls in 1 MiB")
    equal("the last calls, none missing", ids, list(range(ids[-1] - len(ids) + 1, ids[-1] + 1)))
    equal("calls in all", records.total("sample", "sample_leaf", "count"), 50000)
    fates = collections.Counter()
    for p in records.of("probe"):
        fates.update(p["calls"] or {})
    equal("recorded, once", fates["recorded"], sum(
        r["count"] for r in records.functions("sample")))


def test_full_disk(env):
    """Where they cannot be written, the command runs on, and it is said once."""
    status, _, err = env.trace("--calls", "--json", "/dev/full", "--probes", env.sample, "--",
                               env.load, "all", "--truth", env.path("truth.json"))
    check("No space" in err and len(err.splitlines()) == 1, err)
    check(status in (0, 125), f"exit status {status}")


def test_wrong_options(env):
    for options, reason in (
            (("--calls",), "-o or --json"),
            (("--sample", "10"), "--calls"),
            (("--calls", "--json", "o", "--sample", "0"), "--sample 0"),
            (("--calls", "--json", "o", "--min-duration", "5 us"), "--min-duration 5 us"),
            (("--calls", "--json", "o", "--call-buffer", "1K"), "--call-buffer 1K")):
        status, _, err = env.trace(*options, "--all")
        equal(f"{options}: exit status", status, 2)
        check(reason in err and len(err.splitlines()) == 1, f"{options}: {err}")
