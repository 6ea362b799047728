# SPDX-License-Identifier: GPL-2.0-only
"""A record of each process, however it ended, which says what the process really did."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

from harness import Skip, alone, check, equal, need, read_text, wait_for
from real_machine import attach, compile_c, ext4, trace
from test_cgroup import hierarchies, joining, new_cgroup
from test_syslog import Daemon

SHARES_MACHINE = True
STANDS_LOAD = True

OPTIONS = ("--layer", "vfs,block", "--processes")


def processes(records, program=None):
    """The records of processes, by pid: each has one."""
    found = [r for r in records.of("process") if program in (None, r["command"])]
    equal("final records", {r["final"] for r in found} - {True}, set())
    by_pid = {r["pid"]: r for r in found}
    equal("processes", len(by_pid), len(found))
    return by_pid


def one(records, program):
    found = list(processes(records, program).values())
    equal(f"processes that ran {program}", len(found), 1)
    return found[0]


def compare_with_functions(records):
    """Beside the figures of each process by function, of the same run."""
    for pid, record in processes(records).items():
        own = records.functions("vfs", pid=pid)
        for key, names in (("posixio", None), ("posix_read", "read"), ("posix_write", "write")):
            parts = [r for r in own if names in (None, r["function"])]
            equal(f"{record['command']}: {key}_count", record[f"{key}_count"],
                  sum(r["count"] for r in parts))
            equal(f"{record['command']}: {key}_time", record[f"{key}_time"],
                  float(f"{sum(r['total_ns'] or 0 for r in parts) / 1e9:.6f}"))
        for key in ("read", "write"):
            equal(f"{record['command']}: vfs_{key}_bytes", record[f"vfs_{key}_bytes"],
                  sum(r["bytes"] for r in own if r["function"] == key))
        for key in ("read", "write"):
            device = records.of("device", pid=pid, function=key, final=True)
            equal(f"{record['command']}: storage_{key}_bytes", record[f"storage_{key}_bytes"],
                  sum(r["bytes"] for r in device))


# Runs a program again and again, and prints what wait4() says of each: pid and CPU time in us.
SHORT = """
import os
for _ in range(100):
    pid = os.spawnv(os.P_NOWAIT, "/bin/true", ["true"])
    usage = os.wait4(pid, 0)[2]
    print(pid, round((usage.ru_utime + usage.ru_stime) * 1e6))
"""


def test_short(env):
    """The CPU time of processes that live less than a tick is whole, as the kernel has it."""
    need("python3")
    path = env.path("usages")
    with open(path, "w", encoding="ascii") as out:
        records = trace(env, "python3", "-c", SHORT, options=OPTIONS, stdout=out)
    truth = dict(map(int, line.split()) for line in read_text(path).splitlines())
    found = processes(records)
    times = {pid: round((found[pid]["utime"] + found[pid]["stime"]) * 1e6) for pid in truth}
    # Each of both is rounded.
    wrong = {pid: (us, truth[pid]) for pid, us in times.items() if abs(us - truth[pid]) > 3}
    equal("processes whose CPU time is another one, in us", wrong, {})


def test_ends(env):
    """exit, _exit, abort, SIGKILL: a record each, with what was done until then."""
    program, file = compile_c(env, "ends.c", "-pthread"), env.path("file")
    wanted = {"exit": (11, 3, None), "_exit": (12, 7, None), "abort": (13, None, signal.SIGABRT),
              "kill": (14, None, signal.SIGKILL)}
    script = "".join(f"{program} {how} {file} {n}; " for how, (n, _, _) in wanted.items())
    begin = time.time()
    records = trace(env, "sh", "-c", script + "exit 5", expect=5,
                    options=(*OPTIONS, "--per-process"))
    found = processes(records, program)
    equal("ends", sorted((r["posix_write_count"], r["exit_code"], r["signal"])
                         for r in found.values()), sorted(wanted.values()))
    for record in found.values():
        equal("bytes", record["vfs_write_bytes"], record["posix_write_count"])
        equal("threads", record["threads"], 1)
        equal("name", record["comm"], os.path.basename(program))
        equal("killed for memory", record["oom_killed"], record["signal"] and False)
        check(begin <= record["start_ns"] / 1e9 <= record["end_ns"] / 1e9 <= time.time(),
              "it began before the run or ended after it")
        check(0 < record["maxmem"] < 0.1, f"{record['maxmem']} GiB")
        equal("time", record["timestamp"], record["end_ns"] // 10 ** 9)
    shell = next(r for r in processes(records).values() if r["exit_code"] == 5)
    equal("their parent", {r["ppid"] for r in found.values()}, {shell["pid"]})
    compare_with_functions(records)


def test_fork_and_exec(env):
    """A child counts its own; what calls exec goes on, with what it did before; both have their rank."""
    program, file = compile_c(env, "ends.c", "-pthread"), env.path("file")
    records = trace(env, program, "exec", file, "20", program, "fork", file, "30", expect=3,
                    options=(*OPTIONS, "--per-process", "--env", "PMI_RANK=2", "--env",
                             "SLURM_JOB_ID=4711", "--env", "MSTRO_COMPONENT_NAME=c"))
    found = sorted(processes(records, program).values(), key=lambda r: r["start_ns"])
    equal("writes", [r["posix_write_count"] for r in found], [50, 31])
    equal("ends", [r["exit_code"] for r in found], [3, 1])
    equal("parent", found[1]["ppid"], found[0]["pid"])
    equal("ranks", [(r["rank"], r["jobid"], r["component"]) for r in found],
          [(2, "4711", "c")] * 2)
    compare_with_functions(records)


def test_threads(env):
    """Eight threads with 200,002 calls each: selFIe loses some of them."""
    program, counts = compile_c(env, "ends.c", "-pthread"), {}
    for n in (0, 200000):
        record = one(trace(env, program, "threads", env.path("file"), str(n), options=OPTIONS),
                     program)
        counts[n] = record["posixio_count"]
        equal("threads", record["threads"], 9)
        equal("writes", record["posix_write_count"], 8 * n)
        # Sums over threads: of the processors' time there is no more than that of two.
        check(record["utime"] + record["stime"] <= record["wtime"] * os.cpu_count() * 1.1,
              f"{record['utime']} + {record['stime']} s in {record['wtime']} s")
    # Those with nothing to write open and close their file, too.
    equal("calls", counts[200000] - counts[0] + 16, 1600016)


def memory_limit(env, limit):
    """Words before a command that may have no more memory than that."""
    for mount, kind, options in hierarchies():
        if kind == "cgroup" and "memory" in options:
            names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        elif kind == "cgroup2" and "memory" in read_text(f"{mount}/cgroup.subtree_control").split():
            names = ("memory.max", "memory.swap.max")
        else:
            continue
        cgroup = new_cgroup(env, mount, "oom")
        for name, value in zip(names, (limit, limit if kind == "cgroup" else 0)):
            if os.path.exists(f"{cgroup}/{name}"):
                with open(f"{cgroup}/{name}", "w", encoding="ascii") as f:
                    f.write(str(value))
        return joining(cgroup)
    raise Skip("no cgroup hierarchy here limits memory")


def test_out_of_memory(env):
    """The kernel kills a process because memory is short: it has its record all the same."""
    program = compile_c(env, "ends.c", "-pthread")
    limited = memory_limit(env, 32 << 20)
    record = one(trace(env, *limited, program, "memory", env.path("file"), "15",
                       options=OPTIONS, expect=128 + signal.SIGKILL), program)
    equal("end", (record["signal"], record["oom_killed"]), (signal.SIGKILL, True))
    # One more of the shell, which went on as the program: that wrote into cgroup.procs.
    equal("writes", record["posix_write_count"], 16)
    check(0.01 < record["maxmem"] < 0.1, f"{record['maxmem']} GiB")


def test_storage(env):
    """Bytes that went to a device, and those that came from it."""
    with ext4(env) as fs:
        write = ("dd", "if=/dev/zero", f"of={fs.path}/f", "bs=64K", "count=50", "oflag=direct")
        read = ("dd", f"if={fs.path}/f", "of=/dev/null", "bs=64K", "iflag=direct")
        records = trace(env, "sh", "-c", f"{' '.join(write)}; {' '.join(read)}; sync",
                        options=(*OPTIONS, "--per-process"))
    dds = sorted(processes(records, os.path.realpath("/usr/bin/dd")).values(),
                 key=lambda r: r["start_ns"])
    equal("file", [(r["vfs_write_bytes"], r["posix_write_count"]) for r in dds][0],
          (50 << 16, 50))
    check(dds[0]["storage_write_bytes"] >= 50 << 16, f"{dds[0]['storage_write_bytes']} written")
    check(dds[1]["storage_read_bytes"] >= 50 << 16, f"{dds[1]['storage_read_bytes']} read")
    compare_with_functions(records)


def outermost(records, pid):
    """{layer: [count, ns]} of calls that were not made inside another one of their layer."""
    calls, sums = {c["id"]: c for c in records.of("call", pid=pid)}, {}
    for call in calls.values():
        around = call
        while around["parent_id"]:
            around = calls[around["parent_id"]]
            if around["layer"] == call["layer"]:
                break
        else:
            total = sums.setdefault(call["layer"], [0, 0])
            total[0] += 1
            total[1] += call["duration_ns"]
    return {layer: {"count": n, "total_ns": ns} for layer, (n, ns) in sums.items()}


def test_libraries(env):
    """Calls of a library that were not made inside another one of the same, by the single calls."""
    records, _ = env.trace_load("fork", options=("--layer", "mstro,mio,m0", "--processes",
                                                 "--calls"))
    found = processes(records, os.path.realpath(env.load))
    check(len(found) >= 4, f"{len(found)} processes")
    for pid, record in found.items():
        equal("layers", record["layers"], outermost(records, pid))
        equal("files", record["posixio_count"], None)
    equal("mio", [r["mio_count"] for r in found.values()],
          [r["layers"].get("mio", {"count": 0})["count"] for r in found.values()])


def test_chosen(env):
    """Not of programs that are excluded, nor of those that are too short."""
    script = "sleep 0.01; sleep 1.2; dd if=/dev/null of=/dev/null status=none"
    for options, wanted in ((("--min-wall", "0.5"), {"sh": 1, "sleep": 1}),
                            (("--exclude", "/(sh|dash|bash)$", "--exclude", "/dd$"), {"sleep": 2})):
        records = trace(env, "sh", "-c", script, options=(*OPTIONS, *options))
        names = [r["comm"] for r in records.of("process")]
        equal(f"{options}", {name: names.count(name) for name in names}, wanted)


# What selFIe prints of a process, and how: strings of numbers, numbers with two decimals or none.
SELFIE = {"jobid": r'"\d+"', "hostname": r'"[^"]*"', "pid": r'"\d+"', "utime": r"\d+\.\d\d",
          "stime": r"\d+\.\d\d", "maxmem": r"\d+\.\d\d", "posixio_time": r"\d+\.\d\d",
          "posixio_count": r"\d+", "pio_time": r"\d+\.\d\d", "pio_count": r"\d+",
          "FOO": r'".*"', "USER": r'"[^"]*"', "timestamp": r"\d+", "wtime": r"\d+\.\d\d", "command": r'".*"'}
SELFIE_LINE = re.compile(r"\{ " + ", ".join(f'"{k}": {v}' for k, v in SELFIE.items()) + r" \}")


def check_selfie(line, record):
    check(SELFIE_LINE.fullmatch(line), f"not as selFIe prints it: {line}")
    fields = json.loads(line)
    for key in ("utime", "stime", "maxmem", "posixio_time", "wtime"):
        equal(key, fields[key], float(f"{record[key]:.2f}"))
    for key in ("posixio_count", "hostname", "FOO", "USER", "timestamp", "command"):
        equal(key, fields[key], record[key])
    equal("job", (fields["jobid"], fields["pid"]), (str(record["pid"]),) * 2)


# selFIe cuts a value at a comma.
VARIABLES = ("--env-vars", "FOO,EMPTY,ABSENT", "--env", 'FOO=a,b "}', "--env", "EMPTY=")


def test_selfie(env):
    """Lines that a parser of selFIe's takes, also where selFIe's own would be broken."""
    daemon = Daemon(env)
    odd = env.path('odd", {name}')
    shutil.copy(compile_c(env, "ends.c", "-pthread"), odd)
    lines, options = env.path("lines"), (*OPTIONS, "--syslog=selfie", "--syslog-socket",
                                         daemon.socket, *VARIABLES)
    with open(lines, "w", encoding="ascii") as f:
        f.write("what was there\n")
    records = trace(env, odd, "exec", env.path("file"), "5", odd, "abort", env.path("file"), "20",
                    options=(*options, "--selfie", lines), expect=128 + signal.SIGABRT)
    record = one(records, odd)
    equal("variables", (record["FOO"], "EMPTY" in record, "ABSENT" in record),
          ('a,b "}', False, False))
    daemon.stop()
    first, line = read_text(lines).splitlines()
    equal("first line", first, "what was there")
    check_selfie(line, record)
    equal("syslog", read_text(daemon.log), f"selfie[{record['pid']}]: {line}\n")


def test_intervals(env):
    """Of a process that does not end, what it has done so far; then it ends."""
    path = env.path("attached.json")
    load = env.spawn(["sh", "-c", f"while read n; do [ $n = q ] && exit 4; echo x >{env.path('file')}; "
                      "done"],
                     stdin=subprocess.PIPE)
    finish = attach(env, "--interval", "0.2", *OPTIONS, "--pid", str(load.pid))
    for n in (1, 2):
        load.stdin.write("x\n")
        load.stdin.flush()
        wait_for(lambda n=n: re.search(f'"process".*"posix_write_count":{n},', read_text(path)),
                 "its record")
    load.stdin.write("q\n")
    load.stdin.flush()
    equal("exit status", load.wait(), 4)
    wait_for(lambda: '"exit_code":4,' in read_text(path), "its end")
    found = finish().of("process", pid=load.pid)
    equal("writes", sorted({r["posix_write_count"] for r in found}), [1, 2])
    equal("ends", [(r["final"], r["exit_code"], r["end_ns"] is None) for r in found],
          [(False, None, True)] * (len(found) - 1) + [(True, 4, False)])
    check(all(r["maxmem"] > 0 for r in found), "no memory")


def test_too_many(env):
    """What there is no room for is told together, and nothing of it is lost."""
    script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.7 & done; wait"
    records = trace(env, "sh", "-c", script, options=(*OPTIONS, "--max-processes", "4"))
    found = records.of("process")
    others = [r for r in found if r["pid"] is None]
    equal("records", (len(found), len(others)), (5, 1))
    equal("processes", sum(r["processes"] for r in found), 13)
    equal("operations", sum(r["posixio_count"] for r in found),
          sum(r["count"] for r in records.functions("vfs")))
    check(any("9 processes have no record of their own" in note for note in records.notes()),
          f"notes: {records.notes()}")


def test_recording(env):
    """What a recording has of processes is what was written beside it."""
    program, data = compile_c(env, "ends.c", "-pthread"), env.path("data")
    script = f"{program} kill {env.path('file')} 3; {program} fork {env.path('file')} 4"
    records = trace(env, "sh", "-c", script, options=(*OPTIONS, *VARIABLES, "-o", data), expect=3)
    status, out, err = env.trace("dump", data)
    equal(f"dump, {err}", status, 0)
    dumped = [json.loads(line) for line in out.splitlines()]
    equal("processes", [r for r in dumped if r["type"] == "process"], records.of("process"))
    check(len(records.of("process")) >= 4, "too few processes")


@alone
def test_whole_machine(env):
    """With --all each process that ends has a record a moment later; tmtrace itself has none."""
    path = env.path("attached.json")
    finish = attach(env, "--all", *OPTIONS)
    pids = []
    for code in range(5):
        process = env.spawn(["sh", "-c", f"exit {code}"])
        process.wait()
        pids.append(process.pid)
    wait_for(lambda: all(re.search(f'"process".*"pid":{pid},', read_text(path)) for pid in pids),
             "the records", seconds=5)
    found = processes(finish())
    equal("ends", [found[pid]["exit_code"] for pid in pids], list(range(5)))
    check("tmtrace" not in {r["comm"] for r in found.values()}, "tmtrace is among them")


def test_options(env):
    """What makes no sense is refused."""
    for options, reason in ((("--processes",), "where to"),
                            (("--exclude", "x"), "with --processes"),
                            (("--env-vars", "x"), "with --processes"),
                            (("--processes", "--json", "x", "--env-vars", "A=1"), "without values"),
                            (("--processes", "--json", "x", "--exclude", "("), "regular expression"),
                            (("--syslog=process",), "with --processes only")):
        status, _, err = env.trace(*options, "--", "true")
        equal("status", status, 2)
        check(reason in err, err)
