# SPDX-License-Identifier: GPL-2.0-only
"""Recordings: what comes out of the file is what was measured, whatever has happened to it."""

import json
import os
import re
import signal
import time

from harness import Records, check, compare_clean, equal, read_truth, wait_for

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
    equal("lines on standard error", len(err.splitlines()), 1)
    check("data" in err and "report" in err, f"nothing about the recording: {err}")
    return Records(records), read_truth(truth)


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
    compare_clean(Records(again), truth)


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
