# SPDX-License-Identifier: GPL-2.0-only
"""What each form of one recording says, held against the sums of its records."""

import collections
import decimal

from figures import QUANTILES, Figures, grouped, groups_of, of_type
from harness import check, equal
from metrics_endpoint import EDGES_NS, edge_of

CALLS = ("function", "device")
COUNTED = (*CALLS, "op")
# What tells series apart, but for their processes.
IDENTITY = ("cgroup", "cgroup_id", "layer", "function", "where", "fs_type", "mount", "device", "writeback", "metadata")
# What a name stands for in a view of the database, where it has not the same.
VIEWED = {"time_ns": "own_ns", "mean_ns": "average_ns"}


def whose(record):
    return record["cgroup"], record["cgroup_id"]


def check_jobs(records):
    """Records of jobs are the sums of what was counted; and so are timelines."""
    counted = of_type(records, *CALLS)
    n = 0
    for job in of_type(records, "job"):
        of = [r for r in counted if whose(r) == whose(job)]
        layers = {layer: f for (layer,), f in grouped(of, "layer").items()}
        equal(f"layers of {job['cgroup']}", set(job["layers"]), set(layers))
        for layer, figures in layers.items():
            found = dict(job["layers"][layer])
            equal(f"{layer} of {job['cgroup']}", found, {
                "count": figures.count, "errors": figures.errors, "in_flight": figures.in_flight,
                "bytes": figures.bytes if figures.is_sized else None, "time_ns": figures.own_ns or 0})
        for name, layer, function in (("vfs_read_bytes", "vfs", "read"), ("vfs_write_bytes", "vfs", "write"),
                                      ("storage_read_bytes", "block", "read"),
                                      ("storage_write_bytes", "block", "write")):
            equal(name, job[name], sum(r["bytes"] or 0 for r in of if (r["layer"], r["function"]) == (layer, function)))
        n += 1
    for line in of_type(records, "timeline"):
        of = Figures([r for r in counted if whose(r) == whose(line) and r["layer"] == line["layer"]])
        for name in ("count", "errors", "bytes"):
            equal(f"{name} of {line['layer']} over the time", sum(line[name]), getattr(of, name) or 0)
        equal(f"time of {line['layer']} over the time", sum(line["sum_ns"]), of.own_ns or 0)
    return n


def outermost(calls):
    """{(pid, layer): durations} of single calls that are in none of the same layer, nor is one around them lost."""
    by_id = {call["id"]: call for call in calls}
    found = collections.defaultdict(list)
    for call in calls:
        around = by_id.get(call["parent_id"])
        while around and around["layer"] != call["layer"]:
            around = by_id.get(around["parent_id"])
        if not around:
            found[call["pid"], call["layer"]].append(call["duration_ns"])
    return found


def check_accounts(accounts, calls, records):
    """Records of processes that ended are the sums of what was counted of them; of how many."""
    counted, single = groups_of(of_type(records, *CALLS), "pid", "layer"), outermost(calls)
    untimed = {r["layer"] for r in of_type(records, "function") if r["timed"] != r["count"]}
    for account in accounts:
        pid, name = account["pid"], f"process {account['pid']}, {account['comm']}"
        files, device = counted[str(pid), "vfs"], counted[str(pid), "block"]
        total = {key: sum(r[key] or 0 for r in files) for key in ("count", "errors", "total_ns")}
        equal(f"operations of {name}", (account["posixio_count"], account["vfs_errors"]),
              (total["count"], total["errors"]))
        equal(f"time of {name}", account["posixio_time"], float(f"{total['total_ns'] / 1e9:.6f}"))
        for function in ("read", "write"):
            of = [r for r in files if r["function"] == function]
            equal(f"{function}s of {name}", (account[f"posix_{function}_count"], account[f"vfs_{function}_bytes"]),
                  (sum(r["count"] for r in of), sum(r["bytes"] for r in of)))
            # What comes back later is not among what it knew of when it ended.
            moved = sum(r["bytes"] for r in device if r["function"] == function)
            check(account[f"storage_{function}_bytes"] <= moved, f"storage of {name}: more than {moved} bytes")
        for layer, sums in account["layers"].items():
            if layer not in untimed:
                of = single[pid, layer]
                equal(f"{layer} of {name}", (sums["count"], sums["total_ns"]), (len(of), sum(of)))
    return len(accounts)


def check_views(db, records):
    """Views of the database add up to the same as the records."""
    counted = of_type(records, *COUNTED)
    wanted = grouped(counted, "type", "layer", "function")
    rows = {(r["kind"], r["layer"], r["function"]): r for r in db.execute("SELECT * FROM functions")}
    equal("functions", set(rows), set(wanted))
    for key, row in rows.items():
        for name in ("count", "errors", "bytes", "total_ns", "time_ns", "mean_ns", "min_ns", "max_ns"):
            equal(f"{name} of {key}", row[name], getattr(wanted[key], VIEWED.get(name, name)))
    rows = {(r["kind"], r["layer"], r["function"]): r for r in db.execute("SELECT * FROM percentiles")}
    equal("functions with percentiles", set(rows), {key for key, f in wanted.items() if f.buckets})
    for key, row in rows.items():
        equal(f"histogram of {key}", row["count"], wanted[key].bucketed)
        for name, _ in QUANTILES:
            equal(f"{name} of {key}", row[name], getattr(wanted[key], name))
    for view, member, unit in (("latencies", "buckets", "ns"), ("sizes", "sizes", "bytes")):
        found = collections.defaultdict(list)
        for row in db.execute(f"SELECT kind, layer, function, lower_{unit}, upper_{unit}, sum(count) FROM {view} "
                              f"GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4"):
            found[tuple(row)[:3]].append(tuple(row)[3:])
        equal(view, dict(found), {k: getattr(f, member) for k, f in wanted.items() if getattr(f, member)})
    totals = grouped(of_type(records, *CALLS), "jobid", "cgroup", "layer")
    for row in db.execute("SELECT * FROM totals"):
        figures = totals.pop(tuple(str(row[name]) for name in ("jobid", "cgroup", "layer")))
        for name in ("count", "errors", "bytes", "time_ns", "min_ns", "max_ns", "in_flight"):
            equal(f"{name} of {row['layer']}", row[name], getattr(figures, VIEWED.get(name, name)))
    equal("layers without a total", totals, {})
    files = collections.defaultdict(collections.Counter)
    for r in of_type(records, "object"):
        files[r["layer"]].update({name: r[name] for name in ("count", "bytes", "total_ns", "others")})
        for side in ("read", "write"):
            files[r["layer"]].update({f"{side} {name}": n for name, n in (r[side] or {}).items()
                                      if name in ("count", "bytes")})
    for row in db.execute("SELECT layer, sum(count), sum(bytes), sum(total_ns), sum(others), sum(reads), "
                          "sum(read_bytes), sum(writes), sum(write_bytes) FROM files GROUP BY 1"):
        of = files[row["layer"]]
        equal(f"files of {row['layer']}", [n or 0 for n in tuple(row)[1:]], [of[name] for name in (
            "count", "bytes", "total_ns", "others", "read count", "read bytes", "write count", "write bytes")])
    return len(wanted)


def check_page_sums(page, records):
    """Sums of layers and functions in the page have the percentiles and extremes of all that is in them."""
    counted = of_type(records, *CALLS)
    names = ("count", "errors", "retries", "in_flight", "total_ns", "min_ns", "max_ns", *(q for q, _ in QUANTILES))
    for layer in page.data["layers"]:
        figures = Figures([r for r in counted if r["layer"] == layer["layer"]])
        for name in names:
            equal(f"{name} of {layer['layer']}", layer[name], getattr(figures, name))
        for name in ("vfs_ns", "net_ns", "wait_ns", "syscall_ns", "block_ns", "iowait_ns", "queue_ns"):
            if name in layer and getattr(figures, name) is not None:
                equal(f"{name} of {layer['layer']}", layer[name], getattr(figures, name))
    for rows, kind in (("functions", "function"), ("files", "function"), ("devices", "device"), ("ops", "op")):
        groups = grouped(of_type(records, kind), *IDENTITY)
        for row in page.rows(rows):
            named = {**row, **dict(zip(("cgroup", "cgroup_id"), page.job(row)))}
            key = tuple(str(named.get(name)) for name in IDENTITY)
            for name in names:
                equal(f"{name} of {key}", row[name], getattr(groups[key], name))


def edges_of(figures):
    """How many of a histogram are at or below each edge that metrics have."""
    counts = [0] * (len(EDGES_NS) + 1)
    for _, upper, n in figures.buckets:
        counts[edge_of(upper)] += n
    return [sum(counts[:i + 1]) for i in range(len(counts))]


def seconds(ns):
    return decimal.Decimal(ns) / 10 ** 9


def histogram_of(name, labels, figures):
    uppers = [*(decimal.Decimal(edge) / 10 ** 9 for edge in EDGES_NS), decimal.Decimal("Infinity")]
    for upper, n in zip(uppers, edges_of(figures)):
        yield name + "_bucket", {**labels, "le": upper}, n
    yield name + "_count", labels, figures.bucketed
    yield name + "_sum", labels, seconds(figures.total_ns)


# Names of metrics of a kind of records: {name: the member}; sizes and times where they were measured; the metric
# of the parts of the time, its label and the parts; the histogram.
Metrics = collections.namedtuple("Metrics", "counters sizes times parts label named latency")
METRICS = {
    "function": Metrics(
        {"calls_total": "count", "errors_total": "errors", "retries_total": "retries", "in_flight": "in_flight"},
        {"bytes_total": "bytes"}, {"seconds_total": "own_ns"}, "inside_seconds_total", "kind",
        ("vfs", "net", "wait", "syscall", "block", "iowait"), "latency_seconds"),
    "op": Metrics(
        {"operations_total": "count", "operation_errors_total": "errors", "operations_in_flight": "in_flight"},
        {"operation_bytes_total": "bytes"}, {}, "operation_part_seconds_total", "part",
        ("submit", "wait", "late_poll"), "operation_latency_seconds"),
    "device": Metrics(
        {"device_requests_total": "count", "device_errors_total": "errors", "device_requests_in_flight": "in_flight"},
        {"device_bytes_total": "bytes"},
        {"device_seconds_total": "total_ns", "device_queue_seconds_total": "queue_ns"}, None, None, (),
        "device_latency_seconds"),
}


def metrics_of(kind, labels, figures):
    """The samples that must be there: (name, labels, value)."""
    of = METRICS[kind]
    for name, member in of.counters.items():
        yield name, labels, getattr(figures, member)
    for name, member in of.sizes.items():
        if getattr(figures, member) is not None:
            yield name, labels, getattr(figures, member)
    if figures.total_ns is None:
        return
    for name, member in of.times.items():
        yield name, labels, seconds(getattr(figures, member))
    for part in of.named:
        ns = getattr(figures, f"{part}_ns")
        if ns is not None:
            yield of.parts, {**labels, of.label: part}, seconds(ns)
    yield from histogram_of(of.latency, labels, figures)


def sample_key(name, labels):
    return name, tuple(sorted((k, str(v) if k != "le" else decimal.Decimal(str(v))) for k, v in labels.items()
                              if k != "since"))


def check_metrics(exposition, records, job):
    """All samples of a job's calls, operations and requests are what its records say; how many there are."""
    wanted, names = {}, set()
    for kind in METRICS:
        members = ("layer", "device", "function") if kind == "device" else ("layer", "function")
        for key, figures in grouped(of_type(records, kind), *members).items():
            labels = {"job": job, **dict(zip(members, key))}
            if kind == "device":
                labels["operation"] = labels.pop("function")
            for name, its, value in metrics_of(kind, labels, figures):
                wanted[sample_key("tmtrace_" + name, its)] = value
                names.add("tmtrace_" + name)
    found = {sample_key(s.name, {k: v if v != "+Inf" else "Infinity" for k, v in s.labels.items()}): s.value
             for name in names for s in exposition.samples(name, job=job)}
    equal("metrics without records", sorted(map(str, found.keys() - wanted.keys())), [])
    equal("records without metrics", sorted(map(str, wanted.keys() - found.keys())), [])
    for key, value in wanted.items():
        equal(f"{key}", found[key], value)
    return len(found)


def layer_sums(records):
    """By layer what files for other programs have: {layer: {name: value}}."""
    sums = {}
    for (layer,), f in grouped(of_type(records, *CALLS), "layer").items():
        sums[layer] = {"calls": f.count, "errors": f.errors, "bytes": f.bytes or 0, "seconds": seconds(f.own_ns or 0)}
        if layer in ("vfs", "block"):
            for name, function in (("read_bytes", "read"), ("written_bytes", "write")):
                sums[layer][name] = sum(r["bytes"] for r in f.records if r["function"] == function)
    return sums
