# SPDX-License-Identifier: GPL-2.0-only
"""What is traced goes on as if it were not: tmtrace selftest, and programs that are easily harmed.

The programs run once under what tmtrace chooses by itself, and once under every other mechanism
that this kernel has.
"""

import json

from harness import Records, Skip, alone, by_mechanism, check, check_ledgers, compare, equal, truth_functions

SHARES_MACHINE = True

SAMPLE = ("--layer", "sample")
CHOSEN = "chosen"
MECHANISMS = (CHOSEN, "session", "multi", "perf")
USED = {"fires", "pairs", "filters", "red_zone", "seccomp", "stacks"}
RED = ("sample_red_push", "sample_red_nop5", "sample_red_endbr", "sample_red_mov",
       "sample_red_sub")


def compare_all(records, truth):
    """Every call is recorded. That system calls are seen, too, is not the matter here."""
    check_ledgers(records)
    equal("losses", {key: n for key, n in records.losses().items() if n}, {})
    compare(records, truth)


def selftest(env):
    status, out, err = env.trace("selftest", "--json")
    check(status in (0, 1), f"selftest ended with {status}: {err}")
    lines = out.splitlines()
    equal("lines", len(lines), 1)
    return status, json.loads(lines[0])


def traced(env, mechanism, *load_args):
    """`load` under tmtrace; Skip where this kernel has not got the mechanism, or not safely."""
    forced = () if mechanism == CHOSEN else by_mechanism(mechanism)
    if mechanism == "perf":
        env.sample = env.sample_of(("sample_red_*",))
    if forced:
        status, _, err = env.trace(*forced, *SAMPLE, "--probes", env.sample, "--", "true")
        if status == 125 and ("refuses" in err or "not safe" in err):
            raise Skip(err.strip().removeprefix("tmtrace: "))
    return env.trace_load(*load_args, options=(*forced, *SAMPLE))


def test_selftest(env):
    """Everything that would be used is proven, and what is available but not used is shown."""
    status, record = selftest(env)
    equal("type", record["type"], "selftest")
    equal("exit status", status, 0)
    chosen = record["chosen"]
    proofs = chosen["proofs"]
    equal("proofs of what is used", {k for k in proofs if k in USED}, USED)
    for name in USED:
        equal(name, proofs[name], {"outcome": "proven", "reason": None})
    # Perf uprobes take too long to go away again for so many instructions.
    outcome = (proofs.get("instructions") or {}).get("outcome")
    if chosen["mechanism"] != "perf":
        equal("instructions", outcome, "proven")
    for way in record["ways"]:
        check((way["proofs"] is None) == bool(way["unavailable"]), f"neither nor: {way}")
        for name, proof in (way["proofs"] or {}).items():
            check((proof["outcome"] == "failed") == bool(proof["reason"]), f"{name}: {proof}")
    # What is chosen is the first that is available and proven, and replaces no return address.
    proven = [w for w in record["ways"] if w["proofs"] and w["mechanism"] != "session"
              and all(w["proofs"][name]["outcome"] == "proven" for name in USED)]
    equal("chosen", (chosen["mechanism"], chosen["use"]),
          (proven[0]["mechanism"], proven[0]["use"]))


def test_selftest_lines(env):
    """A line for each mechanism and proof, for people and for grep."""
    status, out, err = env.trace("selftest")
    equal("exit status", status, 0)
    equal("standard error", err, "")
    lines = out.splitlines()
    for name in USED:
        check(any(line.split()[-2:] == [name, "proven"] for line in lines), f"no {name}: {out}")
    check(sum(line.startswith("chosen: user=") for line in lines) == 1, f"no choice: {out}")
    check(any(line.startswith("a call costs, emulated: ") for line in lines), f"no cost: {out}")


def test_selftest_usage(env):
    status, _, err = env.trace("selftest", "--nonsense")
    equal("exit status", status, 2)
    check("--nonsense" in err, err)
    status, _, err = env.trace("selftest", "what")
    equal("exit status", status, 2)


def test_selftest_unprivileged(env):
    status, out, err = env.run("setpriv", "--reuid", "65534", "--clear-groups", env.tmtrace,
                               "selftest")
    equal("exit status", status, 1)
    check("not permitted" in err, err)
    check("proven" not in out, out)


def test_trial_leaves_nothing(env):
    """The trial at the start of a run is in none of its figures."""
    records, _ = env.trace_load("redzone", "--count", "7", options=SAMPLE)
    layers = {r["layer"] for r in records.of("function")}
    equal("layers", layers, {"sample"})
    check_ledgers(records)
    hits = sum(p["hits"] for p in records.of("probe"))
    equal("all hits", hits, 2 * 7 * len(RED))


@alone
def test_hit_cost(env):
    """Every run says what a hit costs; inside the measured time is a part of it."""
    records, _ = env.trace_load("redzone", "--count", "1", options=SAMPLE)
    for run in records.of("run"):
        costs = run["hit_cost_ns"]
        check({"emulated", "stepped"} <= costs.keys(), f"classes: {costs}")
        for name, ns in costs.items():
            check(50 <= ns <= 10_000_000, f"{name}: {ns} ns")
            check(run["hit_inside_ns"][name] <= ns, f"{name}: {run['hit_inside_ns']}")
    # Without libraries there is nothing to measure.
    records, _ = env.trace_load("redzone", "--count", "1", options=("--layer", "vfs"))
    equal("without libraries", [run["hit_cost_ns"] for run in records.of("run")], [None, None])


def check_redzone(env, mechanism):
    """The program itself looks whether its data is as it was; so does the record: errors 0."""
    records, truth = traced(env, mechanism, "redzone", "--count", "2000")
    equal("functions", {f for _, f in truth_functions(truth)}, set(RED))
    compare_all(records, truth)


def check_seccomp(env, mechanism, how):
    """A process that may make no system call but the last one survives, and is counted."""
    records, truth = traced(env, mechanism, "seccomp", "--how", how, "--count", "500")
    check_ledgers(records)
    confined = records.lost("confined")
    if not confined:
        compare_all(records, truth)
        return
    # A kernel that does not exempt return probes: counted, not timed, and said so.
    equal("confined", confined, 500 * len(RED))
    check(any("confined" in note for note in records.notes()), "no note of it")


def check_stacks(env, mechanism, subcommand):
    """Calls on other stacks are counted, and timed; nobody dies."""
    records, truth = traced(env, mechanism, subcommand)
    check_ledgers(records)
    for (layer, function), true in truth_functions(truth).items():
        for field in "count", "timed":
            equal(f"{function}: {field}", records.total(layer, function, field), true["calls"])


def check_exceptions(env, mechanism):
    records, truth = traced(env, mechanism, "longjmp")
    check_ledgers(records)
    compare(records, truth)


def add_test(name, function, *args):
    def test(env):
        env.load = env.private_stack() + "/load"
        function(env, *args)
    globals()["test_" + name] = test


for _mechanism in MECHANISMS:
    add_test(f"{_mechanism}_redzone", check_redzone, _mechanism)
    for _how in ("strict", "filter"):
        add_test(f"{_mechanism}_seccomp_{_how}", check_seccomp, _mechanism, _how)
# tests of stacks have the others
for _subcommand in ("coroutine", "altstack"):
    add_test(f"{CHOSEN}_{_subcommand}", check_stacks, CHOSEN, _subcommand)
add_test(f"{CHOSEN}_longjmp", check_exceptions, CHOSEN)


def run_record(records):
    return [r for r in records.of("run") if r["final"]][-1]


def traced_empty(env, *load_args):
    """Records of a load that counts nothing itself: its calls do nothing; and what it printed."""
    path = env.path("o.json")
    status, out, err = env.trace("--json", path, *SAMPLE, "--probes", env.sample, "--env",
                                 "STACK_TRUTH=off", "--", env.load, *load_args)
    equal(f"exit status ({err})", status, 0)
    return Records(path), json.loads(out)


def check_share(records, outermost):
    """The share by docs/records.md, where only one function is called."""
    run = run_record(records)
    function, = records.functions("sample")
    probe, = (p for p in records.probes("sample") if p["hits"])
    site = {"moved": "emulated"}.get(probe["entry"], probe["entry"])
    cost, inside = run["hit_cost_ns"][site], run["hit_inside_ns"][site]
    caused = function["count"] * cost
    traced = function["self_ns"] + outermost * (cost - inside)
    share = min(caused / traced, 1)
    check(abs(run["probe_share"] - share) < 1e-5, f"{run['probe_share']} is not {share}")
    return share


@alone
def test_probe_share_of_short_calls(env):
    """Of calls that do nothing tracing is nearly all, as the slow-down shows."""
    plain = [json.loads(env.run("env", "STACK_TRUTH=off", env.load, "spin", "--count",
                                "1000000")[1])["calls_per_s"] for _ in range(5)]
    best = (0, 0)
    # What other programs take of the processor is in the traced time, too.
    for _ in range(5):
        records, traced_load = traced_empty(env, "spin", "--count", "50000")
        share = check_share(records, 50000)
        best = max(best, (share, 1 - traced_load["calls_per_s"] / max(plain)))
        if best[0] > 0.4:
            break
    check(best[1] > 0.7, f"tracing causes only {best[1]} of the time, by the slow-down")
    check(best[0] > 0.4, f"{best[0]} is said to be caused by probes, {best[1]} is")


@alone
def test_probe_share_of_nested_calls(env):
    records, _ = traced_empty(env, "recurse", "--how", "40", "--count", "500")
    equal("calls", records.total("sample", "sample_recurse", "count"), 40 * 500)
    check_share(records, 500)


@alone
def test_probe_share_of_long_calls(env):
    """One call that sleeps for a second."""
    records, _ = env.trace_load("inside", "--go", env.load, "--duration", "1", "--count", "1",
                                options=SAMPLE)
    share = run_record(records)["probe_share"]
    check(0 <= share < 0.02, f"share {share}")


def test_probe_share_unknown(env):
    records, _ = env.trace_load("redzone", "--count", "1", options=("--layer", "vfs"))
    equal("share without libraries", run_record(records)["probe_share"], None)
    equal("share at the start", records.of("run")[0]["probe_share"], None)
