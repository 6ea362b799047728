# SPDX-License-Identifier: GPL-2.0-only
"""A service of the test's own that tells metrics, and what they have to add up to."""

import collections
import contextlib
import http.client
import os
import socket

from harness import PATIENCE, Skip, equal, need, wait_for
from openmetrics import Exposition
from test_cgroup import joining, mount_v2, new_cgroup
from test_service import Service

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
EDGES_NS = [4 ** power * 1024 for power in range(14)]


def free_port():
    """A port of 127.0.0.1 that nobody has."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def program(env):
    """tmtrace-metrics."""
    path = os.path.join(env.build, "tmtrace-metrics")
    if not os.path.exists(path):
        raise Skip("tmtrace-metrics is not here")
    return path


class Endpoint:
    """A service that tells metrics, of one cgroup alone, and tmtrace-metrics beside it."""

    def __init__(self, env, more="", scope=None, max_samples=10000, kind=Service, **kwargs):
        self.env = env
        self.program = program(env)
        self.port = free_port()
        self.scope = scope or new_cgroup(env, mount_v2(), "metrics")
        self.rest = f"cgroup: {self.scope}\n{more}"
        self.service = kind(env, more=self.more(max_samples), **kwargs)
        self.process = self.start()

    def more(self, max_samples):
        """What the configuration has beside the usual."""
        return (f"metrics: {{listen: {self.port}, user: nobody, max_samples: {max_samples}}}\n"
                f"{self.rest}")

    def work(self):
        """Somebody reads a file."""
        status, _, err = self.env.run(*joining(self.scope), "cat", "/etc/passwd")
        equal(f"cat: {err}", status, 0)

    def start(self, *options):
        process = self.env.spawn([self.program, "--config", self.service.config, *options])
        wait_for(lambda: process.poll() is not None or self.listens(), "tmtrace-metrics to listen")
        return process

    def listens(self):
        with contextlib.suppress(OSError), self.connect():
            return True
        return False

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20 * PATIENCE)

    def ask(self, path="/metrics", method="GET", **headers):
        """(status, headers, body)"""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30 * PATIENCE)
        with contextlib.closing(client):
            client.request(method, path, headers=headers)
            answer = client.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def scrape(self, accept=OPENMETRICS):
        status, headers, body = self.ask(Accept=accept)
        equal(f"status, {body[:300]}", status, 200)
        formal = headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
        return Exposition(body, formal)

    def stop(self):
        """Ends both; what they said."""
        self.process.terminate()
        _, err = self.process.communicate(timeout=60 * PATIENCE)
        equal(f"exit status, {err}", self.process.returncode, 0)
        return err + self.service.stop()


def promtool(env, *argv, text=None):
    """promtool, from Debian's package prometheus, has nothing to say."""
    need("promtool")
    path = env.path("promtool.in")
    with open(path, "wb") as f:
        f.write(text or b"")
    with open(path, "rb") as f:
        status, out, err = env.run("promtool", *argv, stdin=f)
    equal(f"promtool {' '.join(argv)}: {out}{err}", status, 0)
    return out


def edge_of(ns):
    """The index of the first edge that is not below."""
    return sum(edge < ns for edge in EDGES_NS)


def sums_of_records(records):
    """{(layer, function): sums} of all jobs' calls, as metrics have them."""
    sums = collections.defaultdict(collections.Counter)
    for r in records.of("function") + records.of("device"):
        key = (r["layer"], r["function"])
        for name in ("count", "errors", "retries"):
            sums[key][name] += r[name]
        for name in ("bytes", "total_ns", "block_ns", "iowait_ns"):
            sums[key][name] += r[name] or 0
        sums[key]["own_ns"] += r["self_ns" if r["layer"] not in ("vfs", "block") else "total_ns"] or 0
        for _, upper, n in r["buckets"] or []:
            sums[key][f"edge {edge_of(upper)}"] += n
    return sums


def sums_of_metrics(exposition):
    """The same of metrics, over all jobs."""
    sums = collections.defaultdict(collections.Counter)
    for name, member in (("calls", "count"), ("errors", "errors"), ("retries", "retries"),
                         ("bytes", "bytes"), ("seconds", "own_ns")):
        for s in exposition.samples(f"tmtrace_{name}_total"):
            key = (s.labels["layer"], s.labels["function"])
            sums[key][member] += int(s.value * (10 ** 9 if name == "seconds" else 1))
    for kind in ("block", "iowait"):
        for s in exposition.samples("tmtrace_inside_seconds_total", kind=kind):
            sums[s.labels["layer"], s.labels["function"]][f"{kind}_ns"] += int(s.value * 10 ** 9)
    for s in exposition.samples("tmtrace_latency_seconds_sum"):
        sums[s.labels["layer"], s.labels["function"]]["total_ns"] += int(s.value * 10 ** 9)
    below = collections.Counter()
    for s in exposition.samples("tmtrace_latency_seconds_bucket"):
        upper = s.labels["le"]
        edge = len(EDGES_NS) if upper == "+Inf" else EDGES_NS.index(round(float(upper) * 10 ** 9))
        who = tuple(s.labels.get(n) for n in ("job", "since", "layer", "function"))
        sums[s.labels["layer"], s.labels["function"]][f"edge {edge}"] += int(s.value - below[who])
        below[who] = s.value
    return sums


def without_zeros(sums):
    return {key: {k: v for k, v in members.items() if v} for key, members in sums.items()}


def compare_totals(exposition, records, layers=("sample", "vfs")):
    """Totals over all labels are those of `tmtrace dump --all`."""
    wanted = without_zeros({k: v for k, v in sums_of_records(records).items() if k[0] in layers})
    got = without_zeros({k: v for k, v in sums_of_metrics(exposition).items() if k[0] in layers})
    for key in wanted.keys() | got.keys():
        equal(f"{key}", got.get(key), wanted.get(key))
    return len(wanted)
