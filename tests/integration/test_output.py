# SPDX-License-Identifier: GPL-2.0-only
"""What comes out: tables, intervals, records, and outputs that fail."""

import json
import os
import re
import subprocess
import sys
import time

from harness import PATIENCE, Records, alone, check, equal, read_truth, truth_functions

SHARES_MACHINE = True
STANDS_LOAD = True

LAYERS = ("mstro", "mio", "m0", "addb", "sample", "vfs", "block")


def traced_all(env, *options):
    """`load all` under tmtrace with tables: (truth from standard output, standard error)."""
    status, out, err = env.trace("--probes", env.sample, *options, "--", env.load, "all")
    equal("exit status", status, 0)
    try:
        return json.loads(out), err
    except json.JSONDecodeError:
        check(False, f"the command's standard output is not clean: {out[:300]}")


def test_tables(env):
    """On standard error a table for each layer, with its functions; standard output is clean."""
    truth, err = traced_all(env)
    for layer in LAYERS[:-1]:
        check(re.search(rf"^{layer}: [\d,]+ ", err, re.M), f"no table of {layer}: {err}")
    for (layer, function), true in truth_functions(truth).items():
        if layer == "sample":
            check(re.search(rf"^{function}\s+{true['calls']:,}\s", err, re.M),
                  f"{function} with {true['calls']} calls is not in the table: {err}")
    for function in ("fsync", "write", "open"):
        check(re.search(rf"^{function}\s+ext4|^{function}\s+\w+\s+/", err, re.M),
              f"no line for vfs {function}: {err}")


def test_histogram(env):
    """--histogram adds bars."""
    _, plain = traced_all(env)
    _, bars = traced_all(env, "--histogram")
    check(bars.count("\n") > plain.count("\n") + 50, "there are hardly more lines")
    check(re.search(r"[#*█▏▎▍▌▋▊▉]{3}", bars), f"no bars are to be seen: {bars[-500:]}")


def test_layer(env):
    """--layer traces these and no others."""
    path = env.path("o.json")
    equal("exit status", env.trace("--json", path, "--layer", "mio,vfs", "--", env.load, "all",
                                   "--truth", env.path("t.json"))[0], 0)
    records = Records(path)
    equal("layers", {r["layer"] for r in records.of("function")}, {"mio", "vfs"})
    check(not records.of("device"), "block was not asked for")


def test_interval(env):
    """What the intervals say adds up to the totals, and totals only grow."""
    records, truth = env.trace_load("spin", "--duration", "1.2", options=("--interval", "0.25"))
    rows = records.of("function", layer="sample", function="sample_leaf")
    check(len(rows) >= 3, f"{len(rows)} records in 1.2 s at an interval of 0.25 s")
    equal("final ones", [r["final"] for r in rows], [False] * (len(rows) - 1) + [True])
    counts = [r["count"] for r in rows]
    equal("totals only grow", counts, sorted(counts))
    equal("sum of intervals", sum(r["interval"]["count"] for r in rows), counts[-1])
    equal("count", counts[-1], truth["spin_calls"])
    for before, after in zip(rows, rows[1:]):
        equal("an interval begins where the last ended", after["interval"]["start_ns"],
              before["interval"]["end_ns"])


def test_interval_sums(env):
    """The same for bytes and errors, of everything."""
    records, _ = env.trace_load("all", "--count", "40", options=("--interval", "0.05"))
    sums, final = {}, {}
    for r in records.of("function"):
        key = tuple(r.get(k) for k in ("cgroup_id", "layer", "function", "fs_type", "mount",
                                       "where"))
        interval = r.get("interval") or {"count": r["count"], "errors": r["errors"],
                                         "bytes": r["bytes"]}
        total = sums.setdefault(key, [0, 0, 0])
        for i, field in enumerate(("count", "errors", "bytes")):
            total[i] += interval[field] or 0
        final[key] = [r["count"], r["errors"], r["bytes"] or 0]
    for key, total in sums.items():
        equal(f"intervals of {key}", total, final[key])


def test_interval_tables(env):
    _, err = traced_interval_tables(env)
    check(len(re.findall(r"^sample_leaf\s", err, re.M)) >= 2, f"not a table each time: {err}")


def traced_interval_tables(env):
    status, out, err = env.trace("--probes", env.sample, "--layer", "sample", "--interval", "0.3",
                                 "--", env.load, "spin", "--duration", "1")
    equal("exit status", status, 0)
    return json.loads(out), err


def test_progress(env):
    """On a terminal there is a line of progress while tracing, and none is left of it."""
    main, terminal = os.openpty()
    try:
        status = subprocess.run([env.tmtrace, "--layer", "vfs", "--json", env.path("o.json"), "--",
                                 "sleep", "1.2"], stdin=terminal, stdout=terminal,
                                stderr=terminal, timeout=60 * PATIENCE, check=False).returncode
    finally:
        os.close(terminal)
    text = os.read(main, 65536).decode("utf-8", "replace")
    os.close(main)
    equal("exit status", status, 0)
    check("tmtrace" in text and "\r" in text, f"no line of progress: {text!r}")
    check(not text.endswith("\n"), f"the line of progress remains: {text!r}")


def test_list(env):
    """What would be traced: libraries, with --sites their functions."""
    status, out, err = env.trace("list", "--sites", "--probes", env.sample, "--", env.load)
    equal("exit status", status, 0)
    for library in ("libmaestro.so", "libmio.so", "libmotr.so.2", "libsample.so.1"):
        check(re.search(rf"^\w\S*\s+\d+\s+{env.stack}/{library}$", out, re.M),
              f"{library} is not listed: {out} {err}")
    check(re.search(rf"^sample\s+sample_leaf\s+0x[0-9a-f]+(\+\d+)?\s+\w+\s+\d+\s+\w+\s+{env.stack}",
                    out, re.M),
          f"sample_leaf is not listed: {out}")


SYNCER = """
import os, time
file = os.open(".", os.O_RDONLY)
while True:
    os.fsync(file)
    time.sleep(0.002)
"""


def keep_busy(env):
    """A quiet machine does nothing with files for a while: this always does."""
    env.spawn([sys.executable, "-c", SYNCER], cwd=env.dir)


@alone
def test_duration(env):
    keep_busy(env)
    start = time.monotonic()
    status, out, err = env.trace("--all", "--layer", "vfs", "--duration", "0.5")
    equal("exit status and standard error", (status, err), (0, ""))
    check("vfs" in out, f"no table: {out}")
    check(time.monotonic() - start >= 0.5, "it ended before its time")


@alone
def test_json_to_standard_output(env):
    keep_busy(env)
    status, out, err = env.trace("--all", "--layer", "vfs", "--duration", "0.5", "--json", "-")
    equal("exit status and standard error", (status, err), (0, ""))
    kinds = {json.loads(line)["type"] for line in out.splitlines()}
    check({"run", "function", "probe"} <= kinds, f"types of records: {kinds}")


def complaint(status, err):
    """One line, and 1 as exit status."""
    lines = err.splitlines()
    equal("lines on standard error", len(lines), 1)
    check(lines[0].startswith("tmtrace: "), f"whose message is this? {lines[0]}")
    equal("exit status", status, 1)
    return lines[0]


def to_closed_pipe(env, *options):
    """Its standard output is a pipe that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        status, _, err = env.trace(*options, stdout=writer)
    finally:
        os.close(writer)
    return complaint(status, err)


ALL = ("--all", "--layer", "vfs", "--duration", "0.2")


@alone
def test_broken_pipe(env):
    to_closed_pipe(env, *ALL, "--json", "-")


@alone
def test_broken_pipe_tables(env):
    to_closed_pipe(env, *ALL)


@alone
def test_closed_standard_output(env):
    for options in ((), ("--json", "-")):
        status, _, err = env.run("sh", "-c", 'exec "$@" >&-', "sh", env.tmtrace, *ALL, *options)
        complaint(status, err)


@alone
def test_full_device(env):
    """No space: one line, with the reason."""
    status, _, err = env.trace(*ALL, "--json", "/dev/full")
    check("No space" in complaint(status, err), err)
    with open("/dev/full", "wb") as full:
        for options in ((), ("--json", "-")):
            status, _, err = env.trace(*ALL, *options, stdout=full)
            check("No space" in complaint(status, err), err)


def test_command_outlives_its_records(env):
    """Records that cannot be written do not harm the command: its status is what counts."""
    truth = env.path("truth.json")
    status, _, err = env.trace("--json", "/dev/full", "--probes", env.sample, "--", env.load,
                               "all", "--truth", truth)
    check("No space" in err, f"nothing is said: {err}")
    equal("lines on standard error", len(err.splitlines()), 1)
    check(status in (0, 125), f"exit status {status}")
    if status == 0:
        equal("the truth's losses", read_truth(truth)["lost"], 0)


def test_closed_standard_error(env):
    """With nowhere to complain to, the command runs all the same."""
    status = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", env.tmtrace, "--", "sh", "-c",
                             "exit 6"], stdin=subprocess.DEVNULL, timeout=60 * PATIENCE,
                            stdout=subprocess.DEVNULL, check=False).returncode
    equal("exit status", status, 6)
