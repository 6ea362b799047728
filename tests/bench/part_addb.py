# SPDX-License-Identifier: GPL-2.0-only
"""What Motr's telemetry costs the thread that makes it: in brief, in full, and told one by one."""

import json
import os

import tracers
from measure import Table, added, measure, ratio, show

TITLE = "A record of ADDB2"
RECORDS = 10000
NONE, BRIEF, FULL = "no probe", "--layer addb (in brief)", "--layer addb --full addb"
TOLD, ALL_TOLD = "the same, in brief, with --addb", "the same, in full, with --addb"
# What `load addb --how` does: name, and what of it is measured.
LOADS = {"storm": "a record", "mix": "a round"}


def time_of(bench, how, *tracer):
    """ns a record, or a round."""
    truth = os.path.join(bench.work, "addb.json")
    count = RECORDS // 10 if bench.quick else RECORDS
    tracers.run(*tracer, os.path.join(bench.build, "stack", "load"), "addb", "--how", how,
                "--count", str(count), "--dir", bench.work, "--truth", truth)
    with open(truth, encoding="utf-8") as f:
        return json.load(f)["addb"]["ns"] / count


def times(bench, *tracer):
    return {how: time_of(bench, how, *tracer) for how in LOADS}


def run(bench):
    tmtrace = (bench.tmtrace, "-q", "--layer", "addb", "--mechanism", "vfs=none")
    told = ("--addb", "--addb-text", "/dev/null")
    runs = {
        NONE: lambda: times(bench),
        BRIEF: lambda: times(bench, *tmtrace, "--"),
        FULL: lambda: times(bench, *tmtrace, "--full", "addb", "--"),
        TOLD: lambda: times(bench, *tmtrace, *told, "--"),
        ALL_TOLD: lambda: times(bench, *tmtrace, *told, "--full", "addb", "--"),
    }
    samples, notes = measure(bench.rounds, runs)
    return [cost(samples, runs), ratios(samples), at_rates(samples, runs)], notes


def cost(samples, subjects):
    table = Table("Time of a record that tells of a state (m0_addb2_add, m0_addb2_consume in it), below "
                  "six labels; of a round of calls as Motr's rpc makes them: a label put on and taken "
                  "off, 1.3 records, a sensor told 1.3 values",
                  ["", "a record", "added", "a round", "added"])
    for subject in subjects:
        cells = []
        for how in LOADS:
            values = samples.of(subject, how)
            more = added(values, samples.of(NONE, how)) if subject != NONE else {}
            cells += [show(values, "ns"), show(more, "ns") if more else ""]
        table.add(subject, *cells)
    return table


def ratios(samples):
    """Of what is added."""
    table = Table("What is added, in brief against in full", ["", *LOADS.values()])
    for brief, full in ((BRIEF, FULL), (TOLD, ALL_TOLD)):
        table.add(f"{brief} / {full}",
                  *(show(ratio(*(added(samples.of(subject, how), samples.of(NONE, how))
                                 for subject in (brief, full)))) for how in LOADS))
    return table


def at_rates(samples, subjects):
    """A thread that makes so many records in a second, one by one, has so much of its time taken."""
    rates = (1000, 10000, 20000)
    table = Table("What is taken of a processor by records at such rates, as `storm` makes them",
                  ["", *(f"{rate:,}/s" for rate in rates)])
    for subject in subjects:
        more = added(samples.of(subject, "storm"), samples.of(NONE, "storm"))
        if subject != NONE:
            table.add(subject, *(show({n: 100 * value * rate / 1e9 for n, value in more.items()}) +
                                 " %" if more else "-" for rate in rates))
    return table
