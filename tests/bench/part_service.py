# SPDX-License-Identifier: GPL-2.0-only
"""What the service itself takes, and how soon it tells the values of one job."""

import contextlib
import ctypes
import itertools
import json
import os
import socket
import statistics
import subprocess
import time

import services
import tracers
from measure import BenchError, Table, measure, show, show_share, verdict
from part_growth import cgroups
from part_run import status_bytes

TITLE = "The service"
SERIES = 10000
# Jobs of few functions, and one of as many as are probed.
FEW, MANY = 10, 500
MUST_NS, MUST_SHARE, MUST_BYTES = 1e6, 0.005, 32 << 20
USER = 65534
# The layers of a subject, and how many series each job has of them beside its functions.
LAYERS = {"functions": ("bench", 0), "functions, vfs, block": ("bench, vfs, block", 5)}
PACE = 200  # reads a second of who does modest I/O
STARTS = 10  # of processes in a second, where any begin
MUST_IDLE, MUST_START_NS = 0.001, 100e3


class Caller:
    """A process in a job of its own that calls so many functions, each time that it is told to."""

    def __init__(self, bench, cgroup, count):
        self.ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid:
            theirs.close()
            return
        try:
            self.ours.close()
            self.serve(bench, cgroup, count, theirs)
        finally:
            os._exit(0)

    @staticmethod
    def serve(bench, cgroup, count, told):
        with open(os.path.join(cgroup, "cgroup.procs"), "w", encoding="ascii") as f:
            f.write("0")
        library = ctypes.CDLL(bench.library)  # it is probed before the first call
        functions = [library[f"bench_many_{n:03}"] for n in range(count)]
        with open(bench.library, "rb", buffering=0) as f:
            while told.recv(1):
                for function in functions:
                    function(1)
                os.pread(f.fileno(), 4096, 0)
                told.send(b".")

    def call(self):
        self.ours.send(b".")
        if not self.ours.recv(1):
            raise BenchError("a job has ended")

    def end(self):
        self.ours.close()
        os.waitpid(self.pid, 0)


def ask(process, uid, **request):
    """Connects, asks, and reads to the end: (ns, records)."""
    line = json.dumps(request).encode() + b"\n"
    os.seteuid(uid)
    try:
        begin = time.perf_counter_ns()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(process.socket)
            client.sendall(line)
            parts = list(iter(lambda: client.recv(1 << 20), b""))
        took = time.perf_counter_ns() - begin
    finally:
        os.seteuid(0)
    header, *records = b"".join(parts).splitlines()
    header = json.loads(header)
    if header["type"] == "error" and "try again" in header["text"]:
        time.sleep(1)  # a user's answers may cost so much, and no more
        return ask(process, uid, **request)
    if header["type"] != "answer":
        raise BenchError(f"tmtrace answered {header}")
    return took, records


def answer_times(process, job, count, uid, caller, asks):
    """Of asks that come one after the other, none for what was read a moment ago."""
    took = []
    for _ in range(asks):
        if caller:
            caller.call()
        time.sleep(0.05)
        ns, records = ask(process, uid, request="dump", job=job)
        took.append(ns)
    told = [json.loads(record) for record in records]
    functions = [r for r in told if r["type"] == "function" and r["layer"] == "bench"]
    tracers.check_count(f"tmtrace: functions of {job}", len(functions), count)
    return statistics.median(took), len(told)


def cpu_ns(pid):
    """What all threads of a process have run."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total


def modest_io(seconds, path, begin_processes):
    """Reads at a pace, and once in a while a program, if they are to begin."""
    end = time.monotonic() + seconds
    with open(path, "rb", buffering=0) as f:
        for number in itertools.count():
            if time.monotonic() >= end:
                return
            os.pread(f.fileno(), 4096, 0)
            if begin_processes and number % (PACE // STARTS) == 0:
                subprocess.run(["true"], check=True)
            time.sleep(1 / PACE)


def cpu_share(bench, process, meanwhile, *arguments):
    seconds = 1 if bench.quick else 10
    before, begin = cpu_ns(process.pid), time.monotonic_ns()
    meanwhile(seconds, *arguments)
    return (cpu_ns(process.pid) - before) / (time.monotonic_ns() - begin)


def status(process):
    _, records = ask(process, 0, request="status")
    return json.loads(records[0])


def wait_for_probes(process):
    """The library is mapped; then its functions are probed."""
    end = time.monotonic() + tracers.READY_SECONDS
    while status(process)["probes"]["armed"] < MANY:
        if time.monotonic() > end:
            raise BenchError("tmtrace has not probed the library")
        time.sleep(0.05)


def fill(bench, folder, jobs):
    """FEW functions, and a read, in each of so many jobs."""
    tracers.run(bench.load, "--jobs", f"{folder}:{jobs}", "--batches", "1", "--calls", str(FEW),
                "--file", bench.library, f"many:{FEW}", "pread")


@contextlib.contextmanager
def callers(bench, folder):
    """Two jobs of a user: {how many functions: (job, caller)}."""
    found = {}
    try:
        for count in (FEW, MANY):
            cgroup = os.path.join(folder, f"functions-{count}")
            os.mkdir(cgroup)
            os.chown(cgroup, USER, USER)
            found[count] = (cgroup, Caller(bench, cgroup, count))
        yield {count: (os.path.basename(cgroup), caller) for count, (cgroup, caller) in found.items()}
    finally:
        # The later one has the other's end of the first one's socket, too.
        for cgroup, caller in reversed(found.values()):
            caller.end()
            os.rmdir(cgroup)


def measure_answers(bench, process, jobs):
    """{(what, metric): value}"""
    values = {}
    asks = 3 if bench.quick else 15
    for (count, (job, caller)), (who, uid), moving in itertools.product(
            jobs.items(), (("user", USER), ("root", 0)), (False, True)):
        took, records = answer_times(process, job, count, uid, caller if moving else None, asks)
        values[count, who, moving] = took
        values[count, who, "records"] = records
    return values


def subject(bench, folder, name):
    layers, more = LAYERS[name]
    jobs = (100 if bench.quick else SERIES - MANY) // (FEW + more)
    catalogue = tracers.write_catalogue(bench, MANY)
    history = os.path.join(bench.work, "bench.history")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(history)
    # Governed, but so that nothing is parked; jobs are where they are made, whoever else has some elsewhere.
    with services.service(bench, catalogue, layers, f"history: {{file: {history}}}", "hierarchy: v2",
                          "max_series: 20000", max_overhead="50%") as process:
        values = {"start": status_bytes(process.pid, "VmRSS")}
        with callers(bench, folder) as asked:
            wait_for_probes(process)
            fill(bench, folder, jobs)
            for _, caller in asked.values():
                caller.call()
            time.sleep(2)  # it is read twice
            values["full"] = status_bytes(process.pid, "VmRSS")
            values["series"] = status(process)["series"]
            values["idle"] = cpu_share(bench, process, time.sleep)
            values["quiet"] = cpu_share(bench, process, modest_io, bench.library, False)
            values["busy"] = cpu_share(bench, process, modest_io, bench.library, True)
            values["begin"] = max(0, values["busy"] - values["quiet"]) * 1e9 / STARTS
            values |= measure_answers(bench, process, asked)
    return values


def run(bench):
    jobs = (100 if bench.quick else SERIES - MANY) // FEW
    with cgroups(jobs) as folder:
        samples, notes = measure(bench.rounds, {
            name: lambda name=name: subject(bench, folder, name) for name in LAYERS})
    return [size_table(samples), *(answer_table(samples, name) for name in LAYERS)], notes


def size_table(samples):
    table = Table("What it takes while it is asked nothing; but when idle others read 200 times a second",
                  ["", *LAYERS, "must", "holds"])
    for metric, text, must, shown in (
            ("start", "resident at start", MUST_BYTES, "32 MiB"),
            ("full", "resident with all series", MUST_BYTES, "32 MiB"),
            ("idle", "of a core, idle", MUST_IDLE, "0.1 %"),
            ("quiet", "of a core, where no process begins", MUST_SHARE, "0.5 %"),
            ("busy", "of a core, ten processes begin in a second", MUST_SHARE, "0.5 %"),
            ("begin", "CPU time a process that begins", MUST_START_NS, "100 us")):
        values = [samples.of(name, metric) for name in LAYERS]
        cells = [show_share(v) if must < 1 else show(v, "ns" if metric == "begin" else "bytes")
                 for v in values]
        holds = all(verdict(v, must) == "yes" for v in values)
        table.add(text, *cells, shown, "yes" if holds else "no")
    table.add("series", *(show(samples.of(name, "series")) for name in LAYERS), "", "")
    return table


def answer_table(samples, name):
    table = Table(f"The values of one job, asked at the socket, among {SERIES:,} series: {name}",
                  ["", "records", "at rest", "called in between", "must", "holds"])
    for count, who in itertools.product((FEW, MANY), ("user", "root")):
        rest, moving = (samples.of(name, (count, who, moves)) for moves in (False, True))
        holds = (verdict(rest, MUST_NS), verdict(moving, MUST_NS))
        table.add(f"{count} functions, asked by {'a user' if who == 'user' else who}",
                  show(samples.of(name, (count, who, "records"))), show(rest, "ns"),
                  show(moving, "ns"), "1 ms", "yes" if holds == ("yes", "yes") else "no")
    return table
