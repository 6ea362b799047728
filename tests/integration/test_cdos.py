# SPDX-License-Identifier: GPL-2.0-only
"""Maestro's data objects: by name, by size, and how long calls waited for them."""

import collections
import os

from harness import Records, check, check_ledgers, check_lossless, equal
from times import near, slack

EDGES = [100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30]
CALLS = ("declare", "offer", "withdraw", "require", "demand")

# How a name is shown that is longer than 111 bytes: its begin, and a hash of it.
ROOM, KEPT = 111, 88
MASK = (1 << 64) - 1


def shown(name):
    """A name as records have it."""
    data = name.encode()
    if len(data) <= ROOM:
        return name
    value = 0xcbf29ce484222325
    for at in range(0, min(len(data) + 1, 10 * ROOM), ROOM):
        piece = data[at:at + ROOM].ljust(112, b"\0")
        for i in range(0, 112, 8):
            word = int.from_bytes(piece[i:i + 8], "little")
            value = (value ^ word) * 0x100000001b3 & MASK
            value ^= value >> 32
    return data[:KEPT].decode() + f"…{value:016x}"


def size_class(size):
    """As records have it: [smallest, largest]; None: not known."""
    if size < 0:
        return None
    number = sum(size > edge for edge in EDGES)
    return (EDGES[number - 1] + 1 if number else 0, EDGES[number] if number < len(EDGES) else None)


def trace_cdos(env, *load_args, options=()):
    # The first call of a function is not to wait until it has been found.
    os.environ["LD_BIND_NOW"] = "1"
    records, truth = env.trace_load("cdos", *load_args, options=options)
    check_ledgers(records)
    check_lossless(records)
    handles = collections.Counter(cdo["handle"] for cdo in truth["cdos"])
    check(handles.most_common(1)[0][1] > 1, "no handle was used again")
    return records, truth


def of_calls(truth, call):
    """{(function's short name, size class): [(bytes, ns) of its calls]}"""
    found = collections.defaultdict(list)
    for cdo in truth["cdos"]:
        if cdo[call + "_ns"]:
            found[size_class(cdo["size"])].append((max(cdo["size"], 0), cdo[call + "_ns"]))
    return found


def key_of(record):
    return tuple(record["size_class"]) if record["size_class"] else None


def test_by_size(env):
    """Calls, bytes and time by the size of the CDO, which a consumer learns last."""
    records, truth = trace_cdos(env, "--delay", "0.01", options=("--layer", "mstro"))
    for call in CALLS:
        name = "mstro_cdo_" + call
        found = {key_of(r): r for r in records.of("by_size", function=name, final=True)}
        true = of_calls(truth, call)
        equal(f"{name}: size classes", sorted(found, key=str), sorted(true, key=str))
        for sizes, calls in true.items():
            record, what = found[sizes], f"{name}, {sizes}"
            equal(f"{what}: count", record["count"], len(calls))
            equal(f"{what}: bytes", record["bytes"], sum(c[0] for c in calls) if sizes else None)
            equal(f"{what}: buckets", sum(b[2] for b in record["buckets"]), len(calls))
            total = sum(c[1] for c in calls)
            check(record["total_ns"] <= total, f"{what}: {record['total_ns']} of {total} ns")
            near(what, record["total_ns"], total, len(calls), 0.05, 100000)
        total = records.functions("mstro", name)[0]
        failed = total["errors"]
        equal(f"{name}: calls of all sizes", sum(r["count"] for r in found.values()),
              total["count"] - failed)
    waited = sum(r["total_ns"] for r in records.of("by_size", function="mstro_cdo_demand"))
    demands = sum(bool(cdo["demand_ns"]) for cdo in truth["cdos"])
    check(waited > 0.009e9 * demands, f"{demands} demands waited {waited} ns")


def test_names(env):
    """Every call about a CDO has its name, long or short, also where its handle is used again."""
    records, truth = trace_cdos(env, options=("--layer", "mstro", "--calls"))
    calls = collections.defaultdict(collections.Counter)
    for r in records.of("call", layer="mstro"):
        calls[r["function"]][r["object"]] += 1
    names = collections.Counter(shown(cdo["name"]) for cdo in truth["cdos"])
    check(len({n for n in names if len(n) > 100}) > 4, "too few long names")
    equal("declared", calls["mstro_cdo_declare"], names)
    for call in CALLS[2:]:
        true = collections.Counter(shown(cdo["name"]) for cdo in truth["cdos"]
                                   if cdo[call + "_ns"])
        equal(f"CDOs of {call}", calls["mstro_cdo_" + call], true)
    # One is refused that belongs to nobody else, and one of those that have a size twice.
    disposed = collections.Counter(shown(cdo["name"]) for cdo in truth["cdos"]
                                   if cdo["size"] >= 0)
    unsized = {shown(cdo["name"]): 3 for cdo in truth["cdos"] if cdo["size"] < 0}
    equal("disposed", calls["mstro_cdo_dispose"], disposed + collections.Counter(unsized))


def test_objects(env):
    """A CDO's record has all calls about it, by whatever handle."""
    records, truth = trace_cdos(env, options=("--layer", "mstro", "--objects"))
    found = {r["name"]: r for r in records.of("object", layer="mstro", what="object")}
    true = collections.Counter()
    for cdo in truth["cdos"]:
        name = shown(cdo["name"])
        true[name] += sum(bool(cdo[call + "_ns"]) for call in CALLS)
        if cdo["size"] < 0:
            continue
        true[name] += 1  # disposed of
        # require seals, too; access_ptr; else a refused offer, three attributes, seal.
        true[name] += 2 if cdo["demand_ns"] else 5
    for cdo in {cdo["name"]: cdo for cdo in truth["cdos"] if cdo["size"] < 0}.values():
        # Two of that name: seal, a refused disposal, retract; one was disposed of.
        true[shown(cdo["name"])] += 2 * 3 + 1
    equal("CDOs", {n: r["count"] for n, r in found.items() if n and ("cdo-" in n or "…" in n)},
          dict(true))


def test_association(env):
    """From joining to leaving, and under which names, which the environment need not know."""
    os.environ["MSTRO_WORKFLOW_NAME"] = os.environ["MSTRO_COMPONENT_NAME"] = "another"
    records, _ = trace_cdos(env, options=("--layer", "mstro", "--calls", "--per-process"))
    found = records.of("association", layer="mstro", final=True)
    equal("associations", [(r["function"], r["count"], r["in_flight"]) for r in found],
          [("mstro_init", 1, 0)])
    calls = {r["function"]: r for r in records.of("call", layer="mstro")}
    begin, end = calls["mstro_init"], calls["mstro_finalize"]
    time = end["start_ns"] - begin["start_ns"] - begin["duration_ns"]
    off = abs(found[0]["total_ns"] - time)
    check(off < 1000000 * slack(), f"{found[0]['total_ns']} ns, by its calls it was {time} ns")
    for r in (*found, *records.functions("mstro"), *calls.values()):
        if r["pid"] == begin["pid"]:
            equal(f"names in {r['function']}", (r["workflow"], r["component"]),
                  ("weather", "model"))


def test_recording(env):
    """A recording has the same figures, and prints them as a table."""
    path, recording = env.path("records.json"), env.path("cdos.data")
    status, _, err = env.trace("--json", path, "-o", recording, "--layer", "mstro", "--", env.load,
                               "cdos", "--truth", env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    status, out, err = env.trace("report", "--json", "-", recording)
    equal(f"exit status of report, {err}", status, 0)
    with open(env.path("reported.json"), "w", encoding="utf-8") as f:
        f.write(out)
    live, reported = ({(r["function"], key_of(r)): r
                       for r in Records(env.path(name)).of("by_size", final=True)}
                      for name in ("records.json", "reported.json"))
    equal("recorded", sorted(map(str, live)), sorted(map(str, reported)))
    for key, record in live.items():
        for field in ("count", "bytes", "total_ns", "buckets", "size_buckets"):
            equal(f"{key}: {field}", reported[key][field], record[field])
    status, out, _ = env.trace("report", recording)
    check("by the size of their object" in out and "up to 1 KiB" in out, out)
