# SPDX-License-Identifier: GPL-2.0-only
"""Root file systems of Debian 12, and disks made from them; kept in the build folder."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = "bookworm"
# What runs in the machines beside systemd.
SYSTEM = ("systemd-sysv", "udev", "dbus", "libpam-systemd", "rsyslog", "kmod", "procps", "slurmctld",
          "slurmd", "slurm-client", "munge", "iproute2")
USERS = ("alice", "bob")
DISK_MIB = 1536

AGENT_UNIT = """[Unit]
Description=does what tests/system wants
[Service]
ExecStart=/usr/local/sbin/agent /dev/virtio-ports/out
# Its scripts' processes are not its own.
KillMode=process
TasksMax=infinity
[Install]
WantedBy=multi-user.target
"""
# What would disturb, by looking for updates or for a network.
MASKED = ("apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer",
          "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "systemd-networkd.service",
          "serial-getty@ttyS0.service", "getty@tty1.service", "systemd-timesyncd.service")


class Lacking(Exception):
    """This machine lacks something."""


def run(*argv, **kwargs):
    """A program that must end well; its output. CalledProcessError has what it said."""
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=True, **kwargs).stdout


def mirror():
    """Where this machine's apt has Debian from."""
    listed = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)",
                 "Identifier: Packages")
    for line in listed.splitlines():
        uri, _, release = line.partition(" ")
        if release == SUITE:
            return uri
    raise Lacking(f"apt on this machine knows no mirror of Debian {SUITE}: apt-get update")


def depends(package):
    """Names of the packages that a .deb depends on."""
    listed = run("dpkg-deb", "-f", package, "Depends")
    return sorted(entry.split()[0] for entry in listed.split(","))


@contextlib.contextmanager
def kept(folder, name, *parts):
    """
    Yields (path, whether it has to be made) of a file that is made of these texts; of those with
    this name the others are removed.
    """
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}-{key}")
    with open(os.path.join(folder, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = not os.path.exists(path)
        yield path, missing
        for other in os.listdir(folder):
            if missing and other.startswith(name + "-") and other != os.path.basename(path):
                os.unlink(os.path.join(folder, other))


def make_tar(folder, name, packages):
    """A minimal root with these packages, as a tar archive."""
    if not shutil.which("mmdebstrap"):
        raise Lacking("mmdebstrap is missing: apt-get install mmdebstrap")
    with kept(folder, name, SUITE, *packages) as (path, missing):
        if missing:
            run("mmdebstrap", "--variant=minbase", f"--include={','.join(packages)}",
                "--format=tar", SUITE, path + ".new", mirror())
            os.rename(path + ".new", path)
    return path


def set_up(root, kernel):
    """Makes of a root one that boots: modules, users, and the agent."""
    shutil.copytree(os.path.join(kernel.folder, "lib", "modules"),
                    os.path.join(root, "usr/lib/modules"), dirs_exist_ok=True)
    shutil.copy(os.path.join(HERE, "agent"), os.path.join(root, "usr/local/sbin/agent"))
    unit = os.path.join(root, "etc/systemd/system/agent.service")
    with open(unit, "w", encoding="ascii") as f:
        f.write(AGENT_UNIT)
    for path, text in (("etc/hostname", "node1\n"), ("etc/fstab", ""), ("etc/machine-id", ""),
                       ("etc/hosts", "127.0.0.1 localhost\n")):
        with open(os.path.join(root, path), "w", encoding="ascii") as f:
            f.write(text)
    run("systemctl", f"--root={root}", "enable", "agent.service")
    run("systemctl", f"--root={root}", "mask", *MASKED)
    for user in USERS:
        run("chroot", root, "useradd", "-m", "-s", "/bin/bash", user)


def make_disk(folder, package, kernel):
    """An ext4 image with systemd and what the package depends on, for this kernel."""
    packages = sorted({*SYSTEM, *depends(package)})
    texts = []
    for name in ("agent", "root.py"):
        with open(os.path.join(HERE, name), encoding="utf-8") as f:
            texts.append(f.read())
    archive = make_tar(folder, "system.tar", packages)
    with kept(folder, f"disk-{kernel.version}", kernel.version, *packages, *texts) as (path, missing), \
            tempfile.TemporaryDirectory(prefix="tmtrace-root.") as root:
        if missing:
            run("tar", "-C", root, "-xpf", archive, "--numeric-owner", "--exclude=./dev/*")
            os.chmod(root, 0o755)
            set_up(root, kernel)
            with open(path + ".new", "wb") as f:
                f.truncate(DISK_MIB << 20)
            run("mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0",
                "-d", root, path + ".new")
            os.rename(path + ".new", path)
    return path
