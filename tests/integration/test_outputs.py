# SPDX-License-Identifier: GPL-2.0-only
"""Outputs of the service that fail: it runs on, says so, tries again, and all sums are there."""

import json
import os
import re
import signal
import socket
import time

from harness import PATIENCE, Records, Skip, check, compare, equal, read_text, wait_for
from test_cgroup import mount_v2, move, new_cgroup
from test_service import Service

STANDS_LOAD = True

CONFIG = """
layers: [{layers}]
probes: {probes}
interval: 1
max_overhead: none
history: {{file: {disk}/history.data, size: {size}}}
log: {log}
socket: {dir}/run/socket
snapshot: {{file: {pairs}, prometheus: {prometheus}, interval: 1}}
pins: none
"""


class Outputs(Service):
    """A service whose outputs are in places of their own."""

    def __init__(self, env, **values):
        self.values = {"disk": env.path("disk"), "size": "4M", "pairs": env.path("pairs"),
                       "prometheus": env.path("node.prom"), "layers": "sample, vfs", "log": "none"}
        self.values.update(values)
        super().__init__(env)

    def write(self, **_):
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(CONFIG.format(probes=self.env.sample, dir=self.env.dir, **self.values))

    def output(self, name):
        return self.status()["outputs"][name]

    def await_state(self, name, state):
        """Waits until an output is in that state; what is said of it."""
        wait_for(lambda: self.output(name)["state"] == state, f"{name} that {state}")
        return self.output(name)

    def reload(self):
        self.process.send_signal(signal.SIGHUP)
        self.told("READY=1")


def tmpfs(env, size="6m"):
    path = env.path("disk")
    os.mkdir(path)
    if env.run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path)[0]:
        raise Skip("mounting a tmpfs is not permitted")
    env.cleanup(env.run, "umount", "-l", path)
    return path


def fill(disk):
    """Fills a disk; the file that does."""
    path = os.path.join(disk, "filler")
    with open(path, "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 4096):
                pass
        except OSError:
            pass
    return path


def compare_history(env, path, truth):
    """All is there, and nothing twice."""
    status, out, err = env.trace("dump", path)
    equal(f"exit status of dump, {err}", status, 0)
    records = env.path("history.json")
    with open(records, "w", encoding="utf-8") as f:
        f.write(out)
    compare(Records(records), truth, layers=("sample",))


def check_failing(output, words, remedy):
    check(words in output["reason"], output)
    check(remedy in (output["remedy"] or output["reason"]), output)
    check(output["since_ns"] > 0 and output["next_try_ns"] <= 300e9, output)
    check(output["failures"] >= 1 and output["failed_tries"] >= 1, output)


def test_full_disk(env):
    """A history for which there is no room, at the start and later, has everything once there is."""
    disk = tmpfs(env)
    filler = fill(disk)
    load = env.waiting_load("all")
    service = Outputs(env, disk=disk)
    check_failing(service.output("history"), "no room for 4 MiB", "would do")
    text = service.command("status")
    check("outputs    history fails, snapshot works, prometheus works\n" in text, text)
    check(re.search(r"\nfails      history since \d.*no room for 4 MiB.*; next try in ", text), text)
    load.go()
    truth = load.finish()
    tries = service.output("history")["failed_tries"]
    wait_for(lambda: service.output("history")["failed_tries"] > tries, "a further try")
    equal("failures", service.output("history")["failures"], 1)
    os.remove(filler)
    output = service.await_state("history", "works")
    check(output["failed_ns"] > 0 and "reason" not in output, output)
    path = os.path.join(disk, "history.data")
    compare_history(env, path, truth)
    # It is removed, and there is no room for another one.
    os.remove(path)
    wait_for(lambda: service.output("history")["failures"] == 2, "the history that is gone")
    filler = fill(disk)  # it was kept open
    wait_for(lambda: "no room" in service.output("history").get("reason", ""), "no room for it")
    os.remove(filler)
    service.reload()  # tries at once
    service.await_state("history", "works")
    equal("what is left", sorted(os.listdir(disk)), ["history.data"])
    err = service.stop()
    compare_history(env, path, truth)
    equal(f"said, {err}", (err.count("history fails: "), err.count("history works again")), (2, 2))


def test_history_replaced(env):
    """A history that somebody replaces or cuts is made anew, and what was recorded stays."""
    os.mkdir(env.path("disk"))
    path = env.path("disk/history.data")
    load = env.waiting_load("all")
    service = Outputs(env)
    load.go()
    truth = load.finish()
    time.sleep(2.5)  # two seconds' figures
    os.rename(path, env.path("moved"))
    wait_for(lambda: service.output("history")["failures"] == 1, "the one that is gone")
    service.await_state("history", "works")
    compare_history(env, path, truth)
    os.truncate(path, 8192)
    wait_for(lambda: service.output("history")["failures"] == 2, "the one that is cut")
    service.await_state("history", "works")
    # The folder, too.
    os.rename(env.path("disk"), env.path("elsewhere"))
    service.reload()
    output = service.await_state("history", "fails")
    check_failing(output, "No such file or directory", "make its folder again")
    os.mkdir(env.path("disk"))
    service.await_state("history", "works")
    service.stop()
    compare_history(env, path, truth)
    compare_history(env, env.path("moved"), truth)


def test_log_away(env):
    """A log daemon that is away at the start gets all records once it is there, and again later."""
    path = env.path("log")
    os.mkdir(env.path("disk"))
    service = Outputs(env, layers="vfs", log=f"{{types: [process], socket: {path}}}")
    check_failing(service.output("log"), "no log daemon listens there", "start the log daemon")
    check(re.search(r"\nfails      log since .*/log: no log daemon", service.command("status")),
          service.command("status"))

    def run_one():
        process = env.spawn(["true"])
        process.communicate()
        service.await_state("log", "fails")
        wait_for(lambda: service.status()["log"]["waiting"] > 0, "a record that waits")
        return process.pid

    def received(log, pid):
        log.settimeout(60 * PATIENCE)
        while json.loads(log.recv(65536).decode().partition("@cee: ")[2])["pid"] != pid:
            pass

    for failures in (1, 2):
        pid = run_one()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.bind(path)
            received(log, pid)
            output = service.await_state("log", "works")
            equal("failures, lost", (output["failures"], output["lost"]), (failures, 0))
        os.remove(path)
    err = service.stop()
    check(err.count("log fails: ") >= 2 and err.count("log works again") >= 2, err)


def figure(text, name, output):
    """Of an output, from pairs or metrics."""
    found = re.search(rf'{name}{{(?:output=")?{output}"?}} (\S+)', text)
    return found and float(found[1])


def test_files(env):
    """Files whose folder goes, or is only to be read: status and metrics say so until they go."""
    disk = tmpfs(env)
    folder = os.path.join(disk, "node")
    os.mkdir(folder)
    os.mkdir(env.path("history"))
    service = Outputs(env, layers="vfs", disk=env.path("history"),
                      prometheus=os.path.join(folder, "node.prom"))
    service.await_state("prometheus", "works")
    wait_for(lambda: figure(read_text(env.path("pairs")), "tmtrace.output_works", "prometheus") == 1,
             "pairs of outputs")
    os.rename(folder, folder + ".away")
    check_failing(service.await_state("prometheus", "fails"), "No such file", "folder again")
    wait_for(lambda: figure(read_text(env.path("pairs")), "tmtrace.output_works", "prometheus") == 0,
             "pairs that say so")
    equal("the snapshot", service.output("snapshot")["state"], "works")
    wait_for(lambda: service.output("prometheus")["lost"] > 0, "versions that are lost")
    os.mkdir(folder)
    service.await_state("prometheus", "works")
    text = wait_for(lambda: read_text(os.path.join(folder, "node.prom")), "the file")
    equal("failures", figure(text, "tmtrace_output_failures_total", "prometheus"), 1)
    check(figure(text, "tmtrace_output_failed_seconds_total", "prometheus") > 0, text)
    check(figure(text, "tmtrace_output_lost_total", "prometheus") > 0, text)
    equal("the history", figure(text, "tmtrace_output_works", "history"), 1)
    equal("remounting", env.run("mount", "-o", "remount,ro", disk)[0], 0)
    check_failing(service.await_state("prometheus", "fails"), "Read-only", "for writing")
    equal("remounting", env.run("mount", "-o", "remount,rw", disk)[0], 0)
    service.reload()
    service.await_state("prometheus", "works")
    err = service.stop()
    equal(f"said, {err}",
          (err.count("prometheus fails: "), err.count("prometheus works again")), (2, 2))


def test_too_small(env):
    """A history that is too small for what must be in it says which size would do."""
    os.mkdir(env.path("disk"))
    service = Outputs(env, layers="vfs", size="1M")
    root, pids = mount_v2(), []
    for i in range(500):
        cgroup = new_cgroup(env, root, f"small{i}")
        pid = os.fork()
        if not pid:
            move(os.getpid(), cgroup)
            with open("/etc/passwd", "rb", buffering=0) as f:
                f.read(10)
            os.stat("/etc")
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
    check_failing(service.await_state("history", "fails"), "too small", "MiB would do")
    check(service.status()["hits"] > 0, "it counts no more")
    service.stop()
