# SPDX-License-Identifier: GPL-2.0-only
"""While a library's function is parked: its calls are estimated by slices, and nothing is silently less."""

import json
import os
import signal
import sys
import time

from harness import PATIENCE, check, equal, truth_functions, wait_for
from metrics_endpoint import Endpoint, promtool
from test_cgroup import joining, mount_v2, new_cgroup
from test_estimates import expect_near, job_of
from test_governor import HOT, Governed, KeptGoverned
from test_metrics import ACCEPTS

LEAST_SLICES = 4


def run_parked(env, bound, *how, seconds=20, thread="none"):
    """A load of which the hot function is parked nearly all the time: the service, cgroup and truth."""
    cgroup = new_cgroup(env, mount_v2(), "worker")
    load = env.waiting_load("--duration", str(300 * PATIENCE), *how, "burst", prefix=joining(cgroup))
    service = Governed(env, layers="sample", bound=bound, max_thread_overhead=thread)
    load.go()
    parked = service.wait_state("parked")
    begin = time.monotonic()
    wait_for(lambda: service.probe()["parked_count"] > parked["parked_count"] + LEAST_SLICES and
             time.monotonic() - begin > seconds * PATIENCE, f"{HOT} to be seen in slices", seconds=240)
    load.process.terminate()
    return service, cgroup, load.finish()


def hot_of(records, cgroup):
    return next(r for r in records.functions("sample", HOT)
                if r["cgroup"] == "/" + os.path.basename(cgroup))


def expect_estimate(service, cgroup, truth):
    """What was seen is a part, and what it comes to is as near the truth as it says."""
    calls = truth_functions(truth)["sample", HOT]["calls"]
    records = service.records("--all")
    hot, job = hot_of(records, cgroup), job_of(records, cgroup)
    print(json.dumps([hot["count"], hot["coverage"], hot["estimated"], calls, job["layers"]["sample"],
                      truth_functions(truth)["sample", HOT]]), file=sys.stderr)
    check(0 < hot["count"] < calls and 0 < hot["coverage"] < 1 and hot["parked_ns"] > 0, hot)
    expect_near(HOT, hot, "count", calls)
    layer = job["layers"]["sample"]
    check(0 < layer["coverage"] < 1 and layer["estimated"]["count"] >= hot["estimated"]["count"], layer)
    # Of what was not parked all was seen. On a busy machine others have functions parked, too.
    others = [r for r in records.functions("sample") if r["function"] != HOT and
              r["cgroup"] == "/" + os.path.basename(cgroup)]
    check(any("coverage" not in r for r in others), others)
    return records


def test_hot(env):
    """A thread that calls as fast as it can, which probes slow down."""
    # Whose library nobody has any more gives its probes back.
    holder = env.waiting_load("--count", "1", "tail", name="holder")
    service, cgroup, truth = run_parked(env, "0.5%")
    expect_estimate(service, cgroup, truth)
    text = service.command("report", "--job", "/" + os.path.basename(cgroup))
    check("~ estimated: functions were parked for a part of the time" in text, text)
    told = [r for r in service.records("--all").of("process")
            if r["cgroup"] == "/" + os.path.basename(cgroup) and "sample" in r["layers"]]
    check(all(0 < r["layers"]["sample"]["coverage"] < 1 for r in told), told)
    # A job that begins when it counts again was seen in full, and its records say nothing of it.
    service.reload("none")
    service.wait_state("armed")
    later = new_cgroup(env, mount_v2(), "later")
    status, _, err = env.run(*joining(later), env.load, "tail", "--count", "50")
    equal(f"load, {err}", status, 0)
    time.sleep(0.1)
    records = service.records("--all")
    calls = [r for r in records.functions("sample") if r["cgroup"] == "/" + os.path.basename(later)]
    check(calls and not any("coverage" in r or "estimated" in r for r in calls), calls)
    check("coverage" not in job_of(records, later)["layers"]["sample"], job_of(records, later))
    holder.go()
    holder.finish()
    service.stop()


def test_metrics(env):
    """Monitoring has for how long, of how much of the job's time, and about how many calls."""
    cgroup = new_cgroup(env, mount_v2(), "worker")
    load = env.waiting_load("--duration", str(300 * PATIENCE), "burst", prefix=joining(cgroup))
    endpoint = Endpoint(env, scope=cgroup, kind=Governed, layers="sample", bound="0.5%")
    load.go()
    parked = endpoint.service.wait_state("parked")
    wait_for(lambda: endpoint.service.probe()["parked_count"] > parked["parked_count"] + 1, "slices",
             seconds=120)
    exposition = endpoint.scrape(ACCEPTS)
    check(exposition.value("tmtrace_parked_seconds_total", layer="sample") > 0, "no time")
    ratio = exposition.value("tmtrace_coverage_ratio", layer="sample", function=HOT)
    check(0 < ratio < 1, ratio)
    check(exposition.value("tmtrace_unseen_calls", layer="sample", function=HOT) > 0, "no estimate")
    promtool(env, "check", "metrics", text=endpoint.ask()[2])
    load.process.terminate()
    load.finish()
    endpoint.stop()


def test_killed(env):
    """What was missed before a service was killed is told by the next one, too."""
    cgroup = new_cgroup(env, mount_v2(), "worker")
    load = env.waiting_load("--duration", str(300 * PATIENCE), "burst", prefix=joining(cgroup))
    service = KeptGoverned(env, layers="sample", bound="0.5%")
    load.go()
    parked = service.wait_state("parked")
    wait_for(lambda: service.probe()["parked_count"] > parked["parked_count"] + 2, "slices", seconds=120)
    before = hot_of(service.records("--all"), cgroup)
    service.kill()
    service.bound = "none"
    service.write(layers="sample", pins=service.pins)
    service.start_again()
    load.process.terminate()
    load.finish()
    after = hot_of(service.records("--all"), cgroup)
    check(after["coverage"] < 1 and after["estimated"]["count"] - after["count"] >=
          before["estimated"]["count"] - before["count"] > 0, (before, after))
    service.stop(signal.SIGINT)


def test_paced(env):
    """One that goes by a clock, which they do not."""
    service, cgroup, truth = run_parked(env, "0.2%", "--how", "paced")
    expect_estimate(service, cgroup, truth)
    service.stop()
