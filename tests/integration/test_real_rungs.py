# SPDX-License-Identifier: GPL-2.0-only
"""Every mechanism of the VFS layer, forced: the same exact counts, or a clear refusal."""

import re

from harness import Records, Skip, check, compare_clean, equal
from real_machine import (attach, check_identity, check_records, check_tally, ext4, fio_command,
                          fio_report, fio_tally, lay_out, need, vfs_tally)
from test_real_programs import compare

SHARES_MACHINE = True

# From best to last; what is not here is found by test_all_are_tested.
MECHANISMS = ("fentry+kprobe.session", "fentry+kprobe.multi", "kprobe.session", "kprobe.multi",
              "tp_btf", "fentry", "kprobe")
ENGINES = ("psync", "pvsync2", "libaio")
SETUP = 125


def force(env, mechanism, layers="vfs"):
    """The options; Skip where this kernel refuses, as it must: one line and a status of its own."""
    options = ("--layer", layers, "--probes", env.sample, "--mechanism", f"vfs={mechanism}")
    status, _, err = env.trace(*options, "--", "true")
    if status == SETUP:
        check(len(err.splitlines()) == 1 and f"vfs={mechanism}: this kernel refuses it" in err,
              f"not a clear refusal: {err}")
        raise Skip(err.strip().removeprefix("tmtrace: "))
    equal(f"exit status ({err})", status, 0)
    return options


def check_mechanism(records, mechanism):
    used = {p["mechanism"] for p in records.of("probe", layer="vfs", final=True)
            if p["state"] == "armed"}
    equal("mechanism of the probes", used, {mechanism})
    equal("mechanism of the run", records.of("run")[-1]["mechanisms"]["vfs"], mechanism)
    unseen = [note for note in records.notes() if "hooked" in note or "io_uring" in note]
    check(not unseen, f"not all is seen: {unseen}")


def chosen(env):
    """The mechanism that a run without libraries takes by itself."""
    path = env.path("chosen.json")
    status, _, err = env.trace("--json", path, "--layer", "vfs", "--", "true")
    equal(f"exit status ({err})", status, 0)
    return Records(path).of("run")[-1]["mechanisms"]["vfs"]


def check_seen(env, records, mechanism):
    """
    Programs at functions and tracepoints can be preempted on some kernels, which then skip others.
    tmtrace takes them there only where it is forced to, and says how often it happened.
    """
    check_identity(records)
    told = [note for note in records.notes() if "system calls were not seen" in note]
    if told and ("fentry" in mechanism or mechanism == "tp_btf") and mechanism != chosen(env):
        raise Skip(f"not exact on this kernel, not chosen by itself, and says so: {told[0]}")
    check(not told, f"not all is seen: {told}")


def check_fio(env, fs, options, mechanism, engine):
    """fio's own report, of the command alone and of the whole machine."""
    mine, report = env.path("fio-records.json"), env.path("fio.json")
    machine = attach(env, "--all", *options)
    status, _, err = env.trace("--json", mine, *options, "--",
                               *fio_command(fs.path, report, f"--ioengine={engine}", "--bs=16k",
                                            "--rw=randrw", "--iodepth=8"))
    everything = machine()
    equal(f"exit status of fio ({err})", status, 0)
    wanted = fio_tally(fio_report(report))
    for records in (Records(mine), everything):
        check_mechanism(records, mechanism)
        check_seen(env, records, mechanism)
        check_records(records, quiet=records is not everything)
        check_tally(vfs_tally(records, fs.path), wanted, ("read", "write"))


def check_engines(env, mechanism, engines=ENGINES):
    need("fio")
    options = force(env, mechanism)
    with ext4(env) as fs:
        lay_out(fs)
        for engine in engines:
            check_fio(env, fs, options, mechanism, engine)


def check_uring(env, mechanism):
    """By itself: its tracepoints are the same under all mechanisms, and not exact on each kernel."""
    check_engines(env, mechanism, ("io_uring",))


def check_programs(env, mechanism):
    """What strace counts; also where calls of libraries are traced, and with them all calls."""
    def inspect(records):
        check_mechanism(records, mechanism)
        check_seen(env, records, mechanism)
        check_records(records)

    for layers in ("vfs", "vfs,sample"):
        options = force(env, mechanism, layers)
        compare(env, "tar", "tar cf a.tar tree", "mkdir out", "tar xf a.tar -C out",
                "cp tree/d2/file11 x", "mv x y", "sync y", "cat y > z", "ls -l tree",
                options=options, inspect=inspect)


def check_with_libraries(env, mechanism):
    """Calls of libraries, and the time in system calls inside them."""
    force(env, mechanism, "vfs,sample")
    records, truth = env.trace_load("all", options=("--mechanism", f"vfs={mechanism}"))
    check_mechanism(records, mechanism)
    check_seen(env, records, mechanism)
    compare_clean(records, truth)
    inside = [r["vfs_ns"] or 0 for r in records.of("function", final=True) if r["layer"] != "vfs"]
    check(sum(inside) > 0, "no time in files inside of calls of libraries")


def add_test(name, function, mechanism):
    def test(env):
        function(env, mechanism)
    globals()["test_" + name] = test


for _mechanism in MECHANISMS:
    _name = re.sub(r"[^a-z_]", "_", _mechanism)
    add_test(f"{_name}_programs", check_programs, _mechanism)
    add_test(f"{_name}_libraries", check_with_libraries, _mechanism)
    add_test(f"{_name}_fio", check_engines, _mechanism)
    add_test(f"{_name}_uring", check_uring, _mechanism)


def test_all_are_tested(env):
    _, _, err = env.trace("--all", "--mechanism", "vfs=?")
    known = re.search(r"known for vfs are ([^;]*);", err)
    check(known, f"no list of mechanisms: {err}")
    known = tuple(name for name in known[1].split(", ") if name != "none")
    equal("mechanisms", known, MECHANISMS)
