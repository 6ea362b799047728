# SPDX-License-Identifier: GPL-2.0-only
"""Processes that are told apart: their figures, names and ranks are what each says of itself."""

import json
import os
import re
import subprocess
import sys

from harness import (PATIENCE, Records, check, compare_function, equal, read_text, read_truth,
                     truth_functions, wait_for)
from real_machine import attach, ext4, need

SHARES_MACHINE = True

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rank_load.py")


def record(env, *command, options=(), status=0):
    """A command that prints a line of JSON per process, recorded: (Records, truth by pid)."""
    path, out = env.path("records.json"), env.path("out")
    with open(out, "w", encoding="utf-8") as f:
        process = env.start("record", "-o", env.path("data"), "--json", path, "--layer", "vfs",
                            *options, "--", *command, stdout=f)
        _, err = process.communicate(timeout=120 * PATIENCE)
    equal(f"exit status ({err})", process.returncode, status)
    with open(out, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f if line.startswith("{")]
    return Records(path), {line["pid"]: line for line in lines}


def check_no_write_is_lost(records):
    """Of other calls, Linux 7.x now and then does not show one: these tests are about writes."""
    lost = {key: n for key, n in records.losses().items() if n and key[1] == "write"}
    check(not lost, f"losses: {lost}")


def compare_ranks(records, truth, mount):
    """Writes of each process, and by whom; nobody else has written there."""
    check_no_write_is_lost(records)
    found = records.functions("vfs", "write", mount=mount)
    equal("processes that wrote", {r["pid"] for r in found}, set(truth))
    for pid, true in truth.items():
        own = [r for r in found if r["pid"] == pid]
        equal(f"process {pid}: rank", {r["rank"] for r in own}, {true["rank"]})
        equal(f"process {pid}: writes", sum(r["count"] for r in own), true["writes"])
        equal(f"process {pid}: bytes", sum(r["bytes"] for r in own), true["bytes"])


def rank_load(mount, *args):
    return [sys.executable, LOAD, mount, *args]


def test_environment(env):
    """Ranks and jobs as launchers tell them; what is no rank is none."""
    loads = [("SLURM_PROCID=0", "SLURM_JOB_ID=4711"), ("PMI_RANK=3", "PBS_JOBID=5.host"),
             ("SLURM_PROCID=0", "PMIX_RANK=7"), ("OMPI_COMM_WORLD_RANK=12", "LSB_JOBID=9")]
    with ext4(env) as fs:
        script = "".join(f"env {' '.join(v)} {sys.executable} {LOAD} {fs.path} rank\n"
                         for v in loads)
        records, truth = record(env, "sh", "-c", script)
        compare_ranks(records, truth, fs.path)
        jobs = {r["rank"]: r["jobid"] for r in records.functions("vfs", "write", mount=fs.path)}
    # Where the test runs in a unit of systemd, the last one is of that.
    check(jobs.pop(7) not in ("4711", "5.host", "9"), "the job of rank 7")
    equal("jobs by rank", jobs, {0: "4711", 3: "5.host", 12: "9"})


def test_open_mpi(env):
    """Four ranks of mpirun: figures, and the recording shows them again."""
    need("mpirun")
    with ext4(env) as fs:
        records, truth = record(env, "mpirun", "-n", "4", "--allow-run-as-root", "--oversubscribe",
                                "--bind-to", "none", *rank_load(fs.path, "rank"))
        compare_ranks(records, truth, fs.path)
        equal("ranks", sorted(t["rank"] for t in truth.values()), [0, 1, 2, 3])
        again = env.path("again.json")
        equal("report", env.trace("report", env.path("data"), "--json", again)[0], 0)
        equal("records of report", Records(again).all, records.all)


def test_fork(env):
    """Children without exec have their parent's rank and their own figures."""
    with ext4(env) as fs:
        records, truth = record(env, *rank_load(fs.path, "fork", "5"),
                                options=("--env", "PMI_RANK=2"))
        compare_ranks(records, truth, fs.path)
    equal("processes", len(truth), 6)


def test_fork_of_libraries(env):
    """The calls of each of the sample's processes."""
    path, truth = env.path("records.json"), env.path("truth.json")
    status, _, err = env.trace("record", "-o", env.path("data"), "--json", path, "--probes",
                               env.sample, "--full", "addb", "--", env.load, "fork", "--truth", truth)
    equal(f"exit status ({err})", status, 0)
    records, truth = Records(path), read_truth(truth)
    check(len(truth["processes"]) >= 4, f"only {len(truth['processes'])} processes")
    traced = {(p["layer"], p["function"]) for p in records.of("probe") if p["library"]}
    for process in truth["processes"]:
        pid, compared = process["pid"], 0
        for key, true in truth_functions(truth, pid).items():
            if key in traced:
                compare_function(records.functions(*key, pid=pid), true)
                compared += 1
        check(compared > 0, f"process {pid} made no calls")


def test_exec(env):
    """Through exec it is the same process, with its last name and rank."""
    with ext4(env) as fs:
        records, truth = record(env, *rank_load(fs.path, "exec", "20"),
                                options=("--env", "PMI_RANK=5"))
        compare_ranks(records, truth, fs.path)
    equal("ranks", [t["rank"] for t in truth.values()], [6])


def test_killed(env):
    """Of a process that is killed, everything is known."""
    with ext4(env) as fs:
        records, truth = record(env, *rank_load(fs.path, "killed", "7"),
                                options=("--env", "PMI_RANK=1"), status=128 + 9)
        compare_ranks(records, truth, fs.path)
        names = {r["comm"] for r in records.functions("vfs", "write", mount=fs.path)}
    equal("its name", names, {os.path.basename(sys.executable)[:15]})


def test_attached(env):
    """Processes that ran before the tracing have their environment, too."""
    with ext4(env) as fs:
        script = f"read line; exec 3>{fs.path}/f; echo x >&3; read line"
        load = env.spawn(["sh", "-c", script], stdin=subprocess.PIPE,
                         env=os.environ | {"PMI_RANK": "9", "SLURM_JOB_ID": "1"})
        finish = attach(env, "--per-process", "--pid", str(load.pid))
        load.stdin.write("\n")
        load.stdin.flush()
        wait_for(lambda: read_text(f"{fs.path}/f") == "x\n", "the load to write")
        records = finish()
        found = records.functions("vfs", "write", mount=fs.path)
        load.communicate()
    equal("who wrote", [(r["pid"], r["comm"], r["rank"], r["jobid"], r["count"]) for r in found],
          [(load.pid, "sh", 9, "1", 1)])


def test_many(env):
    """More processes than there is room for: what cannot be told apart is still counted."""
    with ext4(env) as fs:
        script = (f"i=0; while [ $i -lt 300 ]; do i=$((i+1)); "
                  f"dd if=/dev/zero of={fs.path}/f bs=4096 count=3 status=none; done")
        records, _ = record(env, "sh", "-c", script, options=("--max-series", "64"))
        found = records.functions("vfs", "write", mount=fs.path)
    equal("writes", sum(r["count"] for r in found), 900)
    equal("bytes", sum(r["bytes"] for r in found), 900 * 4096)
    check_no_write_is_lost(records)
    check(1 < len({r["pid"] for r in found}) < 60, f"{len(found)} processes have series")
    equal("records of the others", [r["comm"] for r in found if r["pid"] is None], [None])
    check(any("--max-series" in note for note in records.notes()), "no note says so")


def test_not_told_apart(env):
    """Without a recording they are added up, unless asked for."""
    with ext4(env) as fs:
        command = rank_load(fs.path, "fork", "2")
        for options, n in ((), 1), (("--per-process",), 3), (("--no-per-process",), 1):
            path = env.path("plain.json")
            equal("exit status", env.trace("--json", path, *options, "--", *command)[0], 0)
            found = Records(path).functions("vfs", "write", mount=fs.path)
            equal(f"records with {options}", len(found), n)
            equal(f"writes with {options}", sum(r["count"] for r in found), 1 + 2 + 3)
            check(n > 1 or found[0]["pid"] is None, "of several processes, but it has a pid")


def test_calls(env):
    """Single calls have the rank and the job of their process, also when they are filtered."""
    with ext4(env) as fs:
        records, truth = record(env, *rank_load(fs.path, "fork", "3"),
                                options=("--calls", "--env", "PMI_RANK=4", "--env",
                                         "SLURM_JOB_ID=88"))
        calls = records.of("call", layer="vfs", function="write", mount=fs.path)
    for pid, true in truth.items():
        own = [r for r in calls if r["pid"] == pid]
        equal(f"calls of {pid}", len(own), true["writes"])
        equal(f"whose they are, {pid}", {(r["rank"], r["jobid"]) for r in own}, {(4, "88")})
    pid = max(truth, key=lambda pid: truth[pid]["writes"])
    for wanted, count in ((f"pid={pid}", truth[pid]["writes"]), ("rank=4", len(calls)),
                          ("rank=5", 0)):
        status, out, err = env.trace("report", env.path("data"), "--calls=1000", "--filter", wanted,
                                     "--filter", "function=write", "--json", "-")
        equal(f"report ({err})", status, 0)
        found = [r for r in map(json.loads, out.splitlines()) if r["type"] == "call"
                 and r["mount"] == fs.path]
        equal(f"calls with {wanted}", len(found), count)


def rows_of(text, title):
    """The lines of the table below a title."""
    return text.split(title, 1)[1].split("\n\n", 1)[0].splitlines()[1:]


def test_table(env):
    """The table of processes: the busiest of many, the others in one line, sums that agree."""
    with ext4(env) as fs:
        records, truth = record(env, *rank_load(fs.path, "fork", "14"),
                                options=("--env", "PMI_RANK=4"))
        status, out, err = env.trace("report", env.path("data"), "--filter", "function=write",
                                     "--filter", f"mount={fs.path}", "--sort", "count")
        equal(f"report ({err})", status, 0)
        # Most writes first; the path that is cut has no spaces.
        rows = [line.split() for line in rows_of(out, "\nprocesses: 15\n")]
        equal("lines", len(rows), 11)
        busiest = sorted(truth.values(), key=lambda true: -true["writes"])
        equal("who is shown", [(int(r[0]), int(r[1])) for r in rows[:10]],
              [(true["pid"], 4) for true in busiest[:10]])
        equal("the others", rows[10][:3], ["5", "other", "processes"])
        calls = [int(row[row.index("vfs") + 1]) for row in rows]
        equal("their calls", calls, [t["writes"] for t in busiest[:10]] +
              [sum(t["writes"] for t in busiest[10:])])
        equal("calls in all", sum(calls), records.total("vfs", "write", "count", mount=fs.path))
        _, out, _ = env.trace("report", env.path("data"), "--sort", "pid")
        pids = [int(line.split()[0]) for line in rows_of(out, "\nprocesses: 15\n")
                if re.match(r" *\d+ +4 ", line)]
        equal("by number", pids, sorted(truth)[:10])


def test_ranks_of_nodes(env):
    """Of the ranks of two recordings, the slowest is named with its node."""
    need("unshare")
    paths = []
    with ext4(env) as fs:
        for node, ranks in (("node1", (0, 1)), ("node2", (2, 3))):
            paths.append(env.path(node))
            script = "".join(f"PMI_RANK={rank} {sys.executable} {LOAD} {fs.path} slow "
                             f"{500 if rank == 2 else 5}\n" for rank in ranks)
            status, _, err = env.run("unshare", "--uts", "sh", "-c",
                                     f'hostname {node} && exec "$@"', "sh", env.tmtrace, "record",
                                     "-o", paths[-1], "--layer", "vfs", "--", "sh", "-c", script)
            equal(f"exit status ({err})", status, 0)
        status, out, err = env.trace("report", *paths, "--filter", f"mount={fs.path}")
    equal(f"report ({err})", status, 0)
    check(re.search(r"^vfs by 4 ranks: slowest: rank 2 on node2 with .*; median .*; fastest: rank "
                    r"[013] on node[12] with ", out, re.M), f"the slowest is not named: {out}")
