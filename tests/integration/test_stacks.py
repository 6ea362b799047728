# SPDX-License-Identifier: GPL-2.0-only
"""Threads, depth, jumps and other stacks: once for each mechanism of user functions.

Only a session, which has to be asked for, has return probes, and refuses them where it knows that the
program would not survive; the others probe the instructions by which functions return. No program may be harmed, traced or not.
"""

import os
import signal

from harness import (BRIEF, Failure, Skip, by_mechanism, check, check_ledgers, compare, compare_clean, equal,
                     truth_functions)
from test_process import function_offset

SHARES_MACHINE = True

SAMPLE = ("--layer", "sample")
WHOLE_STACK = ("--layer", "mstro,mio,m0,addb,sample")
MECHANISMS = ("session", "multi", "perf")
# Where the stacks lie; "near" is so close that it looks like the same one.
PLACES = ("malloc", "below", "above", "own", "near")
# The kernel side is that of multi; attaching takes seconds each time.
PERF_PLACES = ("malloc", "near")


def called(env, *load_args):
    """The functions of the sample library that `load` calls."""
    truth = env.plain_load(*load_args)
    return {f["function"] for f in truth.get("functions", ())
            if f["layer"] == "sample" and f["calls"]}


def traced(env, mechanism, *load_args, options=SAMPLE):
    """`load` under tmtrace with a mechanism; Skip where this kernel has not got it."""
    if mechanism == "perf" and options == SAMPLE:
        env.sample = env.sample_of(called(env, *load_args))
    try:
        records, truth = env.trace_load(*load_args,
                                        options=(*by_mechanism(mechanism), *options))
    except Failure as error:
        _, refused, reason = str(error).partition("ended with 125: tmtrace: ")
        if refused and "refuses" in reason:
            raise Skip(reason.strip()) from error
        raise
    used = {p["mechanism"] for p in records.of("probe") if p["library"]}
    equal("mechanisms", used, {mechanism})
    return records, truth


def check_all(env, mechanism):
    records, truth = traced(env, mechanism, "all", options=WHOLE_STACK)
    check(compare_clean(records, truth) > 80, "too few functions were compared")


def check_threads(env, mechanism):
    count = 500 if BRIEF else 3000
    records, truth = traced(env, mechanism, "threads", "--count", str(count))
    equal("sample_leaf calls", truth_functions(truth)["sample", "sample_leaf"]["calls"], 64 * count)
    compare_clean(records, truth)


def check_recurse(env, mechanism):
    """64 calls of a thread are timed at a time; what is deeper is counted, and said."""
    records, _ = traced(env, mechanism, "recurse", "--how", "100", "--count", "10")
    check_ledgers(records)
    equal("counted", records.total("sample", "sample_recurse", "count"), 1000)
    equal("timed", records.total("sample", "sample_recurse", "timed"), 640)
    equal("too_deep", records.lost("too_deep"), 360)
    equal("all losses", sum(records.losses().values()), 360)


def check_longjmp(env, mechanism):
    records, truth = traced(env, mechanism, "longjmp")
    check_ledgers(records)
    compare(records, truth)
    equal("unwound", records.lost("unwound"), truth["unwound"])
    equal("all losses", sum(records.losses().values()), truth["unwound"])


def check_tail(env, mechanism):
    records, truth = traced(env, mechanism, "tail")
    compare_clean(records, truth)


def check_fork_inside(env, mechanism):
    """The child returns from a call that its parent made: that counts as nothing."""
    records, truth = traced(env, mechanism, "fork-inside")
    true = truth_functions(truth)
    equal("inherited returns", true["sample", "sample_call"]["inherited_returns"], 10)
    compare_clean(records, truth)


def check_stack_switch(env, mechanism, subcommand, place):
    """The program is unharmed (traced() sees to that), and every call is counted; timed, too,
    where no return address is replaced."""
    records, truth = traced(env, mechanism, subcommand, "--how", place)
    check_ledgers(records)
    for (layer, function), true in truth_functions(truth).items():
        counted, timed = (records.total(layer, function, field) for field in ("count", "timed"))
        lost = sum(n for key, n in records.losses().items() if key[:2] == (layer, function))
        equal(f"{function}: counted", counted, true["calls"])
        equal(f"{function}: timed, or lost to the times", timed + lost, true["calls"])
        if mechanism != "session":
            equal(f"{function}: lost to the times", lost, 0)


def check_pthread_exit(env, mechanism):
    """Threads that end, or are cancelled, within a call: it is killed."""
    records, truth = traced(env, mechanism, "exception", "--how", "threads")
    check_ledgers(records)
    compare(records, truth)
    lost = records.lost("killed") + records.lost("unwound")
    equal("killed", lost, truth["killed"])


CXX = ("sample", "sample_call_cxx")
THROW = ("exception", "--how", "throw")
TRACING = "/sys/kernel/tracing"


def check_thrown(records, truth):
    """Every call is counted; one that an exception passed is unwound where calls are timed."""
    check_ledgers(records)
    probe, = records.probes(*CXX)
    thrown = truth["unwound"]
    check(thrown > 0, "nothing was thrown")
    wanted = (thrown, thrown if timed(probe) else 0)
    got = (records.total(*CXX, "count"), records.lost("unwound"))
    equal("(counted, unwound)", got, wanted)
    equal("calls", truth_functions(truth)[CXX]["calls"], thrown)
    equal("sample_leaf", records.total("sample", "sample_leaf", "count"),
          truth_functions(truth)["sample", "sample_leaf"]["returns"])


def timed(probe):
    return not probe["reason"]


def check_throw(env, mechanism):
    """A C++ exception passes a function that the catalogue marks as calling back."""
    records, truth = traced(env, mechanism, *THROW)
    if "skipped" in truth:
        raise Skip(truth["skipped"])
    check_thrown(records, truth)


def add_return_probe(env, library, function):
    """A return probe that is not tmtrace's, by tracefs, as long as the test runs."""
    name = f"tmtrace_test_{os.getpid()}"
    event = f"r:{name}/returns {library}:{function_offset(library, function):#x}"
    enable = f"{TRACING}/events/{name}/returns/enable"

    def write(path, text):
        fd = os.open(path, os.O_WRONLY | os.O_APPEND)  # these files cannot be sought in
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)

    try:
        write(f"{TRACING}/uprobe_events", event)
        env.cleanup(write, f"{TRACING}/uprobe_events", f"-:{name}/returns")
        write(enable, "1")
        env.cleanup(write, enable, "0")
    except OSError as error:
        raise Skip(f"{TRACING} takes no return probe: {error.strerror}") from error


def test_session_throw_repaired(env):
    """That a program survives is tmtrace's doing: beside another tracer, it dies without tmtrace."""
    stack = env.private_stack()
    env.load = os.path.join(stack, "load-plain")
    records, truth = traced(env, "session", *THROW)
    if "skipped" in truth:
        raise Skip(truth["skipped"])
    probe, = records.probes(*CXX)
    if not timed(probe):
        raise Skip(f"sample_call_cxx is only counted: {probe['reason']}")
    add_return_probe(env, os.path.join(stack, "libsample.so.1"), "sample_call_cxx")
    status, _, err = env.run(env.load, *THROW, env={**os.environ, "STACK_TRUTH": "off"})
    equal(f"how it ends without tmtrace ({err})", status, -signal.SIGABRT)
    check_thrown(*traced(env, "session", *THROW))


def check_bystander(env, mechanism):
    """A process that is not traced, but maps the library, may switch stacks as it likes."""
    traced(env, mechanism, "all")
    waiting = env.waiting_load("--count", "1", "spin")
    tracer = env.attach("--pid", str(waiting.pid), *SAMPLE, *by_mechanism(mechanism),
                        records="bystander.json")
    load = os.path.join(env.stack, "load")
    for subcommand in ("coroutine", "altstack"):
        for place in PLACES:
            status, _, err = env.run(load, subcommand, "--how", place)
            check(status == 0, f"an untraced load {subcommand} --how {place} ended with "
                  f"{status}: {err}")
    check(tracer.process.poll() is None, "the tracing was over too early")
    waiting.go()
    waiting.finish()
    check_ledgers(tracer.finish())


SITUATIONS = {
    "bystander": check_bystander,
    "all": check_all,
    "threads": check_threads,
    "recurse": check_recurse,
    "longjmp": check_longjmp,
    "tail": check_tail,
    "fork_inside": check_fork_inside,
    "pthread_exit": check_pthread_exit,
    "throw": check_throw,
}


def add_test(name, load, function, *args):
    def test(env):
        env.load = os.path.join(env.stack, load)
        function(env, *args)
    globals()["test_" + name] = test


for _mechanism in MECHANISMS:
    for _name, _function in SITUATIONS.items():
        add_test(f"{_mechanism}_{_name}", "load-plain", _function, _mechanism)
    for _place in PERF_PLACES if _mechanism == "perf" else PLACES:
        for _what in ("coroutine", "altstack"):
            add_test(f"{_mechanism}_{_what}_{_place}", "load", check_stack_switch, _mechanism,
                     _what, _place)
