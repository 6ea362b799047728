# SPDX-License-Identifier: GPL-2.0-only
"""Single block requests, against the totals of their device and the operations that wait for them."""

import collections
import os

from harness import Records, check, equal
from real_devices import SECTOR, Unseen, patiently, sectors, unseen
from real_machine import ext4, run
from test_calls import check_identity
from test_devices import by_every_mechanism

STANDS_LOAD = True

BLOCKS, BLOCK = 32, 64 << 10


def requests_of(records, disk):
    return records.of("call", layer="block", device=disk)


def check_totals(records, disk):
    """Single requests add up to what was counted of their device."""
    for total in records.of("device", final=True, device=disk):
        own = [r for r in requests_of(records, disk) if all(
            r[k] == total[k] for k in ("cgroup", "function", "writeback", "metadata"))]
        equal(f"{total['function']}s", len(own), total["count"])
        for field, of_one in (("queue_ns", "queue_ns"), ("total_ns", "service_ns")):
            equal(f"{field} of {total['function']}s", sum(r[of_one] for r in own),
                  total[field] or 0)
        equal(f"bytes of {total['function']}s", sum(r["bytes"] or 0 for r in own),
              total["bytes"] or 0)
    for r in requests_of(records, disk):
        equal("its time", r["queue_ns"] + r["service_ns"], r["duration_ns"])


def check_waited_for(records, disk):
    """Direct writes and what an fsync writes lie in the operation that waits for them."""
    by_id = {r["id"]: r for r in records.of("call")}
    waited = collections.Counter()
    for r in requests_of(records, disk):
        outer = by_id.get(r["parent_id"])
        if r["parent_id"] is None:
            continue
        check(outer is not None, f"{r} is in an operation that has no record")
        equal("layer of the operation around", outer["layer"], "vfs")
        equal("who made it", (r["pid"], r["tid"], r["comm"]),
              (outer["pid"], outer["tid"], outer["comm"]))
        check(r["start_ns"] >= outer["start_ns"], f"{r} begins before {outer}")
        if r["function"] != "write" or r["metadata"] or not r["bytes"]:
            continue
        check(r["start_ns"] + r["duration_ns"] <= outer["start_ns"] + outer["duration_ns"],
              f"{r} ends after {outer}")
        check(r["sector"] + r["bytes"] // SECTOR <= sectors(disk), f"{r} is not on the disk")
        waited[outer["function"]] += r["bytes"]
    return waited


def traced(env, options, path, *words):
    """dd under tmtrace."""
    records_path = env.path("records.json")
    status, _, err = env.trace("--calls", "--json", records_path, *options, "--", "dd",
                               "status=none", "if=/dev/zero", f"of={path}", f"bs={BLOCK}",
                               f"count={BLOCKS}", *words)
    equal(f"exit status ({err})", status, 0)
    return Records(records_path)


def with_files(options):
    """The same mechanism, and the operations on files."""
    return tuple("vfs,block" if word == "block" else word for word in options)


def written_by_dd(env, options, fs):
    path = os.path.join(fs.path, "file")
    for words, function in ((("oflag=direct",), "write"), (("conv=fsync",), "fsync")):
        records = traced(env, with_files(options), path, *words)
        if unseen(records):
            raise Unseen(f"{unseen(records)} events")
        check_identity(records)
        check_totals(records, fs.disk)
        waited = check_waited_for(records, fs.disk)
        equal(f"bytes in {function}s", waited[function], BLOCKS * BLOCK)
        os.unlink(path)
        fs.sync()


def test_mechanisms(env):
    """Each mechanism tells of each request: where, how much, how long, for whom, and in which call."""
    with ext4(env) as fs:
        by_every_mechanism(env, lambda *args: patiently(written_by_dd, *args), fs)


def test_writeback(env):
    """What the kernel writes back later is of no process."""
    with ext4(env) as fs:
        path = env.path("records.json")
        status, _, err = env.trace(
            "--calls", "--json", path, "--layer", "vfs,block", "--", "sh", "-c",
            f"dd status=none if=/dev/zero of={fs.path}/file bs=64k count=16; sync -f {fs.path}")
        equal(f"exit status ({err})", status, 0)
        records = Records(path)
        check_identity(records)
        check_totals(records, fs.disk)
        written = [r for r in requests_of(records, fs.disk) if r["function"] == "write"]
        by_kernel = [r for r in written if r["writeback"]]
        check(by_kernel, f"no writeback in {written}")
        equal("who wrote back", {(r["pid"], r["tid"], r["comm"], r["parent_id"])
                                 for r in by_kernel}, {(None, None, None, None)})


def test_options(env):
    """The shortest are left out, one of N is taken, and what is lost is counted."""
    with ext4(env) as fs:
        path = os.path.join(fs.path, "file")
        run("dd", "status=none", "if=/dev/zero", f"of={path}", f"bs={BLOCK}", f"count={BLOCKS}")
        fs.sync()
        options = ("--layer", "block", "--sample", "4")
        records = traced(env, options, path, "oflag=direct", "conv=notrunc")
        fates = check_identity(records)
        total = fates["recorded"] + fates["sampled_out"]
        check(total >= BLOCKS, f"{fates}")
        check(total // 4 <= fates["recorded"] <= (total + 3) // 4, f"one of four: {fates}")
        records = traced(env, ("--layer", "block", "--min-duration", "1000s"), path, "oflag=direct",
                         "conv=notrunc")
        fates = check_identity(records)
        equal("recorded", fates["recorded"], 0)
        check(fates["too_short"] >= BLOCKS, f"{fates}")


def test_slowest(env):
    """tmtrace report --calls tells of them with their place."""
    with ext4(env) as fs:
        data = env.path("data")
        status, _, err = env.trace("record", "-q", "--calls", "--layer", "block", "-o", data, "--",
                                   "dd", "status=none", "if=/dev/zero", f"of={fs.path}/file",
                                   f"bs={BLOCK}", f"count={BLOCKS}", "oflag=direct")
        equal(f"exit status ({err})", status, 0)
        status, out, err = env.trace("report", "--calls=100", data)
        equal(f"exit status of report ({err})", status, 0)
        rows = out[out.index("the slowest calls:"):].splitlines()[2:]
        check(sum(f"{fs.disk}, sector " in row for row in rows) >= BLOCKS, out)
