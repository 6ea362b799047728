# SPDX-License-Identifier: GPL-2.0-only
"""What a record of ADDB2 costs the thread that makes it: counted, summed up, told."""

import json
import os

import tracers
from measure import Table, added, measure, ratio, show

TITLE = "A record of ADDB2"
RECORDS = 50000
NONE, CALLS, SUMS, TOLD = ("no probe", "calls alone", "sums", "sums, and each record told (--addb)")
# As probes/addb.yaml, and nothing is known of what these functions are for.
CATALOGUE = """layer: addb
defaults: {fail: never, returns: void}
functions:
  - name: [m0_addb2_push, m0_addb2_add]
    object: {value: arg1}
    size: {product: [arg2.s32, 8]}
  - name: [m0_addb2_pop, m0_addb2_consume]
  - name: m0_addb2_counter_mod_with
"""


def storm(bench, *tracer):
    """ns a record of foms that run and end, below six labels."""
    truth = os.path.join(bench.work, "addb.json")
    count = RECORDS // 10 if bench.quick else RECORDS
    tracers.run(*tracer, os.path.join(bench.build, "stack", "load"), "addb", "--how", "storm",
                "--count", str(count), "--dir", bench.work, "--truth", truth)
    with open(truth, encoding="utf-8") as f:
        made = json.load(f)["addb"]
    return {"record": made["ns"] / made["records"]}


def without_roles(bench):
    path = os.path.join(bench.work, "addb-calls.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(CATALOGUE)
    return path


def run(bench):
    tmtrace = (bench.tmtrace, "-q", "--layer", "addb", "--mechanism", "vfs=none")
    runs = {
        NONE: lambda: storm(bench),
        CALLS: lambda: storm(bench, *tmtrace, "--probes", without_roles(bench), "--"),
        SUMS: lambda: storm(bench, *tmtrace, "--"),
        TOLD: lambda: storm(bench, *tmtrace, "--addb", "--addb-text", "/dev/null", "--"),
    }
    samples, notes = measure(bench.rounds, runs)
    return [table(samples, runs)], notes


def table(samples, subjects):
    result = Table("Time of a record that tells of a state (two calls, m0_addb2_add and "
                   "m0_addb2_consume in it)", ["", "a record", "more than calls alone",
                                               "part of telling it"])
    calls, told = samples.of(CALLS, "record"), samples.of(TOLD, "record")
    for subject in subjects:
        values = samples.of(subject, "record")
        more = subject in (SUMS, TOLD)
        result.add(subject, show(values, "ns"), show(added(values, calls), "ns") if more else "",
                   show(ratio(values, told)) if more else "")
    return result
