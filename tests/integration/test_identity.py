# SPDX-License-Identifier: GPL-2.0-only
"""Whose figures they are: in namespaces of PIDs and of time, and where copied code traps."""

import errno
import json
import os
import re
import signal
import socket
import sys

from harness import PATIENCE, Records, Skip, alone, check, equal, need, read_text, wait_for
from test_service import Service, children_of, records_of

SHARES_MACHINE = True
STANDS_LOAD = True

WRITES = 10

OWN_PROC = ["unshare", "-p", "-f", "--mount-proc"]


def dd(env):
    return ["dd", "if=/dev/zero", f"of={env.path('written')}", "bs=4096", f"count={WRITES}",
            "status=none"]


def trace_in(env, unshare, command, *options):
    """tmtrace in namespaces of its own: the writes that it tells, and what it says."""
    need("unshare")
    path = env.path("records.json")
    status, _, err = env.run("unshare", *unshare, "-f", env.tmtrace, "--layer", "vfs", *options,
                             "--json", path, *command)
    equal("status", status, 0)
    writes = [r["count"] for r in Records(path).all
              if r["type"] == "function" and r["function"] == "write"]
    return sum(writes), err


def test_command_in_pid_namespace(env):
    writes, err = trace_in(env, ["-p", "--mount-proc"], ["--", *dd(env)])
    check(writes == WRITES, f"{writes} writes of {WRITES} are told: {err}")


def test_command_in_time_namespace(env):
    writes, err = trace_in(env, ["-T", "--monotonic", "5000000"], ["--", *dd(env)])
    check(writes == WRITES, f"{writes} writes of {WRITES} are told: {err}")


def test_pid_in_pid_namespace(env):
    """The number is that of the namespace of whoever asks: 10 writes of a child there."""
    need("unshare")
    path = env.path("records.json")
    script = f"""
        (until grep -sq '"type":"run"' {path}; do sleep 0.1; done; exec {' '.join(dd(env))}) &
        child=$!
        {env.tmtrace} --layer vfs --pid $child --processes --json {path}; echo $child"""
    status, out, err = env.run("unshare", "-p", "-f", "--mount-proc", "sh", "-c", script)
    equal("status", status, 0)
    writes = [r["count"] for r in Records(path).all
              if r["type"] == "function" and r["function"] == "write"]
    check(sum(writes) == WRITES, f"{writes} writes are told of {out}: {err}")


def test_trap_is_told(env):
    """Who has mapped a traced library, and ends by SIGTRAP, gets a note that says why it may be."""
    status, _, err = env.trace("--probes", env.sample, "--layer", "sample", "--env",
                               f"LD_PRELOAD={env.stack}/libsample.so.1", "--", "sh", "-c",
                               "kill -TRAP $$")
    equal("status", status, 128 + 5)
    check(re.search(r"sh, which had mapped a traced library, was ended by SIGTRAP", err), f"no note of SIGTRAP in: {err}")


def test_trap_of_others(env):
    """Who ends by SIGTRAP and has not mapped a traced library gets no note; who may have, one."""
    status, _, err = env.trace("--probes", env.sample, "--layer", "sample", "--", "sh", "-c",
                               f"{env.load} tail >/dev/null; kill -TRAP $$")
    equal("status", status, 128 + 5)
    check("SIGTRAP" not in err, f"a note of somebody who maps no library: {err}")
    # A child of who has mapped it maps it, too, which nobody has seen.
    script = "(kill -TRAP $(sh -c 'echo $PPID')); true"
    status, _, err = env.trace("--probes", env.sample, "--layer", "sample", "--env",
                               f"LD_PRELOAD={env.stack}/libsample.so.1", "--", "sh", "-c", script)
    equal("status", status, 0)
    check("sh was ended by SIGTRAP, and may have mapped a traced library" in err, err)


def test_libraries_in_pid_namespace(env):
    """Calls of libraries, too, are those of the command there, by the numbers that it has."""
    need("unshare")
    path = env.path("records.json")
    status, out, err = env.run(*OWN_PROC, env.tmtrace, "--layer", "sample", "--probes", env.sample,
                               "--per-process", "--calls", "--json", path, "--", env.load, "fork")
    equal("status", status, 0)
    records = Records(path)
    truth = json.loads(out)
    check(len(truth["processes"]) > 1, truth)
    for process in truth["processes"]:
        calls = sum(f["calls"] for f in process["functions"] if f["layer"] == "sample")
        told = sum(r["count"] for r in records.functions("sample", pid=process["pid"]))
        equal(f"calls of process {process['pid']}", told, calls)
        told = len(records.of("call", layer="sample", pid=process["pid"]))
        equal(f"single calls of process {process['pid']}", told, calls)
    check(not any("PID namespace" in note for note in records.notes()), records.notes())


def numbers(env):
    return [sys.executable, os.path.join(env.source, "tests", "integration", "own_numbers.py"), env.dir]


def truth_of(out):
    """The lines of own_numbers.py."""
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def compare_numbers(records, truth, sign=1, accounts=True):
    """Writes of each thread are told by its numbers, and so are processes, if they have accounts."""
    writes = [r for r in records.of("call", layer="vfs", function="write") if r["bytes"] == 1]
    for line in truth:
        told = [r for r in writes if (r["pid"], r["tid"]) == (sign * line["pid"], sign * line["tid"])]
        equal(f"writes of {line}", len(told), line["n"])
    if not accounts:
        return
    for pid in {line["pid"] for line in truth}:
        check(records.of("process", pid=sign * pid), f"process {pid} is not told of")
    for line in truth:
        for record in records.of("process", pid=sign * line["pid"]):
            equal(f"ppid of {line}", record["ppid"], sign * line["ppid"])


def test_numbers_told(env):
    """In a namespace in a namespace, numbers are those that the program has itself, also of the
    dead; a recording tells the same."""
    need("unshare")
    path, data = env.path("records.json"), env.path("recorded.data")
    inner = [*OWN_PROC, *OWN_PROC, env.tmtrace]
    status, out, err = env.run(*inner, "--layer", "vfs", "--processes", "--calls", "--json", path,
                               "--", *numbers(env))
    equal(f"status, {err}", status, 0)
    truth = truth_of(out)
    equal("threads", len(truth), 5)
    check(all(line["pid"] < 100 for line in truth), truth)
    compare_numbers(Records(path), truth)
    status, out, err = env.run(*inner, "record", "--layer", "vfs", "--calls", "-o",
                               data, "--", *numbers(env))
    equal(f"status, {err}", status, 0)
    truth = truth_of(out)
    status, _, err = env.trace("report", "--calls=10000", "--json", path, data)
    equal(f"status of the report, {err}", status, 0)
    compare_numbers(Records(path), truth, accounts=False)


def test_command_in_an_inner_namespace(env):
    """A process that is in a deeper namespace is told by the number that it has in the tracer's."""
    need("unshare")
    path = env.path("records.json")
    status, out, err = env.trace("--layer", "vfs", "--processes", "--calls", "--json", path, "--",
                                 *OWN_PROC, *numbers(env))
    equal(f"status, {err}", status, 0)
    truth, records = truth_of(out), Records(path)
    equal("the first one's number there", truth[0]["pid"], 1)
    writes = [r for r in records.of("call", layer="vfs", function="write") if r["bytes"] == 1]
    equal("writes", len(writes), sum(line["n"] for line in truth))
    check(all(r["pid"] > 100 for r in writes), "numbers of the inner namespace are told")


def test_all_in_pid_namespace(env):
    """The whole node is traced; who is outside of the namespace has a number below 0."""
    need("unshare", "nsenter")
    path = env.path("records.json")
    tracing = env.spawn([*OWN_PROC, env.tmtrace, "--all", "--layer", "vfs", "--processes", "--calls",
                         "--json", path])
    wait_for(lambda: '"type":"run"' in read_text(path), "the start")
    child = children_of(tracing.pid)[0][0]
    _, out, _ = env.run(*numbers(env))
    outside = truth_of(out)
    status, out, err = env.run("nsenter", "-t", str(child), "-p", "-m", *numbers(env))
    equal(f"status, {err}", status, 0)
    inside = truth_of(out)
    check(inside[0]["pid"] < 100, inside)
    os.kill(child, signal.SIGINT)
    tracing.communicate(timeout=60 * PATIENCE)
    records = Records(path)
    # Who entered from outside has its parent there.
    for line in inside[:3]:
        line["ppid"] = records.of("process", pid=line["pid"])[0]["ppid"]
        check(line["ppid"] < 0, line)
    compare_numbers(records, inside)
    compare_numbers(records, outside, -1)
    check(any("below 0" in note for note in records.notes()), records.notes())


class ServiceInside(Service):
    """A service in a PID namespace of its own."""

    def begin(self):
        self.process = self.env.spawn(
            [*OWN_PROC, self.env.tmtrace, "service", "--config", self.config],
            env={**os.environ, "NOTIFY_SOCKET": self.env.path("notify")})


@alone
def test_service_in_pid_namespace(env):
    """It traces the node, and its log tells processes by the numbers of its namespace."""
    need("unshare", "nsenter")
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind(env.path("log"))
    log.settimeout(20 * PATIENCE)
    service = ServiceInside(env, layers="vfs",
                            log=f"{{types: [process], socket: {env.path('log')}}}")
    child = children_of(service.process.pid)[0][0]
    _, out, _ = env.run(*numbers(env))
    _, inner, _ = env.run("nsenter", "-t", str(child), "-p", "-m", *numbers(env))
    awaited = {-line["pid"] for line in truth_of(out)} | {line["pid"] for line in truth_of(inner)}
    for record in records_of(log):
        awaited.discard(record["pid"])
        if not awaited:
            break
    equal("numbers that the log has not told", awaited, set())
    check("below 0" in service.command("status"), "status does not say that it is in a namespace")
    os.kill(child, signal.SIGTERM)
    service.process.communicate(timeout=60 * PATIENCE)


def refused(env, words, *prefix, commands=None, **kwargs):
    """Each way to trace is refused with a sentence that has these words, and none of the kernel's
    version."""
    for command in commands or (["--layer", "vfs", "--", "true"],
                                ["--probes", env.sample, "--", "true"],
                                ["--all", "--layer", "vfs", "--duration", "1"], ["selftest"]):
        status, out, err = env.run(*prefix, env.tmtrace, *command, **kwargs)
        equal(f"status of {command}, {out}{err}", status, 125 if "--" in command else 1)
        check(re.search(words, err), f"{command}: {err}")
        check("Linux" not in err, f"{command} names a version of the kernel: {err}")
        equal(f"lines of {err}", err.count("\n"), 1)


def test_foreign_proc(env):
    """Where /proc is another namespace's, or none, or children come into another namespace."""
    need("unshare")
    refused(env, "/proc belongs to another PID namespace.*--mount-proc", "unshare", "-p", "-f")
    refused(env, "another PID namespace.*--fork", "unshare", "-p")
    without = ["unshare", "-m", "sh", "-c", 'umount -l -R "$0" && exec "$@"']
    refused(env, "/proc is not mounted.*mount -t proc", *without, "/proc")
    refused(env, "/sys is not mounted.*mount -t sysfs", *without, "/sys")
    status, _, err = env.run("unshare", "-p", "-f", env.tmtrace, "--pid", "1", "--layer", "vfs")
    equal("status", status, 1)
    check("/proc belongs" in err, err)


def test_user_namespace(env):
    """Root in a user namespace may not trace, and is told why."""
    need("unshare")
    for unshare in (["-Ur"], ["-Urpf", "--mount-proc"]):
        if env.run("unshare", *unshare, "true")[0]:
            raise Skip("user namespaces are not allowed here")
        refused(env, "user namespace.*on the host", "unshare", *unshare)


def test_capabilities(env):
    """What is lacking is named."""
    need("setpriv")
    for lacking, words in (("-sys_admin,-bpf,-perfmon", "CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN;"),
                           ("-sys_admin,-bpf", "without CAP_BPF and CAP_SYS_ADMIN;")):
        refused(env, words, "setpriv", f"--bounding-set={lacking}", f"--inh-caps={lacking}")


BPF, PERF_EVENT_OPEN = 321, 298  # of x86-64


def test_seccomp(env):
    """A filter that refuses bpf(), as those of containers do, is named, whatever it answers."""
    program = os.path.join(env.source, "tests", "integration", "refuse.py")
    for code in (errno.EPERM, errno.ENOSYS):
        refused(env, "seccomp filter.*seccomp=unconfined", sys.executable, program, str(code),
                str(BPF))
    status, out, err = env.run(sys.executable, program, str(errno.EPERM), str(PERF_EVENT_OPEN),
                               env.tmtrace, "--probes", env.sample, "--layer", "sample", "--",
                               env.load, "tail")
    # Before Linux 6.6, probes need perf events.
    equal(f"status without perf events, {err}", status, 125 if "cannot probe" in err else 0)
    check(re.search("(loaded later|cannot probe).*seccomp filter", out + err), err)


def test_selftest_in_namespaces(env):
    """The same verdicts in namespaces of PIDs, of time and of mounts as outside."""
    need("unshare")

    def verdicts(*prefix):
        status, out, err = env.run(*prefix, env.tmtrace, "selftest")
        equal(f"status of {prefix}, {err}", status, 0)
        return [line for line in out.splitlines() if "costs" not in line]

    outside = verdicts()
    inside = verdicts("unshare", "-T", "--monotonic", "5000000", "-p", "-f", "--mount-proc")
    equal("verdicts inside", inside, outside)
