# SPDX-License-Identifier: GPL-2.0-only
"""Recordings: what comes out of the file is what was measured, whatever has happened to it."""

import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

from harness import (PATIENCE, REMOVAL, Records, alone, check, compare_clean, equal, need,
                     read_truth, unseen_calls, wait_for)
from terminal import Terminal

SHARES_MACHINE = True

RUN, USAGE = 1, 2


def records_of(text):
    return [json.loads(line) for line in text.splitlines()]


def without(records, *fields):
    return [{k: v for k, v in r.items() if k not in fields} for r in records]


def read(env, command, *args):
    """What a command that reads recordings prints."""
    status, out, err = env.trace(command, *args)
    equal(f"{command} {' '.join(args)}: exit status and standard error", (status, err), (0, ""))
    return out


def record_load(env, *load_args, options=()):
    """`load` recorded, and its records as they come out of a live run: (Records, truth)."""
    records, truth = env.path("live.json"), env.path("truth.json")
    status, _, err = env.trace("record", "--json", records, "--probes", env.sample, "-o",
                               env.path("data"), *options, "--", env.load, *load_args, "--truth",
                               truth)
    check(status == 0, f"recording load ended with {status}: {err}")
    equal("lines on standard error", len(REMOVAL.sub("", err).splitlines()), 1)
    check("data" in err and "report" in err, f"nothing about the recording: {err}")
    return Records(records), read_truth(truth)


def compare_seen(env, records, truth):
    """As compare_clean(), where the kernel lets every call be seen: 7.2 does not always."""
    missed = unseen_calls(records)
    if missed:
        env.remark = f"not compared with the truth: {missed[0]}"
    else:
        compare_clean(records, truth)


def test_same_as_live(env):
    """report --json writes the records of the live run again; dump ends with them."""
    live, truth = record_load(env, "all", "--count", "40")
    path, again = env.path("data"), env.path("again.json")
    equal("report's standard output", read(env, "report", path, "--json", again), "")
    equal("records of report --json", Records(again).all, live.all)
    dumped = records_of(read(env, "dump", "-i", path))
    equal("the first record of dump", dumped[0], live.all[0])
    final = [r for r in dumped if r["final"]]
    equal("final records of dump", without(final, "interval"), live.all[1:])
    compare_seen(env, Records(again), truth)


def test_history(env):
    """Intervals of dump add up, and are a second long."""
    _, truth = record_load(env, "spin", "--duration", "3.5")
    dumped = records_of(read(env, "dump", env.path("data")))
    times = [r["time_ns"] for r in dumped]
    equal("the order of time", times, sorted(times))
    rows = [r for r in dumped if r.get("function") == "sample_leaf" and r["type"] == "function"]
    check(len(rows) >= 4, f"{len(rows)} records in 3.5 s")
    equal("final ones", [r["final"] for r in rows], [False] * (len(rows) - 1) + [True])
    equal("sum of intervals", sum(r["interval"]["count"] for r in rows), truth["spin_calls"])
    for before, after in zip(rows, rows[1:]):
        equal("an interval begins where the last ended", after["interval"]["start_ns"],
              before["interval"]["end_ns"])


def test_tables(env):
    """-o records beside the tables, and report prints them again."""
    status, _, err = env.trace("--probes", env.sample, "-o", env.path("data"), "--", env.load,
                               "all", "--truth", env.path("truth.json"))
    equal("exit status", status, 0)
    live = err[:err.index("tmtrace: recorded into")]
    out = read(env, "report", env.path("data"))
    check(live in out, f"the live tables:\n{live}\nare not in those of report:\n{out}")
    check(re.match(rf"{env.path('data')}: recorded by \S+ on \S+, Linux ", out),
          f"of which run is this? {out[:300]}")


def test_default_file(env):
    """record writes tmtrace.data, report and dump read it; the one before is kept."""
    equal("exit status", env.trace("record", "--", "true", cwd=env.dir)[0], 0)
    equal("the command's own", env.trace("record", "-q", "--", "sh", "-c", "exit 7",
                                         cwd=env.dir)[::2], (7, ""))
    equal("files", sorted(os.listdir(env.dir)), ["tmtrace.data", "tmtrace.data.old"])
    scopes = []
    for path in ("tmtrace.data.old", "tmtrace.data"):
        out = read(env, "report", "--json", "-", "-i", env.path(path))
        scopes.append(records_of(out)[0]["scope"])
    equal("scopes", scopes, ["command true", "command sh -c exit 7"])
    status, out, _ = env.trace("report", cwd=env.dir)
    check(status == 0 and "exit 7" in out, f"report without a file: {out}")


@alone
def test_killed(env):
    """A SIGKILL of tmtrace loses at most the last second."""
    data = env.path("data")
    process = env.start("record", "-o", data, "--layer", "sample", "--probes", env.sample, "--",
                        env.load, "spin", "--duration", "8", "--truth", env.path("truth.json"))

    def snapshots():
        status, out, _ = env.trace("dump", data)
        return status == 0 and len({r["time_ns"] for r in records_of(out)}) > 3

    wait_for(snapshots, "some seconds of a recording")
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed_ns = time.time_ns()
    out = read(env, "report", data)
    check("has not ended" in out, f"nothing says that it was cut off: {out[:400]}")
    last = records_of(read(env, "dump", data))[-1]
    check(last["type"] == "run" and last["final"], f"the last record: {last}")
    check(killed_ns - last["end_ns"] < 3e9, f"{(killed_ns - last['end_ns']) / 1e9} s are missing")


def test_follow(env):
    """dump --follow goes on until the run ends, and prints what dump prints afterwards."""
    data = env.path("data")
    recorder = env.start("record", "-q", "-o", data, "--layer", "sample", "--probes", env.sample,
                         "--", env.load, "spin", "--duration", "3", "--truth",
                         env.path("truth.json"))
    wait_for(lambda: env.trace("dump", data)[0] == 0, "the recording to begin")
    followed = read(env, "dump", "--follow", data)
    equal("the recorder's exit status", recorder.wait(), 0)
    equal("what was followed", followed, read(env, "dump", data))


IN_NODE = 'echo "$0" > /proc/sys/kernel/hostname && exec "$@"'


def record_node(env, name, seconds):
    """A recording of a "node" that has the sample library work for so long: its path."""
    path = env.path(name)
    status, _, err = env.run("unshare", "--uts", "sh", "-c", IN_NODE, name, env.tmtrace, "record",
                             "-q", "-o", path, "--layer", "sample", "--probes", env.sample, "--",
                             env.load, "spin", "--duration", str(seconds), "--truth",
                             env.path(name + ".json"))
    check(status == 0, f"recording {name} ended with {status}: {err}")
    return path


def rows(text, title):
    """The first words of each row of the table below a title: {the first: the others}."""
    block = text.split(title, 1)[1].split("\n\n", 1)[0]
    return {line.split()[0]: line.split()[1:] for line in block.splitlines() if line.strip()}


def number(text):
    return int(text.replace(",", ""))


def shows(cells, count):
    """Whether a row of a table shows this count: from a million on, three digits of it."""
    if cells[1] == "M":
        return abs(float(cells[0]) * 1e6 - count) <= 5e3 * 10 ** (len(str(count)) - 7)
    return cells[0] == f"{count:,}"


SUMS = ("count", "errors", "bytes", "total_ns", "self_ns", "queue_ns")


def sums(records):
    """What functions and devices have in all, by what they are about."""
    found = collections.defaultdict(collections.Counter)
    for record in records:
        if record["type"] not in ("function", "device"):
            continue
        key = tuple(record.get(name) for name in (
            "cgroup", "layer", "function", "fs_type", "mount", "device", "writeback", "metadata"))
        for name in SUMS:
            found[key][name] += record.get(name) or 0
        for lower, upper, count in record["buckets"]:
            found[key][f"{lower} to {upper}"] += count
    return found


def check_merged(merged, single):
    """The records of several recordings as one, with those of each: {node: records}."""
    equal("what each run was", [r for r in merged if r["type"] == "run" and r["hostname"]],
          [records[-1] for records in single.values()])
    runs = [r for r in merged if r["type"] == "run" and not r["hostname"]]
    equal("runs of all", [(r["final"], r["epoch"], r["argv"]) for r in runs],
          [(False, None, None), (True, None, None)])
    equal("from", runs[1]["start_ns"], min(r[0]["start_ns"] for r in single.values()))
    equal("to", runs[1]["end_ns"], max(r[-1]["end_ns"] for r in single.values()))
    of_each = sums(record for records in single.values() for record in records)
    equal("sums", sums(merged), of_each)
    # Processes of several machines stay apart, with their machine.
    found = [r for r in merged if r["type"] in ("function", "device")]
    apart = sum(r["pid"] is not None for records in single.values() for r in records
                if r["type"] in ("function", "device"))
    equal("records of processes", sum(r["pid"] is not None for r in found), apart)
    equal("whose machine is known", sum(r["hostname"] is not None for r in found), apart)
    added = [r for records in single.values() for r in records if r.get("pid") is None]
    equal("other records of one thing", len(found) - apart, len(sums(added)))
    for record in merged:
        equal("numbers that are of one machine", [record.get("cgroup_id"), record.get("where")],
              [None, None])


def check_node(record, out):
    """A nodes record and the lines of the table agree; the node's calls, by its name."""
    equal("the order", [n["time_ns"] for n in record["nodes"]],
          sorted((n["time_ns"] for n in record["nodes"]), reverse=True))
    times = [n["time_ns"] for n in record["nodes"]]
    equal("slowest and fastest", [record[name] for name in (
        "slowest", "slowest_ns", "fastest", "fastest_ns")], [
            record["nodes"][0]["node"], times[0], record["nodes"][-1]["node"], times[-1]])
    equal("median", record["median_ns"], times[2] + (times[1] - times[2]) // 2)
    table = rows(out, f"{record['layer']} by node\n")
    for node in record["nodes"]:
        check(shows(table[node["node"]], node["count"]), f"{table[node['node']]}: {node}")
    check(re.search(rf"^slowest: {record['slowest']} with .*; fastest: {record['fastest']} with",
                    out.split(f"{record['layer']} by node\n")[1], re.M), f"{record}: {out}")
    return {node["hostname"]: node["count"] for node in record["nodes"]}


@alone
def test_nodes(env):
    """Recordings of several nodes add up, and the slowest is named; in tables as in records."""
    need("unshare")
    seconds = {"node1": 0.3, "node2": 0.3, "node3": 1.5, "node4": 0.3}
    paths = [record_node(env, *item) for item in seconds.items()]
    out = read(env, "report", *paths)
    check(re.search(r"^slowest: node3 with .*; median .*; fastest: node[124] with", out, re.M),
          f"the slowest is not named: {out}")
    single = {name: records_of(read(env, "report", "--json", "-", path))
              for name, path in zip(seconds, paths)}
    merged = records_of(read(env, "report", "--json", "-", *paths))
    check_merged(merged, single)
    truths = {name: read_truth(env.path(name + ".json"))["spin_calls"] for name in seconds}
    leaves = sum(r["count"] for r in merged if r.get("function") == "sample_leaf" and
                 r["type"] == "function")
    equal("calls in all", leaves, sum(truths.values()))
    nodes = {r["layer"]: r for r in merged if r["type"] == "nodes"}
    equal("layers of nodes", sorted(nodes), ["sample"])
    of_nodes = check_node(nodes["sample"], out)
    for name, records in single.items():
        equal(f"calls of {name}", of_nodes[name],
              sum(r["count"] for r in records if r["type"] == "function"))
    row = rows(out, "sample: ")["sample_leaf"]
    check(shows(row, leaves), f"sample_leaf in all: {row}, of {leaves} calls")


def column(text, title, n):
    return [line.split()[n] for line in text.split(title, 1)[1].split("\n\n")[0].splitlines()[2:]]


def calls_column(text, title):
    """Not by words: a row may have no file system."""
    heading, *lines = text.split(title, 1)[1].split("\n\n")[0].splitlines()[1:]
    end = heading.index("calls") + len("calls")
    return [number(line[:end].split()[-1]) for line in lines]


def test_sort_and_filter(env):
    """Rows come in the order that is asked for, and only those that are asked for."""
    record_load(env, "all", "--count", "20")
    path = env.path("data")
    calls = calls_column(read(env, "report", path, "--sort", "count", "--filter", "layer=vfs",
                              "--filter", "function=[crs]*"), "vfs: ")
    check(len(calls) > 3, f"{len(calls)} rows")
    equal("sorted by calls", calls, sorted(calls, reverse=True))
    out = read(env, "report", path, "--filter", "layer=mio", "--sort", "name")
    names = column(out.replace("mio: ", "@mio: ", 1), "@mio: ", 0)
    names = [name for name in names if name.startswith("mio_")]
    equal("sorted by name", names, sorted(names))
    check("\nvfs: " not in out and "\nmstro: " not in out, f"other layers: {out}")
    filtered = records_of(read(env, "report", "-i", path, "--json", "-", "--filter",
                               "function=mio_obj_*", "--filter", "function=mio_op_*"))
    found = {r["function"] for r in filtered if r["type"] in ("function", "device")}
    check(found and all(re.match("mio_(obj|op)_", name) for name in found), f"{found}")
    tree = read(env, "report", path, "--tree")
    depths = [re.search(rf"^( *){layer} ", tree, re.M) for layer in ("mstro", "mio", "m0", "vfs")]
    check(all(depths), f"layers are missing in the tree: {tree}")
    depths = [len(match.group(1)) for match in depths]
    equal("nesting", depths, sorted(set(depths)))


def on_terminal(env, *args, **variables):
    """What a terminal gets of a command: its text."""
    main, terminal = os.openpty()
    process = subprocess.Popen([env.tmtrace, *args], stdin=terminal, stdout=terminal,
                               stderr=terminal, env={**os.environ, "TERM": "xterm", **variables})
    os.close(terminal)
    text = b""
    try:
        while chunk := os.read(main, 65536):
            text += chunk
    except OSError:  # EIO: nobody has the terminal any more
        pass
    os.close(main)
    equal("exit status", process.wait(timeout=60 * PATIENCE), 0)
    return text.decode("utf-8", "replace").replace("\r\n", "\n")


def test_terminal(env):
    """On a terminal there are colours and a pager, unless they are not wanted; not in a pipe."""
    record_load(env, "all", "--count", "3")
    args = ("report", env.path("data"))
    plain = read(env, *args)
    check("\x1b" not in plain, "colours in a pipe")
    check("\x1b[1m" in on_terminal(env, *args, PAGER="cat"), "no colours on a terminal")
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        text = on_terminal(env, *args, PAGER="cat", **variables)
        check("\x1b" not in text and "vfs: " in text, f"colours with {variables}")
    paged = on_terminal(env, *args, PAGER="sed s/^/paged:/", NO_COLOR="1")
    lines = [line for line in paged.splitlines() if line]
    check(len(lines) > 20 and all(line.startswith("paged:") for line in lines), f"{lines[:3]}")
    check("paged:" not in on_terminal(env, *args, "--no-pager", PAGER="sed s/^/paged:/"),
          "--no-pager pages")
    for pager in ("no-such-pager", ""):
        text = on_terminal(env, *args, PAGER=pager, NO_COLOR="1")
        check("vfs: " in text, f"nothing with PAGER={pager}")
    on_terminal(env, *args, "--histogram", PAGER="head -n 1")  # it may be left early


def test_pager_interrupted(env):
    """Ctrl-C is the pager's: the shell does not get the terminal back before that ends."""
    record_load(env, "all", "--count", "3")
    pager = "sh -c \"trap '' INT; cat; echo waiting; read line < /dev/tty; echo 'end of it'\""
    terminal = Terminal([env.tmtrace, "report", env.path("data")], PAGER=pager, NO_COLOR="1")
    env.cleanup(terminal.close)
    terminal.wait("^waiting")
    terminal.send("\x03")
    terminal.send("\r")
    terminal.wait("^end of it")
    equal("exit status", terminal.finish()[0], 0)


READER = """
import os, sys, time
size, end = int(sys.argv[1]), time.monotonic() + 4
with open(sys.argv[2], "w+b") as file:
    file.write(bytes(size))
    file.flush()
    while time.monotonic() < end:
        os.pread(file.fileno(), size, 0)
"""


@alone
def test_diff(env):
    """--diff names the layer that is slower, and nothing between a recording and itself."""
    for name, size in (("small", 4096), ("large", 1 << 20)):
        status, _, err = env.trace("record", "-q", "-o", env.path(name), "--layer", "vfs", "--",
                                   sys.executable, "-c", READER, str(size), env.path("file"))
        check(status == 0, f"recording {name} ended with {status}: {err}")
    filters = ("--filter", "function=read")
    out = read(env, "report", "--diff", *filters, env.path("small"), env.path("large"))
    check(re.search(r"^changed: vfs: slower, [\d.]+ x$", out, re.M), f"not slower: {out}")
    check(re.search(r"^ +read .* slower", out, re.M), f"not by read: {out}")
    out = read(env, "report", "--diff", *filters, env.path("large"), env.path("small"))
    check(re.search(r"^changed: vfs: faster, -\d+ %$", out, re.M), f"not faster: {out}")
    out = read(env, "report", "--diff", *filters, env.path("small"), env.path("small"))
    check("changed: " not in out and "no layer has changed" in out, f"from itself: {out}")
    out = read(env, "report", "--diff", "--filter", "function=none", env.path("small"),
               env.path("large"))
    check("nothing to compare" in out and "has changed" not in out, f"of nothing: {out}")
