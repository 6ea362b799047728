# SPDX-License-Identifier: GPL-2.0-only
"""A hard mount of NFS whose server does not answer: the service and everybody else go on."""

import os
import shutil
import subprocess

from harness import check, equal, wait_for
from nfs_server import serving
from real_machine import ext4, mounted
from test_cgroup import joining, mount_v2, new_cgroup
from test_service import Service
from test_stuck import check_others, has_note, in_time
from test_unused import FUNCTIONS, LAYERS, Mapper, armed

STANDS_LOAD = True

OPTIONS = "vers=4.2,proto=tcp,sec=sys,addr=127.0.0.1,clientaddr=127.0.0.1,hard,timeo=20"


class Mounted:
    """A folder with a library on NFS; the server is on the test's own network."""

    def __init__(self, folder):
        self.folder = folder
        self.library = os.path.join(folder, "libmio.so")

    def stop(self):
        subprocess.run(["ip", "link", "set", "lo", "down"], check=True)

    def go_on(self):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def check_drain(env, service, name):
    """What a job writes meanwhile is told."""
    cgroup = new_cgroup(env, mount_v2(), name)
    subprocess.run([*joining(cgroup), "dd", "status=none", "if=/dev/zero", f"of={env.path(name)}",
                    "bs=100", "count=50"], check=True)
    records = in_time("the figures", lambda: service.records("--all"))
    found = [r["count"] for r in records.functions("vfs", "write", cgroup=cgroup[len(mount_v2()):])
             if r["mount"] is not None]
    equal("writes", found, [50])


def check_service(env, nfs):
    """From before its start to after its end, all goes on; then the library is probed."""
    mapper = Mapper(env, nfs.library)
    nfs.stop()
    service = Service(env, layers=LAYERS + ", vfs")
    in_time("status", service.status)
    wait_for(lambda: has_note(service, nfs), "a note")
    check_others(env, service, "one")
    check_drain(env, service, "drained")
    in_time("the end", service.stop)
    in_time("the start", lambda: (service.begin(), service.told("READY=1")))
    equal("probes there", armed(service, nfs.folder), 0)
    nfs.go_on()
    wait_for(lambda: armed(service, nfs.folder) == FUNCTIONS, "the probes", seconds=60)
    nfs.stop()
    in_time("status", service.status)
    check_others(env, service, "two")
    in_time("the end", service.stop)
    nfs.go_on()
    mapper.end()


def test_nfs(env):
    """The server stops before the service is started, answers, and stops again."""
    with ext4(env) as fs:
        shutil.copy(os.path.join(env.stack, "libmio.so"), fs.path)
        with serving(env, fs.path), \
                mounted(env.path("nfs"), "-i", "-t", "nfs4", "-o", OPTIONS, "127.0.0.1:/") as path:
            nfs = Mounted(path)
            check(os.path.exists(nfs.library), "the library is not there")
            try:
                check_service(env, nfs)
            finally:
                nfs.go_on()
