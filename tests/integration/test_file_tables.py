# SPDX-License-Identifier: GPL-2.0-only
"""What report says of files: tables, records, dump and the truth are the same figures."""

import json
import os
import sys

from harness import Records, check, equal, need
from table_text import (bytes_text, count_text, exact_bytes_text, share_text, table_after,
                        time_text)
from test_objects import CREATE, EDGES, LOAD, check_sums, truth_of

SHARES_MACHINE = True

ALL = 100000  # lines, as many as there are


def record(env, data, *command):
    status, _, err = env.trace("record", "--layer", "vfs", "-o", data, "--", *command)
    equal("exit status", (status, "recorded into" in err), (0, True))


def report(env, *args):
    status, out, err = env.trace("report", *args)
    equal(f"report {' '.join(args)}: exit status and messages", (status, err), (0, ""))
    return out


def report_records(env, *args):
    report(env, *args, "--json", env.path("records.json"))
    return Records(env.path("records.json"))


def patterns(env):
    """Sequential, strided, random, appended and mixed accesses, to a file each."""
    names = ("sequential", "strided", "random", "appended", "mixed")
    a, b, c, d, e = (env.path(name) for name in names)
    shuffled = [i * 37 % 64 for i in range(64)]
    return [
        [a, "open", CREATE], *([a, "write", 65536] for _ in range(64)), [a, "seek", 0],
        *([a, "read", 47008] for _ in range(50)), [a, "close"],
        [b, "open", CREATE], *([b, "pwrite", 512, i * 8192] for i in range(40)), [b, "close"],
        [c, "open", CREATE], *([c, "pwrite", 4096, i * 4096] for i in shuffled),
        *([c, "pread", 100, i * 4096] for i in shuffled), [c, "close"],
        [d, "open", CREATE | os.O_APPEND], *([d, "write", 60 + i % 9] for i in range(90)),
        [d, "close"],
        [e, "open", CREATE], *(step for i in range(30) for step in
                               ([e, "pwrite", 2000, i * 2000], [e, "pread", 1000, i * 2000])),
        [e, "close"]]


def record_patterns(env, data):
    """Records the load: the truth by path."""
    script, results = patterns(env), env.path("results.json")
    for name, text in (("script.json", json.dumps(script)), ("load.py", LOAD)):
        with open(env.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    for name in {step[0] for step in script}:
        if os.path.exists(name):
            os.unlink(name)
    record(env, data, sys.executable, env.path("load.py"), env.path("script.json"), results)
    with open(results, encoding="utf-8") as f:
        return truth_of(script, json.load(f))


def accesses_of(objects, kind):
    return [o[kind] for o in objects if o[kind]]


def total(objects, kind, field):
    return sum(access[field] or 0 for access in accesses_of(objects, kind))


def sized(objects, kind):
    return total(objects, kind, "count") - total(objects, kind, "unsized")


def opens(objects):
    return sum(o["others_by"].get(f, 0) for o in objects for f in ("open", "create"))


def line_of(objects):
    """The cells that the sum of these records has in the table of files."""
    kinds = ("read", "write")
    reads, writes = (total(objects, kind, "count") for kind in kinds)
    sequential = sum(total(objects, kind, "sequential") for kind in kinds)
    copied = sum(o["others_bytes"] for o in objects)
    return {
        "ops": count_text(sum(o["count"] for o in objects)),
        "err": count_text(sum(o["errors"] for o in objects)),
        "opens": count_text(opens(objects)),
        "reads": count_text(reads), "writes": count_text(writes),
        "read": bytes_text(total(objects, "read", "bytes")) if reads else "",
        "written": bytes_text(total(objects, "write", "bytes")) if writes else "",
        "copied": bytes_text(copied) if copied else "",
        "time": time_text(sum(o["total_ns"] for o in objects)),
        "seq%": share_text(sequential, sum(sized(objects, kind) for kind in kinds)),
    }


def check_line(name, row, objects, with_order=True):
    """A column that no row has anything in is left out."""
    cells = dict(row)
    for column, wanted in line_of(objects).items():
        if column != "seq%" or with_order:
            equal(f"{name}: {column}", cells.get(column, ""), wanted)


def by_name(records):
    files = {}
    for o in records.of("object", what="file"):
        files.setdefault(o["name"] or o["id"], []).append(o)
    return files


def check_files(out, records, lines):
    """The table of files, with so many lines of its own: each figure, and that nothing is missing."""
    title, rows = table_after(out, "files: ")
    files = by_name(records)
    rest = records.of("object", what="file")
    equal("number of files", title, f"files: {len(files)}")
    singles = [row for row in rows if not row[0][1].startswith("(")]
    equal("lines of files", len(singles), min(lines, len(files)))
    for row in singles:
        objects = files.pop(row[0][1])
        check_line(row[0][1], row, objects)
        processes = dict(row).get("procs", "1")
        equal(f"processes of {row[0][1]}", int(processes), sum(o["processes"] for o in objects))
        rest = [o for o in rest if o not in objects]
    others = {row[0][1]: row for row in rows if row not in singles}
    if rest:
        name = f"({len(files)} other{'s' if len(files) > 1 else ''})"
        check_line(name, others.pop(name), rest, with_order=False)
    paths = records.of("object", what="paths")
    check_line("by path", others.pop("(by path alone)"), paths, with_order=False)
    equal("further lines", others, {})
    operations = sum(int(dict(row)["ops"].replace(",", "")) for row in rows)
    check(f"vfs: {operations:,} file operations" in out, f"{operations} operations in the lines of "
          f"files, but:\n{out}")


def wanted_labels(objects):
    """The table of accesses in full: its lines by their labels, (reads, writes)."""
    lines = {}

    def add(label, direction, count):
        if count:
            lines.setdefault(label, [0, 0])[direction] = count

    for direction, kind in enumerate(("read", "write")):
        sizes, common = {}, {}
        for access in accesses_of(objects, kind):
            for _, upper, count in access["sizes"]:
                sizes[upper] = sizes.get(upper, 0) + count
            for size, count in access["common_sizes"]:
                common[size] = common.get(size, 0) + count
        for upper, count in sizes.items():
            label = f"to {exact_bytes_text(upper)}" if upper else "more"
            add("0 " + label if upper == EDGES[0] else label, direction, count)
        for field in ("sequential", "consecutive"):
            add(field, direction, total(objects, kind, field))
        add("failed, or no size", direction, total(objects, kind, "unsized"))
        lines.setdefault("common", [{}, {}])[direction] = common
    return lines


def check_accesses(out, records):
    objects = records.of("object", what="file")
    title, rows = table_after(out, "accesses: ")
    switches = sum(o["switches"] for o in objects)
    counts = [total(objects, kind, "count") for kind in ("read", "write")]
    equal("title", title, f"accesses: {counts[0]:,} reads, {counts[1]:,} writes, {switches:,} "
          "switches between them")
    wanted = wanted_labels(objects)
    common = wanted.pop("common")
    all_sized = [sized(objects, kind) for kind in ("read", "write")]
    found, exact = {}, {}
    for row in rows:
        label = row[0][1]
        cells = [int(row[i][1].replace(",", "").rstrip("+") or 0) for i in (1, 3)]
        (exact if label.startswith("exactly ") else found)[label] = cells
        if not label.startswith("failed"):
            equal(f"shares of {label}", [row[2][1], row[4][1]],
                  [share_text(cell, of) for cell, of in zip(cells, all_sized)])
    equal("lines of accesses", found, wanted)
    for i in (0, 1):
        of_size = {f"exactly {exact_bytes_text(size)}": n for size, n in common[i].items()}
        equal("frequent sizes", {k: v[i] for k, v in exact.items()},
              {label: of_size.get(label, 0) for label in exact})
        fourth = sorted(of_size.values())[-4:][0]
        missing = [k for k, n in of_size.items() if n > fourth and k not in exact]
        equal("frequent sizes that are missing", missing, [])
    check_slowest(out, objects)


def check_slowest(out, objects):
    lines = out[out.index("\nslowest"):].split("\n\n")[0].splitlines()[2:]
    for kind, line in zip(("read", "write"), lines):
        slowest, name = max(((o[kind]["slowest"], o["name"]) for o in objects
                             if o[kind] and o[kind]["slowest"]),
                            key=lambda pair: pair[0]["duration_ns"])
        for text in (kind, time_text(slowest["duration_ns"]), exact_bytes_text(slowest["bytes"]),
                     f" {slowest['offset']} ", f".{slowest['start_ns'] % 10**9 // 1000:06} "):
            check(text in line, f"{text} of the slowest {kind} is not in: {line}")
        check(line.endswith(name), f"{name} is not at the end of: {line}")


def check_truth(records, truths):
    """The records are what the load did."""
    for path, truth in truths.items():
        found = records.of("object", name=path)
        equal(f"records of {path}", len(found), 1)
        equal(f"switches of {path}", found[0]["switches"], truth["switches"])
        for kind in ("read", "write"):
            if truth[kind].sizes:
                wanted = truth[kind].expected()
                equal(f"{kind}s of {path}", {k: found[0][kind][k] for k in wanted}, wanted)


def test_agree(env):
    """Tables in full and in part, records of report, of dump and of the load."""
    data = env.path("data")
    truths = record_patterns(env, data)
    records = report_records(env, data)
    check_truth(records, truths)
    check_sums(records)
    for lines in (ALL, 10, 1):
        out = report(env, data, f"--files={lines}")
        check_files(out, records, lines)
        check_accesses(out, records)
    check_files(report(env, data), records, 5)
    status, dumped, _ = env.trace("dump", data)
    equal("dump", status, 0)
    found = [json.loads(line) for line in dumped.splitlines()]
    equal("records of dump", [r for r in found if r["type"] == "object"], records.of("object"))


def check_short_line(cells, objects, kind):
    common = {}
    for access in accesses_of(objects, kind):
        for size, count in access["common_sizes"]:
            common[size] = common.get(size, 0) + count
    size, times = max(common.items(), key=lambda pair: (pair[1], pair[0]))
    slowest = max(a["slowest"]["duration_ns"] for a in accesses_of(objects, kind) if a["slowest"])
    wanted = {"bytes": bytes_text(total(objects, kind, "bytes")),
              "sequential": share_text(total(objects, kind, "sequential"), sized(objects, kind)),
              "consecutive": share_text(total(objects, kind, "consecutive"), sized(objects, kind)),
              "size": exact_bytes_text(size), "slowest": time_text(slowest)}
    equal(f"{kind}s in short", {k: cells[k] for k in wanted}, wanted)
    equal("times of the most frequent size", cells["times"].rstrip("+"), count_text(times))


def test_short(env):
    """Without the option, a line each for reads and writes."""
    data = env.path("data")
    record_patterns(env, data)
    objects = report_records(env, data).of("object", what="file")
    _, rows = table_after(report(env, data), "accesses: ", groups=True)
    equal("lines", [row[0][1] for row in rows], ["reads", "writes"])
    for row, kind in zip(rows, ("read", "write")):
        check_short_line(dict(row), objects, kind)
    check("\nslowest " not in report(env, data), "the slowest ones are shown in short")
    out = report(env, data, "--files=0")
    check("files:" not in out and "accesses:" not in out, f"--files=0:\n{out}")


def test_nodes(env):
    """Of several recordings, a file is one, with the sums."""
    paths = [env.path(name) for name in ("first", "second")]
    for path in paths:
        record_patterns(env, path)
    apart = [report_records(env, path) for path in paths]
    together = report_records(env, *paths)
    check_sums(together)
    every = [o for records in apart for o in records.of("object")]
    names = {o["name"] for o in every}
    equal("names", sorted(o["name"] for o in together.of("object", what="file")),
          sorted(names - {None}))
    for o in together.of("object"):
        parts = [p for p in every if (p["what"], p["name"]) == (o["what"], o["name"])]
        for field in ("count", "bytes", "total_ns", "errors", "switches", "others"):
            equal(f"{field} of {o['name']}", o[field], sum(p[field] for p in parts))
        for kind in ("read", "write"):
            if not o[kind]:
                continue
            for field in ("count", "bytes", "total_ns", "sequential", "consecutive"):
                equal(f"{kind} {field} of {o['name']}", o[kind][field] or 0,
                      total(parts, kind, field))
            slowest = max((a["slowest"] for a in accesses_of(parts, kind)),
                          key=lambda s: s["duration_ns"] if s else 0)
            equal(f"the slowest {kind} of {o['name']}", o[kind]["slowest"], slowest)
    out = report(env, *paths, f"--files={ALL}")
    check_files(out, together, ALL)
    check_accesses(out, together)


def test_filter(env):
    """Files are shown by what they are known by; else they are not."""
    data = env.path("data")
    path = env.path("log")
    append = f"(echo a >&3; echo b >&3) 3>>{path}"
    record(env, data, "sh", "-c", f"{append} & {append} & wait")
    records = report_records(env, data)
    check_files(report(env, data, "--filter", "layer=vfs", f"--files={ALL}"), records, ALL)
    check("files:" not in report(env, data, "--filter", "function=write"),
          "files are shown with a filter by function")
    pids = [o["pid"] for o in records.of("object", name=path) if o["write"]]
    equal("processes", len(set(pids)), 2)
    out = report(env, data, "--filter", f"pid={pids[0]}", f"--files={ALL}")
    row, = [row for row in table_after(out, "files: ")[1] if row[0][1] == path]
    check_line(path, row, records.of("object", name=path, pid=pids[0]))
    check("path alone" not in out, "of which process an operation on a path is, is not known")


def test_fio(env):
    """fio's own report against the line of its file."""
    need("fio")
    for pattern in ("read", "write", "randread", "randrw"):
        path, said = env.path(pattern), env.path("fio.json")
        with open(path, "wb") as f:
            f.write(b"x" * (1 << 20))
        record(env, env.path("data"), "fio", "--name=x", f"--filename={path}", "--ioengine=psync",
               f"--rw={pattern}", "--bs=16k", "--size=1m", "--thread", "--allow_file_create=0",
               "--invalidate=0", "--output-format=json", "--output", said)
        with open(said, encoding="utf-8") as f:
            job = json.load(f)["jobs"][0]
        row, = [row for row in table_after(report(env, env.path("data"), f"--files={ALL}"),
                                           "files: ")[1] if row[0][1] == path]
        cells = dict(row)
        for kind, number, size in (("read", "reads", "read"), ("write", "writes", "written")):
            fio = job[kind]
            equal(f"{pattern}: {number}", cells.get(number, ""), count_text(fio["total_ios"]))
            equal(f"{pattern}: {size}", cells.get(size, ""),
                  bytes_text(fio["io_bytes"]) if fio["io_bytes"] else "")
        if pattern in ("read", "write"):
            equal(f"{pattern}: sequential", cells["seq%"], share_text(63, 64))
        else:
            check(int(cells["seq%"] or 0) < 80, f"{pattern} is sequential: {cells}")


def test_bad_option(env):
    """What has no tables has none of files; a number that is none is refused."""
    for args, said in ((("--files=x",), "--files"), (("--files", "--json", "-"), "--json"),
                       (("--files", "--tree"), "--tree"), (("--files=-1",), "--files")):
        status, _, err = env.trace("report", *args, "-i", env.path("none"))
        equal(f"exit status of {args}", status, 2)
        check(said in err, f"not said: {err}")
