# SPDX-License-Identifier: GPL-2.0-only
"""tmtrace report --html: the figures are those of the records, and whatever a name is, it is text."""

import base64
import collections
import hashlib
import json
import os
import re

from harness import check, equal
from test_export import COMM, HOSTILE, record_load, record_names, records_of

SHARES_MACHINE = True

BYTES_MOST = 2000000
# Lists of series: the type of their records, and the layers that are among them.
SERIES = {"functions": ("function", lambda layer: layer != "vfs"), "files": ("function", lambda layer: layer == "vfs"),
          "devices": ("device", None), "ops": ("op", None), "by_size": ("by_size", None),
          "associations": ("association", None), "addb_states": ("addb_state", None),
          "addb_values": ("addb_value", None)}
# What a record of several processes has in common with those of each.
WHOSE = ("pid", "rank", "comm", "uid", "workflow", "component", "hostname", "interval")
JOB = ("cgroup", "cgroup_id", "jobid", "step")
COMMON = ("v", "type", "time", "time_ns", "epoch", "scheme", "final")
SUMS = ("count", "errors", "retries", "bytes", "total_ns", "self_ns", "vfs_ns", "net_ns", "wait_ns",
        "syscall_ns", "block_ns", "iowait_ns", "queue_ns", "submit_ns", "wait_ns", "late_poll_ns", "in_flight")
TIMES = ("start_ns", "end_ns", "launch_ns", "complete_ns")
MARKS = ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "min_ns")


class Page:
    """A page that was made, and the figures in it."""

    def __init__(self, env, *args, name="page.html"):
        self.path = env.path(name)
        status, out, err = env.trace("report", "--force", "--html", self.path, *args)
        equal("report --html", (status, out, err), (0, "", ""))
        with open(self.path, "rb") as f:
            self.bytes = f.read()
        self.text = self.bytes.decode("utf-8")
        self.data = json.loads(between(self.text, '<script type="application/json" id="data">', "</script>"))
        self.origin = int(self.data["origin_ns"])

    def rows(self, name):
        return self.data[name]["rows"]

    def job(self, row):
        """What a row's job is called, as records have it."""
        if row["job"] is None:
            return None
        job = self.rows("jobs")[row["job"]]
        return job.get("cgroup"), job.get("cgroup_id")


def is_of(record, job):
    """Is it of that job (None: of any)?"""
    return job in (None, (record["cgroup"], record["cgroup_id"]))


def between(text, begin, end):
    check(text.count(begin) == 1, f"{text.count(begin)} times {begin}")
    return text.split(begin)[1].split(end)[0]


def without(record, *names):
    left_out = {name for group in names for name in group}
    return {name: value for name, value in record.items() if name not in left_out}


def buckets_of(records, name):
    counts = collections.Counter()
    for record in records:
        for lower, upper, n in record[name] or ():
            counts[lower, upper] += n
    return [[*edges, n] for edges, n in sorted(counts.items())]


def identity(record, job):
    names = ("layer", "function", "fs_type", "mount", "where", "device", "writeback", "metadata", "size_class",
             "id", "name", "fom", "state", "field")
    return job, *(str(record.get(name)) for name in names)


def check_row(row, records):
    """A row has what the records of its series say, of one process or of several."""
    name = f"{row['layer']}.{row['function']}"
    if len(records) == 1:
        equal(name, without(row, ("job",)), without(records[0], WHOSE, JOB, COMMON))
        return
    for field in (field for field in SUMS if field in row):
        values = [r[field] for r in records]
        equal(f"{field} of {name}", row[field],
              None if all(v is None for v in values) else sum(v or 0 for v in values))
    for field in ("buckets", "size_buckets"):
        equal(f"{field} of {name}", row[field] or [], buckets_of(records, field))
    if row["max_ns"] is not None:
        equal(f"max_ns of {name}", row["max_ns"], max(r["max_ns"] or 0 for r in records))


def check_series(page, records):
    """All series are there, and what there is no room for is added up."""
    for name, (kind, is_of) in SERIES.items():
        groups = collections.defaultdict(list)
        for record in records:
            if record["type"] == kind and (not is_of or is_of(record["layer"])):
                groups[identity(record, (record["cgroup"], record["cgroup_id"]))].append(record)
        for row in page.rows(name):
            check_row(row, groups.pop(identity(row, page.job(row)), []))
        rest = page.data[name]["rest"] or {"n": 0, "count": 0, "total_ns": 0}
        left = [record for group in groups.values() for record in group]
        equal(f"other {name}", (rest["n"], rest["count"], rest["total_ns"]),
              (len(groups), sum(r["count"] for r in left), sum(r["total_ns"] or 0 for r in left)))
        order = [row["total_ns"] or 0 for row in page.rows(name)]
        equal(f"order of {name}", order, sorted(order, reverse=True))


def check_layers(page, records):
    """Sums of a layer are those of its functions, in all and by job."""
    counted = [r for r in records if r["type"] in ("function", "device")]
    jobs = [(job["layers"], (job.get("cgroup"), job.get("cgroup_id"))) for job in page.rows("jobs")]
    for layers, job in [(page.data["layers"], None), *jobs]:
        for layer in layers:
            of = [r for r in counted if r["layer"] == layer["layer"] and is_of(r, job)]
            time = "self_ns" if layer["layer"] not in ("vfs", "block") else "total_ns"
            for field, name in (("count", "count"), ("errors", "errors"), ("bytes", "bytes"), ("time_ns", time),
                                ("total_ns", "total_ns")):
                equal(f"{field} of {layer['layer']}", layer[field] or 0, sum(r[name] or 0 for r in of))
    for record in (r for r in records if r["type"] == "job"):
        job = next(j for j in page.rows("jobs") if j.get("cgroup_id") == record["cgroup_id"])
        equal("layers of a job", {layer["layer"]: layer["count"] for layer in job["layers"]},
              {name: sums["count"] for name, sums in record["layers"].items()})
        for field in ("cpu_ns", "processes", "vfs_read_bytes", "vfs_write_bytes", "storage_write_bytes"):
            equal(f"{field} of a job", job[field], record[field])


def check_libraries(page):
    """Where the outermost time went is no more than it is."""
    libraries = page.data["libraries"]
    if libraries:
        parts = sum(libraries[name] or 0 for name in ("vfs_ns", "net_ns", "wait_ns"))
        check(parts <= libraries["total_ns"], f"{libraries}")


def half_of(lower):
    """The number of the half octave that a bucket is in."""
    if lower <= 8:
        return 0
    octave = (lower - 1).bit_length() - 4
    return 1 + 2 * octave + (lower > 12 << octave)


def check_heat(row, records):
    """How many calls took how long is, over all bins, what the functions' histograms say."""
    counts, wanted = collections.Counter(), collections.Counter()
    for bin_, count in zip(row["heat"], row["count"]):
        for i, n in enumerate((bin_ or [0])[1:]):
            counts[bin_[0] + i] += n
        check(sum((bin_ or [0])[1:]) <= count, f"{bin_} is more than {count}")
    for record in records:
        for lower, _, n in record["buckets"] or ():
            wanted[half_of(lower)] += n
    equal(f"heat of {row['layer']}", {k: n for k, n in counts.items() if n}, dict(wanted))


def check_timelines(page, records):
    lines = [r for r in records if r["type"] == "timeline"]
    counted = [r for r in records if r["type"] in ("function", "device")]
    check({row["layer"] for row in page.rows("timelines")} == {r["layer"] for r in lines}, "layers over the time")
    for row in page.rows("timelines"):
        job = page.job(row)
        of = [r for r in lines if r["layer"] == row["layer"] and is_of(r, job)]
        for name in ("count", "errors", "bytes", "sum_ns"):
            equal(f"{name} of {row['layer']} over the time", sum(row[name]), sum(sum(r[name]) for r in of))
        if len(of) == 1:
            equal("its bins", without(row, ("heat", "job", "start_ns")),
                  without(of[0], JOB, COMMON, ("hostname", "start_ns")))
            equal("its begin", row["start_ns"] + page.origin, of[0]["start_ns"])
        check_heat(row, [r for r in counted if r["layer"] == row["layer"] and is_of(r, job)])


def single(page, row):
    """A call or operation of the page, as its record has it."""
    back = {**row, **{name: row[name] + page.origin for name in TIMES if row.get(name) is not None}}
    return {**back, **{name: int(back[name]) for name in ("id", "parent_id", "call_id") if back.get(name)}}


def check_singles(page, records, stories):
    dropped = (*COMMON, "timestamp", "wtime", "hostname")
    for name, kind in (("calls", "call"), ("operations", "operation")):
        equal(name, [single(page, row) for row in page.rows(name)],
              [without(r, dropped) for r in records if r["type"] == kind])
    told = {(s["pid"], s["id"]): s for s in stories if s["type"] == "story"}
    for row in page.rows("stories"):
        story = told[row["pid"], int(row["id"])]
        equal("layers of a story", row["layers"], story["layers"])
        for node, wanted in zip(row["nodes"], story["nodes"], strict=True):
            equal("a part of a story", {**node, "start_ns": node["start_ns"] + page.origin},
                  without({**wanted, "id": node["id"]}, ("hostname",)))


def check_chains(page, records):
    """Each of the slowest calls that is in no other one is followed; what is below is within it."""
    kept = [r for r in records if r["type"] == "call"]
    ids = {r["id"] for r in kept}
    outermost = [r for r in kept if r["parent_id"] not in ids][:len(page.rows("chains"))]
    equal("chains", [int(row["id"]) for row in page.rows("chains")], [r["id"] for r in outermost])
    for row, call in zip(page.rows("chains"), outermost):
        root = row["nodes"][row["root"]]
        equal("its root", (root["name"], root["duration_ns"]), (call["function"], call["duration_ns"]))
        for node in row["nodes"][row["root"] + 1:]:
            parent = row["nodes"][node["parent"]]
            check(parent["start_ns"] <= node["start_ns"] <= parent["start_ns"] + parent["duration_ns"],
                  f"{node} is not in {parent}")


def check_processes(page, records):
    counted = [r for r in records if r["type"] in ("function", "device")]
    for row in page.rows("processes"):
        for layer in row["layers"]:
            of = [r for r in counted if r["layer"] == layer["layer"] and
                  (r["pid"] == row["pid"] if row["kind"] == "process" else r["pid"] is None)]
            equal(f"{layer['layer']} of process {row['pid']}", (layer["count"], layer["errors"], layer["bytes"] or 0),
                  (sum(r["count"] for r in of), sum(r["errors"] for r in of), sum(r["bytes"] or 0 for r in of)))


def check_objects(page, records):
    for name, is_file in (("vfs_objects", True), ("library_objects", False)):
        of = [r for r in records if r["type"] == "object" and (r["layer"] == "vfs") == is_file]
        rest = page.data[name]["rest"] or {}
        for field in ("count", "bytes", "total_ns", "errors"):
            equal(f"{field} of {name}", sum(row[field] for row in page.rows(name)) + rest.get(field, 0),
                  sum(r[field] for r in of))
    for row in page.rows("accesses"):
        of = [r[row["direction"]] for r in records if r["type"] == "object" and r["layer"] == "vfs" and
              r[row["direction"]] and is_of(r, page.job(row))]
        for field in ("count", "unsized", "bytes"):
            equal(f"{field} of {row['direction']}s", row[field], sum(r[field] for r in of))


def check_moved(page, records):
    """Histograms of reads and writes; and, as long as nothing is overwritten, when they were."""
    counted = [r for r in records if r["type"] in ("function", "device")]
    for row in page.rows("distributions"):
        job = page.job(row)
        of = [r for r in counted if (r["layer"], r["function"]) == (row["layer"], row["function"]) and
              is_of(r, job)]
        equal("bytes", row["bytes"], sum(r["bytes"] for r in of))
        equal("sizes", row["size_buckets"], buckets_of(of, "size_buckets"))
    if "overwritten" in page.text:
        return
    for what, layer in (("files", "vfs"), ("devices", "block")):
        for word, function in (("read", "read"), ("written", "write")):
            wanted = sum(r["bytes"] for r in counted if (r["layer"], r["function"]) == (layer, function))
            equal(f"{what} {word}", sum(page.data["volumes"][f"{what}_{word}_bytes"]), wanted)


def check_probes(page, records):
    probes = [r for r in records if r["type"] == "probe"]
    for layer in page.data["probes"]:
        of = [r for r in probes if r["layer"] == layer["layer"]]
        for field in ("hits", "recorded", "filtered", "lost", "in_flight", "unsized"):
            equal(f"{field} of {layer['layer']}", layer[field], sum(r[field] for r in of))
        equal(f"probes of {layer['layer']}", layer["n"], len(of))
    equal("losses", sum(row["count"] for row in page.rows("losses")),
          sum(r["count"] for r in records if r["type"] == "loss"))


# A name, not an address.
SVG = '"http://www.w3.org/2000/svg"'


def check_static(page):
    """One script and one style, which the policy has the hashes of, and no address of anything."""
    text = page.text
    check(len(page.bytes) < BYTES_MOST, f"{len(page.bytes)} bytes")
    policy = between(text, '<meta http-equiv="Content-Security-Policy" content="', '"')
    script, style = text.rsplit("<script>", 1)[1].split("</script>")[0], between(text, "<style>", "</style>")
    for kind, content in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        check(f"{kind}-src 'sha256-{digest}'" in policy, f"{kind} is not the one of {policy}")
    check("default-src 'none'" in policy and "require-trusted-types-for 'script'" in policy, policy)
    check(text.index("Content-Security-Policy") < text.index("<title>"), "the policy comes first")
    equal("scripts", len(re.findall("<script", text)), 2)
    # What stands outside of the program's own text is escaped: these are all elements that there are.
    own = text.replace(script, "").replace(style, "")
    elements = set(re.findall(r"<([a-z0-9]+)", own))
    wanted = {"html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "div", "main",
              "section", "pre", "ul", "li", "noscript", "p", "details", "summary", "script"}
    check(elements <= wanted, f"elements {elements - wanted}")
    for wrong in ("http:", "https:", " src=", "url(", "@import", "import(", "fetch(", "XMLHttpRequest", "WebSocket",
                  "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        check(wrong not in script.replace(SVG, "") + style, f"{wrong} is in the page's own text")
    equal("links", set(re.findall(r'href="([^"]*)"', own)), {"#main"})


def check_page(env, page, *recordings):
    """Every figure of the page is one of the records."""
    records = records_of(env, "report", "--json", "-", "--calls", *recordings)
    check_static(page)
    check_series(page, records)
    check_layers(page, records)
    check_libraries(page)
    check_timelines(page, records)
    check_chains(page, records)
    check_processes(page, records)
    check_objects(page, records)
    check_moved(page, records)
    check_probes(page, records)
    last = [r for r in records if r["type"] == "run" and r["final"]][-1]
    for name in ("version", "kernel", "argv", "scope", "layers", "mechanisms", "hit_cost_ns", "probe_share"):
        equal(name, page.data["run"][name], last[name])
    equal("how long it took", page.data["run"]["end_ns"], last["end_ns"] - last["start_ns"])
    equal("unusual", [(r["layer"], r["deviations"]) for r in page.rows("unusual")],
          [(r["layer"], r["deviations"]) for r in records if r["type"] == "unusual"])
    notes = between(page.text, '<ul class="notes">', "</ul>")
    equal("notes", notes.count("<li>"), len(last["notes"]))
    return records


def test_figures(env):
    """Of a load that does everything, every figure is that of the records."""
    recording = record_load(env, "data", "all", options=(
        "--probes", env.sample, "--min-duration", "100us", "-g", "--objects", "--processes"))
    page = Page(env, recording)
    records = check_page(env, page, recording)
    stories = records_of(env, "story", "--slowest", "1000", "--json", "-", recording)
    check_singles(page, records, stories)
    for name in ("functions", "files", "ops", "by_size", "calls", "operations", "stories", "chains", "timelines",
                 "processes", "vfs_objects", "library_objects", "accesses", "distributions", "pools"):
        check(page.rows(name), f"there are no {name}")
    env.remark = f"{len(page.bytes) >> 10} KiB"


def test_addb(env):
    """Records of ADDB2, and operations that are followed to the server."""
    recording = record_load(env, "data", "story", options=("--addb",))
    page = Page(env, recording)
    check_page(env, page, recording)
    kinds = {node["kind"] for row in page.rows("stories") for node in row["nodes"]}
    check({"call", "operation", "step", "rpc", "server"} <= kinds, f"only {kinds}")
    check(page.rows("addb_states"), "there are no states")


def test_nodes(env):
    """Of two nodes, the sums, and both."""
    recordings = [record_load(env, name, "all", options=("--min-duration", "1ms",)) for name in ("a", "b")]
    page = Page(env, *recordings)
    check_page(env, page, *recordings)
    records = records_of(env, "report", "--json", "-", *recordings)
    wanted = {r["layer"]: (r["slowest"], r["slowest_ns"], r["median_ns"]) for r in records if r["type"] == "nodes"}
    equal("nodes", {r["layer"]: (r["slowest"], r["slowest_ns"], r["median_ns"]) for r in page.rows("nodes")}, wanted)
    equal("runs", [r["host"] for r in page.rows("runs")], [r["hostname"] for r in records if r["type"] == "run"][:2])


def test_filtered(env):
    """A filter holds for all of it."""
    recording = record_load(env, "data", "all", options=("--min-duration", "100us"))
    page = Page(env, "--filter", "layer=vfs", "--calls=3", recording)
    check_static(page)
    equal("layers", [layer["layer"] for layer in page.data["layers"]], ["vfs"])
    equal("functions", page.rows("functions"), [])
    check(len(page.rows("calls")) <= 3 and all(row["layer"] == "vfs" for row in page.rows("calls")), "calls")
    records = records_of(env, "report", "--json", "-", "--filter", "layer=vfs", recording)
    equal("operations on files", sum(row["count"] for row in page.rows("files")),
          sum(r["count"] for r in records if r["type"] == "function"))
    equal("devices", sum(page.data["volumes"]["devices_written_bytes"]), 0)


# Besides those that a database is tried with.
NAMES = (*HOSTILE, "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "&lt;b&gt;",
         "\u202egnp.exe", "\u2028line\u2029s", "{{7*7}}${7*7}", "javascript:alert(3)")


def clean(name):
    return os.fsencode(name.replace("/", "_")).decode("utf-8", "replace")


def test_names(env):
    """Names that want to be scripts are text, in the figures as they are."""
    recording = record_names(env, "data", NAMES)
    page = Page(env, recording)
    check_page(env, page, recording)
    names = {os.path.basename(row["name"] or "") for row in page.rows("vfs_objects")}
    for name in NAMES:
        check(clean(name) in names, f"{clean(name)!r} is not among {names}")
    equal("process", {row["comm"] for row in page.rows("calls") if row["comm"]}, {COMM})
    static = page.text.split('<script type="application/json"')[0]
    for wrong in "\u202e\u2028\u2029\x1b\x7f":
        check(wrong not in static, f"{wrong!r} is in the page's text")
