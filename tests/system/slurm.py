# SPDX-License-Identifier: GPL-2.0-only
"""
Steps of in_machine.py with Debian's Slurm: its controller and two nodes in the one machine, jobs in
cgroups of version 2. node1 is what Debian's unit of slurmd makes of the machine, node2 another
slurmd, with a host name and a service of tmtrace of its own.
"""

import functools
import json
import re

from world import CONFIG, check, equal

BLOCK = 4096
NODES = ("node1", "node2")
SCOPE = "/sys/fs/cgroup/system.slice/{}_slurmstepd.scope"
UNITS = ("slurmctld", "slurmd", "slurmd-node2", "munge", "tmtrace", "tmtrace-node2")
SITE = "/etc/tmtrace/slurm.conf"  # of the epilog
GO = "/tmp/slurm-go"

SLURM_CONF = """
ClusterName=tmtrace
SlurmctldHost=node1(127.0.0.1)
SlurmUser=slurm
StateSaveLocation=/var/lib/slurm/slurmctld
SlurmdSpoolDir=/var/lib/slurm/slurmd-%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd-%n.pid
ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=2
CommunicationParameters=NoAddrCache
SlurmdParameters=config_overrides
Epilog=/usr/share/tmtrace/slurm/epilog.sh
EpilogMsgTime=1
NodeName=node1 NodeAddr=127.0.0.1 Port=6818 CPUs=2
NodeName=node2 NodeAddr=127.0.0.1 Port=6819 CPUs=2
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
"""

FILES = {
    "/etc/slurm/slurm.conf": SLURM_CONF,
    "/etc/slurm/cgroup.conf": "CgroupPlugin=cgroup/v2\n",
    # An address that is not the loopback's: without one, Slurm finds no address at all.
    "/etc/systemd/system/address.service": """
[Unit]
Before=slurmctld.service slurmd.service slurmd-node2.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=ip address replace 192.0.2.1/32 dev lo
[Install]
WantedBy=multi-user.target
""",
    "/etc/systemd/system/slurmd-node2.service": """
[Unit]
After=munge.service
[Service]
ExecStart=unshare --uts sh -c 'hostname node2 && exec slurmd -D -s -N node2'
KillMode=process
Delegate=yes
TasksMax=infinity
[Install]
WantedBy=multi-user.target
""",
    "/etc/systemd/system/tmtrace-node2.service": """
[Service]
Type=notify
ExecStart=unshare --uts sh -c 'hostname node2 && exec tmtrace service --config /etc/tmtrace/node2.yaml'
RuntimeDirectory=tmtrace-node2
TimeoutStartSec=300
""",
    "/etc/tmtrace/node2.yaml": f"""
cgroup: {SCOPE.format("node2")}
layers: [vfs]
max_overhead: none
history: none
log: none
pins: none
socket: /run/tmtrace-node2/tmtrace.sock
snapshot: none
""",
    # As a site would have it where nodes share a machine.
    SITE: '[ "$SLURMD_NODENAME" = node1 ] || TMTRACE_SOCKET=/run/tmtrace-node2/tmtrace.sock\n',
}

# So many blocks for each rank; then they wait.
JOB = """#!/bin/sh
srun -n 2 sh -c 'dd if=/dev/zero of=rank.$SLURM_PROCID bs=4096 count=$((100 * (SLURM_PROCID + 1))) status=none
until [ -e {go} ]; do sleep 3; done'
"""

# On two nodes; one of the ranks waits for the disk each time. Then they hang.
KILLED = """#!/bin/sh
srun -n 4 sh -c 'flag=append; [ $SLURM_PROCID = 2 ] && flag=dsync
dd if=/dev/zero of=rank.$SLURM_PROCID bs=4096 count=$((100 * (SLURM_PROCID + 1))) oflag=$flag status=none
echo rank $SLURM_PROCID is done
exec sleep 1000'
"""


def told(step):
    """A step that fails tells what Slurm and the services said last."""
    @functools.wraps(step)
    def with_journal(world):
        try:
            return step(world)
        except AssertionError as error:
            wanted = " + ".join(["SYSLOG_IDENTIFIER=tmtrace-slurm",
                                 *(f"_SYSTEMD_UNIT={unit}.service" for unit in UNITS)])
            said = world.run(f"journalctl --no-pager -o short {wanted} | grep -Fv -e pmix -e @cee | tail -n 30")
            raise AssertionError(f"{str(error)[:600]}; the journals: {said.output[-1300:]}") from error
    return with_journal


def write(world, path, text):
    world.output(f"mkdir -p $(dirname {path}) && cat >{path} <<'END'\n{text.lstrip()}END")


def submit(world, script, *options):
    """A batch script of alice's; the job's number."""
    write(world, "/tmp/script", script)
    words = " ".join(options)
    return world.output(f"cd ~alice && sbatch --parsable -o out {words} /tmp/script", "alice")


def wait_for_nodes(world):
    """Both have nothing to do: epilogs have run, too."""
    world.wait_for("timeout 20 sinfo -h -o '%t %D' 2>&1 | grep -x 'idle 2'", "both nodes", 600)


def wait_for_end(world, job):
    """It has ended on all of its nodes: until it begins, they are idle, too."""
    world.wait_for(f"jobs=$(timeout 20 squeue -h -o %A) && ! echo \"$jobs\" | grep -qx {job} && echo over", "the job's end", 600)
    wait_for_nodes(world)


def folder(job):
    return f"/home/alice/tmtrace-{job}"


def records(world, command, kind, user="root"):
    return [r for r in map(json.loads, world.output(command, user).splitlines()) if r["type"] == kind]


def check_files(world, job, nodes):
    """The epilog has left a file for each node, which are the user's alone."""
    equal("files", world.output(f"cd {folder(job)} && stat -c '%n %U %a' *").splitlines(),
          [f"{node}.tmtrace alice 600" for node in nodes])


@told
def slurm_starts(world):
    """Slurm's controller and two nodes, on cgroups of version 2, and no configuration of tmtrace's for it."""
    for path, text in FILES.items():
        write(world, path, text)
    world.configure("interval: 2")
    world.output("systemctl daemon-reload && systemctl enable -q address slurmd-node2 && "
                 "systemctl start address && systemctl restart munge slurmctld slurmd slurmd-node2 tmtrace",
                 seconds=600)
    wait_for_nodes(world)
    equal("jobs are told by", json.loads(world.output("tmtrace status --json"))["hierarchy"]["name"], "v2")
    return world.output("slurmd -V")


@told
def slurm_job(world):
    """A job's processes and the job, by number, step and rank, in both logs; its user sees it, no other."""
    world.output(f"rm -f {GO}")
    job = submit(world, JOB.format(go=GO), "-N 1 -w node1 -n 2")
    for source in ("rsyslog", "journal"):
        world.wait_for(f"{world.lines('process', source, job)} | grep -F '\"comm\":\"dd\"' | "
                       "grep -cF '\"final\":true' | grep -x 2", "both ranks' records", 600)
        ranks = {r["rank"]: (r["step"], r["USER"], r["posix_write_count"], r["vfs_write_bytes"])
                 for r in world.records("process", source, job) if r["comm"] == "dd" and r["final"]}
        equal(f"{source}: ranks", ranks, {rank: ("0", "alice", n, n * BLOCK)
                                          for rank, n in ((0, 100), (1, 200))})
    report = world.output(f"tmtrace report --no-pager --job {job}", "alice")
    check(f"== slurm job {job}\n" in report and "\nvfs by 2 ranks: slowest: rank " in report, report)
    refused = world.run(f"tmtrace report --job {job}", "bob")
    check(refused.status == 1 and f"there is no job {job} that user 1001 may see" in refused.output,
          f"{refused}")
    world.output(f"touch {GO}")
    wait_for_end(world, job)
    for source in ("rsyslog", "journal"):
        world.wait_for(f"{world.lines('job', source, job)} | grep -v '\"end_ns\":null'", "the job's end")
        last = [r for r in world.records("job", source, job) if r["end_ns"]][-1]
        equal(f"{source}: cgroup", last["cgroup"], f"/system.slice/node1_slurmstepd.scope/job_{job}")
        # Slurm's own, as of the batch script's step.
        check(300 * BLOCK <= last["vfs_write_bytes"] < 300 * BLOCK + (64 << 10), f"{last}")
        check(last["cpu_ns"] and last["memory_peak_bytes"], f"{last}")
    check_files(world, job, ["node1"])
    return f"{last['vfs_write_bytes'] - 300 * BLOCK} bytes are Slurm's own"


@told
def slurm_killed(world):
    """A job that is killed on two nodes: one report of both, which names its slowest rank and its node."""
    world.configure(f"interval: 2\ncgroup: {SCOPE.format('node1')}")
    world.output("systemctl restart tmtrace && systemctl start tmtrace-node2", seconds=600)
    job = submit(world, KILLED, "-N 2 -n 4")
    world.wait_for("grep -c 'is done' /home/alice/out | grep -x 4", "the ranks' work", 600)
    world.output(f"scancel --signal=KILL {job}; scancel {job}")
    wait_for_end(world, job)
    check_files(world, job, NODES)
    report = world.output(f"tmtrace report --no-pager {folder(job)}", "alice")
    line = re.search(r"^vfs by 4 ranks: (slowest: rank 2 on node2 with .*?);", report, re.M)
    check(line and f"== slurm job {job}\n" in report, report)
    world.output(f"tmtrace report {folder(job)} --json /tmp/again.json")
    ranks = {r["rank"]: r for r in records(world, "cat /tmp/again.json", "process")}
    equal("ranks", {rank: r["hostname"] for rank, r in ranks.items()},
          {rank: NODES[rank // 2] for rank in range(4)})
    for rank, record in ranks.items():
        # What Slurm does between fork and exec is in it.
        own = record["vfs_write_bytes"] - 100 * (rank + 1) * BLOCK
        check(0 <= own < BLOCK, f"rank {rank}: {own} bytes more than it wrote")
    refused = world.run(f"tmtrace report {folder(job)}", "bob")
    check(refused.status != 0, f"bob reads alice's files: {refused.output}")
    world.output("systemctl stop tmtrace-node2")
    return line.group(1)


@told
def slurm_again(world):
    """After the reboot jobs are told and kept as before."""
    wait_for_nodes(world)
    world.output(f"touch {GO}")
    job = submit(world, JOB.format(go=GO), "-N 1 -w node1 -n 2")
    wait_for_end(world, job)
    check_files(world, job, ["node1"])
    told = [(r["rank"], r["comm"], r["vfs_write_bytes"])
            for r in records(world, f"tmtrace dump {folder(job)}/node1.tmtrace", "process")]
    check(any(rank == 1 and written >= 200 * BLOCK for rank, _, written in told),
          f"what rank 1 wrote is not told, but {told}")


def slurm_ends(world):
    """What the site had for it goes, and what it has left."""
    world.output("systemctl disable -q slurmd-node2 address; systemctl stop slurmctld slurmd slurmd-node2; "
                 f"rm {' '.join(FILES)}; find /var/lib/slurm /var/lib/munge -mindepth 2 -delete",
                 seconds=600)
    equal("configuration", world.output(f"cd $(dirname {CONFIG}) && ls"), CONFIG.rsplit("/", 1)[1])
