# SPDX-License-Identifier: GPL-2.0-only
"""Which of tmtrace's BPF programs take the time of a call, by the kernel's own statistics."""

import contextlib
import json
import os
import shutil

import tracers
from measure import BenchError, Table, show

SWITCH = "/proc/sys/kernel/bpf_stats_enabled"
# How calls are timed, and what runs in each of them; a return probe comes back by a system call.
PROGRAMS = {
    "exits": {"call_entry": "entry", "call_return": "return"},
    "fast": {"call_session": "entry and return", "syscall_enter": "return",
             "syscall_exit": "return"},
}
LOAD = "guarded"


def read_text(path):
    with open(path, encoding="ascii") as f:
        return f.read()


def write_text(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


@contextlib.contextmanager
def statistics():
    before = read_text(SWITCH)
    write_text(SWITCH, "1")
    try:
        yield
    finally:
        write_text(SWITCH, before)


def program_name(number):
    bpftool = shutil.which("bpftool", path=os.environ["PATH"] + ":/usr/sbin")
    out, _ = tracers.run(bpftool or "bpftool", "-j", "prog", "show", "id", number)
    return json.loads(out)["name"]


def mean_times(pid):
    """{program: ns per run} of the programs that a process holds."""
    times = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            text = read_text(f"/proc/{pid}/fdinfo/{fd}")
        except OSError:
            continue  # it was only listed
        fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        runs = int(fields.get("run_cnt", 0))
        if runs:
            name = program_name(fields["prog_id"])
            times[name] = int(fields["run_time_ns"]) / runs
    return times


def measure(bench, how):
    """{program: ns per run} while a function is called and timed so."""
    load = " ".join(bench.load_command(LOAD))
    command = [bench.tmtrace, "-q", "--returns", how, "--probes", bench.catalogue, "--layer",
               "bench", "--lib", f"bench={bench.library}", "--json", bench.records, "--", "sh",
               "-c", f"{load}; read wait; true"]
    # The shell goes on when its input ends; until then the programs are there.
    with statistics(), tracers.background(command) as process:
        calls = json.loads(tracers.wait_for_line(process, LOAD))[LOAD]["calls"]
        times = mean_times(process.pid)
    tracers.finish(process)
    function = "bench_" + LOAD
    counts = tracers.function_counts(bench.records, "bench")
    tracers.check_count(f"tmtrace: {function}", counts.get(function, 0), calls)
    missing = [name for name in PROGRAMS[how] if name not in times]
    if missing:
        raise BenchError(f"{missing[0]} did not run")
    return {name: times[name] for name in PROGRAMS[how]}


def subjects(bench):
    return {f"programs, {how}": lambda how=how: measure(bench, how) for how in PROGRAMS}


def table(samples):
    rows = Table("Where it goes: tmtrace's programs, by the kernel's statistics (kernel."
                 "bpf_stats_enabled, whose own cost is in it)",
                 ["--returns", "program", "a run", "in a call"])
    for how, names in PROGRAMS.items():
        for name, runs in names.items():
            rows.add(how, name, show(samples.of(f"programs, {how}", name), "ns"), runs)
    return rows
