# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of the service: their text, their sums, their bound, and what Prometheus makes of them."""

import contextlib
import json
import os
import re
import signal
import time
import urllib.parse
import urllib.request

from harness import PATIENCE, Failure, check, equal, need, read_text, wait_for
from metrics_endpoint import Endpoint, compare_totals, free_port, promtool
from openmetrics import Exposition, check_monotonic
from test_cgroup import joining, mount_v2, move, new_cgroup
from test_continuity import Kept
from test_many_jobs import Load

SHARES_MACHINE = True

# As Prometheus 2.42 asks.
ACCEPTS = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
           "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
# What begins anew with each start of the service.
OF_THE_PROCESS = ("tmtrace_cpu_seconds_total", "tmtrace_log_records_total", "tmtrace_folds_total",
                  "tmtrace_output_failures_total", "tmtrace_output_failed_seconds_total",
                  "tmtrace_output_lost_total")


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
    data = wait_for(lambda: (text := read_text(env.path("node.prom")).encode()) and Exposition(
        text, False).sum("tmtrace_job_calls_total", layer="sample") == calls and text, "the file")
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
        check(name in known or "device" in name,
              f"{name} is no metric, of {endpoint.service.records('--all').of('function')}")
    endpoint.stop()


def test_bound(env):
    """More jobs than there is room for: no more samples, exact totals, and nothing falls."""
    jobs = int(os.environ.get("TMTRACE_TEST_METRICS_JOBS", "300"))
    load = Load(env, library=False)
    endpoint = Endpoint(env, layers="vfs", max_samples=3000, scope=load.scope,
                        more="max_series: 4096\npast_jobs: 120\n")
    load.begin_endless(env, 1)
    load.go_endless(endpoint.service)
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


def test_under_load(env):
    """Scrapes one after the other while calls are made: nothing falls, and all is exact at last."""
    load = Load(env)
    endpoint = Endpoint(env, scope=load.scope)
    for jobid in (1, 2, 3):
        load.begin_endless(env, jobid)
    load.go_endless(endpoint.service)
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
