# SPDX-License-Identifier: GPL-2.0-only
"""tmtrace export --perfetto: every call is a slice, every arrow has two ends, figures are the records'."""

import collections
import os

from harness import Skip, check, equal
from perfetto_trace import Trace
from test_bad_input import refused
from test_export import COMM, leftovers, record_load, record_names, records_of

SHARES_MACHINE = True

RUN, USAGE = 1, 2


def export(env, name, *recordings):
    path = env.path(name)
    status, out, err = env.trace("export", "--perfetto", path, *recordings)
    equal("export", (status, out, err), (0, "", ""))
    return Trace(path)


def by_id(slices, kind):
    found = {s.args["id"]: s for s in slices if kind in s.categories}
    equal(f"slices of each {kind}", len(found), sum(kind in s.categories for s in slices))
    return found


def check_slice(trace, slice_, record_):
    """A slice is what its record says."""
    what = f"{record_['type']} {record_['id']}"
    start = record_["start_ns" if "start_ns" in record_ else "launch_ns"]
    equal(f"begin of {what}", slice_.start_ns, start)
    equal(f"end of {what}", slice_.end_ns, start + record_["duration_ns"])
    equal(f"name of {what}", slice_.name, record_["function"])
    equal(f"layer of {what}", slice_.categories[0], record_["layer"])
    for name in ("bytes", "rc", "object", "parent_id", "seqno", "sm_id", "fate", "sector", "queue_ns",
                 "service_ns"):
        if name in record_:
            equal(f"{name} of {what}", slice_.args.get(name), record_[name])
    track = trace.tracks[slice_.track]
    if track.get("kind") == "thread":
        equal(f"thread of {what}", (track["pid"], track["tid"]), (record_["pid"], record_["tid"]))
        equal(f"process of {what}", trace.tracks[track["parent"]]["pid"], record_["pid"])
    elif track["parent"]:
        equal(f"process of {what}", trace.tracks[track["parent"]]["pid"], record_["pid"])
    return track


def check_calls(trace, calls):
    """Each call is a slice, on its thread's track inside its parent's."""
    requests = by_id(trace.slices, "request")
    found = {**by_id(trace.slices, "call"), **requests}
    equal("slices of calls", set(found), {r["id"] for r in calls})
    nested = 0
    for r in calls:
        slice_ = found[r["id"]]
        track = check_slice(trace, slice_, r)
        if r["id"] in requests or r["tid"] is None:
            check(track.get("kind") != "thread", f"{r} is in a thread")
        elif track.get("kind") == "thread" and r["parent_id"] in found:
            equal(f"what is around {r}", slice_.parent, r["parent_id"])
            nested += 1
    for layer in {r["layer"] for r in calls}:
        equal(f"time in {layer}", sum(s.end_ns - s.start_ns for s in found.values()
                                      if s.categories[0] == layer),
              sum(r["duration_ns"] for r in calls if r["layer"] == layer))
    return nested


def check_operations(trace, operations):
    found = by_id(trace.slices, "operation")
    equal("slices of operations", set(found), {r["id"] for r in operations})
    phases = collections.defaultdict(list)
    for s in trace.slices:
        if "phase" in s.categories:
            phases[s.parent].append((s.name, s.end_ns - s.start_ns))
    for r in operations:
        check_slice(trace, found[r["id"]], r)
        wanted = [(n, r["phases"][p]) for n, p in (("submit", "submit_ns"),
                                                   ("in flight", "in_flight_ns"))]
        # Else it was complete before that call returned.
        if (r["phases"]["submit_ns"] or 0) > r["duration_ns"] or not r["phases"]["submit_ns"]:
            wanted = []
        if phases[r["id"]] != wanted:
            equal(f"phases of {r}", phases[r["id"]], wanted)


def check_flows(trace, calls, operations):
    """Arrows go where the records say that something came from."""
    there = {r["id"] for r in calls + operations}
    wanted = {(r[name], r["id"]) for r in operations for name in ("call_id", "parent_id")
              if r[name] in there}
    wanted |= {(r["parent_id"], r["id"]) for r in calls
               if (r["layer"] == "block" or r["tid"] is None) and r["parent_id"] in there}
    found = [(a.args["id"], b.parent if "phase" in b.categories else b.args["id"])
             for a, b in trace.flows()]
    equal("arrows", sorted(found), sorted(wanted))
    return len(found)


def check_trace(env, trace, recording):
    """(nested calls, arrows)"""
    records = records_of(env, "dump", recording)
    calls = [r for r in records if r["type"] == "call"]
    operations = [r for r in records if r["type"] == "operation"]
    nested = check_calls(trace, calls)
    check_operations(trace, operations)
    equal("other slices", {c for s in trace.slices for c in s.categories[-1:]}
          - {"call", "request", "operation", "phase"}, set())
    return calls, operations, nested, check_flows(trace, calls, operations)


def test_slices(env):
    """A load of which everything was recorded: the sums are the report's, too."""
    recording = record_load(env, "data", "story")
    trace = export(env, "trace", recording)
    calls, operations, nested, arrows = check_trace(env, trace, recording)
    check(nested > 10 and operations and arrows >= len(operations),
          f"{nested} nested calls, {len(operations)} operations, {arrows} arrows")
    totals, found = collections.Counter(), collections.Counter()
    for r in records_of(env, "report", "--json", "-", recording):
        if r["type"] == "function":
            totals[r["layer"], r["function"]] += r["total_ns"] or 0
    for s in trace.slices:
        if "call" in s.categories:
            found[s.categories[0], s.name] += s.end_ns - s.start_ns
    equal("times of functions", dict(found), {k: n for k, n in totals.items() if n})
    first = min(s.start_ns for s in trace.slices)
    equal("clocks", [clock for clock, _ in trace.clocks], [6, 1])
    check(abs(first - trace.clocks[0][1]) < 3600e9, f"{trace.clocks}, the first slice: {first}")
    env.remark = f"{len(calls)} calls, {len(operations)} operations, {arrows} arrows"


def test_everything(env):
    """A load that does everything, some of whose calls are recorded."""
    recording = record_load(env, "data", "all",
                            options=("--probes", env.sample, "--sample", "10", "-g"))
    calls, operations, nested, arrows = check_trace(env, export(env, "trace", recording), recording)
    check(calls and operations and nested, f"{len(calls)} calls, {nested} of them nested")
    env.remark = f"{len(calls)} calls, {len(operations)} operations, {arrows} arrows"


def test_names(env):
    """Hostile names; two recordings, whose processes stay apart."""
    recordings = [record_names(env, name) for name in ("one", "two")]
    single = export(env, "single", recordings[0])
    check_trace(env, single, recordings[0])
    equal("names", {t["name"] for t in single.tracks.values()}, {COMM})
    both = export(env, "both", *recordings)
    equal("slices", len(both.slices), len(single.slices) +
          len(export(env, "other", recordings[1]).slices))
    both.flows()
    for track in both.tracks.values():
        if track.get("kind") == "process":
            check(recordings[track["pid"] >> 22] in track["name"], f"{track} does not say of which recording")


def test_refused(env):
    """Recordings without calls, and a disk that is full."""
    recording = env.path("data")
    status, _, err = env.trace("record", "-q", "--layer", "vfs", "-o", recording, "--", "ls")
    equal(f"exit status, {err}", status, 0)
    refused(env, RUN, "--calls", "export", "--perfetto", env.path("trace"), recording)
    refused(env, USAGE, "one of", "export", "--perfetto", "a", "--sqlite", "b", recording)
    recording = record_names(env, "calls")
    disk = env.path("disk")
    os.mkdir(disk)
    if env.run("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", disk)[0]:
        raise Skip("mounting a tmpfs is not permitted")
    env.cleanup(env.run, "umount", disk)
    refused(env, RUN, "No space left", "export", "--perfetto", os.path.join(disk, "trace"), recording)
    equal("left behind", leftovers(disk), [])
