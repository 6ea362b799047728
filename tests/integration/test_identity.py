# SPDX-License-Identifier: GPL-2.0-only
"""Whose figures they are: in namespaces of PIDs and of time, and where copied code traps."""

import re

from harness import Records, check, equal, need

SHARES_MACHINE = True

WRITES = 10


def dd(env):
    return ["dd", "if=/dev/zero", f"of={env.path('written')}", "bs=4096", f"count={WRITES}",
            "status=none"]


def trace_in(env, unshare, command, *options):
    """tmtrace in namespaces of its own: the writes that it tells, and what it says."""
    need("unshare")
    path = env.path("records.json")
    status, _, err = env.run("unshare", *unshare, "-f", env.tmtrace, "--layer", "vfs", *options,
                             "--json", path, *command)
    equal("status", status, 0)
    writes = [r["count"] for r in Records(path).all
              if r["type"] == "function" and r["function"] == "write"]
    return sum(writes), err


def test_command_in_pid_namespace(env):
    writes, err = trace_in(env, ["-p", "--mount-proc"], ["--", *dd(env)])
    check(writes == WRITES, f"{writes} writes of {WRITES} are told: {err}")


def test_command_in_time_namespace(env):
    writes, err = trace_in(env, ["-T", "--monotonic", "5000000"], ["--", *dd(env)])
    check(writes == WRITES, f"{writes} writes of {WRITES} are told: {err}")


def test_pid_in_pid_namespace(env):
    """The number is that of the namespace of whoever asks: 10 writes of a child there."""
    need("unshare")
    path = env.path("records.json")
    script = f"""
        (sleep 1.5; exec {' '.join(dd(env))}) & child=$!
        {env.tmtrace} --layer vfs --pid $child --processes --json {path}; echo $child"""
    status, out, err = env.run("unshare", "-p", "-f", "--mount-proc", "sh", "-c", script)
    equal("status", status, 0)
    writes = [r["count"] for r in Records(path).all
              if r["type"] == "function" and r["function"] == "write"]
    check(sum(writes) == WRITES, f"{writes} writes are told of {out}: {err}")


def test_trap_is_told(env):
    """Who ends by SIGTRAP while libraries are traced gets a note that says why it may be."""
    status, _, err = env.trace("--probes", env.sample, "--layer", "sample", "--", "sh", "-c",
                               f"{env.load} tail >/dev/null; kill -TRAP $$")
    equal("status", status, 128 + 5)
    check(re.search(r"sh was ended by SIGTRAP", err), f"no note of SIGTRAP in: {err}")


def test_libraries_in_pid_namespace(env):
    """Calls of libraries, too, are those of the command there; a note says whose numbers are told."""
    need("unshare")
    path = env.path("records.json")
    status, _, err = env.run("unshare", "-p", "-f", "--mount-proc", env.tmtrace, "--layer", "sample",
                             "--probes", env.sample, "--json", path, "--", env.load, "tail")
    equal("status", status, 0)
    records = Records(path)
    check(records.total("sample", "sample_tail", "count") > 0, f"no calls are told: {err}")
    check(any("PID namespace" in note for note in records.notes()), "no note of the namespace")
