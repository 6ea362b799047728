# SPDX-License-Identifier: GPL-2.0-only
"""Whose pages the kernel writes back: by cgroup of version 2, and file systems without a device."""

import json
import mmap
import os
import subprocess

from harness import PATIENCE, Records, Skip, check, equal, read_text
from nfs_server import serving
from real_devices import Traced, check_all, total
from real_machine import MIB, attach, ext4, loop_device, mounted, need, run
from test_cgroup import hierarchies, joining, mount_v2, new_cgroup

STANDS_LOAD = True

# What a cgroup writes, in MiB: different, so that they cannot be mistaken for each other.
SIZES = {"a": 8, "b": 5}
# Blocks of metadata that a few files need; pages that are written once more.
METADATA = 256 << 10
NFS = "vers=4.2,proto=tcp,sec=sys,addr=127.0.0.1,clientaddr=127.0.0.1"


def mount_with_controllers():
    """A version 2 hierarchy whose cgroups have the controllers that writeback is charged by."""
    mount = mount_v2()
    enabled = read_text(os.path.join(mount, "cgroup.subtree_control")).split()
    missing = [name for name in ("io", "memory") if name not in enabled]
    if missing:
        raise Skip(f"the cgroups of version 2 have no controllers {' and '.join(missing)}")
    return mount


class Writers:
    """Two cgroups that dirty pages of a private file system, and leave them to the kernel."""

    def __init__(self, env, fs):
        mount = mount_with_controllers()
        self.fs = fs
        self.cgroups = {name: new_cgroup(env, mount, name) for name in SIZES}
        self.names = {name: path[len(mount):] for name, path in self.cgroups.items()}

    def write(self):
        for name, size in SIZES.items():
            run(*joining(self.cgroups[name]), "dd", "status=none", "if=/dev/zero",
                f"of={os.path.join(self.fs.path, name)}", "bs=1M", f"count={size}")
        self.fs.sync()

    def written(self, records, name, **fields):
        return sum(r["bytes"] for r in records.of("device", final=True, device=self.fs.disk,
                                                  function="write", **fields)
                   if r["cgroup"] == (name and self.names[name]))


def check_written(writers, records, name):
    """Data to the byte. Metadata is charged to who touched it first, if it is written at all."""
    equal(f"bytes of {name}",
          writers.written(records, name, writeback=True, metadata=False), SIZES[name] * MIB)
    equal(f"written by {name} itself", writers.written(records, name, writeback=False), 0)
    metadata = writers.written(records, name, metadata=True)
    check(metadata <= METADATA, f"{metadata} bytes of metadata of {name}")


def test_two_cgroups(env):
    """Each cgroup is charged with what it wrote; the journal is of nobody, and all else metadata."""
    with ext4(env) as fs:
        writers = Writers(env, fs)
        traced = Traced(env, fs.disk)
        writers.write()
        records, stats = traced.stop()
        check_all(records, stats)
        for name in SIZES:
            check_written(writers, records, name)
        check(writers.written(records, None, writeback=True) > 0, "the journal is not there")
        data = total(records, fs.disk, "write", "bytes", metadata=False)
        equal("bytes of data", data, sum(SIZES.values()) * MIB)
        metadata = total(records, fs.disk, "write", "bytes", metadata=True)
        check(0 < metadata <= 3 * METADATA, f"{metadata} bytes of metadata")
        env.remark = f"{metadata >> 10} KiB of metadata, " + ", ".join(
            f"{writers.written(records, name, metadata=True) >> 10} of {name or 'nobody'}"
            for name in (*SIZES, None))


class FioJob:
    """fio, whose 4 KiB blocks are each written once, through the page cache."""

    def __init__(self, writers, name, pattern):
        self.name, self.cgroup = name, writers.cgroups[name]
        self.report = writers.fs.path + f"-{name}.json"  # beside the mount
        self.command = ["fio", f"--name={name}", f"--filename={os.path.join(writers.fs.path, name)}",
                        f"--size={SIZES[name]}m", "--bs=4k", "--ioengine=psync", f"--rw={pattern}",
                        "--thinktime=100", "--output-format=json", f"--output={self.report}"]

    def start(self):
        return subprocess.Popen([*joining(self.cgroup), *self.command], stdin=subprocess.DEVNULL)

    def written(self):
        with open(self.report, encoding="utf-8") as f:
            done = json.load(f)["jobs"][0]["write"]
        return done["total_ios"], done["io_bytes"]


def test_two_fio(env):
    """Two jobs at the same time: calls and bytes are fio's own, also when the kernel wrote them."""
    need("fio")
    with ext4(env) as fs:
        writers = Writers(env, fs)
        jobs = [FioJob(writers, "a", "write"), FioJob(writers, "b", "randwrite")]
        # In the cgroup: a file's writeback is charged to who dirtied it first, for a while.
        for job in jobs:
            run(*joining(job.cgroup), *job.command, "--create_only=1")
        fs.sync()
        traced = Traced(env, fs.disk, options=("--layer", "vfs,block"))
        running = [job.start() for job in jobs]
        for process in running:
            equal("exit status of fio", process.wait(timeout=120 * PATIENCE), 0)
        fs.sync()
        records, stats = traced.stop()
        check_all(records, stats)
        for job in jobs:
            name = writers.names[job.name]
            found = [r for r in records.functions("vfs", "write", mount=fs.path)
                     if r["cgroup"] == name]
            equal(f"writes of {job.name}", [(r["count"], r["bytes"]) for r in found],
                  [job.written()])
            check_written(writers, records, job.name)


def test_scope(env):
    """With --cgroup, the writeback of its pages is there, that of others is not."""
    with ext4(env) as fs:
        writers = Writers(env, fs)
        traced = Traced(env, fs.disk, scope=("--cgroup", writers.cgroups["a"]))
        writers.write()
        records, _ = traced.stop()
        check_written(writers, records, "a")
        equal("bytes of data", total(records, fs.disk, "write", "bytes", metadata=False),
              SIZES["a"] * MIB)


def test_by_process(env):
    """By process it cannot be told: it is there, of nobody."""
    with ext4(env) as fs:
        path = env.path("process.json")
        status, _, err = env.trace("--json", path, "--layer", "block", "--", "sh", "-c",
                                   'dd status=none if=/dev/zero of="$0/file" bs=1M count=4 && '
                                   'sync --file-system "$0"', fs.path)
        equal(f"exit status ({err})", status, 0)
        records = [r for r in Records(path).of("device", final=True, device=fs.disk,
                                               function="write") if r["writeback"]]
        check(sum(r["bytes"] for r in records) >= 4 * MIB, f"little was written back: {records}")
        equal("cgroups of writeback", {r["cgroup"] for r in records}, {None})


def dirty_pages(env, path, fs_type):
    """Of a file system without a device: what the kernel sends to it, by whole pages."""
    number = os.stat(path).st_dev
    finish = attach(env, "--all", "--layer", "block")
    # Through a mapping: a file system may have at once what is written to a file.
    with open(os.path.join(path, "file"), "w+b") as f:
        f.truncate(MIB)
        with mmap.mmap(f.fileno(), MIB) as pages:
            pages[:] = b"x" * MIB
            os.sync()
    records = [r for r in finish().of("device", final=True)
               if r["device"] == f"{os.major(number)}:{os.minor(number)}"]
    equal("kinds", {(r["fs_type"], r["function"]) for r in records}, {(fs_type, "write")})
    # A page may be written once more, if it is written back while it is filled.
    got = sum(r["bytes"] for r in records)
    check(MIB <= got <= MIB + METADATA, f"{got} bytes")


def test_fuse(env):
    need("bindfs")
    folder = env.path("below")
    os.mkdir(folder)
    with mounted(env.path("fuse"), "-t", "fuse.bindfs", folder) as path:
        dirty_pages(env, path, "fuse")


def test_nfs(env):
    with ext4(env) as fs, serving(env, fs.path), \
            mounted(env.path("nfs"), "-i", "-t", "nfs4", "-o", NFS, "127.0.0.1:/") as path:
        dirty_pages(env, path, "nfs4")


def test_version_1(env):
    """What a loop device's worker writes to the disk below, directly, is charged by blkio."""
    mounts = [path for path, kind, names in hierarchies() if kind == "cgroup" and "blkio" in names]
    if not mounts:
        raise Skip("no cgroup v1 hierarchy with blkio is mounted")
    cgroup = new_cgroup(env, mounts[0], "blkio")
    with ext4(env) as fs, loop_device(env, 32 * MIB, os.path.relpath(
            os.path.join(fs.path, "upper"), env.dir), direct=True) as upper:
        traced = Traced(env, fs.disk, scope=("--cgroup", cgroup))
        run(*joining(cgroup), "dd", "status=none", "if=/dev/zero", f"of={upper}", "bs=64k",
            "count=64", "oflag=direct")
        records, _ = traced.stop()
        for disk, writeback in ((os.path.basename(upper), False), (fs.disk, True)):
            got = sum(r["bytes"] for r in records.of("device", final=True, device=disk,
                                                     function="write", writeback=writeback)
                      if r["cgroup"] == cgroup[len(mounts[0]):])
            equal(f"bytes to {disk}", got, 4 * MIB)
