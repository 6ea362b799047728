# SPDX-License-Identifier: GPL-2.0-only
"""Every figure of one recording is the same in report, page, database, trace and metrics."""

import collections
import decimal
import os
import signal

from agreement import (METRICS, check_accounts, check_jobs, check_metrics, check_page_sums, check_views, layer_sums,
                       seconds)
from figures import grouped, groups_of, of_type
from harness import ENTRY_ONLY, check, equal, need, read_text, sum_truths, wait_for
from metrics_endpoint import Endpoint
from openmetrics import Exposition
from report_tables import check_processes, check_tables, check_tree
from test_cgroup import joining, mount_v2, new_cgroup
from test_export import check_rows, check_sums, export, records_of, wanted_of
from test_export_perfetto import check_trace
from test_export_perfetto import export as export_trace
from test_page import Page, check_page

SHARES_MACHINE = True

LAYERS = "sample, mstro, mio, m0, vfs, block"
SERIES = ("function", "device", "op", "by_size", "association", "addb_state", "addb_value")


def bucket_of(ns, buckets):
    return next((tuple(b) for b in buckets if b[0] <= ns <= b[1]), None)


def check_durations(what, durations, figures):
    """Single calls, or operations, are those of which the sums are: count, total, extremes, histogram."""
    equal(f"how many of {what}", len(durations), figures.count)
    equal(f"time of {what}", sum(durations), figures.total_ns)
    equal(f"extremes of {what}", (min(durations), max(durations)), (figures.min_ns, figures.max_ns))
    counts = collections.Counter(bucket_of(ns, figures.buckets) for ns in durations)
    equal(f"histogram of {what}", [(*b[:2], counts[b]) for b in figures.buckets], figures.buckets)


def check_slices(trace, records):
    """Slices of functions all of whose single calls were kept add up to their figures; of how many functions."""
    slices = collections.defaultdict(list)
    for s in trace.slices:
        slices[s.categories[-1], s.categories[0], s.name].append(s)
    probes = groups_of(of_type(records, "probe"), "layer", "function")
    n = 0
    for kind, word, fates in (("function", "call", "calls"), ("op", "operation", "operations"),
                              ("device", "request", "calls")):
        for key, figures in grouped(of_type(records, kind), "layer", "function").items():
            kept = sum(p[fates]["recorded"] for p in probes[key] if p[fates])
            equal(f"slices of {word} {'.'.join(key)}", len(slices[word, *key]), kept)
            given_up = figures.abandoned + figures.forgotten + figures.killed if kind == "op" else 0
            if kept != figures.count + given_up:
                continue
            of = slices[word, *key]
            name = f"{word} {'.'.join(key)}"
            if kind == "device":
                equal(f"time before {name}", sum(s.args["queue_ns"] for s in of), figures.queue_ns)
                equal(f"time of {name}", sum(s.args["service_ns"] for s in of), figures.total_ns)
            elif kind == "op":
                complete = [s for s in of if s.args["fate"] == "complete"]
                check_durations(name, [s.end_ns - s.start_ns for s in complete], figures)
                equal(f"late polls of {name}", sum(s.args.get("late_poll_ns") or 0 for s in of), figures.late_poll_ns)
                equal(f"lost of {name}", len(of) - len(complete), given_up)
            else:
                check_durations(name, [s.end_ns - s.start_ns for s in of], figures)
            if figures.bytes is not None:
                equal(f"bytes of {name}", sum(s.args.get("bytes") or 0 for s in of), figures.bytes)
            n += 1
    return n


def check_forms(env, *recordings):
    """Tables, page, database and trace of recordings say what their records do: (records, what was compared)."""
    records = records_of(env, "report", "--json", "-", *recordings)
    text, tree = (env.trace("report", *options, *recordings)[1] for options in ((), ("--tree",)))
    n = {"rows of tables": check_tables(text, records), "records of jobs": check_jobs(records)}
    n["processes"] = check_processes(text, records)
    check_tree(tree, records)
    page = Page(env, *recordings)
    check_page(env, page, *recordings)
    check_page_sums(page, records)
    db = export(env, "db", *recordings)
    for number, recording in enumerate(recordings, 1):
        check_rows(db, wanted_of(env, recording), number, recording)
    check_sums(env, db, *recordings)
    n["functions"] = check_views(db, records)
    if len(recordings) == 1:
        trace = export_trace(env, "trace", *recordings)
        check_trace(env, trace, *recordings)
        n["functions with all slices"] = check_slices(trace, records)
    return records, n


def remark(n):
    return ", ".join(f"{number} {what}" for what, number in n.items())


def record(env, name, *load_args):
    """A recording of several processes, which are told apart, with ADDB2, objects and all single calls."""
    words = '"$@" --truth "$0/truth"; cat "$0/truth" /etc/passwd "$0" >/dev/null; ' \
            'dd if=/dev/zero of="$0/direct" bs=64k count=8 oflag=direct conv=fsync status=none; true'
    status, _, err = env.trace(
        "record", "-q", "--calls", "--addb", "--objects", "--processes", "--probes", env.sample, "--layer",
        "sample,addb,mstro,mio,m0,vfs,block", "-o", env.path(name), "--", "sh", "-c", words, env.dir, env.load,
        *load_args)
    equal(f"exit status, {err}", status, 0)
    return env.path(name)


def test_processes(env):
    """Of one recording of all that there is, in which processes are told apart."""
    recording = record(env, "data", "all", "--count", "1")
    records, n = check_forms(env, recording)
    check(n["functions with all slices"] > 10, f"{n}")
    events = records_of(env, "dump", recording)
    calls = of_type(events, "call")
    if len(calls) == sum(r["timed"] for r in of_type(records, "function", "device")):
        n["records of processes"] = check_accounts(of_type(events, "process"), calls, records)
    env.remark = remark(n)


def test_nodes(env):
    """Of two recordings together, whose figures are added up."""
    _, n = check_forms(env, record(env, "one", "story"), record(env, "two", "story"))
    env.remark = remark(n)


def plain(record):
    """A record without what is of the moment at which it was written."""
    return {k: v for k, v in record.items() if k not in ("time", "time_ns", "interval", "final")}


def series_of(records, cgroup, *kinds):
    return [plain(r) for r in of_type(records, *(kinds or SERIES)) if r["cgroup"] == cgroup]


# Room for all functions of the job, of which it may have a quarter; and for few of them.
MANY_SAMPLES, FEW_SAMPLES = 20000, 3000


def quiet(endpoint, cgroups):
    """The jobs' records and all metrics, of a time at which nothing was counted of the jobs."""
    def both():
        before = endpoint.service.records("--all").all
        exposition = endpoint.scrape()
        after = endpoint.service.records("--all").all
        series = [series_of(after, cgroup) for cgroup in cgroups]
        moved = series != [series_of(before, cgroup) for cgroup in cgroups]
        return not moved and not sum(r["in_flight"] for of in series for r in of) and (after, exposition)
    return wait_for(both, "quiet jobs")


def check_same(what, cgroup, found, wanted, kinds=(*SERIES, "job")):
    """A cgroup's records of these types are the same, member by member."""
    found, wanted = series_of(found, cgroup, *kinds), series_of(wanted, cgroup, *kinds)
    equal(f"records {what}", len(found), len(wanted))
    for one, other in zip(found, wanted):
        name = f"{other['type']} {other.get('layer')}.{other.get('function')} {what}"
        for member in {**one, **other}:
            equal(f"{member} of {name}", one.get(member), other.get(member))


def check_usage(exposition, records, cgroup):
    """CPU time and memory of a job."""
    job, = of_type(records, "job")
    for name, value in (("cpu_seconds_total", job["cpu_ns"] and seconds(job["cpu_ns"])),
                        ("memory_peak_bytes", job["memory_peak_bytes"])):
        equal(name, [s.value for s in exposition.samples(f"tmtrace_job_{name}", job=cgroup)],
              [] if value is None else [value])


def check_files(env, job, records):
    """What files for other programs say of a job and its layers."""
    wanted = layer_sums(records)

    def said():
        exposition = Exposition(read_text(env.path("node.prom")).encode(), False)
        found = collections.defaultdict(dict)
        for name in ("calls", "errors", "bytes", "seconds", "read_bytes", "written_bytes"):
            for s in exposition.samples(f"tmtrace_job_{name}_total", job=job):
                found[s.labels["layer"]][name] = s.value
        return found

    wait_for(lambda: {layer: of["calls"] for layer, of in said().items()} ==
             {layer: of["calls"] for layer, of in wanted.items()}, "the file for Prometheus")
    equal("the file for Prometheus", dict(said()), wanted)
    pairs = collections.defaultdict(dict)
    for line in wait_for(lambda: read_text(env.path("pairs")), "the pairs").splitlines():
        name, value = line.rsplit(" ", 1)
        if name.startswith("tmtrace.job_") and f"{{{job}," in name:
            pairs[name.rsplit(",", 1)[1][:-1]][name[len("tmtrace.job_"):name.index("{")]] = decimal.Decimal(value)
    equal("pairs", dict(pairs), wanted)


def check_folded(endpoint, job, records):
    """Where a job has less room, its metrics add up what has none of its own; how many those are."""
    endpoint.service.write(layers=LAYERS, more=endpoint.more(FEW_SAMPLES))
    endpoint.service.process.send_signal(signal.SIGHUP)
    endpoint.service.told("READY=1")
    exposition = endpoint.scrape()
    told = {(kind, s.labels["layer"], s.labels.get("device"), s.labels.get("function", s.labels.get("operation")))
            for kind, name in (("function", "calls"), ("op", "operations"), ("device", "device_requests"))
            for s in exposition.samples(f"tmtrace_{name}_total", job=job)}
    folded = [r if (r["type"], r["layer"], r.get("device"), r["function"]) in told else
              {**r, "function": "other", "device": "other", "bytes": r["bytes"] or 0}
              for r in of_type(records, *METRICS)]
    n = check_metrics(exposition, folded, job)
    check(any(r["function"] == "other" for r in folded), f"all {n} have metrics of their own")
    return n


def run_jobs(env):
    """A job with all single calls, and one that was in no histogram for a while: (endpoint, their cgroups)."""
    scope = new_cgroup(env, mount_v2(), "agree")
    folders = [os.path.join(scope, name) for name in ("job", "brief")]
    for folder in folders:
        os.mkdir(folder)
        env.cleanup(lambda path=folder: os.path.exists(path) and os.rmdir(path))
    load = env.waiting_load("--count", "1", "all", prefix=joining(folders[0]))
    endpoint = Endpoint(env, layers=LAYERS, scope=scope, max_samples=MANY_SAMPLES)
    service = endpoint.service
    for level in ("summary", "calls"):
        service.command("set", level)
        equal("cat", env.run(*joining(folders[1]), "cat", "/etc/passwd", env.sample)[0], 0)
    load.go()
    load.finish()
    equal("dd", env.run(*joining(folders[0]), "dd", "if=/dev/zero", f"of={env.path('direct')}", "bs=64k", "count=8",
                        "oflag=direct", "conv=fsync", "status=none")[0], 0)
    equal("sync", env.run("sync", "-f", env.dir)[0], 0)
    for folder in folders:
        os.rmdir(folder)
    cgroups = [f"/{os.path.basename(scope)}/{os.path.basename(folder)}" for folder in folders]
    wait_for(lambda: {r["cgroup"] for r in service.records("--all").of("job") if r["end_ns"]} >= set(cgroups),
             "the jobs' ends")
    return endpoint, cgroups


def check_answers(env, service, cgroup, records):
    """What it answers of one job: records, a recording, tables."""
    check_same("of one job", cgroup, service.records("--job", cgroup).all, records)
    kept = env.path(os.path.basename(cgroup))
    service.command("report", "--job", cgroup, "-o", kept)
    check_same("in its recording", cgroup, records_of(env, "report", "--json", "-", kept), records)
    check_tables(service.command("report", "--job", cgroup), records)


def test_service(env):
    """Of the service: its metrics, its answers, its files, and what its history shows in all forms."""
    endpoint, cgroups = run_jobs(env)
    live, exposition = quiet(endpoint, cgroups)
    n = collections.Counter()
    for cgroup in cgroups:
        own = [r for r in live if r.get("cgroup") == cgroup]
        n["metrics"] += check_metrics(exposition, own, cgroup)
        check_jobs(own)
        check_usage(exposition, own, cgroup)
        check_files(env, cgroup, own)
        check_answers(env, endpoint.service, cgroup, own)
    check(any(r["timed"] > sum(b[2] for b in r["buckets"] or ()) for r in own if r["type"] == "function"),
          "nothing was counted at the level summary")
    n["metrics of the rest"] = check_folded(endpoint, cgroups[0], [r for r in live if r.get("cgroup") == cgroups[0]])
    endpoint.stop()
    records, more = check_forms(env, env.path("history.data"))
    for cgroup in cgroups:
        check_same("in the history", cgroup, records, live)
    check(more["functions with all slices"] > 10, f"{more}")
    env.remark = remark({**more, **n})


def test_untimed(env):
    """Calls that are counted, not timed, are beside those that are timed in the same series: none is missing."""
    need("objcopy")
    scope = new_cgroup(env, mount_v2(), "untimed")
    stack, note = env.private_stack(), env.path("note")
    with open(note, "wb") as f:
        f.write(bytes(16))
    # Of a file with this section no call is timed.
    equal("objcopy", env.run("objcopy", "--add-section", f".note.go.buildid={note}",
                             os.path.join(stack, "libsample.so.1"))[0], 0)
    loads = [env.waiting_load("--count", "1", "all", name=os.path.basename(where), load=os.path.join(where, "load"),
                              prefix=joining(scope)) for where in (env.stack, stack + "/")]
    endpoint = Endpoint(env, layers="sample, vfs", scope=scope)
    endpoint.service.command("set", "calls")
    for load in loads:
        load.go()
    true = sum_truths(*[load.finish() for load in loads])
    cgroup = f"/{os.path.basename(scope)}"
    live, exposition = quiet(endpoint, [cgroup])
    calls = {f["function"]: f["returns"] for f in true["functions"] if f["layer"] == "sample" and f["returns"]}
    own = [r for r in live if r.get("cgroup") == cgroup]
    found = {r["function"]: r for r in of_type(own, "function") if r["layer"] == "sample"}
    equal("calls", {name: r["count"] for name, r in found.items()}, calls)
    timed = [name for name in calls if ("sample", name) not in ENTRY_ONLY]
    equal("timed", {name: found[name]["timed"] for name in timed}, {name: calls[name] // 2 for name in timed})
    check_metrics(exposition, own, cgroup)
    endpoint.stop()
    records, n = check_forms(env, env.path("history.data"))
    # The cgroup is still there, and its CPU time is that of the last look.
    check_same("in the history", cgroup, records, own, SERIES)
    env.remark = remark(n)
