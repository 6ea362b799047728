# SPDX-License-Identifier: GPL-2.0-only
"""The governor: what costs too much is parked, its neighbours count on, and it comes back."""

import itertools
import json
import os
import re
import signal
import time

from harness import PATIENCE, Skip, check, equal, truth_functions, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_continuity import Kept
from test_service import Service

HOT = "sample_leaf"
# Large enough that a trial can be afforded soon, too small for counting alone in a loop.
BOUND = "1%"
ASK_S = 0.5
KEYS = ("max_overhead", "max_thread_overhead", "max_service_overhead")
REASON = re.compile(r"parked by the governor: \d+ hits/s cost [\d.]+ % of a processor, and all probes "
                    r"may cost 1 % of what the node's processors can do; not counted since "
                    r"\d\d:\d\d:\d\d, comes "
                    r"back at \d\d:\d\d:\d\d or later$")


class Governed(Service):
    """A service with a bound."""

    def __init__(self, env, bound=BOUND, max_thread_overhead="none", max_service_overhead="none", **kwargs):
        self.bound = bound
        self.bounds = {"max_thread_overhead": max_thread_overhead,
                       "max_service_overhead": max_service_overhead}
        super().__init__(env, **kwargs)

    def write(self, **values):
        super().write(**{"max_overhead": self.bound, **self.bounds, **values})

    def reload(self, bound, max_service_overhead="none", **values):
        self.bound = bound
        self.bounds["max_service_overhead"] = max_service_overhead
        self.write(**{"layers": "sample", **values})
        self.process.send_signal(signal.SIGHUP)
        self.told("READY=1")

    def probes(self, layer):
        records = [json.loads(line) for line in self.command("status", "--probes").splitlines()]
        return [r for r in records if r["type"] == "probe" and r["layer"] == layer]

    def probe(self, function=HOT):
        """The probe on this test's own library."""
        return next(r for r in self.probes("sample") if r["function"] == function
                    and r["library"].startswith(self.env.build))

    def wait_state(self, state):
        def is_there():
            probe = self.probe()
            return probe if probe["state"] == state else None
        return wait_for(is_there, f"{HOT} to be {state}", seconds=60)


def has_fates(probe):
    """Are its hits accounted for?"""
    return probe["hits"] == probe["recorded"] + probe["filtered"] + probe["lost"] + probe["in_flight"]


def wait_fates(service, layer):
    """The whole machine's: others may be at it just when they are read."""
    wait_for(lambda: all(has_fates(p) for p in service.probes(layer)), f"the fates of {layer}'s hits",
             seconds=60)


def burst(env, seconds=120, name="waiting"):
    """A load whose libraries are probed before it begins, and that ends when finish() says so."""
    return env.waiting_load("--duration", str(seconds * PATIENCE), "burst", name=name)


def finish(load):
    """The truth, with figures that are read afterwards: those of a moment ago serve all who ask."""
    load.process.terminate()
    truth = load.finish()
    time.sleep(0.1)
    return truth


def check_sums(records, truth, parked, library):
    """Every hit has its fate; of all but the hot function nothing is missing."""
    ours = [p for p in records.of("probe", layer="sample") if p["library"].startswith(library)]
    for p in ours:
        equal(f"{p['function']} of {p['library']}: fates of its hits",
              p["recorded"] + p["filtered"] + p["lost"] + p["in_flight"], p["hits"])
    for (layer, function), true in truth_functions(truth).items():
        if layer != "sample" or not true["calls"]:
            continue
        # By probe, as others may use libraries of the same layer meanwhile.
        count = sum(p["recorded"] for p in ours if p["function"] == function)
        if function != HOT:
            equal(f"{function}: count", count, true["returns"])
        elif parked:
            check(0 < count < true["calls"], f"{function}: {count} of {true['calls']}")


def test_parks(env):
    """One function of a library is parked while it is called all the time, and nothing else is."""
    load = burst(env)
    # Whose library nobody has any more gives its probes back.
    holder = env.waiting_load("--count", "1", "tail", name="holder")
    service = Governed(env, layers="sample")
    load.go()
    parked = service.wait_state("parked")
    check(REASON.match(parked["reason"]), parked["reason"])
    check(parked["parked_count"] >= 1 and parked["parked_ns"] > 0, parked)
    check(parked["parked_until_ns"] > parked["parked_since_ns"], parked)
    status = service.status()
    equal("max_overhead", status["max_overhead"], 0.01)
    equal("parked", [(p["layer"], p["function"]) for p in status["parked"]], [("sample", HOT)])
    text = service.command("status")
    check(f"parked     {HOT} (" in text and "node's processors (at most 1 %), " in text, text)
    truth = finish(load)
    # The one call that was open all the while is among those that are exact.
    records = service.records("--all")
    check_sums(records, truth, parked=True, library=env.build)
    for record in records.functions("sample"):
        equal(f"{record['function']}: has a gap", "parked_ns" in record,
              record["function"] == HOT)
    # It comes back by itself, and counts everything again.
    back = service.wait_state("armed")
    equal("in flight", back["in_flight"], 0)
    # So few that they are not too much for the bound, however dear a hit is here.
    quiet = env.plain_load("tail", "--count", "50")
    time.sleep(0.1)
    calls = truth_functions(quiet)["sample", HOT]["calls"]
    after = service.probe()
    equal("hits after it came back", after["hits"] - back["hits"], calls)
    equal("recorded after it came back", after["recorded"] - back["recorded"], calls)
    check(after["parked_ns"] >= back["parked_ns"] > 0, after)
    holder.go()
    holder.finish()
    service.stop()


UNTIMED = re.compile(r"counted, not timed since \d\d:\d\d:\d\d: to time \d+ calls/s costs [\d.]+ % of a "
                     r"processor more, and all probes may cost [\d.]+ % of what the node's processors can "
                     r"do; timed "
                     r"again at \d\d:\d\d:\d\d or later$")


def between(service, seconds=2):
    """A bound into which counting the hot function's calls fits, and timing them does not."""
    probe, since = service.probe(), time.monotonic()
    time.sleep(seconds * PATIENCE)
    hits = service.probe()["hits"] - probe["hits"]
    can = (time.monotonic() - since) * os.cpu_count()
    run = service.records("--all").of("run")[0]
    site = "emulated" if probe["entry"] == "moved" else probe["entry"]
    counted, timed = (hits * run[name][site] / 1e9 / can for name in ("hit_counted_ns", "hit_cost_ns"))
    # 75 % of it are for what stays.
    bound = (counted * timed) ** 0.5
    if bound < 1.5 * counted:
        raise Skip(f"to count costs {counted:.4f}, to time {timed:.4f}: nothing is between")
    return f"{bound * 100:.3f}%"


def is_untimed(service):
    probe = service.probe()
    return probe if UNTIMED.match(probe["reason"] or "") else None


def need_in_place(service):
    """What counting costs may have grown since the bound was chosen: then the whole function goes."""
    probe = service.probe()
    if probe["parked_count"]:
        raise Skip(f"counting does not fit into the bound any more on this machine: {probe['reason']}")
    return probe


def test_samples(env):
    """Where calls can be counted, but not all be timed, they are counted exactly, and some are timed."""
    load = env.waiting_load("--duration", str(160 * PATIENCE), "--how", "paced", "burst")
    service = Governed(env, layers="sample", bound="none")
    load.go()
    service.reload(between(service))
    first = wait_for(lambda: is_untimed(service), f"{HOT} to be untimed", seconds=60, pause=ASK_S)
    equal("state", first["state"], "armed")
    # It may just be timed when it is asked for.
    wait_for(lambda: (HOT, []) in [(p["function"], service.status()["parked"])
                                   for p in service.status()["untimed"]], "status to name it")
    wait_for(lambda: f"untimed    {HOT} (" in service.command("status"), "status to say so")
    # It is timed again and again.
    again = wait_for(lambda: need_in_place(service) and (probe := is_untimed(service)) and
                     probe["untimed_count"] >= 2 and probe, "it to be timed again", seconds=120, pause=ASK_S)
    check(again["untimed_ns"] > first["untimed_ns"] > 0, again)
    truth = finish(load)
    need_in_place(service)
    records = service.records("--all")
    check_sums(records, truth, parked=False, library=env.build)
    calls = truth_functions(truth)["sample", HOT]["calls"]
    hot = records.functions("sample", HOT)
    equal("count", sum(r["count"] for r in hot), calls)
    check(0 < sum(r["timed"] for r in hot) < calls, hot)
    check(all(r["untimed_ns"] > 0 and r["p50_ns"] > 0 for r in hot), hot)
    equal("lost", service.probe()["lost"], 0)
    notes = [n for n in service.status()["notes"] if HOT in n]
    check(not any("parked" in n for n in notes), notes)
    # All of it is timed again once there is no bound.
    service.reload("none")
    wait_for(lambda: service.probe()["reason"] is None, "calls to be timed", seconds=60)
    before = service.records("--all").functions("sample", HOT)
    env.plain_load("tail", "--count", "50")
    time.sleep(0.1)
    after = service.records("--all").functions("sample", HOT)
    equal("calls that are not timed afterwards", *(sum(r["count"] - r["timed"] for r in records)
                                                   for records in (after, before)))
    service.stop()


def bounded(env, name, *options, seconds=4):
    """A hot function beside `tmtrace OPTIONS`: records, and its probe; the counts are exact."""
    load = burst(env, name=name)
    scope = () if "--all" in options else ("--pid", str(load.pid))
    tracer = env.attach("--layer", "sample", *options, *scope, records=name + ".json")
    load.go()
    time.sleep(seconds * PATIENCE)
    truth = finish(load)
    records = tracer.finish(signal.SIGINT)
    check_sums(records, truth, parked=False, library=env.build)
    hot = next(p for p in records.of("probe", layer="sample", function=HOT)
               if p["library"].startswith(env.build))
    equal("recorded", hot["recorded"], truth_functions(truth)["sample", HOT]["calls"])
    return records, hot


def test_whole_machine(env):
    """With --all, what is too dear is timed for a part of the time; all of it is counted, and it is said."""
    records, hot = bounded(env, "all", "--all")
    check(hot["untimed_ns"] > 0 and hot["state"] == "armed", hot)
    functions = records.functions("sample", HOT)
    check(all(0 < r["timed"] < r["count"] for r in functions), functions)
    check(any(f"{HOT} (" in note and "times, sizes and errors are those of a sample" in note
              for note in records.notes()), records.notes())
    records, hot = bounded(env, "in-full", "--all", "--max-overhead", "none", seconds=2)
    check(not hot.get("untimed_ns"), hot)
    equal("not timed", [r for r in records.functions("sample", HOT) if r["timed"] != r["count"]], [])


def test_own_processes(env):
    """One's own processes are always timed in full, unless it is asked for a bound."""
    records, hot = bounded(env, "own", seconds=2)
    check(not hot.get("untimed_ns"), hot)
    equal("not timed", [r for r in records.functions("sample", HOT) if r["timed"] != r["count"]], [])
    _, hot = bounded(env, "own-bounded", "--max-overhead", "0.1%")
    check(hot["untimed_ns"] > 0, hot)


def test_untimed_killed(env):
    """Of one that is killed meanwhile, the next one probes the library anew, and says so."""
    load = env.waiting_load("--duration", str(120 * PATIENCE), "--how", "paced", "burst")
    service = KeptGoverned(env, layers="sample", bound="none")
    load.go()
    service.reload(between(service), pins=service.pins)
    wait_for(lambda: is_untimed(service), f"{HOT} to be untimed", seconds=60)
    service.kill()
    service.bound = "none"
    service.write(layers="sample", pins=service.pins)
    service.start_again()
    wait_for(lambda: service.probe()["reason"] is None, "calls to be timed", seconds=60)
    notes = [note for note in notes_of(service) if "libsample.so" in note]
    check(len(notes) == 1 and "some of its probes were parked or gone" in notes[0], notes)
    finish(load)
    service.stop(signal.SIGINT)


def test_parks_files(env):
    """So is a function of the kernel's layers, and comes back; the libraries' count on."""
    data, reader = env.path("data"), new_cgroup(env, mount_v2(), "reader")
    with open(data, "wb") as f:
        f.truncate(1 << 30)
    load = env.waiting_load("--count", "50", "tail")
    # On a slow machine, a program that reads byte by byte takes 3 % of two processors by its hits.
    service = Governed(env, layers="sample, vfs", bound="1%")
    busy = env.spawn(["dd", f"if={data}", "of=/dev/null", "bs=1", "status=none"])
    wait_for(lambda: "read" in {p["function"] for p in service.status()["parked"]},
             "reads to be parked", seconds=60)
    load.go()
    truth = load.finish()
    busy.kill()
    busy.communicate()
    wait_for(lambda: "read" not in {p["function"] for p in service.status()["parked"]},
             "reads to come back", seconds=60)
    status, _, err = env.run(*joining(reader), "dd", f"if={data}", "of=/dev/null", "bs=1000",
                             "count=500", "status=none")
    equal(f"dd, {err}", status, 0)
    time.sleep(0.1)
    records = service.records("--all")
    read = [r for r in records.functions("vfs", "read") if r["cgroup"] == "/" + os.path.basename(reader)]
    # What dd's own start reads is more.
    check(sum(r["bytes"] for r in read) >= 500000, read)
    check(all("parked_ns" in r for r in records.functions("vfs", "read")), "no gap is told")
    check_sums(records, truth, parked=False, library=env.build)
    wait_fates(service, "vfs")
    service.stop()


def test_addb(env):
    """Telemetry that is too dear is parked; calls and sums over records say so, and nothing is wrong."""
    made = 20_000_000
    load = env.waiting_load("--how", "storm", "--count", str(made), "--dir", env.dir, "addb")
    service = Governed(env, layers="addb")

    def consume():
        return next((p for p in service.probes("addb") if p["function"] == "m0_addb2_consume"
                     and p["library"].startswith(env.build)), None)

    load.go()
    parked = wait_for(lambda: (p := consume()) and p["state"] == "parked" and p,
                      "m0_addb2_consume to be parked", seconds=60)
    check(parked["parked_ns"] > 0 and parked["mechanism"], parked)
    load.finish(timeout=120)
    wait_fates(service, "addb")
    time.sleep(0.1)
    records = service.records("--all")
    # Of the whole machine, where others may use a library of that name.
    calls = records.functions("addb", "m0_addb2_consume")
    equal("calls", sum(r["count"] for r in calls),
          sum(p["recorded"] for p in records.probes("addb", "m0_addb2_consume")))
    check(0 < consume()["recorded"] < made, calls)
    check(calls and all(r["parked_ns"] > 0 for r in calls), calls)
    states = [r for r in records.of("addb_state", final=True) if r["name"] == "fom-state"]
    for state in states:
        equal(f"{state['state']}: has a gap", state.get("parked_ns", 0) > 0, True)
        equal("its share of all", state.get("coverage", "not told"), None)
        # Each of two records is of a fom that is there for a fraction of a millisecond.
        check(0 < state["count"] <= made // 2, state)
        check(state["max_ns"] < 0.5e9, f"{state['state']} is said to have lasted {state['max_ns']} ns")
        equal("machines that are there", state["in_flight"], 0)
    check(states, "there are no states")
    service.stop()


def test_other_bound(env):
    """A new bound holds at once; without one, all come back."""
    load = burst(env)
    service = Governed(env, layers="sample")
    load.go()
    service.wait_state("parked")
    service.reload("none")
    service.wait_state("armed")
    check(service.status()["max_overhead"] is None, "there is a bound")
    # What the load calls beside fits into it, however dear a hit is here.
    service.reload(BOUND)
    service.wait_state("parked")
    truth = finish(load)
    check_sums(service.records("--all"), truth, parked=True, library=env.build)
    service.stop()


def test_no_bound(env):
    """Without a bound nothing is ever parked, whatever it costs."""
    load = burst(env, 2)
    service = Governed(env, layers="sample", bound="none")
    load.go()
    truth = load.finish()
    time.sleep(0.1)
    probe = service.probe()
    equal("hits", probe["hits"], truth_functions(truth)["sample", HOT]["calls"])
    equal("parked", (probe["state"], probe["parked_count"]), ("armed", 0))
    check_sums(service.records("--all"), truth, parked=False, library=env.build)
    service.stop()


class KeptGoverned(Governed, Kept):
    """A service with a bound, whose probes are kept."""


def notes_of(service):
    """What is noted of this test's libraries."""
    return [note for note in service.status()["notes"] if service.env.build in note]


def test_stop(env):
    """A service that ends puts back what is parked: it counts on for the next one, which parks it."""
    load = burst(env)
    service = KeptGoverned(env, layers="sample")
    load.go()
    before = service.wait_state("parked")["hits"]
    service.stop()
    service.bound = "none"
    service.write(layers="sample", pins=service.pins)
    service.start_again()
    probe = service.wait_state("armed")
    check(probe["hits"] > before, f"{probe['hits']} hits, {before} before the end")
    equal("restarts", service.status()["restarts"], 1)
    equal("what is missing of libraries", notes_of(service), [])
    service.reload(BOUND, pins=service.pins)
    service.wait_state("parked")
    truth = finish(load)
    check_sums(service.records("--all"), truth, parked=True, library=env.build)
    service.stop(signal.SIGINT)


def test_killed(env):
    """Of one that is killed while a probe is parked, the next one probes the library anew, and says so."""
    load = burst(env)
    # So little that it is not just tried when the service is killed.
    service = KeptGoverned(env, layers="sample", bound="0.1%")
    load.go()
    service.wait_state("parked")
    service.kill()
    service.bound = "none"
    service.write(layers="sample", pins=service.pins)
    service.start_again()
    before = service.wait_state("armed")["hits"]
    wait_for(lambda: service.probe()["hits"] > before, "calls to be counted")
    notes = [note for note in notes_of(service) if "libsample.so" in note]
    check(len(notes) == 1 and "some of its probes were parked or gone" in notes[0], notes)
    finish(load)
    service.stop(signal.SIGINT)


def test_wrong_bounds(env):
    """What is no share is refused, with its line."""
    wrong = ("1", "0%", "101%", "-1%", "[1%]", "much", "nan%", "50ms", "1 percent")
    for key, text in itertools.product(KEYS, wrong):
        path = env.path("wrong.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"interval: 60\n{key}: {text}\n")
        status, _, err = env.trace("service", "--check", "--config", path)
        equal(f"{key}: {text}: exit status", status, 2)
        check(f"{path}:2: {key} is " in err and "above 0 is needed, up to 100%" in err
              or text == "[1%]", err)
    status, _, err = env.trace("--all", "--max-overhead", "2ms")
    equal("exit status", status, 2)
    check("--max-overhead 2ms: a part above 0 is needed, up to 100%" in err, err)
