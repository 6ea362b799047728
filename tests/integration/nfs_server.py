# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's NFS server, serving one folder to this machine, without any of its usual programs.

The server and its tables belong to a network namespace, so that one that the machine has is not
touched. What mountd would answer is written into the tables beforehand (fs/nfsd/export.c and
net/sunrpc/svcauth_unix.c read it).
"""

import contextlib
import ctypes
import os
import subprocess
import time

from harness import Skip, read_text
from real_machine import leave_mount_namespace, mounted

CLONE_NEWNET = 0x40000000  # linux/sched.h
# include/uapi/linux/nfsd/export.h
INSECURE_PORT, NO_SUBTREE_CHECK, FSID = 0x2, 0x400, 0x2000
FSID_NUM = 1
DOMAIN = "tmtrace-test"


def write(path, text):
    """By one system call: these files take no second one."""
    with open(path, "wb", buffering=0) as f:
        f.write(text.encode() + b"\n")


def leave_network_namespace():
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        raise Skip(f"a private network: {os.strerror(ctypes.get_errno())}")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def fill_tables(folder):
    """127.0.0.1 belongs to a domain; that may use the folder, which is file system 0, the root."""
    expiry = int(time.time()) + 3600
    answers = {
        "auth.unix.ip": f"nfsd 127.0.0.1 {expiry} {DOMAIN}",
        "nfsd.fh": f"{DOMAIN} {FSID_NUM} \\x00000000 {expiry} {folder}",
        "nfsd.export": f"{DOMAIN} {folder} {expiry} {INSECURE_PORT | NO_SUBTREE_CHECK | FSID} "
                       "65534 65534 0",
    }
    for table, answer in answers.items():
        write(f"/proc/net/rpc/{table}/channel", answer)


@contextlib.contextmanager
def serving(env, folder):
    """The folder is served at 127.0.0.1:/ by NFS 4.2; Skip where the kernel has no server."""
    if "nfsd" not in read_text("/proc/filesystems"):
        with contextlib.suppress(FileNotFoundError):
            subprocess.run(["modprobe", "nfsd"], capture_output=True, check=False)
    if "nfsd" not in read_text("/proc/filesystems"):
        raise Skip("this kernel has no NFS server; it is tested in the test kernels")
    leave_mount_namespace()
    leave_network_namespace()
    with mounted(env.path("nfsd"), "-t", "nfsd", "nfsd") as control:
        write(os.path.join(control, "versions"), "-3 +4")
        # Seconds in which only clients from before a restart may open files; 10 is the least.
        for name in ("nfsv4leasetime", "nfsv4gracetime"):
            write(os.path.join(control, name), "10")
        fill_tables(folder)
        write(os.path.join(control, "portlist"), "tcp 2049")
        write(os.path.join(control, "threads"), "2")
        try:
            yield
        finally:
            write(os.path.join(control, "threads"), "0")
