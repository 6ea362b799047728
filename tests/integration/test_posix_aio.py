# SPDX-License-Identifier: GPL-2.0-only
"""Another library with asynchronous operations needs a file only: POSIX AIO of glibc."""

import collections
import json
import os

from harness import check, check_ledgers, check_lossless, equal
from real_machine import compile_c, trace
from times import is_near

SHARES_MACHINE = True

FUNCTIONS = ("aio_read", "aio_write", "aio_fsync")


def name_of(symbol):
    """aio_read and aio_read64 are one function."""
    return symbol.removesuffix("64")


def check_one(record, truth):
    name = f"{truth['function']} of {truth['bytes']} bytes"
    equal(f"{name}: object", record["object"], truth["object"])
    equal(f"{name}: fate", record["fate"], "complete")
    equal(f"{name}: errno", record["rc"], truth["rc"])
    sized = truth["rc"] == 0 and truth["function"] != "aio_fsync"
    equal(f"{name}: bytes", record["bytes"], truth["bytes"] if sized else None)


def far_off(record, truth):
    """Its completion is not seen, but that a call said so: that is in the program's figure, too."""
    wanted = truth["noticed_ns"] - truth["launch_ns"]
    return not is_near(record["duration_ns"], wanted)


def test_operations(env):
    """Each operation, as the program itself knows it; counted and one by one."""
    os.environ["LD_BIND_NOW"] = "1"
    program = compile_c(env, "posix_aio.c", "-O1")
    probes = os.path.join(env.source, "docs", "examples", "aio.yaml")
    status, out, err = env.run(program, env.path("plain"), "4")
    equal(f"exit status untraced, {err}", status, 0)
    path = env.path("truth.json")
    records = trace(env, "sh", "-c", f"exec {program} {env.path('file')} 6 >{path}",
                    options=("--probes", probes, "--layer", "aio", "--calls"))
    check_ledgers(records)
    check_lossless(records)
    with open(path, encoding="utf-8") as f:
        truths = json.load(f)["operations"]
    equal("as many as untraced", len(truths) * 4, len(json.loads(out)["operations"]) * 6)

    recorded = sorted(records.of("operation"), key=lambda r: r["launch_ns"])
    truths.sort(key=lambda t: t["launch_ns"])
    equal("functions in order", [name_of(r["function"]) for r in recorded],
          [t["function"] for t in truths])
    for record, truth in zip(recorded, truths):
        check_one(record, truth)
    off = [(r["function"], r["duration_ns"]) for r, t in zip(recorded, truths) if far_off(r, t)]
    check(len(off) <= len(truths) / 20, f"latencies of {len(off)} of {len(truths)}: {off[:5]}")

    wanted = collections.Counter(t["function"] for t in truths)
    for op in records.of("op", final=True):
        name = name_of(op["function"])
        equal(f"{name}: counts", (op["count"], op["forgotten"], op["in_flight"]),
              (wanted[name], 0, 0))
        check(op["wait_ns"] > 0, f"{name}: no time in aio_suspend or aio_error")
    equal("functions", {name_of(op["function"]) for op in records.of("op", final=True)},
          set(FUNCTIONS))
    failed = [op["errors_by"] for op in records.of("op", final=True) if op["errors"]]
    equal("errors", failed, [{"EBADF": 6}])
