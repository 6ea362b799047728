# SPDX-License-Identifier: GPL-2.0-only
"""What is counted by file: patterns of access that a load makes and knows."""

import json
import os
import sys

from harness import Records, check, equal, need

SHARES_MACHINE = True

EDGES = [100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30]

# A program that carries out `script`, [[file, operation, arguments...], ...], with the system calls
# that the operations are named after. It writes each call's result to the file of its argument.
LOAD = """
import json, os, sys
script, results, fds = json.load(open(sys.argv[1])), [], {}
for name, operation, *args in script:
    if operation == "open":
        fds[name] = os.open(name, args[0], 0o644)
        results.append(None)
    elif operation == "close":
        os.close(fds.pop(name))
        results.append(None)
    elif operation in ("write", "pwrite"):
        results.append(getattr(os, operation)(fds[name], b"x" * args[0], *args[1:]))
    elif operation in ("read", "pread"):
        results.append(len(getattr(os, operation)(fds[name], *args)))
    elif operation == "readv":
        results.append(os.readv(fds[name], [bytearray(n) for n in args]))
    elif operation == "writev":
        results.append(os.writev(fds[name], [b"x" * n for n in args]))
    elif operation == "seek":
        os.lseek(fds[name], args[0], os.SEEK_SET)
        results.append(None)
json.dump(results, open(sys.argv[2], "w"))
"""

READS, WRITES = ("read", "pread", "readv"), ("write", "pwrite", "writev")


class Truth:
    """What a record has to say of reads or writes, in the order in which they were made."""

    def __init__(self):
        self.sizes, self.offsets = [], []

    def add(self, offset, size):
        self.offsets.append(offset)
        self.sizes.append(size)

    def expected(self):
        ends = [offset + size for offset, size in zip(self.offsets, self.sizes)]
        pairs = list(zip(self.offsets[1:], ends))
        classes = {}
        for size in self.sizes:
            number = sum(size > edge for edge in EDGES)
            lower = EDGES[number - 1] + 1 if number else 0
            upper = EDGES[number] if number < len(EDGES) else None
            classes[number] = [lower, upper, classes.get(number, [0, 0, 0])[2] + 1]
        return {
            "count": len(self.sizes), "unsized": 0, "bytes": sum(self.sizes),
            "consecutive": sum(begin == end for begin, end in pairs),
            "sequential": sum(begin >= end for begin, end in pairs),
            "end_offset": max(ends),
            "sizes": [classes[number] for number in sorted(classes)],
        }

    def common(self):
        return {size: self.sizes.count(size) for size in set(self.sizes)}


def carry_out(env, script, *options):
    """Traces a load that carries out the script: records by path, and what the truth is by path."""
    for name, text in (("script.json", json.dumps(script)), ("load.py", LOAD)):
        with open(env.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    # As a child: python opens a hundred files of its own.
    status, _, err = env.trace("--layer", "vfs", "--objects", "--json", env.path("records.json"),
                               *options, "--", sys.executable, env.path("load.py"),
                               env.path("script.json"), env.path("results.json"))
    equal("exit status and messages", (status, err), (0, ""))
    with open(env.path("results.json"), encoding="utf-8") as f:
        return Records(env.path("records.json")), truth_of(script, json.load(f))


def truth_of(script, results):
    """By path: reads, writes, switches between them."""
    truths, at, appends = {}, {}, {}
    for (name, operation, *args), result in zip(script, results):
        truth = truths.setdefault(name, {"read": Truth(), "write": Truth(), "order": []})
        if operation == "open":
            at[name] = 0
            appends[name] = bool(args[0] & os.O_APPEND)
        elif operation == "seek":
            at[name] = args[0]
        elif operation in READS + WRITES:
            kind = "read" if operation in READS else "write"
            ends = [o + s for o, s in zip(truth["write"].offsets, truth["write"].sizes)]
            placed = operation in ("pread", "pwrite")
            offset = args[1] if placed else at[name]
            if kind == "write" and appends[name]:
                offset = max(ends, default=0)
            truth[kind].add(offset, result)
            truth["order"].append(kind)
            if not placed:
                at[name] = offset + result
    for truth in truths.values():
        order = truth["order"]
        truth["switches"] = sum(a != b for a, b in zip(order, order[1:]))
    return truths


def check_sums(records):
    """The sums over files are those of the functions, exactly."""
    for field in ("count", "bytes", "total_ns", "errors", "retries"):
        equal(f"sum of {field} over files and over functions",
              sum(o[field] for o in records.of("object", layer="vfs")),
              sum(f[field] or 0 for f in records.functions("vfs")))


def check_files(records, truths):
    """The records of the script's files."""
    for path, truth in truths.items():
        found = records.of("object", name=path)
        equal(f"records of {path}", len(found), 1)
        record = found[0]
        equal(f"switches of {path}", record["switches"], truth["switches"])
        for kind in ("read", "write"):
            if not truth[kind].sizes:
                equal(f"{kind}s of {path}", record[kind], None)
                continue
            expected = truth[kind].expected()
            equal(f"{kind}s of {path}", {k: record[kind][k] for k in expected}, expected)
            common = truth[kind].common()
            if len(common) <= 8:
                equal(f"sizes of {kind}s of {path}", dict(record[kind]["common_sizes"]), common)
            slowest = record[kind]["slowest"]
            check((slowest["offset"], slowest["bytes"]) in
                  zip(truth[kind].offsets, truth[kind].sizes), f"the slowest was none: {slowest}")


CREATE = os.O_RDWR | os.O_CREAT


def test_patterns(env):
    """Sequential, strided, backwards, appended, at offsets, in vectors, alternating."""
    a, b, c, d = (env.path(name) for name in "abcd")
    script = [[a, "open", CREATE], *([a, "write", 4096] for _ in range(40)), [a, "seek", 0],
              *([a, "read", 1000] for _ in range(30)), [a, "close"],
              [b, "open", CREATE], *([b, "pwrite", 512, i * 8192] for i in range(20)),
              *([b, "pread", 512, (19 - i) * 8192] for i in range(20)), [b, "close"],
              [c, "open", CREATE | os.O_APPEND], *([c, "write", n] for n in (1, 100, 101, 1025)),
              [c, "pwrite", 7, 3], [c, "seek", 0], [c, "read", 50], [c, "write", 3],
              [c, "read", 5], [c, "close"],
              [d, "open", CREATE], *([d, "writev", 10, 20, n] for n in range(12)),
              [d, "seek", 0], [d, "readv", 100, 100], [d, "write", 2 << 20], [d, "read", 9],
              [d, "close"]]
    records, truths = carry_out(env, script)
    check_files(records, truths)
    check_sums(records)


def test_reopened(env):
    """A file that is opened again is the same; one that replaces it is another one."""
    path = env.path("file")
    script = [step for _ in range(5)
              for step in ([path, "open", CREATE], [path, "write", 10], [path, "close"])]
    records, _ = carry_out(env, script)
    found = records.of("object", name=path)
    equal("records", len(found), 1)
    equal("operations", found[0]["others_by"], {"open": 4, "create": 1, "close": 5})
    equal("writes", (found[0]["write"]["count"], found[0]["write"]["bytes"]), (5, 50))
    check_sums(records)


def trace_objects(env, *command):
    """Traces a command: its records."""
    status, _, err = env.trace("--layer", "vfs", "--objects", "--json", env.path("records.json"),
                               "--", *command)
    equal("exit status", (status, err), (0, ""))
    return Records(env.path("records.json"))


def test_every_way_in(env):
    """Whatever the way into the kernel, files are in the sums: AIO, io_uring, every operation."""
    for subcommand in ("files", "aio", "uring"):
        records = trace_objects(env, env.load, subcommand, "--dir", env.dir, "--count", "20")
        check_sums(records)
        reads = [o["read"]["count"] for o in records.of("object", what="file") if o["read"]]
        equal(f"reads of {subcommand}", sum(reads), records.total("vfs", "read", "count"))


def check_fio(env, engine, pattern, consecutive):
    """fio's own blocks: 64 of 8 KiB, each once."""
    path = env.path(f"{engine}-{pattern}")
    with open(path, "wb") as f:
        f.write(b"x" * (64 << 13))
    records = trace_objects(env, "fio", "--name=x", f"--filename={path}", f"--ioengine={engine}",
                            f"--rw={pattern}", "--bs=8k", "--size=512k", "--iodepth=1",
                            "--thread", "--allow_file_create=0", "--invalidate=0", "--output",
                            env.path("fio"))
    check_sums(records)
    kind = "write" if "write" in pattern else "read"
    found = [o[kind] for o in records.of("object", name=path) if o[kind]]
    equal(f"records of {path}", len(found), 1)
    expected = {"count": 64, "bytes": 64 << 13, "end_offset": 64 << 13,
                "sizes": [[1025, 10240, 64]], "common_sizes": [[8192, 64]]}
    equal(f"{engine} {pattern}", {k: found[0][k] for k in expected}, expected)
    check((found[0]["consecutive"] == 63) == consecutive, f"{engine} {pattern}: {found[0]}")


def test_fio(env):
    """What fio does by AIO, io_uring and plain calls, in order and at random."""
    need("fio")
    for engine in ("sync", "pvsync2", "libaio", "io_uring"):
        for pattern, consecutive in (("read", True), ("write", True), ("randread", False)):
            check_fio(env, engine, pattern, consecutive)


def test_two_processes(env):
    """Processes that append to one file have a record each, with the offsets of their own."""
    path = env.path("log")
    program = f"(for i in $(seq 20); do printf 0123456789 >&3; done) 3>>{path} &"
    records = trace_objects(env, "sh", "-c", f"{program} {program} wait")
    check_sums(records)
    writers = [o for o in records.of("object", name=path) if o["write"]]
    equal("processes", len({o["pid"] for o in writers}), 2)
    equal("writes", sum(o["write"]["count"] for o in writers), 40)
    equal("the largest offset", max(o["write"]["end_offset"] for o in writers), 400)
    for o in writers:
        equal("writes in order", o["write"]["sequential"], o["write"]["count"] - 1)


MANY = """
import os, sys
hot = os.open(sys.argv[1] + "/hot", os.O_CREAT | os.O_WRONLY)
for i in range(int(sys.argv[2])):
    fd = os.open(sys.argv[1] + "/many", os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"x" * 10)
    os.close(fd)
    os.unlink(sys.argv[1] + "/many")
    if i % 10 == 0:
        os.write(hot, b"x" * 1000)
"""


def test_more_than_fit(env):
    """Many times more files than there is room for: what is busy keeps its record, sums stay exact."""
    files, room = 20000, 256
    status, _, err = env.trace("record", "--layer", "vfs", f"--objects={room}", "--json",
                               env.path("records.json"), "-o", env.path("data"), "--",
                               sys.executable, "-c", MANY, env.dir, str(files))
    equal("exit status", status, 0)
    records = Records(env.path("records.json"))
    check_sums(records)
    objects = records.of("object", layer="vfs")
    check(len(objects) <= room, f"{len(objects)} records in a table of {room}")
    hot = records.of("object", name=env.path("hot"))
    equal("writes of the busy file", [o["write"]["count"] for o in hot], [files // 10])
    equal("bytes of the others", sum(o["write"]["bytes"] for o in objects if o["write"]) -
          hot[0]["write"]["bytes"], files * 10)
    others = records.of("object", what="others")
    equal("records of the others", len(others), 1)
    env.remark = f"{others[0]['write']['count']} of {files} are others"
    check(others[0]["write"]["count"] > files // 2, f"only {others[0]} are others")
    again = env.path("again.json")
    equal("report", env.trace("report", env.path("data"), "--json", again)[0], 0)
    equal("records of report --json", Records(again).of("object"), records.of("object"))


def test_bad_option(env):
    """A number that makes no sense is refused, and said why."""
    for text in ("1", "x", "-5", "1000000"):
        status, _, err = env.trace(f"--objects={text}", "--", "true")
        equal("exit status", status, 2)
        check("--objects" in err and "128" in err, f"not said: {err}")


def calls_by_object(calls):
    """(layer, pid, object): how many calls of it there are, with their bytes and time."""
    sums = {}
    for call in calls:
        key = (call["layer"], call["pid"], call["object"])
        row = sums.setdefault(key, [0, 0, 0])
        for i, value in enumerate((1, call["bytes"] or 0, call["duration_ns"])):
            row[i] += value
    return sums


def test_library_objects(env):
    """Objects of libraries have what their single calls add up to, exactly."""
    records, _ = env.trace_load("all", "--count", "10",
                                options=("--objects=8192", "--calls"))
    calls = [call for call in records.of("call") if call["layer"] != "vfs" and
             call["object"] not in (None, "0x0", "0x0:0x0")]
    wanted = calls_by_object(calls)
    found = {(o["layer"], o["pid"], o["name"] or o["id"]):
             [o["count"], o["bytes"], o["total_ns"]] for o in records.of("object", what="object")}
    equal("objects", sorted(found), sorted(wanted))
    for key, row in wanted.items():
        equal(f"count, bytes and time of {key}", found[key], row)
    check(any(o["name"] for o in records.of("object", what="object")), "no object has a name")
    for kind, functions in (("read", ["mio_obj_readv"]),
                            ("write", ["mio_obj_writev", "mio_kvs_pair_put"])):
        equal(f"{kind}s by mio",
              sum(o[kind]["count"] for o in records.of("object", layer="mio") if o[kind]),
              sum(call["function"] in functions for call in calls))
    check_sums(records)
