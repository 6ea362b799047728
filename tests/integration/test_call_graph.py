# SPDX-License-Identifier: GPL-2.0-only
"""-g: who made a recorded call. The program `chain` has frame pointers, its libraries have not."""

import os
import shutil
import signal
import subprocess

from harness import Records, Skip, by_mechanism, check, equal, need, read_text
from test_calls import made

SHARES_MACHINE = True

USER = ("b", "a", "main")
# What `chain` calls.
CALLED = ("sample_leaf", "sample_call", "sample_recurse", "sample_write")
MECHANISMS = ("session", "multi", "perf")
# MIO calls these by itself, at times on a thread of Motr's.
OWN = ("mio_driver_op_add", "mio_driver_op_invoke_real_cb")


def trace_chain(env, *args, options=(), stack=None, status=0):
    """`chain` under tmtrace -g: Records. All of its calls have a stack, or it is said why not."""
    path = env.path("records.json")
    done, _, err = env.trace("--calls", "-g", "--json", path, "--probes", env.sample, *options,
                             "--", os.path.join(stack or env.stack, "chain"), *args)
    equal(f"exit status, {err}", done, status)
    return Records(path)


def stack_of(records, function, depth=None):
    """The stack of the one call of a function: names, or offsets where there are none."""
    calls = [r for r in records.of("call", function=function) if depth in (None, r["depth"])]
    equal(f"calls of {function}", len(calls), 1)
    check(calls[0]["stack"], f"{function} has no stack")
    return calls[0]["stack"]


def names(stack):
    """Functions from the innermost out, up to main; what is behind that is libc's own."""
    found = [frame["function"] or frame["offset"] or frame["address"] for frame in stack]
    return tuple(found[:found.index("main") + 1] if "main" in found else found)


def libraries(stack):
    return [os.path.basename(frame["library"] or "") for frame in stack]


def try_mechanism(mechanism):
    def run(env):
        if mechanism == "perf":
            env.sample = env.sample_of(CALLED)
        options = (*by_mechanism(mechanism), "--layer", "sample,vfs")
        path = env.path("probe.json")
        status, _, err = env.trace(*options, "--json", path, "--probes", env.sample, "--", "true")
        if status == 125 and "this kernel refuses it" in err:
            raise Skip(f"this kernel has no {mechanism}")
        equal(f"exit status, {err}", status, 0)
        records = trace_chain(env, "leaf", options=options)
        stack = stack_of(records, "sample_leaf")
        equal("a call", names(stack), USER)
        equal("its libraries", libraries(stack)[:3], ["chain"] * 3)
        records = trace_chain(env, "nested", options=options)
        equal("a call in another one", names(stack_of(records, "sample_leaf")),
              ("leaf", "sample_call", *USER))
        equal("the outer one", names(stack_of(records, "sample_call")), USER)
        equal("its libraries", libraries(stack_of(records, "sample_leaf"))[:5],
              ["chain", "libsample.so.1", *["chain"] * 3])
        records = trace_chain(env, "recurse", options=options)
        for depth in range(4):
            equal(f"call {depth} of itself", names(stack_of(records, "sample_recurse", depth)),
                  ("sample_recurse",) * depth + USER)
        records = trace_chain(env, "nested-file", options=options)
        stack = stack_of(records, "write")
        equal("an operation on a file in a call", names(stack),
              ("write", "sample_write", "write_one", "sample_call", *USER))
        equal("its libraries", libraries(stack)[:4],
              ["libc.so.6", "libsample.so.1", "chain", "libsample.so.1"])
    return run


for name in MECHANISMS:
    globals()[f"test_{name}"] = try_mechanism(name)


def test_tail(env):
    """A function that ends by a jump has no frame: both were called from the same place."""
    records = trace_chain(env, "tail")
    for function in ("sample_leaf", "sample_tail"):
        equal(function, names(stack_of(records, function)), USER)


def test_deep(env):
    """At most 64 addresses, the innermost ones."""
    records = trace_chain(env, "deep")
    for depth in (0, 30, 60):
        equal(f"depth {depth}", names(stack_of(records, "sample_recurse", depth)),
              ("sample_recurse",) * depth + USER)
    equal("the deepest", names(stack_of(records, "sample_recurse", 62)), ("sample_recurse",) * 62
          + USER[:2])


def test_generated(env):
    """Code that is of no file has an address alone, and does not end the stack."""
    stack = stack_of(trace_chain(env, "generated"), "sample_leaf")
    frame = stack[0]
    equal("its code", [frame["function"], frame["library"], frame["offset"]], [None] * 3)
    check(int(frame["address"], 16) % 4096 < 20, f"address {frame['address']}")
    equal("its caller", names(stack)[1:], USER)


def test_stripped(env):
    """Without symbols, what is exported has its name, and the rest its place in the file."""
    need("strip", "nm")
    private = env.private_stack()
    chain, library = (os.path.join(private, name) for name in ("chain", "libsample.so.1"))
    symbols = subprocess.run(("nm", "-S", chain), check=True, capture_output=True, text=True)
    functions = {line.split()[3]: line.split()[:2] for line in symbols.stdout.splitlines()
                 if len(line.split()) == 4}
    subprocess.run(("strip", "--strip-all", chain, library), check=True)
    stack = stack_of(trace_chain(env, "nested", stack=private), "sample_leaf")
    equal("functions", [frame["function"] for frame in stack[:5]],
          [None, "sample_call", None, None, None])
    equal("libraries", [frame["library"] for frame in stack[:5]],
          [chain, library, chain, chain, chain])
    for frame, function in zip([stack[0], *stack[2:]], ("leaf", *USER)):
        start, size = (int(number, 16) for number in functions[function])
        # Linked so that addresses and offsets of its code are the same.
        check(start < int(frame["offset"], 16) <= start + size, f"{function}: {frame}")


def test_killed(env):
    """Of a process that is gone at once, everything is known all the same."""
    records = trace_chain(env, "nested-file", "killed", status=128 + signal.SIGKILL)
    equal("a call", names(stack_of(records, "sample_call")), USER)
    check(not [note for note in records.notes() if "stack" in note], f"{records.notes()}")


def test_attached(env):
    """A process that was there before; and those that it forks."""
    load = env.waiting_load("fork", "--truth", env.path("truth.json"))
    tracer = env.attach("--calls", "-g", "--pid", str(load.pid), "--layer", "mio,sample")
    load.go()
    load.finish()
    records = tracer.finish()
    calls = records.of("call")
    check(len({r["pid"] for r in calls}) >= 4, "too few processes")
    callers = {os.path.basename(r["stack"][0]["library"] or "?") for r in calls
               if not r["depth"] and r["function"] not in OWN}
    equal("who called", callers, {"load"})
    check(all(r["stack"][0]["function"] for r in calls), "a caller without a name")


def test_exec(env):
    """A program that gives way to another one: each call is in its own."""
    other = env.path("other")
    shutil.copy(os.path.join(env.stack, "chain"), other)
    script = f"'{env.stack}/chain' leaf; exec '{other}' leaf"
    path = env.path("records.json")
    status, _, err = env.trace("--calls", "-g", "--json", path, "--probes", env.sample, "--layer",
                               "sample", "--", "sh", "-c", script,
                               env={**os.environ, "LD_LIBRARY_PATH": env.stack})
    equal(f"exit status, {err}", status, 0)
    stacks = [r["stack"] for r in Records(path).of("call", function="sample_leaf")]
    equal("callers", [names(stack) for stack in stacks], [USER] * 2)
    equal("programs", [libraries(stack)[0] for stack in stacks], ["chain", "other"])


def test_asynchronous(env):
    """Requests that are of no one thread have no stack, which is counted and said."""
    records, truth = env.trace_load("aio", options=("--calls", "-g"))
    if "skipped" in truth:
        raise Skip(truth["skipped"])
    equal("stacks of block requests", [r for r in records.of("call", layer="block") if r["stack"]],
          [])
    without = [r for r in made(records.of("call")) if r["stack"] is None]
    equal("threads of calls without a stack", {r["tid"] for r in without}, {None})
    check(any(note.startswith(f"{len(without)} calls were recorded without a stack")
              for note in records.notes()), f"{len(without)}: {records.notes()}")


def test_only_recorded(env):
    """What is left out has no stack either; without -g there is no field of that name."""
    records, _ = env.trace_load("all", options=("--calls", "-g", "--sample", "7"))
    calls = records.of("call")
    check(calls and all(r["stack"] for r in made(calls) if r["tid"]), "a call without a stack")
    records, _ = env.trace_load("all", options=("--calls",))
    check(not any("stack" in r for r in records.of("call")), "stacks that nobody asked for")


def test_report(env):
    """tmtrace report --calls prints them, and a recording keeps them as they were."""
    recording, path = env.path("chain.data"), env.path("records.json")
    status, _, err = env.trace("record", "--calls", "-g", "-o", recording, "--json", path,
                               "--layer", "sample", "--probes", env.sample, "--",
                               os.path.join(env.stack, "chain"), "leaf")
    equal(f"exit status, {err}", status, 0)
    status, out, err = env.trace("report", "--calls=1", recording)
    equal(f"exit status of report, {err}", status, 0)
    lines = out[out.index("the slowest calls:"):].splitlines()
    check("sample_leaf" in lines[2], f"the call: {lines[2]}")
    chain = os.path.join(env.stack, "chain")
    equal("its stack", lines[3:6], [f"    {function} ({chain})" for function in USER])
    status, out, err = env.trace("report", "--json", "-", "--calls=1", recording)
    equal(f"exit status of report --json, {err}", status, 0)
    reported = [line for line in out.splitlines() if '"type":"call"' in line]
    status, out, err = env.trace("dump", recording)
    equal(f"exit status of dump, {err}", status, 0)
    dumped = [line for line in out.splitlines() if '"type":"call"' in line]
    equal("dumped", dumped, [line for line in read_text(path).splitlines()
                             if '"type":"call"' in line])
    equal("reported", reported, dumped)


def test_many_threads(env):
    """Threads that begin and end, in libraries without frame pointers: the caller is right."""
    records, _ = env.trace_load("threads", "--threads", "8", "--count", "500",
                                options=("--calls", "-g", "--layer", "sample"))
    calls = records.of("call")
    check(len(calls) > 4000, f"{len(calls)} calls")
    equal("programs", {os.path.basename(r["stack"][0]["library"] or "?") for r in calls}, {"load"})


def test_wrong_options(env):
    status, _, err = env.trace("-g", "--json", env.path("o"), "--all")
    equal("exit status", status, 2)
    check("--calls" in err and len(err.splitlines()) == 1, err)
