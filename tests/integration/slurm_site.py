# SPDX-License-Identifier: GPL-2.0-only
"""A Slurm of the test's own: munged, slurmctld, and two slurmd that are nodes of this machine, each
with its own host name, cgroups and service of tmtrace. All of it listens on 127.0.0.1 alone."""

import contextlib
import os
import pwd
import random
import signal
import socket
import subprocess
import time

from harness import PATIENCE, Skip, check, need, read_text, wait_for

MOUNT = "/sys/fs/cgroup"

CONF = """
ClusterName=tmtrace
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={dir}/munge.sock
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool-%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd-%n.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd-%n.log
ProctrackType=proctrack/cgroup
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=2
CommunicationParameters=NoAddrCache
SlurmdParameters=config_overrides
SrunPortRange={first}-{last}
Epilog={dir}/epilog
EpilogMsgTime=1
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
"""

CGROUP_CONF = """
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
"""

SERVICE = """
layers: [vfs]
max_overhead: none
cgroup: {cgroup}
history: none
log: none
pins: none
socket: {dir}/{node}.sock
snapshot: none
"""

# What Slurm runs: as one that has no arguments.
EPILOG = """#!/bin/sh
exec {source}/scripts/slurm/epilog.sh {dir}/$SLURMD_NODENAME.conf
"""

EPILOG_CONF = """
TMTRACE={tmtrace}
TMTRACE_SOCKET={dir}/{node}.sock
"""


def cgroup_of(node):
    """What all jobs of a node are in."""
    return f"{MOUNT}/freezer/slurm_{node}"


def free_ports(n):
    """A run of so many ports that nobody uses just now."""
    for _ in range(100):
        first = random.randrange(20000, 32000 - n)
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + n):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise Skip("no free ports")


class Site:
    """Up when it is made; it goes with the test."""

    def __init__(self, env, user="nobody"):
        need("slurmctld", "slurmd", "srun", "sbatch", "scancel", "munged", "unshare", "runuser")
        if not os.path.exists(f"{MOUNT}/freezer/tasks"):
            raise Skip(f"Slurm on cgroups of version 1 needs the freezer at {MOUNT}/freezer")
        self.env = env
        self.user = user
        self.uid = pwd.getpwnam(user).pw_uid
        os.chmod(env.dir, 0o755)  # the user's commands read the configuration
        self.home = env.path("home")
        os.mkdir(self.home)
        os.chown(self.home, self.uid, -1)
        # Slurm names cgroups after nodes: those of two tests are not the same.
        self.nodes = [f"t{os.getpid()}n{i}" for i in (1, 2)]
        port = free_ports(23)
        self.write("slurm.conf", CONF, host=os.uname().nodename, port=port, first=port + 3,
                   last=port + 22, nodes="\n".join(
                       f"NodeName={node} NodeHostname={node} NodeAddr=127.0.0.1 Port={port + i} CPUs=2"
                       for i, node in enumerate(self.nodes, 1)))
        self.write("cgroup.conf", CGROUP_CONF)
        self.write("epilog", EPILOG, mode=0o755)
        for node in self.nodes:
            self.write(f"{node}.conf", EPILOG_CONF, node=node)
        os.mkdir(env.path("state"))
        self.environment = {**os.environ, "SLURM_CONF": env.path("slurm.conf")}
        self.start()

    def write(self, name, text, mode=0o644, **values):
        with open(self.env.path(name), "w", encoding="utf-8") as f:
            f.write(text.format(dir=self.env.dir, source=self.env.source,
                                tmtrace=self.env.tmtrace, **values))
        os.chmod(self.env.path(name), mode)

    def daemon(self, *argv, node=None):
        """One that stays in the foreground, and is ended in peace."""
        if node:
            argv = ("unshare", "--uts", "sh", "-c", f'hostname {node} && exec "$@"', "sh", *argv)
        process = self.env.spawn(argv, env=self.environment, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        self.env.cleanup(end, process)
        return process

    def start(self):
        path = self.env.path
        with open(path("munge.key"), "wb") as f:
            f.write(os.urandom(128))
        os.chmod(path("munge.key"), 0o600)
        self.daemon("munged", "--foreground", "--force", f"--key-file={path('munge.key')}",
                    f"--socket={path('munge.sock')}", f"--pid-file={path('munged.pid')}",
                    f"--log-file={path('munged.log')}", f"--seed-file={path('munge.seed')}",
                    "--num-threads=1")
        wait_for(lambda: os.path.exists(path("munge.sock")), "munged")
        self.daemon("slurmctld", "-D", "-i")
        for node in self.nodes:
            self.env.cleanup(remove_cgroups, cgroup_of(node))
            self.daemon("slurmd", "-D", "-N", node, node=node)
        wait_for(lambda: self.run("sinfo", "-h", "-o", "%t %D", may_fail=True).split() ==
                 ["idle", "2"], "both nodes", 30)
        for node in self.nodes:
            cgroup = cgroup_of(node)
            wait_for(lambda path=cgroup: os.path.isdir(path), cgroup)
            self.write(f"{node}.yaml", SERVICE, node=node, cgroup=cgroup)
            self.daemon(self.env.tmtrace, "service", "--config", path(f"{node}.yaml"), node=node)
        for node in self.nodes:
            wait_for(lambda name=node: self.env.trace("status", "--socket",
                                                      path(f"{name}.sock"))[0] == 0, node)

    def run(self, *argv, may_fail=False, **kwargs):
        """A command of Slurm; its standard output."""
        done = subprocess.run(argv, env=self.environment, text=True, timeout=60 * PATIENCE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **kwargs)
        check(may_fail or done.returncode == 0, f"{' '.join(argv)}: {done.stderr} {self.logs()}")
        return done.stdout

    def submit(self, script, *options):
        """A batch script of the user's; the job's number."""
        path = self.env.path("script")
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return self.run("runuser", "-u", self.user, "--", "sbatch", "--parsable", "-o",
                        os.path.join(self.home, "out"), *options, path, cwd=self.home).strip()

    def output(self):
        return read_text(os.path.join(self.home, "out"))

    def state(self, job):
        return self.run("scontrol", "show", "job", job).split("JobState=")[1].split()[0]

    def wait_end(self, job):
        """Until its epilogs have run: its nodes are idle then. Its state."""
        wait_for(lambda: not self.run("squeue", "-h", "-t", "all", "-o", "%t", "-j", job).strip() in
                 ("PD", "R", "CG", "CF"), f"the end of job {job}", 60)
        wait_for(lambda: self.run("sinfo", "-h", "-o", "%t %D").split() == ["idle", "2"],
                 "the epilogs", 60)
        return self.state(job)

    def logs(self):
        return "".join(read_text(self.env.path(f"slurmd-{node}.log"))[-2000:] for node in self.nodes)


def end(process):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=10 * PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def kill_all(folder):
    """Steps that are left where a test failed."""
    for pid in read_text(os.path.join(folder, "cgroup.procs")).split():
        with contextlib.suppress(OSError):
            os.kill(int(pid), signal.SIGKILL)


def remove_cgroups(root):
    """What Slurm leaves of its cgroups."""
    deadline = time.monotonic() + 10 * PATIENCE
    while os.path.isdir(root) and time.monotonic() < deadline:
        for folder, _, _ in os.walk(root, topdown=False):
            kill_all(folder)
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        time.sleep(0.05)
    check(not os.path.isdir(root), f"{root} is left")
