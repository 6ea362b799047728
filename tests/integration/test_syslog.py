# SPDX-License-Identifier: GPL-2.0-only
"""Records to a log daemon: rsyslog on a socket of its own, a journal's socket, and none at all."""

import json
import os
import signal
import socket
import struct

from harness import PATIENCE, check, equal, need, read_text, wait_for

STANDS_LOAD = True

CONFIGURATION = """
global(workDirectory="{dir}")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="{socket}" CreatePath="on" RateLimit.Interval="0")
template(name="plain" type="string" string="%syslogtag%%msg%\\n")
action(type="omfile" file="{log}" template="plain")
"""

# What a daemon is sent last.
MARK = "mark: end"


class Daemon:
    """An rsyslogd that nobody else talks to."""

    def __init__(self, env):
        need("rsyslogd")
        self.env = env
        self.socket, self.log = env.path("log.socket"), env.path("messages")
        self.configuration = env.path("rsyslog.conf")
        with open(self.configuration, "w", encoding="ascii") as f:
            f.write(CONFIGURATION.format(dir=env.dir, socket=self.socket, log=self.log))
        self.start()

    def start(self):
        self.process = self.env.spawn(["rsyslogd", "-n", "-f", self.configuration, "-i",
                                       self.env.path("pid")])
        wait_for(lambda: os.path.exists(self.socket) or self.process.poll() is not None,
                 "rsyslogd's socket")
        equal("rsyslogd's end", self.process.poll(), None)

    def stop(self):
        """Ends it when it has written all that it was sent: the last is a mark."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(f"<13>{MARK}".encode(), self.socket)
        wait_for(lambda: MARK in read_text(self.log), "rsyslogd to write")
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60 * PATIENCE)
        text = read_text(self.log).replace(MARK + "\n", "")
        with open(self.log, "w", encoding="utf-8") as f:
            f.write(text)

    def records(self):
        """What it has written: each line whole, with the cookie."""
        found = []
        for line in read_text(self.log).splitlines():
            tag, cookie, text = line.partition(" @cee: ")
            check(tag.startswith("tmtrace[") and cookie, f"not a line of ours: {line}")
            check(len(line) <= 2048, f"{len(line)} bytes")
            found.append(json.loads(text))
        return found


def trace_to(env, daemon, *options, command=("all",)):
    """Tables, and records to a daemon: (records of the file, standard error)."""
    path = env.path("records.json")
    status, _, err = env.trace("--json", path, "--syslog-socket", daemon.socket, "--probes",
                               env.sample, *options, "--", env.load, *command, "--truth",
                               env.path("truth.json"))
    equal(f"exit status, {err}", status, 0)
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f], err


def of(kind, records):
    return [r for r in records if r["type"] == kind]


def without(record, *more):
    return {k: v for k, v in record.items()
            if k not in ("buckets", "size_buckets", "scheme", "cut", "time", "time_ns", *more)}


def test_rsyslog(env):
    """What arrives is what is in the file, without histograms."""
    daemon = Daemon(env)
    written, err = trace_to(env, daemon, "--syslog", "--syslog-rate", "100000")
    equal("standard error", err, "")
    daemon.stop()
    arrived = daemon.records()
    for kind in ("function", "device", "loss"):
        equal(kind, [without(r) for r in of(kind, arrived)],
              [without(r) for r in of(kind, written)])
    equal("run records", [r["final"] for r in of("run", arrived)], [False, True])
    equal("others", {r["type"] for r in arrived} - {"function", "device", "loss", "run"}, set())
    check(all("buckets" not in r for r in arrived), "histograms are too long")


def test_chosen(env):
    """Only the types that were chosen; selFIe's keys are in those of calls."""
    daemon = Daemon(env)
    written, _ = trace_to(env, daemon, "--syslog=call", "--syslog-rate", "100000", "--calls",
                          "--layer", "mio")
    daemon.stop()
    arrived = daemon.records()
    equal("calls", [r["id"] for r in of("call", arrived)], [r["id"] for r in of("call", written)])
    check(all(r["function"] and r["wtime"] >= 0 and r["timestamp"] > 0 for r in arrived), "keys")
    equal("types", {r["type"] for r in arrived}, {"call"})


def test_operations(env):
    """Asynchronous operations, each and summed up, and not the calls that launch them."""
    daemon = Daemon(env)
    written, _ = trace_to(env, daemon, "--syslog=operation,op", "--syslog-rate", "100000",
                          "--calls", "--layer", "mio")
    daemon.stop()
    arrived = daemon.records()
    equal("types", {r["type"] for r in arrived}, {"operation", "op"})
    for kind in ("operation", "op"):
        equal(kind, [without(r) for r in of(kind, arrived)],
              [without(r) for r in of(kind, written)])


def test_objects(env):
    """Records of files arrive as they are written."""
    daemon = Daemon(env)
    written, _ = trace_to(env, daemon, "--syslog=object", "--syslog-rate", "100000", "--objects",
                          "--layer", "vfs,mio")
    daemon.stop()
    arrived = daemon.records()
    equal("types", {r["type"] for r in arrived}, {"object"})
    equal("objects", [(r["what"], r["name"], r["id"], r["count"]) for r in arrived],
          [(r["what"], r["name"], r["id"], r["count"]) for r in of("object", written)])


def test_addb_sums(env):
    """Sums over records of ADDB2, where no other record of a series is wanted."""
    daemon = Daemon(env)
    written, _ = trace_to(env, daemon, "--syslog=addb_state,addb_value", "--syslog-rate", "100000",
                          "--layer", "addb", command=("addb", "--how", "states", "--dir", env.dir))
    daemon.stop()
    arrived = daemon.records()
    for kind in ("addb_state", "addb_value"):
        check(of(kind, arrived), f"no {kind}")
        equal(kind, [without(r) for r in of(kind, arrived)],
              [without(r) for r in of(kind, written)])
    equal("types", {r["type"] for r in arrived}, {"addb_state", "addb_value"})


def test_addb(env):
    """Records of ADDB2 arrive as they are in the file."""
    daemon = Daemon(env)
    written, err = trace_to(env, daemon, "--syslog=addb", "--syslog-rate", "100000", "--layer",
                            "addb", "--addb=pid,fom-to-tx", "--addb-text", env.path("text"),
                            command=("addb", "--dir", env.dir))
    daemon.stop()
    arrived = daemon.records()
    equal("standard error", err, "")
    equal("types", {r["type"] for r in arrived}, {"addb"})
    equal("records", [r["time_ns"] for r in arrived], [r["time_ns"] for r in of("addb", written)])
    pairs = [(a, w) for a, w in zip(arrived, of("addb", written)) if "cut" not in a]
    check(len(arrived) - len(pairs) == 1, "the one with 64 labels is too long for a line")
    for line, want in pairs:
        equal("a line", line, want)


def test_rate(env):
    """More than may be sent is held back, and it is said how much."""
    daemon = Daemon(env)
    written, err = trace_to(env, daemon, "--syslog=function", "--syslog-rate", "10")
    daemon.stop()
    arrived = daemon.records()
    last = arrived.pop()
    equal("the last record", last["type"], "syslog")
    check(10 <= len(arrived) < 40, f"{len(arrived)} lines")
    equal("sent and held back", last["sent"] + last["held_back"], len(of("function", written)))
    equal("sent", last["sent"], len(arrived))
    check(f"{last['held_back']} of" in err, err)


def test_daemon_goes(env):
    """A daemon that goes away loses lines, which are counted; one that comes back gets the rest."""
    daemon = Daemon(env)
    load = env.waiting_load("all")
    tracer = env.attach("--pid", str(load.pid), "--syslog=run,function", "--syslog-socket",
                        daemon.socket, "--interval", "0.2")
    daemon.stop()
    load.go()
    load.finish()
    tracer.process.wait(timeout=60 * PATIENCE)
    err = tracer.process.stderr.read()
    equal(f"exit status, {err}", tracer.process.returncode, 0)
    check("records were lost: the daemon was gone" in err, err)

    load = env.waiting_load("all", name="again")
    daemon.start()
    tracer = env.attach("--pid", str(load.pid), "--syslog=run", "--syslog-socket", daemon.socket,
                        records="again.json")
    daemon.stop()
    daemon.start()
    load.go()
    load.finish()
    tracer.finish()
    daemon.stop()
    equal("the last record", daemon.records()[-1]["final"], True)


def fields(datagram):
    """A datagram of the journal's protocol, taken apart: {field: text}."""
    found = {}
    while datagram:
        line, _, rest = datagram.partition(b"\n")
        if b"=" in line:
            name, _, value = line.partition(b"=")
        else:
            size, = struct.unpack("<Q", rest[:8])
            name, value, rest = line, rest[8:8 + size], rest[8 + size + 1:]
        found[name.decode()] = value.decode()
        datagram = rest
    return found


def test_journal(env):
    """The journal gets the same line, and fields to look for it by."""
    path = env.path("journal.socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(path)
        tracer = env.start("--syslog=run,function", "--syslog-journal", path, "--layer", "sample",
                           "--probes", env.sample, "--json", env.path("o.json"), "--", env.load,
                           "tail", "--truth", env.path("truth.json"))
        journal.settimeout(60)
        found = []
        while not found or not json.loads(found[-1]["MESSAGE"][6:]).get("end_ns"):
            found.append(fields(journal.recv(65536)))
        tracer.communicate(timeout=60 * PATIENCE)
    for entry in found:
        record = json.loads(entry["MESSAGE"].removeprefix("@cee: "))
        equal("type", entry["TMTRACE_TYPE"], record["type"])
        equal("function", entry.get("TMTRACE_FUNCTION"), record.get("function"))
        equal("identifier", entry["SYSLOG_IDENTIFIER"], "tmtrace")
    check({"sample_tail", "sample_leaf"} <= {e.get("TMTRACE_FUNCTION") for e in found}, found)


def test_hostile_names(env):
    """Names with anything in them: always one line, always valid JSON, never an injected one."""
    daemon = Daemon(env)
    name = 'x\n<14>evil @cee: {"a":1}\t"\\\x7f\udcff' + "y" * 3000
    status, _, err = env.trace("--syslog=run", "--syslog-socket", daemon.socket, "--layer", "vfs",
                               "--json", env.path("o.json"), "--", "sh", "-c", ":", name)
    equal(f"exit status, {err}", status, 0)
    daemon.stop()
    records = daemon.records()
    equal("lines", [r["type"] for r in records], ["run", "run"])
    check(all(r["cut"] for r in records), "they are not cut")
    check(any(a.startswith("x\n<14>evil") for a in records[0]["argv"]) or
          len(records[0]["argv"]) < 9, f"{records[0]['argv']}")


def test_nobody_listens(env):
    for path, why in ((env.path("nothing"), "no log daemon listens there"),
                      ("/" + "x" * 200, "too long for the path of a socket")):
        status, _, err = env.trace("--syslog", "--syslog-socket", path, "--all", "--duration", "0.1")
        equal("exit status", status, 1)
        check(why in err and len(err.splitlines()) == 1, err)
    for options in (("--syslog=nonsense",), ("--syslog-rate", "5"), ("--syslog=call",),
                    ("--syslog=object",)):
        status, _, err = env.trace(*options, "--all")
        equal(f"{options}: exit status", status, 2)
        equal("lines", len(err.splitlines()), 1)
