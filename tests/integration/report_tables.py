# SPDX-License-Identifier: GPL-2.0-only
"""The tables of tmtrace report, cell by cell, from the records of the same recording."""

import collections
import re

from figures import Figures, grouped, of_type
from harness import Failure, check, equal
from table_text import bytes_text, count_text, exact_bytes_text, share_text, time_text

Column = collections.namedtuple("Column", "title text left", defaults=(False,))


def number(name):
    return lambda f: f"{getattr(f, name):,}"


def some(name):
    """Nothing where it is 0."""
    return lambda f: count_text(getattr(f, name) or 0)


def time(name):
    """Nothing where it was not measured."""
    return lambda f: "" if getattr(f, name) is None else time_text(getattr(f, name))


def some_time(name):
    return lambda f: time_text(getattr(f, name)) if getattr(f, name) else ""


def word(name):
    return lambda f: f.first[name] or ""


def share(part):
    """Of the time of the calls."""
    return lambda f: share_text(part(f), f.total_ns) if f.total_ns else ""


def size(f):
    return bytes_text(f.bytes) if f.is_sized else ""


def rate(f):
    return bytes_text(int(f.bytes / (f.total_ns / 1e9))) if f.sizes and f.total_ns else ""


def disk_share(f):
    text = share(lambda f: f.block_ns or 0)(f)
    return f"({text})" if text else ""


def size_class(f):
    edges = f.first["size_class"]
    if edges is None:
        return "not known"
    if edges[1] is None:
        return f"above {exact_bytes_text(edges[0] - 1)}"
    return f"up to {exact_bytes_text(edges[1])}"


def average_size(f):
    if not f.sizes:
        return ""
    sized = sum(n for _, _, n in f.sizes)
    return number_of(f.sum // sized) if "sum" in f.first else bytes_text(f.bytes // sized)


def number_of(n):
    return f"{n:,}"


def value_size(f):
    return "" if "sum" in f.first else size(f)


def value_rate(f):
    if "sum" not in f.first:
        return rate(f)
    return bytes_text(int(f.sum / (f.total_ns / 1e9))) if f.sizes and f.total_ns else ""


COUNTS = (Column("open", some("in_flight")), Column("err", some("errors")), Column("again", some("retries")),
          Column("bytes", size))
LATENCY = (Column("avg", time("average_ns")), Column("p99", time("p99_ns")), Column("max", time("max_ns")))
SPREAD = (LATENCY[0], Column("p50", time("p50_ns")), *LATENCY[1:])
TIMES_AND_RATE = (Column("total", time("total_ns")), Column("bytes/s", rate), *SPREAD)

# Of each type of record: what tells rows apart, and the columns.
TABLES = {
    "library": (("function",), (
        Column("function", word("function"), True), Column("calls", number("count")), *COUNTS,
        Column("total", time("total_ns")), Column("self", time("self_ns")),
        Column("code", share(lambda f: f.total_ns - f.syscall_ns)), Column("files", share(lambda f: f.vfs_ns)),
        Column("(disk)", disk_share), Column("net", share(lambda f: f.net_ns)),
        Column("wait", share(lambda f: f.wait_ns)),
        Column("other", share(lambda f: f.syscall_ns - f.vfs_ns - f.net_ns - f.wait_ns)), *LATENCY)),
    "vfs": (("function", "where", "fs_type", "mount"), (
        Column("operation", word("function"), True), Column("fs", word("fs_type"), True),
        Column("mount", word("mount"), True), Column("calls", number("count")), *COUNTS,
        Column("total", time("total_ns")), Column("(disk)", some_time("block_ns")), *LATENCY)),
    "device": (("function", "device", "writeback", "metadata"), (
        Column("device", word("device"), True), Column("operation", word("function"), True),
        Column("requests", number("count")), *COUNTS, Column("queued", time("queue_ns")),
        Column("served", time("total_ns")), *LATENCY,
        Column("of", lambda f: "meta" if f.first["metadata"] else "", True),
        Column("by", lambda f: "writeback" if f.first["writeback"] else "", True))),
    "op": (("function",), (
        Column("launched by", word("function"), True), Column("complete", number("count")),
        Column("open", some("in_flight")), Column("lost", some("lost")), Column("err", some("errors")),
        Column("bytes", size), Column("launching", time("submit_ns")), Column("polling", some_time("wait_ns")),
        Column("late poll", some_time("late_poll_ns")), Column("total", time("total_ns")), *SPREAD)),
    "by_size": (("function", "size_class"), (
        Column("function", word("function"), True), Column("size", size_class, True),
        Column("calls", number("count")), Column("bytes", size), *TIMES_AND_RATE)),
    "association": (("function",), (
        Column("joined by", word("function"), True), Column("left", number("count")),
        Column("open", some("in_flight")), Column("total", time("total_ns")),
        Column("avg", time("average_ns")), Column("max", time("max_ns")))),
    "addb_state": (("name", "fom", "state", "function"), (
        Column("record", word("name"), True), Column("fom", word("fom"), True),
        Column("state", lambda f: f.first["state"] or "begin to end", True),
        Column("told by", word("function"), True), Column("times", number("count")),
        Column("open", some("in_flight")), Column("bytes", size), *TIMES_AND_RATE)),
    "addb_value": (("name", "fom", "field", "function"), (
        Column("record", word("name"), True), Column("fom", word("fom"), True),
        Column("field", word("field"), True), Column("told by", word("function"), True),
        Column("times", number("count")), Column("err", some("errors")), Column("bytes", value_size),
        Column("avg size", average_size), Column("total", time("total_ns")), Column("bytes/s", value_rate), *SPREAD)),
}


def place(columns, header):
    """Where the columns that are shown stand: {title: (begin, end)}."""
    places, at = {}, 0
    for column in columns:
        found = re.compile(rf"(?<!\S){re.escape(column.title)}(?!\S)").search(header, at)
        if found:
            places[column.title] = found.span()
            at = found.end()
    equal(f"titles of {header!r}", sum(len(title.split()) for title in places), len(header.split()))
    return places


def check_row(what, line, columns, places, cells):
    """A line has these cells, each where its column is, and nothing else."""
    equal(what, line.split(), " ".join(cells).split())
    for column, cell in zip(columns, cells):
        if not cell:
            continue
        check(column.title in places, f"{what}: {cell} is in no column {column.title}")
        begin, end = places[column.title]
        shown = line[begin:begin + len(cell)] if column.left else line[max(end - len(cell), 0):end]
        equal(f"{column.title} of {what}", shown, cell)


def check_table(title, lines, columns, rows):
    """The lines of a table are these figures', in whatever order."""
    header = next(i for i, line in enumerate(lines) if line.split()[:1] == columns[0].title.split()[:1])
    places = place(columns, lines[header])
    wanted = collections.defaultdict(list)
    for figures in rows:
        cells = [column.text(figures) for column in columns]
        wanted[" ".join(" ".join(cells).split())].append(cells)
    for line in lines[header + 1:]:
        found = wanted.get(" ".join(line.split()))
        if not found:
            raise Failure(f"{title}: {line!r} is none of {sorted(w for w, cells in wanted.items() if cells)}")
        check_row(f"{title}: {line}", line, columns, places, found.pop())
    equal(f"rows that {title} has not", [w for w, cells in wanted.items() if cells], [])


def count_of(n, what):
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def title_of(kind, layer, figures):
    """The line above a table, which has sums."""
    if kind == "addb_state":
        return f"{layer}: how long state machines were in states"
    if kind == "addb_value":
        return f"{layer}: times and sizes in records"
    what = {"vfs": "file operation", "device": "request", "op": "asynchronous operation",
            "association": "association"}.get(kind, "call")
    text = f"{layer}: {count_of(figures.count, what)}"
    if kind == "by_size":
        text += " by the size of their object"
    return text + (f", {bytes_text(figures.bytes)}" if kind in ("vfs", "device") and figures.is_sized else "")


def kind_of(record):
    if record["type"] != "function":
        return record["type"]
    return "vfs" if record["layer"] == "vfs" else "library"


def paragraphs(text):
    return [part.split("\n") for part in text.strip("\n").split("\n\n")]


def check_tables(text, records):
    """All tables of series of a report, of one job or cgroup after the other, are these records; how many rows."""
    parts = [part for part in paragraphs(text) if not part[0].startswith("== ")]
    n_rows, series = 0, of_type(records, "function", "device", "op", "by_size", "association", "addb_state",
                                "addb_value")
    jobs = collections.OrderedDict()
    for record in series:
        jobs.setdefault((record["cgroup"], kind_of(record), record["layer"]), []).append(record)
    for (cgroup, kind, layer), of in jobs.items():
        keys, columns = TABLES[kind]
        rows = [f for f in grouped(of, *keys).values() if f.count or f.in_flight or kind == "op" and f.lost]
        if not rows:
            continue
        title = title_of(kind, layer, Figures(of))
        found = [part for part in parts if part[0] == title]
        check(found, f"there is no table {title!r} of {cgroup} in:\n{text}")
        parts.remove(found[0])
        check_table(f"{cgroup}, {title}", found[0][1:], columns, rows)
        n_rows += len(rows)
    left = [part[0] for part in parts if re.match(rf"({'|'.join({r['layer'] for r in series})}): [\d,]+ ", part[0])]
    equal("tables that no record is of", left, [])
    return n_rows


def layer_cells(figures, calls_inside):
    """What lines of a layer have: calls, failures, bytes, time, own, p99, max."""
    return [number("count")(figures), some("errors")(figures), size(figures), time("total_ns")(figures),
            time("self_ns")(figures) if calls_inside else "", time("p99_ns")(figures), time("max_ns")(figures)]


def same_lines(what, found, wanted):
    """Counters of lines are equal."""
    equal(what, sorted((found - wanted).elements()), sorted((wanted - found).elements()))


def check_tree(text, records):
    """A line for each layer of each job: calls, failures, bytes, time, own, p99, max."""
    titles = ("calls", "err", "bytes", "time", "own", "p99", "max")
    counted = of_type(records, "function", "device")
    wanted = collections.Counter()
    for (_, layer), figures in grouped(counted, "cgroup", "layer").items():
        cells = layer_cells(figures, layer not in ("vfs", "block"))
        wanted[(layer, *cells)] += 1
    found, places = collections.Counter(), None
    for line in text.split("\n"):
        words = line.split()
        if words[:1] == ["layer"]:
            places = {m[0]: m.end() for m in re.finditer(r"\S+", line)}
        elif not words:
            places = None
        elif places and words[0] in {r["layer"] for r in counted}:
            ends = [places.get(title) for title in titles]
            cells = {end: m[0] for m in CELL.finditer(line) for end in [m.end()]}
            found[(words[0], *(cells.get(end, "") for end in ends))] += 1
    same_lines("the tree", found, wanted)


# A number with its unit, or whatever it is.
CELL = re.compile(r"(?<!\S)\d\S*(?: (?:B|[KMGT]iB|[num]?s)(?!\S))?")


def check_processes(text, records):
    """The table of processes: a line for each and layer, the sums of its records; how many there are."""
    part = [p for p in paragraphs(text) if re.match(r"processes: \d+$", p[0])]
    counted = of_type(records, "function", "device")
    processes = {(r["hostname"], r["pid"]) for r in counted if r["pid"] is not None}
    equal("tables of processes", len(part), int(len(processes) > 1))
    if not part:
        return len(processes)
    equal("processes", part[0][0], f"processes: {len(processes)}")
    found, who = collections.Counter(), None
    layers = "|".join(sorted({r["layer"] for r in counted}))
    for line in part[0][2:]:
        begin, layer, cells = re.fullmatch(rf"(.*?) ({layers})  *(\d.*)", line).groups()
        if begin.strip():
            who = re.match(r"\d+ other processes$|of no process$|\d+", begin.strip())[0]
        found[(who, layer, *CELL.findall(cells))] += 1
    told = {line[0] for line in found}
    rest = f"{sum(str(pid) not in told for _, pid in processes)} other processes"
    rows = collections.defaultdict(list)
    for record in counted:
        pid = str(record["pid"])
        row = ("of no process",) if record["pid"] is None else (pid, record["hostname"]) if pid in told else (rest,)
        rows[row[0], row, record["layer"]].append(record)
    wanted = collections.Counter()
    for (row, _, layer), of in rows.items():
        f = Figures(of)
        cells = (number("count")(f), some("errors")(f), size(f), time("own_ns")(f), time("p99_ns")(f))
        wanted[(row, layer, *filter(None, cells))] += 1
    same_lines("processes", found, wanted)
    return len(processes)
