# SPDX-License-Identifier: GPL-2.0-only
"""Libraries are left alone that a program maps which copies code. tests/harm has some that do."""

import json
import os
import subprocess

from harness import Records, check, equal, need, wait_for

STANDS_LOAD = True

LIBRARY = "libsample.so.1"


def stand_in(env, name, symbol=None):
    """A library with the name or a symbol of one that copies code."""
    need("gcc")
    path = env.path(name)
    source = f"void {symbol}(void);\nvoid {symbol}(void) {{ }}\n" if symbol else "extern int none;\n"
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=source, text=True,
                   check=True)
    return path


def run(env, *words, options=(), **kwargs):
    """Traces a command: (its records, what tmtrace says)."""
    path = env.path("records.json")
    # Probed before it is mapped: the first calls count, too.
    options = ("--lib", f"sample={env.stack}/{LIBRARY}", *options)
    status, _, err = env.trace("--probes", env.sample, "--layer", "sample", *options, "--json", path,
                               "--", *words, **kwargs)
    equal("status", status, 0)
    return Records(path), err


def check_alone(records, what):
    """All probes of the library have failed, for a reason with these words; no call is counted."""
    probes = records.probes("sample")
    check(probes, "no probe is told of")
    for probe in probes:
        check(probe["state"] == "failed" and "left alone" in probe["reason"] and
              what in probe["reason"], f"{what} is not the reason: {probe}")
    equal("hits", sum(probe["hits"] for probe in probes), 0)
    equal("calls", records.total("sample", "sample_tail", "count"), 0)


def check_traced(records):
    check(records.total("sample", "sample_tail", "count") > 0, "no call is counted")


def test_preloaded(env):
    """By its name: in the environment, in the command's words, in a script's."""
    preload = "LD_PRELOAD=" + stand_in(env, "libfunchook.so.2")
    for words in (["env", preload, env.load, "tail"],
                  ["sh", "-c", f"{preload} {env.load} tail; true"]):
        records, _ = run(env, *words)
        check_alone(records, "libfunchook.so.2, which copies code (funchook)")
        check(any("--leave-alone=none" in note for note in records.notes()), "no way out is told")
    records, _ = run(env, env.load, "tail", options=("--env", preload))
    check_alone(records, "funchook")


def test_symbol(env):
    """By what it defines, whatever it is called."""
    preload = stand_in(env, "libodd.so", "MapStaticCodeToLargePages")
    records, _ = run(env, env.load, "tail", options=("--env", f"LD_PRELOAD={preload}"))
    check_alone(records, "it defines MapStaticCodeToLargePages")


def test_argument(env):
    """A program that another one will start is looked at before."""
    need("valgrind")
    records, _ = run(env, "nice", "valgrind", "-q", env.load, "tail")
    check_alone(records, "valgrind")


def test_data_alone(env):
    """libhugetlbfs copies no code where the environment says so, as on Cray systems."""
    preload = "LD_PRELOAD=" + stand_in(env, "libhugetlbfs.so.0")
    for elfmap, alone in (("W", False), ("RW", True)):
        for words in (["env", f"HUGETLB_ELFMAP={elfmap}", preload, env.load, "tail"],
                      [env.load, "tail"]):
            options = () if words[0] == "env" else (
                "--env", f"HUGETLB_ELFMAP={elfmap}", "--env", preload)
            records, _ = run(env, *words, options=options)
            if alone:
                check_alone(records, "libhugetlbfs")
            else:
                check_traced(records)


def test_named(env):
    """The user names a library, a program; or takes the known ones back."""
    program = os.path.basename(env.load)
    for name, reason in (("libsample*", "as it was asked for: libsample*"),
                         (program, f"{program}, which is to be left alone"),
                         (f"other,{env.load}", f"{program}, which is to be left alone"),
                         ("none,l?ad", "which is to be left alone (l?ad)")):
        records, _ = run(env, env.load, "tail", options=("--leave-alone", name))
        check_alone(records, reason)
    preload = "LD_PRELOAD=" + stand_in(env, "libfunchook.so.2")
    for name in ("none", "none,other"):
        records, _ = run(env, env.load, "tail",
                         options=("--leave-alone", name, "--env", preload))
        check_traced(records)
        check(not any("left alone" in note for note in records.notes()), "a note says otherwise")


def test_bad_names(env):
    for name in ("", ",", ",,"):
        status, _, err = env.trace("--leave-alone", name, "--", "true")
        equal("status", status, 2)
        check("no program or library named" in err, err)
    config = env.path("config.yaml")
    for text, message in (("leave_alone: {a: b}", ":1: leave_alone is a mapping"),
                          ("interval: 5\nleave_alone: [a, [b]]", ":2: leave_alone is a list")):
        with open(config, "w", encoding="ascii") as f:
            f.write(text)
        status, _, err = env.run(env.tmtrace, "service", "--check", "--config", config)
        equal("status", status, 2)
        check(message in err, err)


def with_copier(env):
    """A process that waits, with the library and one that copies code."""
    preload = stand_in(env, "libsubhook.so")
    return env.waiting_load("tail", env={**os.environ, "LD_PRELOAD": preload})


def test_pid(env):
    waiting = with_copier(env)
    attached = env.attach("--probes", env.sample, "--layer", "sample", "--pid",
                          str(waiting.pid))
    waiting.go()
    waiting.finish()
    records = attached.finish()
    check_alone(records, "libsubhook.so, which copies code (subhook)")


def test_bystander(env):
    """Whoever maps the library has its breakpoints: a process that nobody traces counts, too."""
    waiting = with_copier(env)
    records, _ = run(env, env.load, "tail")
    check_alone(records, f"process {waiting.pid} ")
    waiting.go()
    waiting.finish()
    records, _ = run(env, env.load, "tail")
    check_traced(records)


def reasons(env, service):
    """Why the probes of the test's library are as they are, as the service says."""
    library = os.path.realpath(os.path.join(env.stack, LIBRARY))
    probes = [json.loads(line) for line in service.command("status", "--probes").splitlines()]
    return {probe["reason"] or "none" for probe in probes
            if probe["type"] == "probe" and probe["library"] == library}


def test_service(env):
    """Beside who copies code, and runs when the service starts."""
    import test_service  # pylint: disable=import-outside-toplevel
    waiting = with_copier(env)
    service = test_service.Service(env, layers="sample")
    wait_for(lambda: reasons(env, service), "the probes to be told")
    check(all("subhook" in reason for reason in reasons(env, service)), reasons(env, service))
    check("leave_alone: none" in service.command("status"), "no way out is told")
    waiting.go()
    waiting.finish()
    service.stop()


def test_service_started_before(env):
    """Beside who copies code, and starts later."""
    import test_service  # pylint: disable=import-outside-toplevel
    service = test_service.Service(env, layers="sample")
    waiting = with_copier(env)
    wait_for(lambda: any("subhook" in reason for reason in reasons(env, service)),
             "the library to be left alone")
    waiting.go()
    waiting.finish()
    service.stop()


def test_service_configured(env):
    import test_service  # pylint: disable=import-outside-toplevel
    service = test_service.Service(env, layers="sample", more="leave_alone: [libsample*]\n")
    env.run(env.load, "tail")
    wait_for(lambda: reasons(env, service), "the probes to be told")
    check(all("asked for" in reason for reason in reasons(env, service)), reasons(env, service))
    service.stop()
