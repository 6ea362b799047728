# SPDX-License-Identifier: GPL-2.0-only
"""Tracers around a load: each is started, the load runs, and what it has seen is counted."""

import contextlib
import json
import os
import shutil
import signal
import subprocess

from measure import BenchError

READY_SECONDS = 60


def need(program):
    if not shutil.which(program):
        raise BenchError(f"{program} is not installed")


def need_tracefs():
    """Most tracers find tracepoints there; some mount it themselves, bpftrace does not."""
    place = "/sys/kernel/tracing"
    if not os.path.exists(os.path.join(place, "events")):
        run("mount", "-t", "tracefs", "none", place)


def run(*argv, timeout=600):
    """Runs a program to its end: (standard output, standard error)."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=timeout,
                          check=False)
    if done.returncode:
        raise BenchError(f"{os.path.basename(argv[0])} ended with {done.returncode}: "
                         f"{done.stderr.strip()[-300:]}")
    return done.stdout, done.stderr


@contextlib.contextmanager
def background(argv, stop=None):
    """A program that runs meanwhile; ended by its end of input, or by a signal."""
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        yield process
        if stop:
            process.send_signal(stop)
    except BaseException:
        process.kill()
        process.communicate()
        raise


def name_of(process):
    return os.path.basename(process.args[0])


def finish(process):
    """What it still has to say."""
    out, err = process.communicate(timeout=READY_SECONDS)
    if process.returncode:
        raise BenchError(f"{name_of(process)} ended with {process.returncode}: {err[-300:]}")
    return out


def wait_for_line(process, start):
    """The first line of its output that begins so."""
    for line in process.stdout:
        if start in line:
            return line
    raise BenchError(f"{name_of(process)} did not say {start}: {process.stderr.read()[-300:]}")


def check_count(name, got, wanted, more=0):
    """A tracer that does not see every call is not measured but broken; others may make more."""
    if not wanted <= got <= wanted + more:
        raise BenchError(f"{name} counted {got} of {wanted}")


class Bench:
    """Where things are, and how long to measure."""

    def __init__(self, build, rounds, quick, work=None):
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.source = os.path.dirname(os.path.dirname(self.here))
        self.build = build
        self.tmtrace = os.path.join(build, "tmtrace")
        self.tools = os.path.join(build, "bench")
        self.load = os.path.join(self.tools, "bench-load")
        self.empty = os.path.join(self.tools, "bench-empty")
        self.library = os.path.join(self.tools, "libbench.so.1")
        self.catalogue = os.path.join(self.here, "bench.yaml")
        self.work = work or self.tools  # where files are written
        self.records = os.path.join(self.work, "records.json")
        self.rounds = rounds
        self.quick = quick
        self.cpu = max(os.sched_getaffinity(0))

    def load_command(self, *loads, calls=1000, batches=51, options=()):
        if self.quick:
            calls, batches = max(calls // 10, 10), max(batches // 10, 3)
        return [self.load, "--cpu", str(self.cpu), "--calls", str(calls), "--batches",
                str(batches), *options, *loads]


def medians(result):
    """{load: ns per call}"""
    return {load: values["median_ns"] for load, values in result.items()}


def untraced(command):
    """{load: what it measured}"""
    return json.loads(run(*command)[0])


def with_empty(bench, mechanism, command, *functions):
    with background([bench.empty, mechanism, bench.library, *functions]) as process:
        wait_for_line(process, "attached")
        result = untraced(command)
    finish(process)
    return result


def function_counts(path, layer):
    """{function: calls} of the records of a run, all jobs together."""
    counts = {}
    with open(path, encoding="utf-8") as f:
        for record in map(json.loads, f):
            if record["type"] == "function" and record["final"] and record["layer"] == layer:
                name = record["function"]
                counts[name] = counts.get(name, 0) + record["count"]
    return counts


def write_catalogue(bench, count, *others):
    """A catalogue file of so many of the functions bench_many_000 to bench_many_499, and others."""
    path = os.path.join(bench.work, f"many-{count}.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("layer: bench\nlibraries: [libbench.so.*]\n"
                "defaults: {fail: negative, returns: s32}\nfunctions:\n  - name:\n")
        f.writelines(f"      - {name}\n" for name in others)
        f.writelines(f"      - bench_many_{number:03}\n" for number in range(count))
    return path


def with_tmtrace(bench, command, *options, catalogue=None, names=None):
    """The load as tmtrace's command; names: {load: function that must have as many calls}."""
    out, _ = run(bench.tmtrace, "-q", "--probes", catalogue or bench.catalogue, "--json",
                 bench.records, *options, "--", *command)
    result = json.loads(out)
    counts = function_counts(bench.records, "bench")
    for load, function in (names or {}).items():
        check_count(f"tmtrace: {function}", counts.get(function, 0), result[load]["calls"])
    return result


def bpftrace_counts(text):
    """{map: sum of its histogram}"""
    counts = {}
    for line in text.splitlines():
        record = json.loads(line) if line.startswith("{") else {}
        if record.get("type") == "hist":
            for name, buckets in record["data"].items():
                counts[name] = sum(bucket["count"] for bucket in buckets)
    return counts


def with_bpftrace(script, command, loads, more=0):
    """The load beside bpftrace, whose script has a histogram @LOAD of each."""
    need("bpftrace")
    need_tracefs()
    # Probes are attached in turn, this one last; before it fires all are in place.
    script += ' interval:ms:500 { if (@ready == 0) { printf("ready\\n"); @ready = 1; } }'
    with background(["bpftrace", "-f", "json", "-e", script], signal.SIGINT) as process:
        wait_for_line(process, "ready")
        result = untraced(command)
    counts = bpftrace_counts(finish(process))
    for load in loads:
        check_count(f"bpftrace: {load}", counts.get("@" + load, 0), result[load]["calls"],
                    more)
    return result
