# SPDX-License-Identifier: GPL-2.0-only
"""
What is tried in a machine with systemd, in this order: a step finds what those before it left. A
step gets the World that all share; what it says is its docstring.
"""

import json
import re
import shlex

import slurm
from world import CONFIG, HOST, JOB, JOB_BLOCKS, check, equal


def boots(world):
    """The machine is up, and knows nothing of tmtrace."""
    equal("state", world.wait_for("systemctl is-system-running --wait || true", "boot"), "running")
    world.output(f"mkdir -p {HOST} && mount -t virtiofs -o ro root {HOST}")
    world.files_before = files(world)
    check("tmtrace" not in "".join(world.files_before), "tmtrace is there")


def files(world):
    """All files but what changes by itself, and what dpkg and the log keep of any package."""
    found = world.output("find / /run /sys/fs/bpf -xdev ! -path '/tmp/*' ! -path '/var/log/*' "
                         "! -path '/var/lib/dpkg/*' ! -path '/var/lib/systemd/*' "
                         "! -path '/var/cache/*' ! -path '/run/systemd/*' ! -path '/run/udev/*' "
                         "! -path '/home/*' ! -path '/root/*' ! -path '/run/user*' "
                         "! -path '/run/log/*'")
    return sorted(set(found.splitlines()))


def install(world):
    """Installing the package starts the service; it says itself when it is ready."""
    world.output(f"apt-get install -qq -y {world.package} 2>&1")
    world.service_is_up()
    equal("is-enabled", world.output("systemctl is-enabled tmtrace"), "enabled")
    equal("type", world.show("Type"), "notify")
    equal("configuration", world.output("tmtrace service --check"), f"{CONFIG}: right")
    notes = json.loads(world.output("tmtrace status --json"))
    equal("mechanisms", set(notes["mechanisms"]), {"vfs", "block", "mstro", "mio"})
    equal("pid", notes["pid"], world.pid())


def security(world):
    """systemd calls its exposure less than 3.0."""
    said = world.output("systemd-analyze security --no-pager tmtrace.service").splitlines()[-1]
    match = re.search(r"exposure level for tmtrace.service: ([\d.]+)", said)
    check(match and float(match.group(1)) < 3.0, said)
    return f"exposure {match.group(1)}"


def permissions(world):
    """All may ask; what it keeps is root's."""
    wanted = {"/run/tmtrace": "755 root:root", "/run/tmtrace/tmtrace.sock": "666 root:root",
              "/run/tmtrace/snapshot": "600 root:root", "/var/lib/tmtrace": "750 root:root",
              "/var/lib/tmtrace/history.data": "600 root:root", CONFIG: "644 root:root",
              "/etc/tmtrace": "755 root:root"}
    world.wait_for("cat /run/tmtrace/snapshot", "the snapshot")
    for path, mode in wanted.items():
        equal(path, world.output(f"stat -c '%a %U:%G' {path}"), mode)


# What a client gets by HTTP, where there is no program for it.
FETCH = """timeout 20 bash -c 'exec 9<>/dev/tcp/127.0.0.1/9750 || exit 1
printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&9; cat <&9'"""


def metrics(world):
    """Their socket is enabled by the site alone; what it starts has no rights, nor others a way to it."""
    socket, program = "tmtrace-metrics.socket", "tmtrace-metrics.service"
    equal("is-enabled", world.run(f"systemctl is-enabled {socket}").output, "disabled")
    check(world.run(FETCH).status != 0, "somebody listens")
    world.output(f"systemctl enable -q --now {socket}")
    said = world.output(FETCH)
    check("503" in said.splitlines()[0] and "metrics: none" in said, said)
    world.configure("metrics: {user: tmtrace-metrics}")
    world.output("systemctl reload tmtrace")
    said = world.wait_for(f"{FETCH} | grep '^tmtrace_calls_total{{' || true", "metrics")
    check('function="read"' in said and 'job="/system.slice/' in said, said)
    pid = world.output(f"systemctl show --value -p MainPID {program}")
    equal("user", world.output(f"stat -c %U /proc/{pid}"), "tmtrace-metrics")
    equal("capabilities", world.output(f"grep CapEff /proc/{pid}/status").split()[1], "0" * 16)
    said = world.output(f"systemd-analyze security --no-pager {program}").splitlines()[-1]
    match = re.search(r"exposure level for \S+: ([\d.]+)", said)
    check(match and float(match.group(1)) < 1.0, said)
    # Who is not let in by the socket's addresses is not heard.
    folder = f"/etc/systemd/system/{socket}.d"
    world.output(f"mkdir {folder} && printf '[Socket]\\nIPAddressAllow=\\n' >{folder}/own.conf && "
                 f"systemctl daemon-reload && systemctl stop {program} && systemctl restart {socket}")
    said = world.run(FETCH)
    check("tmtrace_" not in said.output, said.output)
    world.output(f"rm -r {folder} && systemctl daemon-reload && systemctl restart {socket}")
    world.wait_for(f"{FETCH} | grep '^tmtrace_metrics_samples'", "metrics again")
    return f"exposure {match.group(1)}"


def scope(world):
    """A user's job in a scope: its processes in rsyslog's file and in the journal, exact."""
    world.configure("interval: 2")
    world.output("systemctl restart tmtrace")
    world.run_job("job-a", "alice", until="/tmp/job-a-ends")
    for source in ("rsyslog", "journal"):
        world.wait_for(f"{world.lines('process', source, 'job-a.scope')} | grep -F '\"signal\":9'",
                       "the process that is killed")
        records = [r for r in world.records("process", source, "job-a.scope")
                   if r["final"] and r["comm"] != "sleep"]
        by = {}
        for record in records:
            by.setdefault(record["comm"], []).append(record)
            equal("USER", record["USER"], "alice")
        size = JOB_BLOCKS * 4096
        equal(f"{source}: bytes written by dd", [r["vfs_write_bytes"] for r in by["dd"]], [size, 0, 0])
        equal(f"{source}: writes", [r["posix_write_count"] for r in by["dd"]], [JOB_BLOCKS, 0, 0])
        killed = [r for r in by["sh"] if r["signal"]]
        equal(f"{source}: killed", [(r["signal"], r["exit_code"]) for r in killed], [(9, None)])


def asking(world):
    """Users see their own jobs, and no others'; root sees all."""
    for user, number in (("alice", 1000), ("bob", 1001), ("root", 0)):
        report = world.run("tmtrace report --no-pager --job job-a.scope", user)
        dump = world.run("tmtrace dump --job job-a.scope", user)
        status = world.run("tmtrace status", user)
        equal(f"{user}: status", status.status, 0)
        if user == "bob":
            refusal = f"there is no job job-a.scope that user {number} may see"
            check(report.status == 1 and refusal in report.output, f"{user}: {report}")
            check(dump.status == 1 and refusal in dump.output, f"{user}: {dump}")
            check("job-a" not in world.output("tmtrace dump --all", user), f"{user} sees it")
        else:
            equal(f"{user}: {report.output}", report.status, 0)
            check("write" in report.output and "ext4" in report.output, report.output)
            writes = [r for r in map(json.loads, dump.output.splitlines())
                      if r["type"] == "function" and r["function"] == "write" and r["final"]]
            equal(f"{user}: written", sum(r["bytes"] for r in writes), JOB_BLOCKS * 4096)


def levels(world):
    """A user may raise the detail of the own job, and not of another's."""
    for user, status in (("bob", 1), ("alice", 0)):
        done = world.run("tmtrace set calls --job job-a.scope", user)
        equal(f"{user}: {done.output}: status", done.status, status)


def job_records(world):
    """At its end the job has a record, in both."""
    world.output("touch /tmp/job-a-ends")
    for source in ("rsyslog", "journal"):
        world.wait_for(f"{world.lines('job', source, 'job-a.scope')} | grep -v '\"end_ns\":null'",
                       "the record of the job's end")
        last = world.records("job", source, "job-a.scope")[-1]
        equal(f"{source}: written", last["vfs_write_bytes"], JOB_BLOCKS * 4096)


def libraries(world):
    """Calls of libraries that come after its start, from /tmp, which it does not share: exact."""
    world.output(f"cp -r {world.stack} /tmp/stack && cp {HOST}/usr/lib/*/liburing.so.2 /tmp/stack && "
                 "chmod -R go=u-w /tmp/stack")
    script = ("cd; LD_LIBRARY_PATH=/tmp/stack exec /tmp/stack/load wait-then --go /tmp/go "
              "--truth truth all --local --count 20")
    armed = probes_armed(world)
    world.output("systemd-run --scope --quiet --collect --uid=alice --unit=job-l "
                 f"sh -c {shlex.quote(script)} >/tmp/load.log 2>&1 &")
    before = armed
    while armed == before or armed != probes_armed(world):
        armed = probes_armed(world)
        world.output("sleep 2")
    world.output("touch /tmp/go")
    truth = json.loads(world.wait_for("cat /home/alice/truth && ! pgrep -x load >/dev/null",
                                      "the truth"))
    counted = {}
    for record in map(json.loads, world.output("tmtrace dump --job job-l.scope").splitlines()):
        if record["type"] == "function" and record["final"]:
            key = (record["layer"], record["function"])
            counted[key] = counted.get(key, 0) + record["count"]
    wanted = {(f["layer"], f["function"]): f["returns"] for f in truth["functions"]
              if f["layer"] in ("mio", "mstro") and f["returns"]}
    got = {key: count for key, count in counted.items() if key in wanted}
    check(len(got) > 20, f"{sorted(got)}, of {len(wanted)} functions")
    equal("calls", got, {key: wanted[key] for key in got})
    return f"{sum(got.values())} calls of {len(got)} functions"


def probes_armed(world):
    return json.loads(world.output("tmtrace status --json"))["probes"]["armed"]


def plain(world):
    """A process of no job but the unit that it is in."""
    world.output("dd if=/dev/zero of=/root/plain bs=512 count=77 status=none")
    for source in ("rsyslog", "journal"):
        found = [r for r in world.records("process", source, "agent.service")
                 if r["final"] and r["comm"] == "dd" and r["posix_write_count"] == 77]
        equal(f"{source}: bytes", [r["vfs_write_bytes"] for r in found], [77 * 512])


def reload(world):
    """systemctl reload changes what can be changed; a wrong file changes nothing."""
    pid = world.pid()
    for text, said in (("interval: 3", "the configuration was read again"),
                       ("interval: 3\nlayers: [vsf]", "the service goes on as before")):
        since = world.output("date +%s")
        world.configure(text)
        world.output("systemctl reload tmtrace")
        world.wait_for(f"journalctl -u tmtrace -o cat --since=@{since} | grep -F {shlex.quote(said)}",
                       said)
        world.service_is_up()
        equal("pid", world.pid(), pid)


def watchdog(world):
    """It feeds the watchdog: it lives longer than that would let it otherwise."""
    limit = int(world.output("systemctl show -p WatchdogUSec --value tmtrace | sed 's/s$//'"))
    first = int(world.show("WatchdogTimestampMonotonic"))
    world.wait_for(f"test $(systemctl show --value -p WatchdogTimestampMonotonic tmtrace) -gt "
                   f"{first + limit * 500000} && echo fed", "the watchdog's food", 3 * limit)
    world.service_is_up()


def written(world, job):
    """Bytes that a job has written so far, as root is told."""
    records = map(json.loads, world.output(f"tmtrace dump --job {job}").splitlines())
    return sum(r["bytes"] for r in records
               if r["type"] == "function" and r["function"] == "write" and r["final"])


def restart(world):
    """systemctl restart goes on with the counters; stop leaves nothing."""
    # With libraries that is so where the kernel does not probe them by perf.
    world.configure("interval: 2\nlayers: [vfs, block]")
    world.output("systemctl restart tmtrace")
    world.run_job("job-r", "alice", until="/tmp/job-r-ends")
    world.wait_for(f"{world.lines('process', 'journal', 'job-r.scope')} | grep -F '\"signal\":9'",
                   "the job's last process")
    before = json.loads(world.output("tmtrace status --json"))
    world.output("systemctl restart tmtrace")
    world.service_is_up()
    after = json.loads(world.output("tmtrace status --json"))
    equal("restarts", after["restarts"], before["restarts"] + 1)
    equal("epoch", after["epoch"], before["epoch"])
    check(after["adopted_links"] > 0 and after["hits"] > before["hits"], f"{before} {after}")
    equal("written", written(world, "job-r.scope"), JOB_BLOCKS * 4096)
    world.output("systemctl stop tmtrace")
    equal("state", world.run("systemctl is-active tmtrace").output, "inactive")
    equal("result", world.show("Result"), "success")
    left = world.output("find /run/tmtrace /sys/fs/bpf/tmtrace 2>/dev/null || true")
    equal("left in /run and in bpffs", left, "")
    equal("processes", world.output("pgrep -x tmtrace || true"), "")
    world.output("touch /tmp/job-r-ends; systemctl start tmtrace")
    world.service_is_up()
    equal("restarts", json.loads(world.output("tmtrace status --json"))["restarts"], 0)


def killed(world):
    """systemd starts it again after kill -9; what was written meanwhile is counted."""
    world.run_job("job-k", "alice", until="/tmp/job-k-ends")
    world.wait_for("pgrep -f job-k-ends", "the job")
    pid = world.pid()
    world.output(f"kill -9 {pid}; cd /tmp; systemd-run --scope --quiet --collect --uid=bob "
                 f"--unit=job-m sh -c {shlex.quote(JOB)} sh /")
    world.wait_for(f"test $(systemctl show --value -p MainPID tmtrace) != {pid} && "
                   "systemctl is-active --quiet tmtrace && tmtrace status", "a service again")
    for job in ("job-k", "job-m"):
        world.wait_for(f"{world.lines('process', 'journal', job + '.scope')} | "
                       "grep -F '\"signal\":9'", f"{job}'s last process")
        equal(f"{job}: written", written(world, job + ".scope"), JOB_BLOCKS * 4096)
    world.output("touch /tmp/job-k-ends")


def other_log(world):
    """Without the journal's protocol: syslog's own socket, which rsyslog reads."""
    world.configure("interval: 2\nlog:\n  types: [process]\n  socket: /run/systemd/journal/syslog")
    world.output("systemctl restart tmtrace")
    world.run_job("job-b", "bob")
    records = world.records("process", "rsyslog", "job-b.scope")
    check(records, "no records")
    equal("in the journal", world.output("journalctl -o cat TMTRACE_TYPE=process | "
                                         "grep -c job-b.scope || true"), "0")


def without_rsyslog(world):
    """Without rsyslog the journal has all."""
    world.output("systemctl stop rsyslog.service syslog.socket")
    world.configure("interval: 2\nlog:\n  types: [process, job]\n  journal: /run/systemd/journal/socket")
    world.output("systemctl restart tmtrace")
    world.run_job("job-c", "bob")
    check(world.records("process", "journal", "job-c.scope"), "no processes")
    check(world.records("job", "journal", "job-c.scope"), "no job")
    world.output("systemctl start syslog.socket rsyslog.service")


def upgrade(world):
    """An upgrade keeps a configuration that was changed, and goes on with the new program."""
    world.configure("interval: 7")
    pid = world.pid()
    world.output(f"apt-get install -qq -y {world.newer} 2>&1")
    equal("configuration", world.output(f"cat {CONFIG}"), "interval: 7\nmax_overhead: none")
    check(world.pid() != pid, "the old program runs")
    equal("version", world.output("dpkg-query -W -f='${Version}' tmtrace").rsplit("-", 1)[1], "2")
    world.service_is_up()


def reboot(world):
    """After a reboot it is back."""
    before = world.output("cat /proc/sys/kernel/random/boot_id")
    world.guest.reboot()
    check(world.output("cat /proc/sys/kernel/random/boot_id") != before, "the same boot")
    world.wait_for("systemctl is-system-running --wait || true", "boot")
    world.service_is_up()
    world.output(f"mount -t virtiofs -o ro root {HOST}")
    world.run_job("job-d", "alice")
    check(world.records("process", "rsyslog", "job-d.scope"), "no records")


def remove(world):
    """Removed, it has ended, and keeps its configuration and history; purged, nothing is left."""
    world.output("apt-get remove -qq -y tmtrace 2>&1")
    equal("state", world.run("systemctl is-active tmtrace").output, "inactive")
    world.output(f"test -e {CONFIG} && test -e /var/lib/tmtrace/history.data")
    equal("in bpffs", world.output("ls /sys/fs/bpf/tmtrace 2>/dev/null || true"), "")
    world.output("apt-get purge -qq -y tmtrace 2>&1")
    left = sorted(set(files(world)) - set(world.files_before))
    equal("left", [path for path in left if "tmtrace" in path], [])
    return f"new, and not tmtrace's: {' '.join(left) or 'nothing'}"


STEPS = (boots, install, security, permissions, metrics, scope, asking, levels, job_records,
         libraries, plain, reload, watchdog, restart, killed, other_log, without_rsyslog, slurm.slurm_starts,
         slurm.slurm_job, slurm.slurm_killed, upgrade, reboot, slurm.slurm_again, slurm.slurm_ends,
         remove)
