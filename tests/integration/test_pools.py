# SPDX-License-Identifier: GPL-2.0-only
"""Storage pools that MIO tells of, against what the program is told."""

import json

from harness import Records, check, equal
from table_text import bytes_text

SHARES_MACHINE = True

TYPES = ["NVM", "SSD", "HDD"]


def expected(truth):
    return sorted((p["id"], p["name"], TYPES[p["type"]], p["capacity"]) for p in truth["pools"])


def told(records):
    pools = records.of("pool")
    equal("layers", {p["layer"] for p in pools}, {"mio"})
    return sorted((p["id"], p["name"], p["storage_type"], p["capacity_bytes"]) for p in pools)


def test_exact(env):
    """Live and from a recording, as records and as a table."""
    path, recording, truth_path = (env.path(name) for name in ("r.json", "r.data", "truth.json"))
    status, _, err = env.trace("--layer", "mio", "--json", path, "-o", recording, "--", env.load,
                               "all", "--count", "1", "--truth", truth_path)
    equal(f"exit status, {err}", status, 0)
    with open(truth_path, encoding="utf-8") as f:
        truth = json.load(f)
    equal("how many", len(truth["pools"]), 3)
    equal("live", told(Records(path)), expected(truth))
    status, out, err = env.trace("report", "--json", "-", recording)
    equal(f"exit status of report, {err}", status, 0)
    with open(path, "w", encoding="utf-8") as f:
        f.write(out)
    equal("from the recording", told(Records(path)), expected(truth))
    # Of two recordings, each pool is there once.
    status, out, err = env.trace("report", recording, recording)
    equal(f"exit status of report, {err}", status, 0)
    rows = out[out.index("storage pools:"):].split("\n\n")[0].splitlines()[2:]
    equal("rows", sorted(row.split() for row in rows),
          sorted([name, "mio", id_, kind, *bytes_text(capacity).split()]
                 for id_, name, kind, capacity in expected(truth)))


# Where nothing fits: a pointer for a name, a capacity for the type, the type for a capacity.
OTHER_VERSION = """
layer: mio
functions:
  - name: mio_pool_get_all
    fail: negative-errno
    pools: {at: "[arg1]", count: "[list].s32", items: "[list+8]", stride: 216, id: pool+40,
            name: pool+40, type: "[pool+64].u32", types: [A], capacity: "[pool+200]"}
  - name: mio_pool_get
    fail: negative-errno
"""


def test_other_version(env):
    """What does not fit is named and left out; the pools are still known."""
    path = env.path("other.yaml")
    with open(path, "w", encoding="ascii") as f:
        f.write(OTHER_VERSION)
    records, truth = env.trace_load("all", "--count", "1", options=("--probes", path))
    pools = records.of("pool")
    equal("ids", sorted(p["id"] for p in pools), sorted(p["id"] for p in truth["pools"]))
    for p in pools:
        equal(p["id"], (p["name"], p["capacity_bytes"]), (None, None))
    for field in ("name", "capacity"):
        notes = [n for n in records.notes() if f"libmio.so: field {field} of storage pools" in n]
        check(len(notes) == 1 and "does not fit, left out" in notes[0], f"{records.notes()}")
