# SPDX-License-Identifier: GPL-2.0-only
"""Kinds of file systems and devices, waiting, many threads, and processes that are killed."""

import os
import signal
import sys

from harness import PATIENCE, Records, check, equal, wait_for
from nfs_server import serving
from real_machine import (MIB, Tally, check_records, check_tally, difference, diskstats, ext4,
                          fio_command, fio_report, fio_tally, lay_out, loop_device, mounted,
                          need, tmpfs, trace, vfs_tally)

SHARES_MACHINE = True

DD_BLOCK = 4096


def dd(source, target, count, *options):
    return ["dd", f"if={source}", f"of={target}", f"bs={DD_BLOCK}", f"count={count}",
            "status=none", *options]


def check_copy(env, folder, fs_type):
    """dd within a folder that is a mount: so many reads, so many writes, of that type."""
    one, two = os.path.join(folder, "one"), os.path.join(folder, "two")
    with open(one, "wb") as f:
        f.write(bytes(20 * DD_BLOCK))
    records = trace(env, *dd(one, two, 20))
    check_records(records)
    truth = Tally()
    for function in ("read", "write"):
        truth.add(function, 20, 0, 20 * DD_BLOCK)
    truth.add("open", 1)
    truth.add("create", 1)
    check_tally(vfs_tally(records, folder), truth, ("read", "write", "open", "create"))
    equal(f"types on {folder}", {r["fs_type"] for r in records.functions("vfs", mount=folder)},
          {fs_type})


def test_tmpfs(env):
    with tmpfs(env) as path:
        check_copy(env, path, "tmpfs")


def test_ext4(env):
    with ext4(env) as fs:
        check_copy(env, fs.path, "ext4")


def test_overlay(env):
    """An operation is counted once, on the overlay, not again on the file system below."""
    with tmpfs(env) as below:
        for name in ("lower", "upper", "work"):
            os.mkdir(os.path.join(below, name))
        options = ",".join(f"{name}dir={below}/{name}" for name in ("lower", "upper", "work"))
        with mounted(env.path("overlay"), "-t", "overlay", "-o", options, "overlay") as path:
            check_copy(env, path, "overlay")
            equal("operations below", vfs_tally(Records(env.path("real.json")),
                                                below).by_function, {})


def test_bind_mount(env):
    """The same file system at two places: each operation at the place where it was opened."""
    with tmpfs(env) as first, mounted(env.path("bind"), "--bind", first) as second:
        check_copy(env, second, "tmpfs")
        equal("operations at the other place", vfs_tally(Records(env.path("real.json")),
                                                         first).by_function, {})


def test_proc(env):
    need("cat")
    records = trace(env, "cat", "/proc/version", "/proc/uptime")
    check_records(records)
    equal("opens in /proc", records.total("vfs", "open", "count", fs_type="proc"), 2)
    equal("its mount", {r["mount"] for r in records.functions("vfs", fs_type="proc")}, {"/proc"})
    # Each file is read to its end, which is a read of 0 bytes.
    equal("reads", records.total("vfs", "read", "count", fs_type="proc"), 4)


def test_nfs(env):
    """A network file system, from the kernel's own server."""
    options = "vers=4.2,proto=tcp,sec=sys,addr=127.0.0.1,clientaddr=127.0.0.1"
    with ext4(env) as fs, serving(env, fs.path), \
            mounted(env.path("nfs"), "-i", "-t", "nfs4", "-o", options, "127.0.0.1:/") as path:
        check_copy(env, path, "nfs4")


def test_fuse(env):
    need("bindfs")
    folder = env.path("behind")
    os.mkdir(folder)
    with mounted(env.path("fuse"), "-t", "fuse.bindfs", folder) as path:
        check_copy(env, path, "fuse")


def test_block_device_file(env):
    """I/O on a device's own file is an operation on a file, too: in devtmpfs."""
    with loop_device(env, 16 * MIB) as device:
        before = diskstats(os.path.basename(device))
        records = trace(env, *dd("/dev/zero", device, 50, "oflag=direct"))
        stats = difference(diskstats(os.path.basename(device)), before)
        check_records(records)
        # /dev/zero is no file.
        equal("bytes read", records.total("vfs", "read", "bytes", mount="/dev"), 0)
        equal("writes", records.total("vfs", "write", "count", mount="/dev"), 50)
        equal("bytes", records.total("vfs", "write", "bytes", mount="/dev"), 50 * DD_BLOCK)
        requests = records.of("device", final=True, device=os.path.basename(device),
                              function="write")
        equal("requests", sum(r["count"] for r in requests), stats["writes"])
        equal("their bytes", sum(r["bytes"] for r in requests), 50 * DD_BLOCK)


def test_fsync_waiting(env):
    """On a journaled file system fsync waits for the journal, mostly not marked as I/O wait."""
    need("fio")
    with ext4(env) as fs:
        lay_out(fs, jobs=1)
        records = trace(env, *fio_command(fs.path, env.path("report"), "--ioengine=psync",
                                          "--rw=randwrite", "--bs=4k", "--fsync=1",
                                          "--number_ios=150", jobs=1))
    check_records(records)
    fsync, = records.functions("vfs", "fsync", mount=fs.path)
    job, = fio_report(env.path("report"))["jobs"]
    equal("fsync calls", fsync["count"], job["sync"]["total_ios"])
    total, block, iowait = fsync["total_ns"], fsync["block_ns"], fsync["iowait_ns"]
    env.remark = (f"fsync {total / 1e6:.0f} ms, asleep in the kernel {block / 1e6:.0f} ms, "
                  f"marked as I/O wait {iowait / 1e6:.0f} ms")
    check(iowait <= block <= total, env.remark)
    check(block > total / 3, f"little of it was asleep: {env.remark}")
    write = records.total("vfs", "write", "total_ns", mount=fs.path)
    check(total > 2 * write, f"fsync took {total} ns, writing {write} ns")


# Reads a file past the page cache, then one block of it through it, and writes what it saw itself:
# a read in which the thread gave up its processor has slept.
READER = """
import mmap, os, resource, sys

def read(fd, size, offset):
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    assert os.preadv(fd, [memoryview(buffer)[:size]], offset) == size
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw > before

path, truth, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
buffer = mmap.mmap(-1, 4096)
fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
direct = sum(read(fd, 4096, i * 4096) for i in range(n))
fd = os.open(path, os.O_RDONLY)
first = read(fd, 4096, 0)
cached = sum(read(fd, 4096, 0) for i in range(n))
with open(truth, "w", encoding="ascii") as f:
    f.write(f"{direct} {first:d} {cached}")
"""


def test_blocked(env):
    """Reads that waited for the device, beside those that the page cache served."""
    n = 200
    with ext4(env) as fs:
        path = os.path.join(fs.path, "file")
        with open(path, "wb") as f:
            f.write(bytes(n * 4096))
            f.flush()
            os.fsync(f.fileno())
        records = trace(env, sys.executable, "-c", READER, path, env.path("truth"), str(n))
    with open(env.path("truth"), encoding="ascii") as f:
        direct, first, cached = map(int, f.read().split())
    check_records(records)
    read, = records.functions("vfs", "read", mount=fs.path)
    env.remark = f"{direct} of {n} direct reads slept, {cached} of those from the page cache"
    equal("reads", read["count"], 2 * n + 1)
    check(direct > n // 2 and not cached, env.remark)
    equal("reads that waited", read["blocked"], direct + first)
    check(read["block_ns"] > 0, "no time was spent asleep")


def test_many_threads(env):
    need("fio")
    with ext4(env) as fs:
        lay_out(fs, jobs=16, size=MIB)
        records = trace(env, *fio_command(fs.path, env.path("report"), "--ioengine=psync",
                                          "--rw=randrw", "--bs=4k", "--thread", jobs=16, size=MIB))
        check_records(records)
        check_tally(vfs_tally(records, fs.path), fio_tally(fio_report(env.path("report"))),
                    ("read", "write"))


def is_writing(fs, amount):
    return lambda: fs.diskstats()["sectors_written"] > amount


def kill_fio(env, fs, engine):
    """fio is killed in the middle of direct I/O; the Records."""
    path = env.path("killed.json")
    before = fs.diskstats()["sectors_written"]
    fio = env.spawn(fio_command(fs.path, env.path("report"), f"--ioengine={engine}", "--thread",
                                "--direct=1", "--iodepth=8", "--rw=randwrite", "--bs=4k",
                                "--time_based", "--runtime=60"))
    wait_for(is_writing(fs, before), "fio to write")
    process = env.start("--json", path, "--layer", "vfs,block", "--pid", str(fio.pid))
    wait_for(lambda: os.path.exists(path) and os.path.getsize(path), "tmtrace to attach")
    wait_for(is_writing(fs, fs.diskstats()["sectors_written"] + 200), "fio to write more")
    os.kill(fio.pid, signal.SIGKILL)
    fio.communicate(timeout=30 * PATIENCE)
    _, err = process.communicate(timeout=30 * PATIENCE)
    equal(f"exit status of tmtrace ({err})", process.returncode, 0)
    return Records(path)


def killed(env, engine):
    """Everything that fio had begun is accounted for after it was killed."""
    need("fio")
    with ext4(env) as fs:
        lay_out(fs)
        records = kill_fio(env, fs, engine)
        writes = records.total("vfs", "write", "count", mount=fs.path)
    check(writes > 0, "no writes were seen")
    for r in records.of("probe", layer="vfs", final=True):
        parts = r["recorded"] + r["filtered"] + r["lost"] + r["in_flight"]
        equal(f"hits of {r['function']}", r["hits"], parts)
        equal(f"{r['function']} in flight after SIGKILL", r["in_flight"], 0)


def test_killed_psync(env):
    killed(env, "psync")


def test_killed_libaio(env):
    killed(env, "libaio")


def test_killed_io_uring(env):
    killed(env, "io_uring")
