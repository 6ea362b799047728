# SPDX-License-Identifier: GPL-2.0-only
"""Where in a function its probe is: moved probes must count the same as unmoved ones.

The same load is traced with probes on the first instruction (--entry first) and where they are cheap
(the default). Programs of the distribution are run so that every call and every argument is the same
each time; what differs between two runs with unmoved probes is not held against the moved ones.
"""

import os
import re
import shutil

from harness import (Records, check, check_ledgers, compare_clean, equal, truth_functions)
from real_machine import compile_c, need, run, trace
from test_real_libraries import hdf5_file, skip_other_mpi

SHARES_MACHINE = True

FIRST = ("--entry", "first")
# A few dozen runs with hundreds of probes: half a minute, on a machine with nothing else to do.
LONG = 600


def use_endbr64(env):
    """The sample stack whose functions begin with endbr64."""
    env.stack = os.path.join(env.build, "endbr64", "stack")
    check(os.path.exists(env.stack), "not built yet: make stack-endbr64")
    env.load = os.path.join(env.stack, "load")


def entries(records):
    """{how the begin of a function is handled: how many library functions}."""
    counts = {}
    for p in records.of("probe"):
        if p["library"] and "/stack/" in p["library"]:
            counts[p["entry"]] = counts.get(p["entry"], 0) + 1
    return counts


def test_endbr64(env):
    """Every function of the sample stack, both ways, exact against the truth."""
    use_endbr64(env)
    args = ("all", "--threads", "1", "--count", "10")
    stepped, stepped_truth = env.trace_load(*args, options=FIRST)
    moved, moved_truth = env.trace_load(*args)
    check(compare_clean(stepped, stepped_truth) > 80, "too few functions were compared")
    check(compare_clean(moved, moved_truth) > 80, "too few functions were compared")
    check(entries(stepped).get("stepped", 0) > 0.9 * sum(entries(stepped).values()) and
          "moved" not in entries(stepped), f"unmoved: {entries(stepped)}")
    check(entries(moved).get("moved", 0) > 0.9 * sum(entries(moved).values()),
          f"moved: {entries(moved)}")
    beyond = {}
    for name, records, truth in (("first", stepped, stepped_truth), ("cheap", moved, moved_truth)):
        total = 0
        for key, true in truth_functions(truth).items():
            found = records.total(*key, "total_ns")
            if not found or key[1] == "sample_tail":
                continue
            check(found >= true["total_ns"], f"{name}, {'.'.join(key)}: total_ns {found} is less "
                  f"than what the function itself measured, {true['total_ns']}")
            total += found - true["total_ns"]
        beyond[name] = total
    check(beyond["cheap"] < beyond["first"], f"time beyond the truth's: {beyond}")
    env.remark = (f"time beyond the truth's: {beyond['first'] / 1e6:.1f} ms, "
                  f"moved {beyond['cheap'] / 1e6:.1f} ms")


def test_endbr64_special(env):
    """The loads whose frames end in other ways than by a return."""
    use_endbr64(env)
    for args in (("longjmp",), ("tail",), ("recurse", "--how", "100", "--count", "10"),
                 ("fork-inside",), ("threads", "--threads", "8", "--count", "500")):
        stepped, stepped_truth = env.trace_load(*args, options=FIRST)
        moved, moved_truth = env.trace_load(*args)
        equal(f"{args[0]}: the truths", calls_of(moved_truth), calls_of(stepped_truth))
        equal(f"{args[0]}: counts", counts_of(moved), counts_of(stepped))
        equal(f"{args[0]}: losses", moved.losses(), stepped.losses())
        check_ledgers(moved)


def calls_of(truth):
    return {key: f["calls"] for key, f in truth_functions(truth).items()}


def counts_of(records):
    return {r["function"]: (r["count"], r["errors"], r["bytes"])
            for r in records.functions("sample")}


ODD = """\
layer: odd
libraries: ["libodd.so"]
functions:
  - name: "odd_*"
    size: arg1
    returns: void
"""
# Where the probe of each function is. A program that loops back to the site would fire it again.
ODD_ENTRIES = {
    "odd_loop": "stepped", "odd_table": "stepped", "odd_far": "stepped", "odd_again": "moved",
    "odd_argument": "stepped", "odd_store": "stepped", "odd_stack": "stepped",
    "odd_lock": "refused", "odd_prefix": "moved", "odd_nop5": ("nop5", "moved"),
    "odd_second_nop5": "moved", "odd_short": "stepped", "odd_plain": "moved",
    "odd_test": "moved", "odd_jump": "moved", "odd_endless": "stepped",
}


def test_odd_entries(env):
    """Functions with unusual begins: where their probes are, and that each call is counted once."""
    need("cc")
    library = compile_c(env, "odd_entries.c", "-DLIBRARY", "-shared", "-fPIC",
                        "-Wl,-soname,libodd.so")
    os.rename(library, env.path("libodd.so"))
    program = compile_c(env, "odd_entries.c", env.path("libodd.so"), f"-Wl,-rpath,{env.dir}")
    with open(env.path("odd.yaml"), "w", encoding="ascii") as f:
        f.write(ODD)
    for options in (), FIRST, ("--mechanism", "user=multi"):
        status, _, err = env.trace("--json", env.path("odd.json"), "--probes", env.path("odd.yaml"),
                                   "--layer", "odd", *options, "--", program, "1000")
        if status == 125 and "this kernel refuses it" in err:
            continue
        check(status == 0, f"the program ended with {status}: {err}")
        records = Records(env.path("odd.json"))
        check_ledgers(records)
        equal(f"{options}: losses", records.losses(), {})
        for p in records.probes("odd"):
            name, where = p["function"], ODD_ENTRIES[p["function"]]
            if options != FIRST:
                check(p["entry"] in where, f"{name}: {p['entry']}, not {where}")
                check((p["moved_bytes"] > 0) == (p["entry"] == "moved"), f"{name}: {p}")
            refused = p["entry"] == "refused"
            equal(f"{options}, {name}: state", p["state"], "failed" if refused else "armed")
            equal(f"{options}, {name}: hits", p["hits"], 0 if refused else 1000)
            equal(f"{options}, {name}: bytes", records.total("odd", name, "bytes"), 0)
        equal("functions", len(records.probes("odd")), len(ODD_ENTRIES))


def test_go(env):
    """What Go makes is counted, not timed. Any library with Go's marks will do."""
    need("objcopy")
    stack = env.private_stack()
    library = os.path.join(stack, "libsample.so.1")
    with open(env.path("mark"), "w", encoding="ascii") as f:
        f.write("build information")
    run("objcopy", "--add-section", f".go.buildinfo={env.path('mark')}", library)
    env.load = os.path.join(stack, "load")
    records, truth = env.trace_load("threads", "--threads", "2", "--count", "100")
    calls = truth_functions(truth)[("sample", "sample_leaf")]["calls"]
    equal("count", records.total("sample", "sample_leaf", "count"), calls)
    equal("total_ns", records.total("sample", "sample_leaf", "total_ns"), 0)
    reasons = {p["reason"] for p in records.probes("sample")}
    check(all("Go" in (reason or "") for reason in reasons), f"reasons: {reasons}")


# Functions of a library, each argument or what it points to for their size in turn, and every
# return value other than 0 a failure by its number.
CATALOGUE = """\
layer: all
libraries: ["{library}"]
functions:
  - name: [{left_out}]
    enabled: false
  - name: [{names}]
    size: "{size}"
    fail: nonzero
    returns: u64
"""
SIZES = ("arg1.u32", "arg2.u32", "arg3.u32", "arg4.u32", "arg5.u32", "arg6.u32", "[arg1].u32")
# Functions that return twice, or elsewhere: a return probe of any tracer breaks them.
LEFT_OUT = ("'*setjmp*'", "'*vfork*'", "'*context*'", "'*clone*'", "'*longjmp*'", "'__cxa_*'",
            "'_Unwind_*'")


def private_copy(env, program, library):
    """A copy of a library that only our program maps, and the environment that makes it do so."""
    out = run("ldd", program)
    found = re.search(rf"{re.escape(library)} => (\S+)", out)
    check(found, f"{program} does not need {library}: {out}")
    os.makedirs(env.path("lib"), exist_ok=True)
    return shutil.copy(os.path.realpath(found[1]), env.path(os.path.join("lib", library)))


def observe(env, names, size, library, options, *command):
    """{function: (calls, sum of sizes, results)} of one run, and its Records."""
    catalogue = env.path("all.yaml")
    with open(catalogue, "w", encoding="ascii") as f:
        f.write(CATALOGUE.format(library=os.path.basename(library), size=size,
                                 names=", ".join(f"'{name}'" for name in names), left_out=", ".join(LEFT_OUT)))
    records = env.path("all.json")
    status, _, err = env.trace("--json", records, "--probes", catalogue, "--layer", "all",
                               "--lib", f"all={library}", *options,
                               "--env", f"LD_LIBRARY_PATH={os.path.dirname(library)}", "--",
                               # Addresses are the same in every run.
                               "setarch", "-R", *command)
    check(status == 0, f"{' '.join(command)} ended with {status}: {err}")
    records = Records(records)
    check_ledgers(records)
    unsized = {p["function"]: p["unsized"] for p in records.probes("all")}
    return {r["function"]: (r["count"], r["bytes"], r["errors"], r["errors_by"],
                            unsized[r["function"]])
            for r in records.functions("all")}, records


def both_ways(env, program, library, *args):
    """Traces a program with unmoved and moved probes, once for each operand."""
    library = private_copy(env, program, library)
    called, _ = observe(env, ["*"], "none", library, FIRST, program, *args)
    again, probes = observe(env, called, "none", library, (), program, *args)
    equal("the functions called", set(again), set(called))
    moved = {p["function"] for p in probes.probes("all") if p["entry"] == "moved"} & set(called)
    compared, unsure, times = 0, [], {"first": 0, "cheap": 0}
    for size in SIZES:
        first, one = observe(env, moved, size, library, FIRST, program, *args)
        cheap, other = observe(env, moved, size, library, (), program, *args)
        equal(f"{size}: the functions called", set(cheap), set(first))
        differ = {name for name in first if cheap[name] != first[name]}
        if differ:
            # What the kernel and the C library make up anew in each run differs anyway.
            again, _ = observe(env, differ, size, library, FIRST, program, *args)
            sure = {name: (first[name], cheap[name]) for name in differ
                    if again.get(name) == first[name]}
            check(not sure, f"{size}: moved probes see something else: {sure}")
        unsure += [f"{name} {size}" for name in moved & differ]
        compared += len(moved)
        for name, records in (("first", one), ("cheap", other)):
            times[name] += sum(r["total_ns"] or 0 for r in records.functions("all")
                               if r["function"] in moved)
    check(len(unsure) < 0.15 * compared, f"{len(unsure)} of {compared} results of moved functions "
          f"are not the same in every run: {unsure}")
    check(times["cheap"] < times["first"], f"moved functions' times: {times}")
    calls = sum(count for count, *_ in called.values())
    env.remark = (f"{len(called)} functions called {calls} times, {len(moved)} of them moved, "
                  f"{len(SIZES)} operands; {len(unsure)} results not comparable; time in moved "
                  f"functions {times['first'] / 1e6:.0f} ms, moved {times['cheap'] / 1e6:.0f} ms")
    return len(moved)


def folder(env):
    """One that nobody else writes to."""
    os.makedirs(env.path("work"), exist_ok=True)
    return env.path("work")


def test_libc(env):
    need("cc", "setarch", "ldd")
    program = compile_c(env, "real_calls.c", "-O0", "-fno-builtin", "-w", "-D_GNU_SOURCE")
    moved = both_ways(env, program, "libc.so.6", folder(env), "2")
    check(moved >= 40, f"only {moved} functions were called whose probes are moved")


test_libc.time_limit = LONG


def test_libstdcxx(env):
    need("c++", "setarch", "ldd")
    program = env.path("real_calls")
    run("c++", "-O0", "-std=c++17", "-o", program,
        os.path.join(env.source, "tests", "integration", "real_calls.cpp"))
    moved = both_ways(env, program, "libstdc++.so.6", folder(env), "2")
    check(moved >= 150, f"only {moved} functions were called whose probes are moved")


test_libstdcxx.time_limit = LONG


def hdf5_load(env):
    """A program, its library and the program's arguments."""
    need("h5dump", "h5cc", "setarch", "ldd")
    program = shutil.which("h5dump")
    library = re.search(r"(libhdf5\S*\.so\S*) => ", run("ldd", program))
    check(library, "h5dump needs no libhdf5")
    return (program, library[1], "-d", "/data", "-s", "0", "-c", "1000", hdf5_file(env, env.dir))


def test_hdf5(env):
    moved = both_ways(env, *hdf5_load(env))
    check(moved >= 30, f"only {moved} functions were called whose probes are moved")


test_hdf5.time_limit = LONG


def mpi_both_ways(env, plain):
    """
    MPI-IO of two ranks, with those options and without: {function: (calls, bytes, errors)} of each.
    """
    need("mpicc", "mpirun")
    program = compile_c(env, "real_mpi.c", compiler="mpicc")
    seen = {}
    for name, options in (("plain", plain), ("cheap", ())):
        records = trace(env, "mpirun", "-n", "2", "--allow-run-as-root", "--oversubscribe",
                        "--bind-to", "none", program, os.path.join(folder(env), "file"),
                        options=("--layer", "mpi", *options))
        skip_other_mpi(records)
        check_ledgers(records)
        seen[name] = {}
        for r in records.functions("mpi"):
            count, size, errors = seen[name].get(r["function"], (0, 0, 0))
            seen[name][r["function"]] = (count + r["count"], size + (r["bytes"] or 0),
                                         errors + r["errors"])
    return seen["plain"], seen["cheap"]


def test_mpi(env):
    """MPI-IO of two ranks, by the catalogue: calls, bytes and errors of every function."""
    first, cheap = mpi_both_ways(env, FIRST)
    equal("calls, bytes and errors with moved probes", cheap, first)
    check(len(first) >= 10, f"only {len(first)} functions were called")
