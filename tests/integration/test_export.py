# SPDX-License-Identifier: GPL-2.0-only
"""tmtrace export --sqlite: every record is a row, and sums by SQL are the report's; and what holds for every file
that is made of recordings."""

import collections
import json
import os
import shutil
import sqlite3

from harness import Failure, Skip, check, equal, read_text
from test_bad_input import refused

SHARES_MACHINE = True

RUN, USAGE = 1, 2

# In run alone, or the same as something else; docs/sql.md.
LEFT_OUT = ("v", "type", "time", "hostname", "epoch")
# Records that are of moments: in a report are those of the whole run, and the slowest.
EVENTS = ("call", "operation", "addb", "process")

# Names that want to be anything but names: of a process, of files.
COMM = "a\"b'c\\d\x01"
HOSTILE = ("a'; DROP TABLE call; --", 'quo"ted', "new\nline", "\x7f\x1b[2Jesc", b"\xff\xfe\xc3".decode(
    "utf-8", "surrogateescape"), "<script>alert(1)</script>", "x" * 200)


def export(env, name, *recordings):
    """A database of recordings, which python's own SQLite reads."""
    path = env.path(name)
    status, out, err = env.trace("export", "--sqlite", path, *recordings)
    equal("export", (status, out, err), (0, "", ""))
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    env.cleanup(db.close)
    equal("integrity", [tuple(r) for r in db.execute("PRAGMA integrity_check")], [("ok",)])
    return db


def records_of(env, *args):
    status, out, err = env.trace(*args)
    equal(f"{args[0]}, {err}", status, 0)
    # Not splitlines(): a name may have other ends of lines in it.
    return [json.loads(line) for line in out.split("\n") if line]


def tables_of(db):
    """The columns of each table, with their types."""
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {n: {c["name"]: c["type"] for c in db.execute(f'PRAGMA table_info("{n}")')}
            for n in names}


def row_of(record, columns, number, file):
    """The row that a record must be."""
    row = dict.fromkeys(columns)
    others = {}
    for name, value in record.items():
        if name in row:
            row[name] = value
        elif name not in LEFT_OUT:
            others[name] = value
    row.update(run=number, other=others or None)
    if "file" in row:
        row["file"] = file
    return row


def value_of(value, kind):
    """A column's value, as a record has it."""
    if value is None:
        return None
    return {"JSON": json.loads, "BOOLEAN": bool}.get(kind, lambda v: v)(value)


def check_rows(db, wanted, number, file):
    """The rows of a run are these records, all of them, field by field."""
    tables = tables_of(db)
    by_type = collections.defaultdict(list)
    for record in wanted:
        by_type[record["type"]].append(record)
    equal("types without a table", set(by_type) - set(tables), set())
    for table, columns in tables.items():
        rows = [{n: value_of(r[n], kind) for n, kind in columns.items()} for r in
                db.execute(f'SELECT * FROM "{table}" WHERE run = ? ORDER BY rowid', (number,))]
        equal(f"rows of {table}", len(rows), len(by_type[table]))
        for row, record in zip(rows, by_type[table]):
            wanted_row = row_of(record, columns, number, file)
            if row != wanted_row:
                name = next(n for n in columns if row[n] != wanted_row[n])
                equal(f"{table}.{name} of {record}", row[name], wanted_row[name])
            if table != "process" and row["other"] is not None:
                raise Failure(f"{table} has no column of {row}")
    return by_type


def wanted_of(env, recording):
    """The records of a recording that are to be in the database."""
    report = [r for r in records_of(env, "report", "--json", "-", recording)
              if r["type"] not in EVENTS]
    events = [r for r in records_of(env, "dump", recording) if r["type"] in (*EVENTS, "addb_count")]
    return events + [r for r in report if r["type"] != "run" or r["final"]]


def check_sums(env, db, *recordings):
    """What views add up is what the report has added up."""
    report = records_of(env, "report", "--json", "-", *recordings)
    counted = [r for r in report if r["type"] in ("function", "device")]
    wanted = collections.defaultdict(lambda: [0, 0, 0, 0])
    for r in counted:
        time = "self_ns" if r["layer"] not in ("vfs", "block") else "total_ns"
        for i, name in enumerate(("count", "errors", "bytes", time)):
            wanted[r["jobid"], r["cgroup"], r["layer"]][i] += r[name] or 0
    found = {(r["jobid"], r["cgroup"], r["layer"]):
             [r["count"], r["errors"], r["bytes"] or 0, r["time_ns"] or 0]
             for r in db.execute("SELECT * FROM totals")}
    equal("totals", found, dict(wanted))
    check(len(found) > 0, "there are no totals")
    for job in (r for r in report if r["type"] == "job"):
        for layer, sums in job["layers"].items():
            row = found.get((job["jobid"], job["cgroup"], layer))
            if row:
                equal(f"{layer} of a job", (row[0], row[3]), (sums["count"], sums["time_ns"]))
    buckets = db.execute("SELECT sum(count), kind FROM latencies GROUP BY kind").fetchall()
    wanted = {k: sum(b[2] for r in report if r["type"] == k for b in r["buckets"] or ())
              for k in ("function", "device", "op")}
    equal("histograms", {r["kind"]: r[0] for r in buckets}, {k: n for k, n in wanted.items() if n})
    return report


def check_percentiles(db, report):
    """Of functions with one series, those of the record."""
    series = collections.defaultdict(list)
    for r in report:
        if r["type"] in ("function", "device", "op") and r["buckets"]:
            series[r["type"], r["layer"], r["function"]].append(r)
    checked = 0
    for row in db.execute("SELECT * FROM percentiles"):
        one, *more = series[row["kind"], row["layer"], row["function"]]
        for name in ("p50_ns", "p90_ns", "p99_ns", "p999_ns") if not more else ():
            equal(f"{name} of {one['function']}", row[name], one[name])
            checked += 1
    check(checked >= 4, f"{checked} percentiles were compared")


# What a value of a record must be where Elasticsearch is told this type.
FITS = {"long": int, "short": int, "double": (int, float), "keyword": str, "boolean": bool,
        "date_nanos": str, "flattened": dict}
# And which types it is told where the database has this one.
TYPES = {"INTEGER": ("long", "short"), "REAL": ("double",), "TEXT": ("keyword",), "BOOLEAN": ("boolean",),
         "JSON": ("flattened", "object", "keyword", "long", None)}


def misfit(name, value, mapping):
    """Which part of a value cannot be indexed; None: all can."""
    if value is None or mapping.get("enabled") is False:
        return None
    if isinstance(value, list):
        return next(filter(None, (misfit(name, v, mapping) for v in value)), None)
    if "properties" not in mapping:
        fits = FITS[mapping["type"]]
        right = isinstance(value, fits) and (fits is bool or not isinstance(value, bool))
        return None if right else f"{name}, {value!r}, is no {mapping['type']}"
    if not isinstance(value, dict) or set(value) - set(mapping["properties"]):
        return f"{name} has a part without a type, {value!r}"
    parts = ((f"{name}.{n}", v, mapping["properties"][n]) for n, v in value.items())
    return next(filter(None, (misfit(*part) for part in parts)), None)


def mappings(env):
    with open(os.path.join(env.source, "docs/examples/elasticsearch.json"), encoding="utf-8") as f:
        return {name: t["template"]["mappings"] for name, t in json.load(f).items()}


def check_mapped(env, records, db):
    """Elasticsearch is told a type for every member of these records, and of the database's tables."""
    known = mappings(env)
    with open(os.path.join(env.source, "docs/records.md"), encoding="utf-8") as f:
        row = next(line for line in f if line.startswith("| `type` |"))
    named = {f"tmtrace-{name.replace('_', '-')}" for name in row.split("`")[3::2]}
    equal("types of records", set(known), named)
    for record in records:
        mapping = known[f"tmtrace-{record['type'].replace('_', '-')}"]
        members = mapping["properties"]
        for name, value in record.items():
            if name not in members and not mapping["dynamic"]:
                raise Failure(f"{name} of {record} has no type")
            wrong = misfit(name, value, members.get(name, {"type": "keyword"}))
            if wrong:
                raise Failure(f"{wrong}, in {record}")
    for table, columns in tables_of(db).items() if db else ():
        members = known[f"tmtrace-{table.replace('_', '-')}"]["properties"]
        for name, kind in columns.items():
            if name not in ("run", "file", "other"):
                check(members[name].get("type") in TYPES[kind],
                      f"{table}.{name} is {kind}, and {members[name]}")


def record_load(env, name, *load_args, options=()):
    """A recording of a load."""
    recording = env.path(name)
    status, _, err = env.trace("record", "-q", "--calls", "-o", recording, *options, "--",
                               env.load, *load_args, "--truth", env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    return recording


def check_singles(db, by_type):
    """Views of single calls, which know those that they were made in."""
    slowest = [r[0] for r in db.execute("SELECT duration_ns FROM slowest_calls LIMIT 9")]
    wanted = sorted((r["duration_ns"] for r in by_type["call"]), reverse=True)[:9]
    equal("slowest", slowest, wanted)
    parents = db.execute("SELECT count(*) FROM call c JOIN call p ON p.run = c.run AND "
                         "p.id = c.parent_id").fetchone()[0]
    ids = {r["id"] for r in by_type["call"]}
    equal("calls with their parent", parents, sum(r["parent_id"] in ids for r in by_type["call"]))


def check_recording(env, name, recording, kinds):
    """All of a recording; of these types it must have something."""
    db = export(env, name, recording)
    by_type = check_rows(db, wanted_of(env, recording), 1, recording)
    for kind in kinds:
        check(by_type[kind], f"no {kind} was recorded")
    check_percentiles(db, check_sums(env, db, recording))
    check_singles(db, by_type)
    check_mapped(env, records_of(env, "dump", recording) +
                 records_of(env, "report", "--json", "-", recording, recording), db)
    bins = db.execute("SELECT layer, sum(count) AS count FROM bins GROUP BY layer").fetchall()
    wanted = collections.Counter()
    for r in by_type["timeline"]:
        wanted[r["layer"]] += sum(r["count"])
    equal("bins", {r["layer"]: r["count"] for r in bins}, dict(wanted))
    return by_type


def test_records(env):
    """A load that does everything: each record is a row, and sums agree."""
    recording = record_load(env, "data", "all", options=(
        "--probes", env.sample, "--sample", "10", "-g", "--objects", "--processes", "--env-vars",
        "HOME"))
    kinds = ("run", "function", "op", "by_size", "job", "object", "call", "operation", "timeline",
             "pool", "process", "probe")
    by_type = check_recording(env, "all.db", recording, kinds)
    check(all("HOME" in r for r in by_type["process"]), "a process without its variable")
    env.remark = f"{sum(map(len, by_type.values()))} records"


def test_addb(env):
    """Records of ADDB2, and what stories tell, which Elasticsearch gets too."""
    recording = record_load(env, "data", "story", options=("--addb",))
    check_recording(env, "addb.db", recording, ("addb", "addb_count", "addb_state", "operation"))
    check_mapped(env, records_of(env, "story", "--json", "-", recording), None)


def record_names(env, name, names=HOSTILE):
    """A recording of a process with a hostile name that reads files with hostile names."""
    folder = env.path("names")
    program = os.path.join(folder, COMM)
    files = [os.path.join(os.fsencode(folder), os.fsencode(n.replace("/", "_"))) for n in names]
    if not os.path.exists(folder):
        os.mkdir(folder)
        os.symlink(shutil.which("cat"), program)
        for file in files:
            with open(file, "wb") as f:
                f.write(b"x" * 100)
    recording = env.path(name)
    status, _, err = env.trace("record", "-q", "--calls", "--objects", "--processes", "--layer",
                               "vfs", "-o", recording, "--", program, *files * 5)
    equal(f"exit status, {err}", status, 0)
    return recording


def test_several(env):
    """Two recordings, of hostile names: rows of both, sums over both."""
    recordings = [record_names(env, name) for name in ("one", "two'; --")]
    db = export(env, "it's.db", *recordings)
    for number, recording in enumerate(recordings, 1):
        by_type = check_rows(db, wanted_of(env, recording), number, recording)
        names = {os.path.basename(r["name"] or "") for r in by_type["object"]}
        for name in HOSTILE:
            clean = os.fsencode(name.replace("/", "_")).decode("utf-8", "replace")
            check(clean in names, f"{clean!r} is not among {names}")
        equal("process", {r["comm"] for r in by_type["process"]}, {COMM})
    check_sums(env, db, *recordings)


def leftovers(folder, *known):
    return sorted(set(os.listdir(folder)) - set(known))


# What makes a file of a recording, and how it begins.
MADE = ((("export", "--sqlite"), b"SQLite format 3"), (("export", "--perfetto"), None),
        (("report", "--html"), b"<!doctype html>"))


def check_refused(env, recording, folder, command, begin):
    os.mkdir(folder)
    there = os.path.join(folder, "there")
    with open(there, "w", encoding="ascii") as f:
        f.write("precious")
    os.symlink(there, os.path.join(folder, "link"))
    missing = os.path.join(folder, "new")
    cases = (("--force", there, recording), ("no plain file", os.path.join(folder, "link"), recording),
             ("no plain file", "/dev/full", recording), ("no plain file", folder, recording),
             ("recording itself", recording, recording),
             ("No such file", os.path.join(folder, "no", "new"), recording),
             ("No such file", missing, env.path("missing")),
             ("not a recording|cut|short|damaged", missing, there))
    for reason, path, data in cases:
        refused(env, RUN, reason, *command, path, data)
    refused(env, RUN, "no plain file", command[0], "--force", command[1], "/dev/full", recording)
    refused(env, RUN, "recording itself", command[0], "--force", command[1], recording, recording)
    equal("left behind", leftovers(folder, "there", "link"), [])
    equal("the file that was there", read_text(there), "precious")
    status, out, err = env.trace(command[0], "--force", *command[1:], there, recording)
    equal("with --force", (status, out, err), (0, "", ""))
    equal("left behind", leftovers(folder, "there", "link"), [])
    with open(there, "rb") as f:
        check(begin is None or f.read(len(begin)) == begin, f"{command} has not made what it makes")


def test_refused(env):
    """What cannot be written or read is told in one line, and nothing is left behind."""
    recording = record_names(env, "data")
    for i, (command, begin) in enumerate(MADE):
        check_refused(env, recording, env.path(f"out{i}"), command, begin)
    refused(env, USAGE, "--sqlite", "export", recording)
    refused(env, USAGE, "--html", "report", "--force", recording)
    refused(env, USAGE, "--html", "report", "--html", env.path("a"), "--json", "-", recording)
    for option in ("--tree", "--timeline", "--histogram", "--files", "--sort=max"):
        refused(env, USAGE, "--html", "report", "--html", env.path("a"), option, recording)


def test_full_disk(env):
    """A disk that is full is named, and left as it was."""
    recording = record_names(env, "data")
    disk = env.path("disk")
    os.mkdir(disk)
    if env.run("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", disk)[0]:
        raise Skip("mounting a tmpfs is not permitted")
    env.cleanup(env.run, "umount", disk)
    for command, _ in MADE:
        refused(env, RUN, "No space left", *command, os.path.join(disk, "a"), recording)
        equal("left behind", leftovers(disk), [])


def test_owner(env):
    """Under sudo the file is made with the rights of who called it, and is theirs."""
    recording = record_names(env, "data")
    os.chmod(recording, 0o600)
    os.chown(recording, 65534, 65534)
    os.chmod(env.dir, 0o777)
    os.mkdir(env.path("private"), 0o700)
    nobody = ("env", "SUDO_UID=65534", "SUDO_GID=65534", "SUDO_USER=nobody")
    for command, _ in MADE:
        path = env.path(command[1])
        status, out, err = env.run(*nobody, env.tmtrace, *command, path, recording)
        equal(" ".join(command), (status, out, err), (0, "", ""))
        equal(f"owner of {path}", (os.stat(path).st_uid, os.stat(path).st_gid), (65534, 65534))
        equal(f"mode of {path}", os.stat(path).st_mode & 0o777, 0o600)
        refused(env, RUN, "Permission denied", *command, env.path("private/a"), recording, prefix=nobody)
    equal("left behind", os.listdir(env.path("private")), [])


def test_cut(env):
    """A recording that was cut off gives what it has."""
    recording = record_names(env, "data")
    with open(recording, "rb") as f:
        whole = f.read()
    for share in (0.3, 0.7):
        cut = env.path(f"cut{share}")
        with open(cut, "wb") as f:
            f.write(whole[:int(len(whole) * share)])
        status, _, _ = env.trace("report", "--json", "/dev/null", cut)
        if status == 0:
            check_rows(export(env, f"{share}.db", cut), wanted_of(env, cut), 1, cut)
        else:
            refused(env, RUN, "cut|nothing|damaged", "export", "--sqlite", env.path("no.db"), cut)
