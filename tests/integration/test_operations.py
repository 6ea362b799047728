# SPDX-License-Identifier: GPL-2.0-only
"""Asynchronous operations from launch to completion, against what the program knows of each."""

import collections
import errno
import json
import os

from harness import (PATIENCE, Records, check, check_ledgers, check_lossless, equal, read_text,
                     wait_for)
from times import EACH_NS, SHARE, Times, each_of, room, slack


def final_operations(records, layer="mio"):
    return {r["function"]: r for r in records.of("op", layer=layer, final=True)}


def of_function(truth):
    """{function: [the truth of each of its operations]}, without those that were refused."""
    found = collections.defaultdict(list)
    for o in truth["operations"]:
        if o["fate"] != "refused":
            found[o["function"]].append(o)
    return found


def check_errors(name, record, operations):
    failed = collections.Counter(errno.errorcode[-o["rc"]] for o in operations if o["rc"] < 0)
    equal(f"{name}: errors", record["errors_by"], dict(failed))


def check_figures(times, name, record, operations, each):
    """Counts, bytes and errors to the last one, and what the times add up to."""
    done = [o for o in operations if o["fate"] == "complete"]
    latencies = [o["complete_ns"] - o["launch_ns"] for o in done]
    equal(f"{name}: count", record["count"], len(done))
    check_errors(name, record, done)
    if record["bytes"] is not None:
        equal(f"{name}: bytes", record["bytes"], sum(o["bytes"] for o in done if o["rc"] >= 0))
    if not done:
        return
    equal(f"{name}: sum of buckets", sum(b[2] for b in record["buckets"]), len(done))
    times.near(f"{name}: latency", record["total_ns"], sum(latencies), len(done), SHARE, each)
    times.near(f"{name}: shortest", record["min_ns"], min(latencies), 2, SHARE, each)
    times.near(f"{name}: longest", record["max_ns"], max(latencies), 2, SHARE, each)
    submitted = sum(o["submitted_ns"] - o["launch_ns"] for o in operations)
    # The first call of a function comes after the search for it.
    times.near(f"{name}: launching", record["submit_ns"], submitted, len(operations) + 1, SHARE, each)


def check_fates(name, record, operations):
    for fate in ("abandoned", "forgotten"):
        equal(f"{name}: {fate}", record[fate], sum(o["fate"] == fate for o in operations))
    ended = record["in_flight"] + record["killed"]
    equal(f"{name}: never complete", ended, sum(o["fate"] == "in_flight" for o in operations))
    equal(f"{name}: without room", record["no_entry"], 0)


def compare_operations(env, records, truth, factor=1):
    """Every MIO operation against the truth: {function: (record, truths)}, so many times as far."""
    operations, true, times = final_operations(records), of_function(truth), Times()
    each = factor * each_of(records.of("run", final=True)[0])
    equal("functions with operations", sorted(operations), sorted(true))
    for name, record in operations.items():
        check_figures(times, name, record, true[name], each)
        check_fates(name, record, true[name])
    env.remark = times.check()
    return {name: (record, true[name]) for name, record in operations.items()}


def check_polls(compared):
    """Time in polls; of those that took one step also how late the poll was.

    The program looks at its clock around the call: it may be a while until it runs again.
    """
    limits, times = (0.05, 3 * EACH_NS), Times()
    for name, (record, operations) in compared.items():
        waited = sum(o["noticed_ns"] - max(o["poll_ns"], o["launch_ns"]) for o in operations)
        times.near(f"{name}: polling", record["wait_ns"], waited, len(operations), *limits)
        late = sum(o["noticed_ns"] - o["complete_ns"] for o in operations)
        got = record["late_poll_ns"]
        if all(o["steps"] == 1 for o in operations):
            times.near(f"{name}: late poll", got, late, len(operations), *limits)
        else:
            check(late - got <= room(got, late, len(operations), *limits),
                  f"{name}: late poll {got} ns, {late} ns in the last step")
    times.check()


def trace_operations(env, how, *load_args, options=()):
    # The first call of a function is not to wait until it has been found.
    os.environ["LD_BIND_NOW"] = "1"
    records, truth = env.trace_load("ops", "--how", how, *load_args, options=options)
    check_ledgers(records)
    check_lossless(records)
    return records, truth


def test_poll(env):
    """One after the other, each polled at once."""
    compared = compare_operations(env, *trace_operations(env, "poll", "--count", "10"))
    check_polls(compared)
    for name in ("mio_kvs_pair_get", "mio_kvs_pair_next"):  # known when complete
        check(compared[name][0]["bytes"] > 0, f"{name} brought nothing")


def test_late(env):
    """Nobody looks for a while: what was complete in it was so, and is told as late."""
    delay = 0.02 * slack()
    compared = compare_operations(env, *trace_operations(env, "late", "--delay", str(delay)))
    check_polls(compared)
    for name in ("mio_obj_sync", "mio_obj_readv", "mio_obj_size"):
        record = compared[name][0]
        check(record["late_poll_ns"] > 0.7e9 * delay * record["count"] > record["total_ns"],
              f"{name}: {record['late_poll_ns']} ns late, {record['total_ns']} ns in all")


def test_many(env):
    """16 in flight in each of four threads, polled together."""
    check_polls(compare_operations(env, *trace_operations(env, "many")))


def test_callback(env):
    """The same called back, on the threads of the library."""
    compared = compare_operations(env, *trace_operations(env, "callback"))
    for name, (record, _) in compared.items():
        equal(f"{name}: polling", (record["wait_ns"], record["late_poll_ns"]), (0, 0))


def test_fail(env):
    """A failure at each kind of step of each kind of operation, by its code."""
    compared = compare_operations(env, *trace_operations(env, "fail"))
    check(sum(record["errors"] for record, _ in compared.values()) > 12, "too few failures")


def test_without_steps(env):
    """Where Motr is not traced, an operation is complete when the poll that says so returns."""
    records, truth = trace_operations(env, "poll", options=("--layer", "mio"))
    for o in truth["operations"]:
        o["complete_ns"] = o["noticed_ns"]
    # The program's clock comes after the return probe, and whoever runs in between.
    for name, (record, _) in compare_operations(env, records, truth, 3).items():
        equal(f"{name}: late poll", record["late_poll_ns"], 0)


def test_steps(env):
    """Motr's own operations: as many as MIO's took, and no longer."""
    records, truth = trace_operations(env, "poll", "--local")
    steps = final_operations(records, "m0")["m0_op_launch_one"]
    mio = final_operations(records).values()
    # Closing an object stores its attributes, without an operation of MIO.
    stored = sum(o["function"] == "mio_obj_sync" for o in truth["operations"])
    equal("steps", steps["count"], sum(o["steps"] for o in truth["operations"]) + stored)
    check(steps["total_ns"] < sum(r["total_ns"] for r in mio) + stored * steps["max_ns"],
          "the steps took longer than the whole")


def test_forgotten(env):
    """Given up before completion."""
    compare_operations(env, *trace_operations(env, "fini", "--delay", str(0.05 * slack())))


def test_abandoned(env):
    """The struct of an operation in flight is launched again."""
    compare_operations(env, *trace_operations(env, "reuse", "--delay", str(0.05 * slack())))


def test_open(env):
    """Some are open while tracing: how many and how old the oldest is; at the end, killed."""
    path = env.path("records.json")
    go = env.path("go")
    tracer = env.start("--json", path, "--interval", "0.1", "--layer", "mio", "--", env.load,
                       "ops", "--how", "never", "--count", "4", "--truth",
                       env.path("truth.json"), "--go", go)

    def lines():
        whole, _, _ = read_text(path).rpartition("\n")  # the last line may be under way
        return [r for r in map(json.loads, whole.splitlines())
                if r["type"] == "op" and r["function"] == "mio_obj_sync"]

    wait_for(lambda: any(r["in_flight"] == 4 for r in lines()), "operations in flight")
    with open(go, "w", encoding="ascii"):
        pass
    _, err = tracer.communicate(timeout=60 * PATIENCE)
    equal(f"exit status, {err}", tracer.returncode, 0)
    seen = [r for r in lines() if r["in_flight"] == 4]
    for r in seen:
        check(0 < r["oldest_ns"] < 60e9 * PATIENCE, f"age of the oldest: {r['oldest_ns']}")
    last = [r for r in lines() if r["final"]]
    equal("at the end", [(r["count"], r["in_flight"], r["killed"]) for r in last], [(0, 0, 4)])


def test_recording(env):
    """A recording has the same operations, and prints the same table."""
    path, recording = env.path("records.json"), env.path("ops.data")
    status, _, err = env.trace("--json", path, "-o", recording, "--", env.load, "ops", "--truth",
                               env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    status, out, err = env.trace("report", "--json", "-", recording)
    equal(f"exit status of report, {err}", status, 0)
    with open(env.path("reported.json"), "w", encoding="utf-8") as f:
        f.write(out)
    live, reported = (final_operations(Records(env.path(name)))
                      for name in ("records.json", "reported.json"))
    for name, record in live.items():
        for field in ("count", "total_ns", "submit_ns", "wait_ns", "late_poll_ns", "buckets"):
            equal(f"{name}: {field}", reported[name][field], record[field])
    status, out, _ = env.trace("report", recording)
    check("asynchronous operations" in out and "late poll" in out, out)
