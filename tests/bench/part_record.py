# SPDX-License-Identifier: GPL-2.0-only
"""Recording each call of one busy thread: what that costs, and whether any is lost."""

import json
import os
import subprocess

import tracers
from measure import BenchError, Table, added, each, measure, show, verdict

TITLE = "Recording single calls"
LOAD = "push"
CALLS, BATCHES = 1000, 1500
SIZE = "512M"
MUST_RATE = 300000


def read_dump(bench, recording):
    """(call records, {what became of the calls that were counted: how many})"""
    dumped = os.path.join(bench.work, "dump.json")
    with open(dumped, "w", encoding="utf-8") as f:
        done = subprocess.run([bench.tmtrace, "dump", recording], stdout=f, check=False)
    if done.returncode:
        raise BenchError(f"tmtrace dump ended with {done.returncode}")
    calls, fates = 0, {}
    with open(dumped, encoding="utf-8") as f:
        for line in f:
            if '"type":"call"' in line:
                calls += 1
            elif '"type":"probe"' in line:
                for fate, n in (json.loads(line)["calls"] or {}).items():
                    fates[fate] = fates.get(fate, 0) + n
    os.unlink(dumped)
    return calls, fates


def recorded(bench, *options):
    recording = os.path.join(bench.work, "calls.data")
    command = bench.load_command(LOAD, calls=CALLS, batches=BATCHES)
    out, _ = tracers.run(bench.tmtrace, "record", "-q", "--probes", bench.catalogue, "--layer",
                         "bench", "-o", recording, "--size", SIZE, *options, "--", *command)
    result = json.loads(out)[LOAD]
    values = {"cost": result["median_ns"], "rate": 1e9 / result["median_ns"]}
    if "--calls" in options:
        calls, fates = read_dump(bench, recording)
        tracers.check_count("tmtrace record --calls", sum(fates.values()), result["calls"])
        values["lost"] = result["calls"] - calls
    for path in (recording, recording + ".old"):
        if os.path.exists(path):
            os.unlink(path)
    return values


def run(bench):
    samples, notes = measure(bench.rounds, {
        "no probe": lambda: {"cost": tracers.untraced(
            bench.load_command(LOAD, calls=CALLS, batches=BATCHES))[LOAD]["median_ns"]},
        "tmtrace record": lambda: recorded(bench),
        "tmtrace record --calls": lambda: recorded(bench, "--calls"),
    })
    return tables(samples), notes


def tables(samples):
    subject = "tmtrace record --calls"
    costs = Table("Time per call of one thread that does nothing else", ["", "a call"])
    for name in samples.subjects():
        costs.add(name, show(samples.of(name, "cost"), "ns"))
    costs.add("what recording it adds", show(added(samples.of(subject, "cost"), samples.of(
        "tmtrace record", "cost")), "ns"))
    lost, rate = samples.of(subject, "lost"), samples.of(subject, "rate")
    holds = Table(f"Into the recording, {CALLS * BATCHES:,} calls and more",
                  ["", "measured", "must", "holds"])
    holds.add("calls per second", show(rate), f"{MUST_RATE:,}",
              verdict(each(lambda value: -value, rate), -MUST_RATE))
    holds.add("calls lost", show(lost), "0", verdict(lost, 0))
    return [costs, holds]
