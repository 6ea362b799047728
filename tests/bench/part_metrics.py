# SPDX-License-Identifier: GPL-2.0-only
"""What the service's metrics take, with few jobs and with many."""

import contextlib
import os
import subprocess
import time
import urllib.request

import services
import tracers
from measure import BenchError, Table, measure, show
from part_growth import cgroups
from part_run import status_bytes
from part_service import FEW, MANY, ask, callers, cpu_ns, fill, status, wait_for_probes

TITLE = "Metrics for Prometheus"
SUBJECTS = {"100 series": 10, "10,000 series": 1000}  # jobs of FEW functions
SCRAPES = 20
PORT = 19751
FIGURES = (("samples", "samples", None), ("bytes", "bytes of the text", "bytes"),
           ("socket", "from asking the service to the last byte", "ns"),
           ("http", "the same by HTTP", "ns"),
           ("cpu", "CPU time of the service for one", "ns"),
           ("before", "resident before the first", "bytes"),
           ("after", "resident after the last", "bytes"),
           ("endpoint", "resident, tmtrace-metrics", "bytes"))


@contextlib.contextmanager
def endpoint(bench, process):
    """tmtrace-metrics beside a service."""
    config = os.path.join(bench.work, "bench.conf")
    program = os.path.join(os.path.dirname(bench.tmtrace), "tmtrace-metrics")
    with subprocess.Popen([program, "--config", config], stderr=subprocess.PIPE, text=True) as http:
        try:
            if "http://" not in http.stderr.readline():
                raise BenchError(f"tmtrace-metrics does not serve {process.socket}")
            yield http
        finally:
            http.terminate()


def scrape():
    """By HTTP: (ns, text)."""
    begin = time.perf_counter_ns()
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics", timeout=30) as answer:
        text = answer.read()
    return time.perf_counter_ns() - begin, text


def median_of(function):
    took = []
    for _ in range(SCRAPES):
        time.sleep(0.05)  # none is told what was read a moment ago
        took.append(function()[0])
    return sorted(took)[len(took) // 2]


def subject(bench, folder, jobs):
    """Values of a service with so many jobs."""
    catalogue = tracers.write_catalogue(bench, MANY)
    more = (f"metrics: {{listen: {PORT}, user: nobody}}", "history: none", "max_series: 20000",
            f"cgroup: {folder}")
    with services.service(bench, catalogue, "bench", *more) as process, \
            callers(bench, folder):  # who has the library mapped, so that it is probed
        wait_for_probes(process)
        fill(bench, folder, jobs)
        time.sleep(1)
        if status(process)["series"] < jobs * FEW:
            raise BenchError(f"tmtrace: {status(process)['series']} series")
        values = {"before": status_bytes(process.pid, "VmRSS")}
        values["socket"] = median_of(lambda: ask(process, 0, request="metrics"))
        with endpoint(bench, process) as http:
            values["http"] = median_of(scrape)
            begin = cpu_ns(process.pid)
            for _ in range(SCRAPES):
                text = scrape()[1]
            values["cpu"] = (cpu_ns(process.pid) - begin) / SCRAPES
            values["endpoint"] = status_bytes(http.pid, "VmRSS")
        values["after"] = status_bytes(process.pid, "VmRSS")
        lines = text.splitlines()
        values["samples"] = sum(not line.startswith(b"#") for line in lines)
        values["bytes"] = len(text)
    return values


def run(bench):
    subjects = {"100 series": 10} if bench.quick else SUBJECTS
    with cgroups(max(subjects.values())) as folder:
        samples, notes = measure(bench.rounds, {
            name: lambda jobs=jobs: subject(bench, folder, jobs)
            for name, jobs in subjects.items()})
    table = Table(f"One answer with at most 10,000 samples, medians of {SCRAPES}",
                  ["", *subjects])
    for metric, text, unit in FIGURES:
        table.add(text, *(show(samples.of(name, metric), unit) for name in subjects))
    return [table], notes
