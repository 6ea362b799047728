# SPDX-License-Identifier: GPL-2.0-only
"""Operations recorded one by one, each against what the program knows of it."""

import collections
import json
import os

from harness import check, check_ledgers, check_lossless, equal
from table_text import time_text
from times import is_near, near, slack

SHARES_MACHINE = True

FATES = ("recorded", "too_short", "sampled_out", "full", "busy")


def trace(env, how, *load_args, options=(), load="ops"):
    # The first call of a function is not to wait until it has been found.
    os.environ["LD_BIND_NOW"] = "1"
    records, truth = env.trace_load(load, "--how", how, *load_args, options=("--calls", *options))
    check_ledgers(records)
    check_lossless(records)
    return records, truth


def check_identity(records):
    """Every operation that was counted was recorded, or it is known why not: {what: how many}."""
    fates = collections.Counter()
    for p in records.of("probe"):
        fates.update(p["operations"] or {})
    counted = sum(r["count"] + r["abandoned"] + r["forgotten"] + r["killed"]
                  for r in records.of("op", final=True))
    equal(f"fates {fates}", sum(fates.values()), counted)
    equal("operation records", len(records.of("operation")), fates["recorded"])
    ids = collections.Counter(r["id"] for r in records.of("call") + records.of("operation"))
    equal("ids that are not unique", [i for i, n in ids.items() if n > 1], [])
    return fates


def check_parents(records):
    """An operation belongs to the call that launched it, one that is a step to its operation."""
    calls = {r["id"]: r for r in records.of("call")}
    operations = {r["id"]: r for r in records.of("operation")}
    for r in operations.values():
        launched_by = calls[r["call_id"]]
        equal("the call that launched it", (launched_by["function"], launched_by["tid"]),
              (r["function"], r["tid"]))
        check(r["launch_ns"] <= launched_by["start_ns"], f"{r} after {launched_by}")
        if r["layer"] == "mio":
            equal("parent of an operation of MIO", r["parent_id"], r["call_id"])
        elif r["parent_id"] != r["call_id"]:
            equal("layer of a step's operation", operations[r["parent_id"]]["layer"], "mio")
    return operations


def compare(records, truth):
    """Each operation of MIO with its truth, by object and order: [(record, truth)]."""
    check_identity(records)
    check_parents(records)
    recorded, true = collections.defaultdict(list), collections.defaultdict(list)
    for r in sorted(records.of("operation", layer="mio"), key=lambda r: r["launch_ns"]):
        recorded[r["function"], r["object"]].append(r)
    for o in sorted(truth["operations"], key=lambda o: o["launch_ns"]):
        if o["fate"] != "refused":
            true[o["function"], o["object"]].append(o)
    equal("functions and objects", sorted(recorded), sorted(true))
    pairs = []
    for key, operations in true.items():
        equal(f"operations of {key}", len(recorded[key]), len(operations))
        pairs += zip(recorded[key], operations)
    for r, o in pairs:
        check_one(r, o)
    return pairs


SIZED = ("mio_obj_writev", "mio_obj_readv", "mio_kvs_pair_put", "mio_kvs_pair_get",
         "mio_kvs_pair_next")


def check_one(r, o):
    name = f"{o['function']} of {o['object']}"
    equal(f"{name}: fate", r["fate"], "killed" if o["fate"] == "in_flight" else o["fate"])
    if o["fate"] != "complete":
        equal(f"{name}: completion", (r["complete_ns"], r["rc"], r["bytes"]), (None, None, None))
        return
    equal(f"{name}: result", r["rc"], o["rc"])
    if r["bytes"] is not None:
        equal(f"{name}: bytes", r["bytes"], o["bytes"])
    sized = o["function"] in SIZED and o["rc"] >= 0
    equal(f"{name}: has bytes", r["bytes"] is not None, sized)
    equal(f"{name}: duration", r["complete_ns"] - r["launch_ns"], r["duration_ns"])
    phases = r["phases"]
    if phases["submit_ns"] is not None:
        equal(f"{name}: in flight", phases["in_flight_ns"],
              max(r["duration_ns"] - phases["submit_ns"], 0))


# What the catalogue calls MIO's codes; a next is a get.
KINDS = {1: "CREATE", 2: "DELETE", 3: "OPEN", 5: "SYNC", 7: "ATTRS_GET", 8: "READ", 9: "WRITE",
         11: "KVS_CREATE", 12: "KVS_DELETE", 14: "KVS_GET", 15: "KVS_PUT"}
MOTR_KINDS = {1: "CREATE", 2: "DELETE", 3: "SYNC", 4: "OPEN", 10: "READ", 11: "WRITE",
              15: "IDX_GET", 16: "IDX_PUT", 17: "IDX_DEL", 18: "IDX_NEXT"}


def check_fields(records, pairs):
    """What the structs of MIO's operations and Motr's say, exactly."""
    steps = collections.defaultdict(list)
    for r in sorted(records.of("operation", layer="m0"), key=lambda r: -r["launch_ns"]):
        steps[r["parent_id"]].append(r)
    for r, o in pairs:
        name, kind = f"{o['function']} of {o['object']}", KINDS[o["code"]]
        has_session = kind != "DELETE" and not kind.startswith("KVS")
        equal(f"{name}: number, kind and session", (r["seqno"], r["kind"], r["session"]),
              (o["seqno"], kind, o["session"] if has_session else None))
        equal(f"{name}: state machine", r["sm_id"], None)
        if o["fate"] != "complete":
            continue
        equal(f"{name}: steps", [(s["sm_id"], s["kind"], s["rc"]) for s in steps[r["id"]]],
              [(s["sm_id"], MOTR_KINDS[s["code"]], s["rc"]) for s in o["motr"]])
        for s in steps[r["id"]]:
            if not s["kind"].startswith("IDX"):
                equal(f"{name}: object of {s['kind']}", s["object"], o["object"])


def check_times(pairs):
    """Of each alone: where the machine runs something else in between, one in 10 may be off."""
    off = []
    for r, o in pairs:
        wanted = o["complete_ns"] - o["launch_ns"]
        if o["fate"] == "complete" and not is_near(r["duration_ns"], wanted):
            off.append((r["function"], r["duration_ns"], wanted))
    check(len(off) <= len(pairs) / 10, f"latencies of {len(off)} of {len(pairs)}: {off[:5]}")


def test_poll(env):
    records, truth = trace(env, "poll", "--count", "10")
    pairs = compare(records, truth)
    check_times(pairs)
    check_fields(records, pairs)


def test_late(env):
    """Nobody looks for a while: so late was each."""
    pairs = compare(*trace(env, "late", "--delay", str(0.02 * slack())))
    check_times(pairs)
    for r, o in pairs:
        if o["steps"] == 1:
            near(f"{o['function']}: late", r["phases"]["late_poll_ns"],
                 o["noticed_ns"] - o["complete_ns"], 5)


def test_many(env):
    """16 in flight in each of four threads, polled together."""
    check_times(compare(*trace(env, "many")))


def test_callback(env):
    """The same called back, on the threads of the library."""
    records, truth = trace(env, "callback")
    pairs = compare(records, truth)
    check_times(pairs)
    check_fields(records, pairs)
    equal("polls", {(r["phases"]["wait_ns"], r["phases"]["late_poll_ns"]) for r, _ in pairs},
          {(0, 0)})


def test_fail(env):
    """A failure at each kind of step of each kind of operation."""
    records, truth = trace(env, "fail")
    pairs = compare(records, truth)
    check_fields(records, pairs)
    check(sum(r["rc"] < 0 for r, _ in pairs) > 12, "too few failures")


def test_forgotten(env):
    """Given up before completion."""
    compare(*trace(env, "fini", "--delay", str(0.05 * slack())))


def test_abandoned(env):
    """The struct of an operation in flight is launched again."""
    records, truth = trace(env, "reuse", "--delay", str(0.05 * slack()))
    check_fields(records, compare(records, truth))


def test_steps(env):
    """Motr's operations are steps of MIO's, as many as the program knows of each."""
    records, truth = trace(env, "poll", "--local")
    pairs = compare(records, truth)
    steps = collections.Counter(r["parent_id"] for r in records.of("operation", layer="m0"))
    for r, o in pairs:
        equal(f"steps of {o['function']}", steps[r["id"]], o["steps"])


# As if it were the MIO of 2020: nothing of this fits the library.
OTHER_VERSION = """
layer: mio
operations: {seqno: "[op+16]", code: "[op].u32", codes: {100000: READ}, session: "[[op]+24]"}
"""


def test_other_version(env):
    """Offsets of another version of the library: named, left out, and the rest is as it was."""
    path = env.path("other.yaml")
    with open(path, "w", encoding="ascii") as f:
        f.write(OTHER_VERSION)
    records, truth = trace(env, "poll", options=("--probes", path))
    pairs = compare(records, truth)
    for r, o in pairs:
        equal("fields", (r["seqno"], r["session"], r["sm_id"]), (None, None, None))
        equal("kind", r["kind"], o["function"])
    for field in ("code", "seqno"):
        told = [n for n in records.notes() if f"libmio.so: struct field {field} of" in n]
        check(len(told) == 1 and "does not fit, left out" in told[0], f"notes: {records.notes()}")
    check(any(r["sm_id"] for r in records.of("operation", layer="m0")), "Motr's are missing, too")


def test_min_duration(env):
    """Only those that take so long, as one write does; what became of the others is counted."""
    delay = 0.05 * slack()
    records, _ = trace(env, "server", "--delay", str(delay), load="story",
                       options=("--min-duration", f"{delay * 1e6:.0f}us"))
    fates = check_identity(records)
    check(fates["too_short"] > fates["recorded"] > 0, f"{fates}")
    check(min(r["duration_ns"] for r in records.of("operation")) >= 1e9 * delay,
          "one is too short")


def test_sample(env):
    records, _ = trace(env, "poll", "--count", "20", options=("--sample", "5"))
    fates = check_identity(records)
    check(fates["sampled_out"] > fates["recorded"] > 0, f"{fates}")


def test_recording(env):
    """What is dumped from a recording is what came as records."""
    path, recording = env.path("records.json"), env.path("ops.data")
    status, _, err = env.trace("--calls", "--json", path, "-o", recording, "--", env.load, "ops",
                               "--truth", env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    status, out, err = env.trace("dump", recording)
    equal(f"exit status of dump, {err}", status, 0)
    with open(path, encoding="utf-8") as f:
        written = [line for line in f.read().splitlines() if '"type":"operation"' in line]
    check(len(written) > 20, f"{len(written)} operations")
    equal("operations in the recording",
          [line for line in out.splitlines() if '"type":"operation"' in line], written)
    check_slowest(env, recording, [json.loads(line) for line in written])


def check_slowest(env, recording, operations):
    """tmtrace report --calls: the slowest operations, in order."""
    status, out, err = env.trace("report", "--calls=5", recording)
    equal(f"exit status of report, {err}", status, 0)
    calls, slowest = out[out.index("the slowest calls:"):].split("\n\n")[:2]
    equal("the slowest calls", len(calls.splitlines()[2:]), 5)
    wanted = sorted(operations, key=lambda r: -r["duration_ns"])[:5]
    rows = slowest.splitlines()[2:]
    equal("rows", len(rows), 5)
    for row, r in zip(rows, wanted):
        for text in (time_text(r["duration_ns"]), r["layer"], r["kind"],
                     f".{r['launch_ns'] % 10**9 // 1000:06} "):
            check(text in row, f"{text} is not in {row}")
    status, out, err = env.trace("report", "--json", "-", "--calls=5", recording)
    equal(f"exit status of report --json, {err}", status, 0)
    found = [json.loads(line) for line in out.splitlines() if '"type":"operation"' in line]
    equal("the slowest operations", found, wanted)
