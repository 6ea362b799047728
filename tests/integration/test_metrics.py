# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of the service, by HTTP: their text, what Prometheus makes of them, and who asks badly."""

import collections
import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import time
import urllib.parse
import urllib.request

from harness import PATIENCE, Failure, check, equal, need, read_text, wait_for
from openmetrics import Exposition, check_monotonic
from test_cgroup import joining, mount_v2, move, new_cgroup
from test_continuity import Kept
from test_many_jobs import Load
from test_service import NOBODY, Service

SHARES_MACHINE = True

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
# As Prometheus 2.42 asks.
ACCEPTS = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
           "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
# What begins anew with each start of the service.
OF_THE_PROCESS = ("tmtrace_cpu_seconds_total", "tmtrace_log_records_total", "tmtrace_folds_total")
EDGES_NS = [4 ** power * 1024 for power in range(14)]


def free_port():
    """A port of 127.0.0.1 that nobody has."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Endpoint:
    """A service that tells metrics, of one cgroup alone, and tmtrace-metrics beside it."""

    def __init__(self, env, more="", scope=None, max_samples=10000, kind=Service, **kwargs):
        self.env = env
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
        process = self.env.spawn([os.path.join(self.env.build, "tmtrace-metrics"), "--config",
                                  self.service.config, *options])
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


def test_totals(env):
    """Both formats, by a strict reader and promtool; totals equal the records' and the load's."""
    scope = new_cgroup(env, mount_v2(), "metrics")
    load = env.waiting_load("all", prefix=joining(scope))
    endpoint = Endpoint(env, scope=scope)
    load.go()
    truth = load.finish()
    wait_for(lambda: endpoint.scrape().sum("tmtrace_in_flight") == 0, "all calls to end")
    formal, plain = endpoint.scrape(ACCEPTS), endpoint.scrape("*/*")
    check(formal.formal and not plain.formal, "which format")
    equal("samples", formal.n_samples, formal.value("tmtrace_metrics_samples"))
    records = endpoint.service.records("--all")
    for exposition in (formal, plain):
        check(compare_totals(exposition, records) > 20, "functions")
    calls = sum(f["returns"] for f in truth["functions"] if f["layer"] == "sample")
    equal("calls of the load", formal.sum("tmtrace_calls_total", layer="sample"), calls)
    job = "/" + os.path.basename(scope)
    equal("jobs", {s.labels["job"] for s in formal.samples("tmtrace_calls_total")}, {job})
    status = endpoint.service.status()
    equal("armed", formal.value("tmtrace_probes", state="armed"), status["probes"]["armed"])
    check(formal.value("tmtrace_memory_bytes") > 0, "no memory")
    equal("epoch", formal.samples("tmtrace_build_info")[0].labels["epoch"], status["epoch"])
    promtool(env, "check", "metrics", text=endpoint.ask()[2])
    # The sums in the file are those of the same metrics.
    path = env.path("node.prom")
    wait_for(lambda: f',layer="sample"}} {calls}\n' in read_text(path), "the file")
    with open(path, "rb") as f:
        data = f.read()
    equal("read bytes", Exposition(data, False).sum("tmtrace_job_read_bytes_total", layer="vfs"),
          formal.sum("tmtrace_bytes_total", layer="vfs", function="read"))
    promtool(env, "check", "metrics", text=data)
    endpoint.stop()


class Reader:
    """A job that reads blocks of a file when it is told to, and does nothing else."""

    SIZE = 1 << 16

    def __init__(self, env, scope, jobid):
        self.jobid = jobid
        self.job = os.path.join(scope, f"job_{jobid}")
        os.makedirs(os.path.join(self.job, "step_0"))
        env.cleanup(os.rmdir, self.job)
        env.cleanup(os.rmdir, os.path.join(self.job, "step_0"))
        path = env.path("data")
        with open(path, "wb") as f:
            f.write(bytes(self.SIZE))
        self.file = os.open(path, os.O_RDONLY)
        self.told, self.orders = os.pipe()
        self.done, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                move(os.getpid(), os.path.join(self.job, "step_0"))
                while True:
                    n, pause = json.loads(os.read(self.told, 100) or "[0, 0]")
                    for _ in range(n):
                        os.pread(self.file, self.SIZE, 0)
                        time.sleep(pause)
                    os.write(answers, b"x")
                    if not n:
                        os._exit(0)
            except BaseException:  # pylint: disable=broad-except
                os._exit(1)

    def order(self, blocks, pause=0.0):
        os.write(self.orders, json.dumps([blocks, pause]).encode())

    def wait(self):
        equal(f"job {self.jobid}", os.read(self.done, 1), b"x")

    def end(self):
        self.order(0)
        equal(f"job {self.jobid}", os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), 0)


PROMETHEUS = """
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: tmtrace
    honor_labels: true
    sample_limit: 10000
    static_configs: [{{targets: ['127.0.0.1:{port}']}}]
"""


class Prometheus:
    """The real one, which scrapes an endpoint."""

    def __init__(self, env, endpoint):
        need("prometheus", "promtool")
        self.port = free_port()
        config = env.path("prometheus.yml")
        with open(config, "w", encoding="ascii") as f:
            f.write(PROMETHEUS.format(port=endpoint.port, rules=os.path.join(
                env.source, "scripts/prometheus/tmtrace.rules.yml")))
        self.process = env.spawn([
            "prometheus", f"--config.file={config}", f"--storage.tsdb.path={env.path('tsdb')}",
            f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn"])
        wait_for(self.is_ready, "Prometheus to be ready", 60)

    def is_ready(self):
        check(self.process.poll() is None, "Prometheus has ended")
        with contextlib.suppress(OSError, Failure):
            return self.get("/api/v1/status/buildinfo")
        return None

    def get(self, path, **query):
        url = f"http://127.0.0.1:{self.port}{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=20 * PATIENCE) as answer:
            found = json.load(answer)
        equal(url, found["status"], "success")
        return found["data"]

    def query(self, expression, at=None):
        """[(labels, value or values)] of a PromQL expression."""
        data = self.get("/api/v1/query", query=expression, **({"time": at} if at else {}))
        return [(r["metric"], r["values"] if "values" in r else float(r["value"][1]))
                for r in data["result"]]

    def value(self, expression, at=None):
        found = self.query(expression, at)
        return found[0][1] if len(found) == 1 else None

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=60 * PATIENCE)


def test_prometheus(env):
    """The real Prometheus: what each job read, and how fast, is what the load has done."""
    need("prometheus", "promtool")
    scope = new_cgroup(env, mount_v2(), "x_slurmstepd.scope")
    jobs = {Reader(env, scope, 71): (40, 0.1), Reader(env, scope, 72): (400, 0.01)}
    endpoint = Endpoint(env, layers="vfs", scope=scope)
    prometheus = Prometheus(env, endpoint)
    read = 'sum by (job) (tmtrace_bytes_total{{layer="vfs",function="read",job="{}"}}{})'
    series = 'tmtrace_bytes_total{{layer="vfs",function="read",job="{}"}}{}'
    for job in jobs:  # the first block, so that there is a series
        job.order(1)
        job.wait()
    for job in jobs:
        wait_for(lambda j=job: prometheus.value(read.format(j.jobid, "")) == Reader.SIZE,
                 f"the first block of job {job.jobid}", 60)
    begin = time.time()
    for job, (blocks, pause) in jobs.items():
        job.order(blocks, pause)
    for job in jobs:
        job.wait()
        job.end()
    for job, (blocks, _) in jobs.items():
        wait_for(lambda j=job, n=blocks: prometheus.value(read.format(j.jobid, "")) ==
                 (n + 1) * Reader.SIZE, f"all that job {job.jobid} has read", 60)
    at = time.time()
    window = int(at - begin) + 5
    for job, (blocks, _) in jobs.items():
        samples = prometheus.value(series.format(job.jobid, f"[{window}s]"), at)
        bytes_read = float(samples[-1][1]) - float(samples[0][1])
        equal(f"job {job.jobid}: bytes", bytes_read, blocks * Reader.SIZE)
        # Prometheus takes it that the window's ends were like its middle.
        rate = prometheus.value(f"sum(rate({series.format(job.jobid, f'[{window}s]')}))", at)
        seen = samples[-1][0] - samples[0][0]
        check(0.999 * bytes_read <= rate * window <= 1.001 * bytes_read * window / seen,
              f"job {job.jobid}: {rate} B/s in {window} s, {bytes_read} B in {seen} s")
    equal("up", prometheus.value('up{job="tmtrace"}'), 1)
    check(prometheus.query("tmtrace_job_info{kind='slurm'}"), "no jobs")
    check(prometheus.value('tmtrace_job_cpu_seconds_total{job="72"}') > 0, "no CPU time")
    equal("scrapes that failed", prometheus.value('min_over_time(up{job="tmtrace"}[1h])'), 1)
    rules = [r for g in prometheus.get("/api/v1/rules")["groups"] for r in g["rules"]]
    equal("rules", {r["health"] for r in rules}, {"ok"})
    check(prometheus.value('job:tmtrace_read_bytes:rate1m{job="71"}') is not None, "no sums")
    prometheus.stop()
    records = endpoint.service.records("--all")
    compare_totals(endpoint.scrape(), records, ("vfs",))
    for job, (blocks, _) in jobs.items():
        equal(f"record of job {job.jobid}", sum(
            r["bytes"] for r in records.of("function", jobid=str(job.jobid), function="read")),
            (blocks + 1) * Reader.SIZE)
    endpoint.stop()


def test_rules(env):
    """The rules and examples that are shipped."""
    folder = os.path.join(env.source, "scripts/prometheus")
    need("promtool")
    promtool(env, "check", "rules", os.path.join(folder, "tmtrace.rules.yml"))
    promtool(env, "check", "config", os.path.join(folder, "prometheus.yml"))
    promtool(env, "test", "rules", os.path.join(folder, "tmtrace.rules.test.yml"))
    # A metric that a rule names is one that there is.
    endpoint = Endpoint(env)
    endpoint.work()
    exposition = endpoint.scrape()
    known = {s.name for m in exposition.metrics.values() for s in m.samples}
    known |= {m.name + "_total" for m in exposition.metrics.values() if m.type == "counter"}
    text = read_text(os.path.join(folder, "tmtrace.rules.yml"))
    used = {name for name in re.findall(r"(?<![a-z:])tmtrace_[a-z_]+", text)}
    check(len(used) > 10, used)
    for name in used:
        check(name in known or "device" in name, f"{name} is no metric")
    endpoint.stop()


def test_bound(env):
    """More jobs than there is room for: no more samples, exact totals, and nothing falls."""
    jobs = int(os.environ.get("TMTRACE_TEST_METRICS_JOBS", "300"))
    load = Load(env, library=False)
    endpoint = Endpoint(env, layers="vfs", max_samples=3000, scope=load.scope,
                        more="max_series: 4096\npast_jobs: 120\n")
    load.begin_endless(env, 1)
    before, sizes = None, []
    for part in range(12):
        load.run_all(1000 + part * jobs // 12, jobs // 12, 0)
        exposition = endpoint.scrape()
        sizes.append(exposition.n_samples)
        check(exposition.n_samples <= 3000, f"{exposition.n_samples} samples")
        equal("the bound", exposition.value("tmtrace_metrics_max_samples"), 3000)
        if before:
            check_monotonic(before, exposition)
        before = exposition
    load.end_endless()
    records = endpoint.service.records("--all")
    exposition = endpoint.scrape()
    compare_totals(exposition, records, ("vfs",))
    check_monotonic(before, exposition)
    check(exposition.value("tmtrace_folded_jobs") > 5, "all jobs have metrics")
    check(exposition.samples("tmtrace_calls_total", job="other", function="write"), "no others")
    # The busiest one.
    check(exposition.samples("tmtrace_calls_total", job="1", function="write"), "no job 1")
    writes = sum(writes for _, writes in load.truth.values())
    small = exposition.sum("tmtrace_bytes_total", function="write") - writes * 4096
    check(0 <= small < 4096, f"{small} bytes too many")
    env.remark = f"{jobs} jobs, samples: {' '.join(map(str, sizes))}"
    endpoint.stop()


def test_busy_port(env):
    """A port that another program has: one line that says so, and the service goes on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        scope = new_cgroup(env, mount_v2(), "metrics")
        service = Service(env, layers="vfs", more=f"metrics: {port}\ncgroup: {scope}\n")
        program = os.path.join(env.build, "tmtrace-metrics")
        status, out, err = env.run(program, "--config", service.config)
        equal("exit status", (status, out), (1, ""))
        check(f"{port}: cannot be listened at: another program has this port" in err and
              len(err.splitlines()) == 1, err)
    check(service.status()["probes"]["armed"] > 0, "the service is gone")
    # Nothing is told where nobody has asked for it.
    service.write(layers="vfs", more=f"cgroup: {scope}\n")
    service.process.send_signal(signal.SIGHUP)
    service.told("READY=1")
    status, _, err = env.run(program, "--config", service.config)
    equal("exit status", status, 2)
    check("has metrics: none, so that the service tells none" in err, err)
    header = json.loads(service.send(b'{"request":"metrics"}\n').splitlines()[0])
    check("metrics: none" in header["text"], header)
    status, _, err = env.run(program, "--config", service.config, "--listen", "localhost:1")
    equal("exit status", status, 2)
    check("localhost:1: a port or a numeric address" in err, err)
    status, _, err = env.run(program, "nonsense")
    equal("exit status", status, 2)
    err = service.stop()
    check("there is no user tmtrace-metrics" in err or "metrics" not in err, err)


def test_users(env):
    """Whoever can reach the port gets them; at the socket root, and the user that is named."""
    endpoint = Endpoint(env)
    service, pid = endpoint.service, endpoint.process.pid
    status = dict(line.split(":\t", 1) for line in read_text(f"/proc/{pid}/status").splitlines()
                  if ":\t" in line)
    equal("its user", set(status["Uid"].split()), {str(NOBODY)})
    equal("its groups", status["Groups"].split(), [])
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        equal(name, int(status[name], 16), 0)
    equal("no new privileges", status["NoNewPrivs"], "1")
    answer = service.send(b'{"request":"metrics","format":"openmetrics"}\n')
    check(b'"type":"answer"' in answer.splitlines()[0].replace(b" ", b"") and
          answer.endswith(b"# EOF\n"), answer[:200])
    header, _ = service.asked_by(NOBODY - 1, request="metrics")
    check("may not have metrics, which name everybody's jobs" in header["text"], header)
    endpoint.stop()


def exchange(endpoint, data):
    """What comes back for any bytes, up to the end of the connection."""
    with endpoint.connect() as client:
        with contextlib.suppress(OSError):
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        parts = []
        with contextlib.suppress(ConnectionError):
            while part := client.recv(65536):
                parts.append(part)
        return b"".join(parts)


def test_http(env):
    """Methods, paths, headers as they should be and not: the next scrape is answered as ever."""
    endpoint = Endpoint(env, layers="vfs")
    status, headers, body = endpoint.ask(method="HEAD")
    equal("HEAD", (status, body), (200, b""))
    check(int(headers["Content-Length"]) > 1000 and
          headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers)
    equal("another path", endpoint.ask("/")[0], 404)
    equal("a query", endpoint.ask("/metrics?x=1")[0], 200)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "X"):
        status, headers, _ = endpoint.ask(method=method)
        equal(method, (status, headers["Allow"]), (405, "GET, HEAD"))
    dice = random.Random(7)
    for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"\0" * 100,
                 b"GET /metrics HTTP/9.9\r\n\r\n", b"GET " + b"/" * 100000 + b" HTTP/1.1\r\n\r\n",
                 b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 100000 + b"\r\n\r\n",
                 b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 20000 + b"\r\n",
                 b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
                 b"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                 b"GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: " + b",;=q\"" * 500 + b"\r\n\r\n",
                 b'{"request":"metrics"}\n', b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                 *(dice.randbytes(dice.randrange(1, 3000)) for _ in range(100))):
        answer = exchange(endpoint, data)
        check(not answer or answer.startswith(b"HTTP/1."), answer[:100])
    # Requests of which nobody awaits the answer.
    for _ in range(20):
        with endpoint.connect() as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    check(endpoint.scrape().n_samples > 30, "no metrics")
    endpoint.stop()


def test_slow_clients(env):
    """Hundreds that say nothing, or take nothing, hold nobody up: the oldest are let go."""
    endpoint = Endpoint(env, layers="vfs")
    endpoint.work()
    with contextlib.ExitStack() as clients:
        for i in range(300):
            client = clients.enter_context(endpoint.connect())
            with contextlib.suppress(OSError):
                client.sendall((b"", b"GET /metrics HTTP/1.1\r\n",
                                b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")[i % 3])
            if i % 50 == 49:
                check(endpoint.scrape().n_samples > 30, "no metrics")
        for _ in range(10):
            check(endpoint.scrape().n_samples > 30, "no metrics")
        fds = len(os.listdir(f"/proc/{endpoint.process.pid}/fd"))
        check(fds < 150, f"{fds} descriptors")
    check(endpoint.service.status()["hits"] > 0, "the service is held up")
    endpoint.stop()


def test_service_gone(env):
    """Without a service it is said so; the next one is asked without further ado."""
    endpoint = Endpoint(env, layers="vfs")
    endpoint.service.kill()
    status, _, body = endpoint.ask()
    equal("status", status, 503)
    check(b"no service of tmtrace runs here" in body, body)
    endpoint.service.begin()
    endpoint.service.told("READY=1")
    check(endpoint.scrape().n_samples > 30, "no metrics")
    # One that does not answer.
    endpoint.service.process.send_signal(signal.SIGSTOP)
    equal("status", endpoint.ask()[0], 503)
    endpoint.service.process.send_signal(signal.SIGCONT)
    check(endpoint.scrape().n_samples > 30, "no metrics")
    endpoint.stop()


def test_activation(env):
    """Sockets that systemd hands over; what is no such socket is refused."""
    port = free_port()
    scope = new_cgroup(env, mount_v2(), "metrics")
    service = Service(env, layers="vfs", more=f"metrics: {{user: nobody}}\ncgroup: {scope}\n")
    program = os.path.join(env.build, "tmtrace-metrics")
    script = 'LISTEN_PID=$$ LISTEN_FDS=$0 exec "$@"'

    def begin(fd, n):
        os.dup2(fd, 3)
        os.set_inheritable(3, True)
        return env.spawn(["sh", "-c", script, str(n), program, "--config", service.config],
                         pass_fds=(3,))

    with socket.socket() as listener, open("/dev/null", "rb") as null:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        process = begin(listener.fileno(), 1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20 * PATIENCE) as a:
            check(Exposition(a.read(), False).n_samples > 30, "no metrics")
        process.terminate()
        _, err = process.communicate(timeout=60 * PATIENCE)
        equal(f"exit status, {err}", process.returncode, 0)
        check(f"http://127.0.0.1:{port}/metrics" in err, err)
        process = begin(null.fileno(), 1)
        _, err = process.communicate(timeout=60 * PATIENCE)
        equal("exit status", process.returncode, 2)
        check("no listening stream socket" in err, err)
    os.close(3)
    service.stop()


def test_under_load(env):
    """Scrapes one after the other while calls are made: nothing falls, and all is exact at last."""
    load = Load(env)
    endpoint = Endpoint(env, scope=load.scope)
    for jobid in (1, 2, 3):
        load.begin_endless(env, jobid)
    before = endpoint.scrape()
    wait_for(lambda: endpoint.scrape().sum("tmtrace_calls_total", function="sample_leaf") > 0,
             "calls of the library")
    for i in range(60):
        exposition = endpoint.scrape("*/*" if i % 10 == 0 else ACCEPTS)
        if exposition.formal:
            check_monotonic(before, exposition)
            before = exposition
    load.end_endless()
    exposition = endpoint.scrape()
    check_monotonic(before, exposition)
    for jobid, (calls, writes) in load.truth.items():
        equal(f"job {jobid}: calls", exposition.value(
            "tmtrace_calls_total", job=jobid, layer="sample", function="sample_leaf"), calls)
        # And one of the count.
        equal(f"job {jobid}: writes", exposition.value(
            "tmtrace_calls_total", job=jobid, layer="vfs", function="write"), writes + 1)
    compare_totals(exposition, endpoint.service.records("--all"))
    env.remark = f"{sum(calls for calls, _ in load.truth.values())} calls"
    endpoint.stop()


def test_restart(env):
    """The next service goes on with the counters: who was among the others is not known to it."""
    load = Load(env, library=False)
    endpoint = Endpoint(env, layers="vfs", max_samples=3000, scope=load.scope, kind=Kept)
    with contextlib.ExitStack() as cgroups:
        jobs = range(200, 320)
        steps = {jobid: cgroups.enter_context(load.cgroup(jobid)) for jobid in jobs}

        def write(n_of):
            for jobid, step in steps.items():
                os.waitpid(load.start(step, lambda n=n_of(jobid): load.work(0, n)), 0)

        write(lambda jobid: jobid - 199)
        before = endpoint.scrape()
        check(before.value("tmtrace_folded_jobs") > 5, "all jobs have metrics")
        endpoint.service.kill()
        write(lambda jobid: 330 - jobid)
        endpoint.service.start_again()
        after = endpoint.scrape()
        check_monotonic(before, after, OF_THE_PROCESS)
        others = after.samples("tmtrace_calls_total", job="other")
        check(others and all("since" in s.labels for s in others), f"others: {others}")
        write(lambda jobid: 1)
        last = endpoint.scrape()
        check_monotonic(after, last)
        blocks = sum((jobid - 199) + (330 - jobid) + 1 for jobid in jobs)
        compare_totals(last, endpoint.service.records("--all"), ("vfs",))
        check(last.sum("tmtrace_bytes_total", function="write") >= blocks * 4096, "bytes written")
        equal("restarts", last.value("tmtrace_restarts_total"), 1)
        # Another bound holds at once.
        endpoint.service.write(layers="vfs", pins=endpoint.service.pins, more=endpoint.more(20000))
        endpoint.service.process.send_signal(signal.SIGHUP)
        endpoint.service.told("READY=1")
        wide = endpoint.scrape()
        check(wide.n_samples > last.n_samples and not wide.value("tmtrace_folded_jobs"),
              f"{wide.n_samples} samples")
        check_monotonic(last, wide)
    endpoint.stop()
