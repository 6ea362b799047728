# SPDX-License-Identifier: GPL-2.0-only
"""How much the service tells: off, summary, histogram, calls; of the node, and of single jobs."""

import json
import os
from collections import Counter

from harness import Records, check, equal, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_service import NOBODY, Service

SHARES_MACHINE = True


def counted(env, cgroup):
    """Something of the cgroup is counted, so that the service knows it."""
    status, _, err = env.run(*joining(cgroup), "cat", "/etc/passwd")
    equal(f"cat, {err}", status, 0)


def sample_calls(truth):
    return sum(f["returns"] for f in truth["functions"] if f["layer"] == "sample")


def functions(records, cgroup, layer="sample"):
    return [r for r in records.of("function")
            if r["layer"] == layer and r["cgroup"] == "/" + os.path.basename(cgroup)]


def recorded(env, *argv):
    """What the service's history has."""
    path = env.path("history.json")
    status, out, err = env.trace("dump", env.path("history.data"), *argv)
    equal(f"exit status of dump, {err}", status, 0)
    with open(path, "w", encoding="utf-8") as f:
        f.write(out)
    return Records(path)


def loads_in(env, *cgroups):
    return [env.waiting_load("all", name=f"{os.path.basename(c)}-{i}", prefix=joining(c))
            for i, c in enumerate(cgroups)]


def finish(load):
    load.go()
    return load.finish()


def test_off(env):
    """What is off is filtered, of a layer or a job; what is on again is counted from then on."""
    mount = mount_v2()
    quiet, loud = new_cgroup(env, mount, "quiet"), new_cgroup(env, mount, "loud")
    first, second, third = loads_in(env, quiet, loud, new_cgroup(env, mount, "later"))
    service = Service(env)
    counted(env, quiet)
    record = json.loads(service.command("set", "off", "--layer", "sample", "--job",
                                        os.path.basename(quiet), "--json"))
    equal("jobs", [(j["cgroup"], j["set_by_uid"], j["layers"]) for j in record["levels"]["jobs"]],
          [("/" + os.path.basename(quiet), 0, {"sample": "off"})])
    finish(first)
    truth = finish(second)
    records = service.records("--all")
    equal("what is off", functions(records, quiet), [])
    check(functions(records, quiet, "vfs"), "vfs is off, too")
    equal("what is on", sum(r["count"] for r in functions(records, loud)), sample_calls(truth))
    probes = [json.loads(line) for line in service.command("status", "--probes").splitlines()]
    sums = {k: sum(p[k] for p in probes if p["type"] == "probe" and p["layer"] == "sample")
            for k in ("hits", "recorded", "filtered", "lost", "in_flight")}
    check(sums["filtered"] > 0 and sums["hits"] == sum(sums.values()) - sums["hits"], sums)
    service.command("set", "off", "--layer", "sample,vfs")
    equal("level", service.status()["levels"]["node"], {"vfs": "off", "sample": "off"})
    equal("nothing is lost", sums["lost"], 0)
    finish(third)
    check(not functions(service.records("--all"), env.path("later")), "the node is not off")
    service.command("set", "default")
    check("sample histogram" in service.command("status"), service.command("status"))
    service.stop()


def test_cgroups_of_a_job(env):
    """Cgroups that are made in one with a level of its own have it from their first call on."""
    outer = new_cgroup(env, mount_v2(), "outer")
    there = os.path.join(outer, "there")
    later = os.path.join(outer, "later")
    os.mkdir(there)
    env.cleanup(os.rmdir, there)
    service = Service(env, layers="sample, vfs")
    counted(env, outer)
    service.command("set", "off", "--layer", "vfs", "--job", os.path.basename(outer))
    os.mkdir(later)
    env.cleanup(os.rmdir, later)
    counted(env, there)
    counted(env, later)
    cgroups = {r["cgroup"] for r in service.records("--all").of("function")
               if r["layer"] == "vfs"}
    name = "/" + os.path.basename(outer)
    check(name in cgroups, cgroups)
    equal("cgroups below", {c for c in cgroups if c.startswith(name + "/")}, set())
    service.command("set", "default", "--job", os.path.basename(outer))
    equal("levels of jobs", service.status()["levels"]["jobs"], [])
    counted(env, there)
    wait_for(lambda: f"{name}/there" in {r["cgroup"] for r in
                                         service.records("--all").of("function")}, "its calls")
    service.stop()


def test_summary(env):
    """Without histograms, counts and sums are as exact as with them."""
    mount = mount_v2()
    before, during, after = (new_cgroup(env, mount, name) for name in ("b", "d", "a"))
    loads = loads_in(env, before, during, after)
    service = Service(env)
    truths = [finish(loads[0])]
    service.command("set", "summary")
    truths.append(finish(loads[1]))
    service.command("set", "histogram")
    truths.append(finish(loads[2]))
    records = service.records("--all")
    for cgroup, truth, with_buckets in zip((before, during, after), truths, (True, False, True)):
        rows = functions(records, cgroup)
        equal(f"calls in {cgroup}", sum(r["count"] for r in rows), sample_calls(truth))
        timed = [r for r in rows if r["total_ns"]]
        check(timed and all(bool(r["buckets"]) == with_buckets for r in timed), rows)
        check(all((r["p50_ns"] is not None) == with_buckets and r["max_ns"] for r in timed), rows)
    service.stop()


def test_calls_of_a_job(env):
    """Single calls of one job alone are in the history, each of them; sampled, one in so many."""
    mount = mount_v2()
    told, untold = new_cgroup(env, mount, "told"), new_cgroup(env, mount, "untold")
    loads = loads_in(env, told, untold, told, told)
    service = Service(env)
    counted(env, told)
    name = os.path.basename(told)
    text = service.command("set", "calls", "--layer", "sample", "--job", name)
    check(f"job /{name}: sample calls" in text, text)
    truths = [finish(load) for load in loads[:2]]
    service.command("set", "calls", "--layer", "sample", "--sample", "10", "--job", name)
    service.command("set", "histogram", "--job", name)
    truths.append(finish(loads[2]))
    service.command("set", "calls", "--layer", "sample", "--min-duration", "100s", "--job", name)
    text = service.command("status")
    check("(from " in text, text)
    truths.append(finish(loads[3]))
    records = service.records("--all")
    equal("counted", sum(r["count"] for r in functions(records, told)),
          sum(sample_calls(truths[i]) for i in (0, 2, 3)))
    service.stop()
    calls = recorded(env).of("call")
    equal("whose calls", {c["cgroup"] for c in calls}, {"/" + name})
    equal("layers", {c["layer"] for c in calls}, {"sample"})
    # Those of functions that are only counted are no single calls.
    timed = {r["function"] for r in functions(records, told) if r["total_ns"] is not None}
    equal("calls", Counter(c["function"] for c in calls),
          Counter({f["function"]: f["returns"] for f in truths[0]["functions"]
                   if f["layer"] == "sample" and f["function"] in timed}))


def as_nobody(service, **request):
    header, lines = service.asked_by(NOBODY, request="set", **request)
    return header["type"], header.get("text", ""), lines


def test_users(env):
    """Users raise the detail of their own jobs, and nothing else."""
    mount = mount_v2()
    own, foreign = new_cgroup(env, mount, "own"), new_cgroup(env, mount, "foreign")
    os.chown(own, NOBODY, NOBODY)
    service = Service(env)
    counted(env, own)
    counted(env, foreign)
    mine, theirs = os.path.basename(own), os.path.basename(foreign)
    for request, words in (({"level": "calls"}, "set by root alone"),
                           ({"level": "off"}, "set by root alone"),
                           ({"level": "calls", "job": theirs}, "there is no job"),
                           ({"level": "off", "job": mine}, "raise the detail"),
                           ({"level": "summary", "job": mine}, "raise the detail"),
                           ({"level": "calls", "job": mine, "layers": "nonsense"},
                            "is not traced")):
        kind, text, _ = as_nobody(service, **request)
        equal(f"{request}: {text}", kind, "error")
        check(words in text, text)
    kind, text, lines = as_nobody(service, level="calls", job=mine, layers="vfs")
    equal(text, kind, "answer")
    equal("jobs", [(j["set_by_uid"], j["layers"]) for j in lines[0]["levels"]["jobs"]],
          [(NOBODY, {"vfs": "calls"})])
    counted(env, own)
    service.command("set", "summary", "--job", mine)
    kind, text, _ = as_nobody(service, level="calls", job=mine)
    check("root has set" in text, text)
    os.rmdir(own)
    wait_for(lambda: not service.status()["levels"]["jobs"], "the end of the job's levels")
    os.mkdir(own)
    service.stop()
    check({"/" + mine} == {c["cgroup"] for c in recorded(env).of("call")}, "other calls")


def test_not_allowed(env):
    """Where a site does not want single calls they are refused, with the way out."""
    service = Service(env, layers="vfs")
    service.stop()
    with open(service.config, "a", encoding="utf-8") as f:
        f.write("calls: none\n")
    service.process = env.start("service", "--config", service.config, env={
        **os.environ, "NOTIFY_SOCKET": env.path("notify")})
    service.told("READY=1")
    status, out, err = env.trace("set", "calls", "--socket", service.socket)
    equal("exit status", (status, out), (1, ""))
    check("calls: root, or calls: users" in err, err)
    for argv, words in ((("set",), "a level is needed"), (("set", "loud"), "no level"),
                        (("set", "off", "on"), "one level"),
                        (("set", "off", "--sample", "2"), "go with set calls"),
                        (("set", "calls", "--min-duration", "x"), "not a time")):
        status, out, err = env.trace(*argv)
        equal(f"{argv}: {err}", (status, out), (2, ""))
        check(words in err and len(err.splitlines()) == 1, err)
    service.stop()
