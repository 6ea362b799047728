# SPDX-License-Identifier: GPL-2.0-only
"""A whole run: how soon its output is there, how much memory it takes, how long it reads."""

import json
import os
import re
import signal
import time

import tracers
from measure import BenchError, Table, measure, ratio, show, verdict

TITLE = "A run"
SERIES = 10000
TMTRACE = "tmtrace -- true"
# It may execute anything: all that library calls need is there before it starts.
TMTRACE_SHELL = "tmtrace -- sh -c true"
BPFTRACE = "bpftrace -e 'BEGIN { exit(); }'"


def timed(bench, *command):
    """Wall time of a program, and the largest resident memory of it and its children."""
    tracers.need(command[0])
    _, err = tracers.run(os.path.join(bench.tools, "bench-time"), *command)
    wall, rss, status = (int(text) for text in err.splitlines()[-1].split())
    if status:
        raise BenchError(f"{' '.join(command)} ended with {status}")
    return {"wall": wall, "rss": rss}


def status_bytes(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        for line in f:
            if line.startswith(name + ":"):
                return 1024 * int(line.split()[1])
    return 0


def map_bytes(pid):
    """What the kernel charges for the maps that a process holds, each once."""
    sizes = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
                fields = dict(line.split(":", 1) for line in f if ":" in line)
        except OSError:
            continue  # it was only listed
        if "map_id" in fields:
            sizes[int(fields["map_id"])] = int(fields["memlock"])
    return sum(sizes.values())


def memory_run(bench):
    """tmtrace on the whole machine, everything attached, for a second."""
    command = [bench.tmtrace, "-q", "--all", "--json", "-", "--duration", "60"]
    with tracers.background(command, signal.SIGINT) as process:
        tracers.wait_for_line(process, '"run"')
        time.sleep(0.1 if bench.quick else 1)
        values = {name: status_bytes(process.pid, name)
                  for name in ("VmRSS", "RssAnon", "RssFile", "RssShmem")}
        values["maps"] = map_bytes(process.pid)
    tracers.finish(process)
    return values


def drain_run(bench):
    out, _ = tracers.run(os.path.join(bench.tools, "bench-drain"), str(SERIES))
    return {re.sub("_ns$", "", name): value for name, value in json.loads(out).items()}


def run(bench):
    runs = {
        TMTRACE: lambda: timed(bench, bench.tmtrace, "--", "true"),
        "tmtrace --layer vfs -- true": lambda: timed(bench, bench.tmtrace, "--layer", "vfs", "--", "true"),
        TMTRACE_SHELL: lambda: timed(bench, bench.tmtrace, "--", "sh", "-c", "true"),
        BPFTRACE: lambda: timed(bench, "bpftrace", "-e", "BEGIN { exit(); }"),
        "perf trace -s -- true": lambda: timed(bench, "perf", "trace", "-s", "--", "true"),
        "strace -c -- true": lambda: timed(bench, "strace", "-c", "true"),
        "true": lambda: timed(bench, "true"),
    }
    commands = list(runs)
    samples, notes = measure(bench.rounds, {**runs, "memory": lambda: memory_run(bench),
                                            "drain": lambda: drain_run(bench)})
    return [output_table(samples, commands), memory_table(samples), drain_table(samples),
            ratio_table(samples)], notes


def output_table(samples, commands):
    table = Table("From the start to the end, when everything has been printed",
                  ["command", "time", "largest resident memory"])
    for command in commands:
        table.add(command, show(samples.of(command, "wall"), "ns"),
                  show(samples.of(command, "rss"), "bytes"))
    return table


def ratio_table(samples):
    table = Table("Ratio, round by round", ["", "measured", "must", "holds"])
    for command, must in ((TMTRACE, 1.0), (TMTRACE_SHELL, None)):
        values = ratio(samples.of(command, "wall"), samples.of(BPFTRACE, "wall"))
        table.add(f"{command} / {BPFTRACE}", show(values), str(must or ""),
                  verdict(values, must) if must else "")
    return table


def memory_table(samples):
    table = Table("Memory of `tmtrace --all`, all layers, after a second", ["", "memory"])
    for name, what in (("VmRSS", "resident, in all"), ("RssAnon", "of it: its own data"),
                       ("RssFile", "of it: program and libraries"),
                       ("RssShmem", "of it: shared memory"),
                       ("maps", "BPF maps, in the kernel")):
        table.add(what, show(samples.of("memory", name), "bytes"))
    return table


def drain_table(samples):
    table = Table(f"Reading {SERIES:,} series", ["", "time"])
    for name, what in (("first", "for the first time"), ("moved", "all of them have moved"),
                       ("one", "one has moved"), ("idle", "none has moved")):
        table.add(what, show(samples.of("drain", name), "ns"))
    return table
