# SPDX-License-Identifier: GPL-2.0-only
"""How the programs of tests/harm are run: untraced, traced, and beside tracers of the machine."""

import collections
import json
import mmap
import os
import re
import signal
import subprocess

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOGUE = os.path.join(HERE, "harm.yaml")
TIME_LIMIT = 60
SKIP = 77
# What is said where the kernel did not show that a thread ended: its calls seem to be under way.
UNENDED = re.compile(r"ends of threads were not seen")
TOLD = re.compile(r"\bSIGTRAP\b")

# How a program ended; what of its output must be the same each time; {function: calls}; its stderr.
Result = collections.namedtuple("Result", "status out calls err")


class Bench:
    """Where programs are run, and with which options of tmtrace."""

    def __init__(self, env, builder, options):
        self.env, self.builder, self.options = env, builder, options

    def fill(self, program, text):
        return text.format(program=self.builder.target(program),
                           library=self.builder.library(program),
                           tmtrace=self.env.tmtrace, catalogue=CATALOGUE,
                           out=self.env.path(f"{program.name}.out"))

    def command(self, program):
        """What runs a program."""
        words = [self.fill(program, word) for word in program.wrap or ("{program}",)]
        if program.source.endswith(".py"):
            words.insert(0, "/usr/bin/python3")
        return words + [self.fill(program, word) for word in program.args]

    def run(self, program, before=()):
        """Runs a program, behind other words of a command: a Result."""
        try:
            status, out, err = self.env.run(*before, *self.command(program), timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired as late:
            return Result("not done in time", "", {}, str(late.stderr or ""))
        return Result(status, *read_output(program, out), err)

    def tracer_options(self):
        return ("--probes", CATALOGUE, "--layer", "harm", *self.options)

    def trace(self, program):
        """Runs a program as a command of tmtrace: (Result, Records or None)."""
        path, options = self.env.path(f"{program.name}.json"), self.tracer_options()
        if program.wrap or program.source.endswith(".py"):  # probed before it is mapped
            options += ("--lib", f"harm={self.builder.traced_file(program)}")
        result = self.run(program, (self.env.tmtrace, *options, "--json", path, "--"))
        try:
            return result, harness.Records(path)
        except (OSError, ValueError):
            return result, None


def read_output(program, out):
    """(What must be the same each time, what the program says of its calls)."""
    lines = out.splitlines()
    if program.keeps:
        lines = [line for line in lines if re.fullmatch(program.keeps, line)]
    calls = {}
    if lines and lines[-1].startswith("calls"):
        words = lines.pop().split()[1:]
        calls = {name: int(n) for name, n in zip(words[::2], words[1::2])}
    return "\n".join(lines), calls


def say_status(status):
    if isinstance(status, int) and (status < 0 or status > 128):
        number = -status if status < 0 else status - 128
        return f"ended by {signal.Signals(number).name}"
    return f"exit status {status}"


def difference(reference, result):
    """How a run differs from the untraced one, in words; None: not at all."""
    if normal(result.status) != normal(reference.status):
        said = " ".join(result.err.split())[-300:]
        return (f"{say_status(result.status)}, untraced {say_status(reference.status)}"
                + (f"; {said}" if said else ""))
    if result.out != reference.out:
        return f"it prints {result.out[-300:]!r}, untraced {reference.out[-300:]!r}"
    return None


def normal(status):
    """What ends by a signal has a negative status here, and 128 more of a command of tmtrace."""
    return 128 - status if isinstance(status, int) and status < 0 else status


class Probes:
    """What became of the probes: hits, and what is left alone, by file and function."""

    def __init__(self, records):
        self.hits, self.alone = collections.Counter(), set()
        for probe in records:
            if probe["type"] != "probe" or probe["layer"] != "harm" or not probe["library"]:
                continue
            key = probe["library"], probe["function"]
            # Those of processes that are not traced are filtered.
            self.hits[key] += probe["hits"] - probe["filtered"]
            if probe["state"] == "failed" and probe["reason"]:
                self.alone.add(key)

    def wrong(self, called, unknown):
        """
        Where hits are not the calls, both by (file, function), in words; None: nowhere. Of unknown
        files nobody knows the calls.
        """
        wrong = [f"{os.path.basename(path)}, {function}: {called[path, function]} calls, "
                 f"{self.hits[path, function]} hits"
                 for path, function in sorted(called.keys() | self.hits.keys())
                 if path not in unknown and (path, function) not in self.alone
                 and called[path, function] != self.hits[path, function]]
        return "; ".join(wrong) or None


def miscounts(records, path, calls):
    """
    What a run counted wrong of its calls in a file, in words; None: nothing. Every call is a hit;
    it is in the function's record, or lost for a reason that is told; or under way, where the
    kernel (7.x, which preempts programs at tracepoints) has not shown that its thread ended.
    """
    if not records:
        return "no records"
    probes, wrong = Probes(records.all), []
    hits = probes.wrong(collections.Counter({(path, name): n for name, n in calls.items()}), ())
    for function, wanted in sorted(calls.items()):
        counted = records.total("harm", function, "count")
        lost = sum(n for (_, name, _), n in records.losses().items() if name == function)
        if any(UNENDED.search(note) for note in records.notes()):
            counted += records.total("harm", function, "in_flight")
        if wanted not in (counted, counted + lost) and (path, function) not in probes.alone:
            wrong.append(f"{function}: {wanted} calls, {counted} counted, {lost} lost")
    return "; ".join(filter(None, [hits, *wrong])) or None


class Keeper:
    """Maps files to be executed, so that tracers of the whole machine have probes in them."""

    def __init__(self, paths):
        self.maps = []
        for path in paths:
            with open(path, "rb") as f:
                self.maps.append(mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE,
                                           mmap.PROT_READ | mmap.PROT_EXEC))

    def close(self):
        for one in self.maps:
            one.close()


class WholeMachine:
    """tmtrace --all: what runs beside it, and at the end its hits and what it said."""

    def __init__(self, bench):
        self.bench, self.path = bench, bench.env.path("all.json")
        self.process = bench.env.start("--all", "--json", self.path, *bench.tracer_options())
        harness.wait_for(lambda: self.process.poll() is not None
                         or '"run"' in harness.read_text(self.path), "tmtrace --all to attach")

    def finish(self):
        """(Probes, what it said)."""
        self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=60 * harness.PATIENCE)
        harness.check(self.process.returncode == 0,
                      f"tmtrace --all ended with {self.process.returncode}: {err}")
        records = harness.Records(self.path)
        return Probes(records.all), "\n".join([err, *records.notes()])


class Service:
    """The service, in the same way."""

    def __init__(self, bench):
        import test_service  # pylint: disable=import-outside-toplevel
        bench.env.sample = CATALOGUE
        self.service = test_service.Service(bench.env, layers="harm")

    def finish(self):
        """(Probes, what it said)."""
        lines = self.service.command("status", "--probes").splitlines()
        said = self.service.command("status")
        return Probes([json.loads(line) for line in lines]), said + self.service.stop()
