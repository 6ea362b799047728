# SPDX-License-Identifier: GPL-2.0-only
"""What every integration test uses: running tmtrace, reading records, comparing with the truth.

A test is a function test_*(env) in a file test_*.py. It returns on success, raises Failure (or any
exception) on failure, and raises Skip("reason") where this machine lacks something. tests/run calls
them, each in a process and a directory of its own.

A module says SHARES_MACHINE = True where its tests trace only processes of their own, and count
nothing of the whole machine: then another such test may run at the same time.

A module says STANDS_LOAD = True where its tests need no machine at rest: none of them judges how long
something takes, or what is little beside it. Then a load of low priority that is no test may run at
the same time.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import time

import leftovers

# How many times longer than usual things may take: an emulated machine is slow.
PATIENCE = float(os.environ.get("TMTRACE_TEST_PATIENCE", "1"))

# Fewer of many like cases, for the same reason.
BRIEF = bool(os.environ.get("TMTRACE_TEST_BRIEF"))

# What is said at the end where the kernel has perf uprobes only: how many, and who waits for them.
REMOVAL = re.compile(r"^tmtrace: the kernel removes its (\d+) probes one by one: process (\d+) .*\n",
                     re.M)


class Failure(Exception):
    """The tracer did not do what it must."""


class Skip(Exception):
    """This machine lacks something that the test needs."""


def alone(test):
    """Of a test in a module with SHARES_MACHINE: it needs the machine for itself."""
    test.alone = True
    return test


def at_rest(test):
    """Of a test in such modules: it needs a machine that has nothing else to do."""
    test.at_rest = True
    return test


def check(condition, message):
    if not condition:
        raise Failure(message)


def differing(got, wanted):
    """Of records, the members that are not the same in both."""
    if not (isinstance(got, dict) and isinstance(wanted, dict)):
        return got, wanted
    names = [n for n in {**got, **wanted} if n not in got or n not in wanted or got[n] != wanted[n]]
    return tuple({n: of[n] for n in names if n in of} for of in (got, wanted))


def equal(name, got, wanted):
    """Of lists that are not, what differs first is said: a reason is cut where it is too long."""
    if isinstance(got, list) and isinstance(wanted, list) and got != wanted:
        pairs = itertools.zip_longest(got, wanted, fillvalue="none")
        i, pair = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
        one, other = differing(*pair)
        name = f"{name}: {len(got)} for {len(wanted)}, number {i} is {one}, not {other}"
    check(got == wanted, f"{name}: got {got}, the truth is {wanted}")


def wait_for(condition, what, seconds=20, pause=0.02):
    """Polls every pause seconds until condition() is true; its value."""
    end = time.monotonic() + seconds * PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
    raise Failure(f"waited {seconds} s for {what}")


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")


def read_text(path):
    """A file's text; empty where there is none, or of a process that has ended meanwhile."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


class Env:
    """Where things are, and how to run them."""

    def __init__(self, build, source):
        self.build = build
        self.tmtrace = os.path.join(build, "tmtrace")
        self.stack = os.path.join(build, "stack")
        self.load = os.path.join(self.stack, "load")
        self.sample = os.path.join(source, "tests", "stack", "sample.yaml")
        self.source = source
        self.dir, self.claim = leftovers.make_folder()
        self.remark = ""  # what a test that succeeds has to say
        self.cleanups = []
        self.started = []

    def close(self):
        """Ends what was started, undoes what was set up, removes the directory."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        while self.cleanups:
            self.cleanups.pop()()
        shutil.rmtree(self.dir, ignore_errors=True)
        os.close(self.claim)

    def cleanup(self, function, *args):
        """Calls function(*args) when the test is over; the last one comes first."""
        self.cleanups.append(lambda: function(*args))

    def path(self, name):
        return os.path.join(self.dir, name)

    def spawn(self, argv, **kwargs):
        """Starts a program in the background; it is ended with the test."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, **kwargs}
        process = subprocess.Popen(argv, text=True, errors="replace", **options)
        self.started.append(process)
        return process

    def run(self, *argv, timeout=120, **kwargs):
        """Runs a program to its end; (exit status, standard output, standard error)."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, **kwargs}
        done = subprocess.run(argv, timeout=timeout * PATIENCE, text=True, errors="replace",
                              check=False, **options)
        return done.returncode, done.stdout, done.stderr

    def trace(self, *args, timeout=120, **kwargs):
        """Runs tmtrace to its end; (exit status, standard output, standard error)."""
        return self.run(self.tmtrace, *args, timeout=timeout, **kwargs)

    def start(self, *args, **kwargs):
        """Starts tmtrace in the background; a subprocess.Popen."""
        return self.spawn([self.tmtrace, *args], **kwargs)

    def trace_load(self, *load_args, options=(), timeout=120):
        """`load` under tmtrace: (Records, truth)."""
        records, truth = self.path("records.json"), self.path("truth.json")
        status, _, err = self.trace("--json", records, "--probes", self.sample, *options, "--",
                                    self.load, *load_args, "--truth", truth, timeout=timeout)
        check(status == 0, f"load {' '.join(load_args)} ended with {status}: {err}")
        return Records(records), read_truth(truth)

    def plain_load(self, *load_args, timeout=120):
        """`load` without tmtrace: the truth."""
        truth = self.path("plain.json")
        status, _, err = self.run(self.load, *load_args, "--truth", truth, timeout=timeout)
        check(status == 0, f"untraced, load {' '.join(load_args)} ended with {status}: {err}")
        return read_truth(truth)

    def attach(self, *options, records="records.json", **kwargs):
        """tmtrace in the background, attached when this returns: an Attached."""
        path = self.path(records)
        process = self.start("--json", path, "--probes", self.sample, *options, **kwargs)
        wait_for(lambda: process.poll() is not None or '"run"' in read_text(path),
                 "tmtrace to attach")
        if process.poll() is not None:
            raise Failure(f"tmtrace ended: {ended(process)}")
        return Attached(process, path)

    def waiting_load(self, *load_args, name="waiting", subcommand="wait-then", **kwargs):
        """`load wait-then` in the background, waiting when this returns: a Waiting."""
        return Waiting(self, name, subcommand, load_args, **kwargs)

    def sample_of(self, functions):
        """
        The sample's catalogue with these functions alone; its path. The kernel removes perf uprobes
        one by one, 0.1 s each: a test that has them takes no others than it needs.
        """
        heading, *blocks = read_text(self.sample).split("  - name: ")
        path = self.path("few.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("  - name: ".join([heading, *(block for block in blocks
                                                  if block.split()[0] in functions)]))
        return path

    def private_stack(self):
        """A copy of the sample stack that nobody else on this machine uses; its folder."""
        copy = self.path("stack")
        if not os.path.exists(copy):
            shutil.copytree(self.stack, copy, ignore=shutil.ignore_patterns("obj"))
        return copy


def ended(process):
    """How a process that is over ended, in words."""
    out, err = process.communicate()
    return f"status {process.returncode}, {out}{err}"


class Attached:
    """A tmtrace that runs beside its targets."""

    def __init__(self, process, path):
        self.process = process
        self.path = path

    def finish(self, stop=None, timeout=60):
        """Waits for its end, after sending it a signal or not: Records."""
        if stop:
            self.process.send_signal(stop)
        _, err = self.process.communicate(timeout=timeout * PATIENCE)
        check(self.process.returncode == 0, f"tmtrace ended with {self.process.returncode}: {err}")
        return Records(self.path)


class Waiting:
    """A `load` that waits to be told to go on."""

    def __init__(self, owner, name, subcommand, load_args, prefix=(), **kwargs):
        self.truth_path = owner.path(name + "-truth.json")
        self.go_path = owner.path(name + "-go")
        load = kwargs.pop("load", owner.load)
        self.process = owner.spawn([*prefix, load, subcommand, "--truth", self.truth_path,
                                  "--go", self.go_path, *load_args], **kwargs)
        self.pid = int(self.process.stderr.readline())

    def go(self):
        with open(self.go_path, "w", encoding="ascii"):
            pass

    def finish(self, timeout=60):
        """Waits for its end, which must be a good one: the truth."""
        _, err = self.process.communicate(timeout=timeout * PATIENCE)
        check(self.process.returncode == 0, f"load ended with {self.process.returncode}: {err}")
        return read_truth(self.truth_path)


class Records:
    """The records of one run, from a file of JSON lines."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.all = [json.loads(line) for line in f]

    def of(self, kind, **fields):
        return [r for r in self.all
                if r["type"] == kind and all(r.get(k) == v for k, v in fields.items())]

    def functions(self, layer, function=None, **fields):
        """The final function records of a layer."""
        found = self.of("function", layer=layer, final=True, **fields)
        return [r for r in found if function in (None, r["function"])]

    def total(self, layer, function, field, **fields):
        return sum(r[field] or 0 for r in self.functions(layer, function, **fields))

    def probes(self, layer, function=None):
        return [r for r in self.of("probe", layer=layer)
                if function in (None, r["function"])]

    def notes(self):
        return [r for r in self.of("run") if r.get("final")][-1]["notes"]

    def losses(self):
        """{(layer, function, reason): count} of what was lost.

        Without the machine's disks: kernels have been seen that run no BPF program in some of
        their completion interrupts. What tmtrace owes is to say so, which it does.
        """
        counts = {}
        for r in self.of("loss"):
            if (r["layer"], r["reason"]) == ("block", "unseen"):
                continue
            key = (r["layer"], r["function"], r["reason"])
            counts[key] = counts.get(key, 0) + r["count"]
        return counts

    def lost(self, reason, layer="sample"):
        """How many calls of a layer were lost for a reason."""
        return sum(n for (where, _, why), n in self.losses().items()
                   if (where, why) == (layer, reason))


def read_truth(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def truth_functions(truth, pid=None):
    """{(layer, function): what is true of it}, of all processes or of one."""
    source = truth
    if pid is not None:
        source = next((p for p in truth["processes"] if p["pid"] == pid), {"functions": []})
    return {(f["layer"], f["function"]): f for f in source["functions"]}


def sum_truths(*truths):
    """The truth of several runs together."""
    sums = {}
    for truth in truths:
        for key, f in truth_functions(truth).items():
            total = sums.setdefault(key, {**f, **{k: 0 for k in SUMMED}, "errors_by": {}})
            for field in SUMMED:
                total[field] += f[field]
            for code, n in f["errors_by"].items():
                total["errors_by"][code] = total["errors_by"].get(code, 0) + n
    return {"functions": list(sums.values()), "lost": sum(t["lost"] for t in truths)}


SUMMED = ("calls", "returns", "errors", "bytes", "sized", "total_ns")

# Counted at entry, not timed, where the kernel does not let tmtrace repair the stack.
ENTRY_ONLY = {("sample", "sample_call_cxx")}


def by_mechanism(name):
    """The options that have libraries probed by that mechanism."""
    returns = ("--returns=fast",) if name == "session" else ()
    return (*returns, "--mechanism", f"user={name}")


def check_ledgers(records, in_flight=0):
    """Every hit must be accounted for; says how many probes there are."""
    for p in records.of("probe"):
        name = f"{p['layer']}.{p['function']} ({p['library']})"
        check(not p["hits"] or (p["state"] == "armed" and p["mechanism"]),
              f"{name}: hit, but {p['state']}, by {p['mechanism']}")
        parts = p["recorded"] + p["filtered"] + p["lost"] + p["in_flight"]
        check(p["hits"] == parts,
              f"{name}: {p['hits']} hits are not {p['recorded']} recorded + {p['filtered']} "
              f"filtered + {p['lost']} lost + {p['in_flight']} in flight")
    open_now = sum(p["in_flight"] for p in records.of("probe") if p["library"])
    equal("calls in flight", open_now, in_flight)
    return len(records.of("probe"))


def unseen_calls(records):
    """What is said of system calls that the kernel did not show."""
    return [note for note in records.notes() if "system calls were not seen" in note]


def check_lossless(records):
    lost = {key: n for key, n in records.losses().items() if n}
    check(not lost, f"losses: {lost}")
    missed = unseen_calls(records)
    check(not missed, f"losses: {missed}")
    unsized = [p["function"] for p in records.of("probe") if p["unsized"]]
    check(not unsized, f"sizes that could not be read: {unsized}")


def check_record(record):
    """A function record must be consistent in itself."""
    name = f"{record['layer']}.{record['function']}"
    if not record["count"] or record["min_ns"] is None:
        return
    equal(f"{name}: sum of buckets", sum(b[2] for b in record["buckets"]), record["timed"])
    check(record["timed"] <= record["count"], f"{name}: more calls were timed than counted")
    order = [record[k] for k in ("min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")]
    check(order == sorted(order), f"{name}: min <= p50 <= ... <= max does not hold: {order}")
    check(record["timed"] * record["min_ns"] <= record["total_ns"]
          <= record["timed"] * record["max_ns"], f"{name}: the total is not so many times a time")
    check(record["self_ns"] <= record["total_ns"], f"{name}: self_ns is more than total_ns")
    inside = record["syscall_ns"]
    if inside is not None:
        parts = record["vfs_ns"] + record["net_ns"] + record["wait_ns"]
        check(parts <= inside <= record["total_ns"],
              f"{name}: vfs + net + wait {parts} <= syscall {inside} <= total "
              f"{record['total_ns']} does not hold")


def errors_by(records):
    """Failures by name or own number, of several records."""
    counts = {}
    for r in records:
        for name, n in r["errors_by"].items():
            key = name.removeprefix("code:")
            counts[key] = counts.get(key, 0) + n
    return counts


def compare_function(found, true, brief=False):
    """Holds the records of one function, all jobs together, against the truth; brief: its count."""
    key = (true["layer"], true["function"])
    name = ".".join(key)
    total = {field: sum(r[field] or 0 for r in found)
             for field in ("count", "timed", "errors", "retries", "bytes", "in_flight")}
    if brief or (key in ENTRY_ONLY and not any(r["total_ns"] for r in found)):
        equal(f"{name}: timed", total["timed"], 0)
        equal(f"{name}: count", total["count"], true["calls"])
        return
    for record in found:
        check_record(record)
    equal(f"{name}: count and open", total["count"] + total["in_flight"], true["calls"])
    if key[0] not in ("vfs", "block"):
        equal(f"{name}: timed", total["timed"], true["returns"])
    equal(f"{name}: errors + retries", total["errors"] + total["retries"], true["errors"])
    again = sum(true["errors_by"].get(errno, 0) for errno in ("EAGAIN", "EINTR"))
    equal(f"{name}: retries", total["retries"], again)
    if true["errors_by"]:
        equal(f"{name}: errors_by", errors_by(found), true["errors_by"])
    equal(f"{name}: bytes", total["bytes"], true["bytes"])
    sizes = sum(b[2] for r in found for b in r["size_buckets"] or [])
    equal(f"{name}: sum of size_buckets", sizes, true["sized"])


def compare(records, truth, layers=None, pid=None, **fields):
    """Holds every traced function against the truth; how many functions there were."""
    traced = {(p["layer"], p["function"]) for p in records.of("probe") if p["library"]}
    brief = {(p["layer"], p["function"]) for p in records.of("probe")
             if "traced in brief" in (p["reason"] or "")}
    compared = 0
    for key, true in truth_functions(truth, pid).items():
        if key in traced and (layers is None or key[0] in layers):
            compare_function(records.functions(*key, **fields), true, key in brief)
            compared += 1
    equal("the truth's own losses", truth["lost"], 0)
    check(compared > 0, "no function of the truth was traced")
    return compared


def compare_clean(records, truth, **kwargs):
    """As compare(), and nothing may have been lost or be open."""
    check_ledgers(records)
    check_lossless(records)
    return compare(records, truth, **kwargs)
