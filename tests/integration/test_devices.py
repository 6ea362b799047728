# SPDX-License-Identifier: GPL-2.0-only
"""Block devices of every kind, and every mechanism of the block layer, against /proc/diskstats."""

import errno
import mmap
import os

from harness import BRIEF, Failure, Records, Skip, check, equal
from real_devices import (SECTOR, Traced, array, check_all, check_disk, check_told, dd, linear, loops,
                          mechanism_options, node, patiently, scsi_debug, total, zram)
from real_machine import MIB, ext4, fio_command, loop_device, run

STANDS_LOAD = True

MECHANISMS = ("tp_btf", "raw_tp", "tp", "kprobe")


# Every mechanism counts the same.

FIO = {
    "buffered": ["--ioengine=psync", "--rw=randrw", "--bs=4k", "--fsync=16"],
    "direct": ["--ioengine=libaio", "--iodepth=8", "--direct=1", "--rw=randrw", "--bs=4k-64k"],
    "overwritten": ["--ioengine=io_uring", "--iodepth=8", "--direct=1", "--rw=randwrite",
                    "--bs=4k", "--norandommap", "--fdatasync=64"],
}

if BRIEF:
    del FIO["direct"]


def fio_exact(env, fs, options, name, lossy=False):
    traced = Traced(env, fs.disk, options=options)
    run(*fio_command(fs.path, "/dev/null", *FIO[name]))
    fs.sync()
    if name == "buffered":
        for i in range(2):
            os.unlink(os.path.join(fs.path, f"job.{i}.0"))
        fs.sync()
        run("fstrim", fs.path)
    records, stats = traced.stop()
    mine = stats[fs.disk]
    if not lossy:
        check_all(records, stats)
    elif check_told(records, fs.disk, mine) == 0:
        check_disk(records, fs.disk, mine)
    check(mine["writes"] > 50 and mine["flushes"] > 0 or name == "direct",
          f"fio wrote too little: {mine}")
    check(name != "buffered" or mine["discards"] > 0, f"fstrim discarded nothing: {mine}")
    return records


def mechanism(env, name):
    options = mechanism_options(env, name)
    with ext4(env) as fs:
        for kind in FIO:
            records = patiently(fio_exact, env, fs, options, kind, name in ("tp", "kprobe"))
            used = {p["mechanism"] for p in records.of("probe", layer="block")}
            equal("mechanism", used, {name})


def test_tp_btf(env):
    mechanism(env, "tp_btf")


def test_raw_tp(env):
    mechanism(env, "raw_tp")


def test_tp(env):
    mechanism(env, "tp")


def test_kprobe(env):
    mechanism(env, "kprobe")


# Devices without requests, and those below others.

def write_and_read(disk, blocks=32, size=64 << 10):
    """Direct, so that the sizes are these, whatever the page cache and read-ahead do."""
    path = node(disk)
    dd("if=/dev/zero", f"of={path}", f"bs={size}", f"count={blocks}", "oflag=direct")
    dd(f"if={path}", "of=/dev/null", f"bs={size}", f"count={blocks}", "iflag=direct")


def stacked(env, top, *below, blocks=32, size=64 << 10):
    """I/O on a device: it and the disks below it against their statistics; the Records."""
    disks = [top, *map(os.path.basename, below)]
    traced = Traced(env, *disks)
    write_and_read(top, blocks, size)
    records, stats = traced.stop()
    check_all(records, stats)
    equal(f"bytes written to {top}", total(records, top, "write", "bytes"), blocks * size)
    # Whoever opens a new device may look for partitions on it.
    got = total(records, top, "read", "bytes")
    check(blocks * size <= got <= blocks * size + MIB, f"{got} bytes read of {top}")
    return records, stats


def test_zram(env):
    with zram() as disk:
        records, _ = patiently(stacked, env, disk)
        equal("writes", total(records, disk, "write", "count"), 32)
        for function in ("read", "write"):
            check(total(records, disk, function, "total_ns") > 0, f"{function}s take no time")
        equal("bios of a traced process", patiently(own_bios, env, disk), 32)


def own_bios(env, disk):
    records_path = env.path("own.json")
    status, _, err = env.trace("--json", records_path, "--layer", "block", "--", "dd",
                               "status=none", "if=/dev/zero", f"of={node(disk)}", "bs=64k",
                               "count=32", "oflag=direct")
    equal(f"exit status ({err})", status, 0)
    return total(Records(records_path), disk, "write", "count", writeback=False)


def test_dm_linear(env):
    with loop_device(env, 64 * MIB) as loop, linear(loop) as disk:
        patiently(stacked, env, disk, loop)


def test_md_raid1(env):
    """Written to both, read from either: each disk has its own line."""
    with loops(env, 2) as pair, array(1, *pair) as disk:
        records, _ = patiently(stacked, env, disk, *pair)
        for below in map(os.path.basename, pair):
            equal(f"bytes written to {below}", total(records, below, "write", "bytes"), 2 * MIB)


def test_md_raid0(env):
    """Writes of a chunk each: half of them to either disk."""
    with loops(env, 2) as pair, array(0, *pair, chunk_kib=64) as disk:
        records, _ = patiently(stacked, env, disk, *pair)
        for below in map(os.path.basename, pair):
            equal(f"bytes written to {below}", total(records, below, "write", "bytes"), MIB)


def test_md_raid0_split(env):
    """A write over several chunks is one operation of the array, several of its disks."""
    with loops(env, 2) as pair, array(0, *pair, chunk_kib=64) as disk:
        traced = Traced(env, disk, *pair)
        dd("if=/dev/zero", f"of={node(disk)}", "bs=512k", "count=4", "oflag=direct")
        records, stats = traced.stop()
        equal("bytes", total(records, disk, "write", "bytes"), 2 * MIB)
        check(total(records, disk, "write", "count") <= stats[disk]["writes"],
              "more operations than the kernel has pieces")
        for below in map(os.path.basename, pair):
            check_disk(records, below, stats[below])


def loop_on_a_file(env, fs, upper):
    traced = Traced(env, upper, fs.disk)
    dd("if=/dev/urandom", f"of={upper}", "bs=64k", "count=64", "oflag=direct", "conv=fsync")
    fs.sync()
    records, stats = traced.stop()
    check_all(records, stats)
    equal("bytes of the upper one", total(records, os.path.basename(upper), "write", "bytes"),
          4 * MIB)
    check(total(records, fs.disk, "write", "bytes") >= 4 * MIB, "less on the disk below")


def test_loop_on_a_file(env):
    """The loop device and what its file is on: the same bytes, each under its own name."""
    with ext4(env) as fs, loop_device_in(env, fs) as upper:
        patiently(loop_on_a_file, env, fs, upper)


def loop_device_in(env, fs):
    return loop_device(env, 32 * MIB, os.path.relpath(os.path.join(fs.path, "upper"), env.dir))


def flush(env, fs):
    traced = Traced(env, fs.disk)
    path = os.path.join(fs.path, "file")
    for how in ("fsync", "fdatasync"):
        dd("if=/dev/zero", f"of={path}", "bs=4k", "count=1", f"conv={how}")
    dd("if=/dev/zero", f"of={path}", "bs=4k", "count=16", "oflag=direct,sync")
    run("sync")
    fs.sync()
    records, stats = traced.stop()
    check_all(records, stats)
    check(stats[fs.disk]["flushes"] >= 3, f"few flushes: {stats[fs.disk]}")


def test_flush(env):
    """A flush without data, one with data, and synchronous writes."""
    with ext4(env) as fs:
        patiently(flush, env, fs)


# drivers/scsi/scsi_debug.c: ten sectors from this one on cannot be read; each third command
# transfers half of its data, the rest of the request is done by further ones.
BAD_SECTOR = 0x1234
MEDIUM_ERROR = ("opts=2",)
SHORT_TRANSFER = ("opts=256", "every_nth=3")


def by_every_mechanism(env, function, *args):
    """What it is, with each mechanism that this kernel has."""
    for name in MECHANISMS:
        try:
            options = mechanism_options(env, name)
        except Skip:
            continue
        try:
            function(env, options, *args)
        except Failure as failure:
            raise Failure(f"{name}: {failure}") from failure


def medium_error(env, options, disk):
    traced = Traced(env, disk, options=options)
    first = BAD_SECTOR // 8 * 8 - 64
    with open(node(disk), "rb", buffering=0, opener=lambda path, flags: os.open(
            path, flags | os.O_DIRECT)) as f, mmap.mmap(-1, 128 * SECTOR) as memory:
        f.seek(first * SECTOR)
        try:
            check(f.readinto(memory) <= (BAD_SECTOR - first) * SECTOR, "the bad sector was read")
        except OSError as error:
            check(error.errno in (errno.EIO, errno.ENODATA), f"the read failed with {error}")
    records, stats = traced.stop()
    equal("reads", total(records, disk, "read", "count"), stats[disk]["reads"])
    equal("errors", total(records, disk, "read", "errors"), 1)
    # What failed is among the bytes of diskstats.
    equal("failed bytes", stats[disk]["sectors_read"] * SECTOR -
          total(records, disk, "read", "bytes"), 128 * SECTOR)
    equal("in flight", total(records, disk, "read", "in_flight"), 0)


def test_medium_error(env):
    with scsi_debug("dev_size_mb=32", *MEDIUM_ERROR) as disk:
        by_every_mechanism(env, medium_error, disk)


def short_transfers(env, options, disk):
    traced = Traced(env, disk, options=options)
    write_and_read(disk)
    records, stats = traced.stop()
    check_all(records, stats)
    check(total(records, disk, "read", "count") >= 32, "less reads than were made")


def test_short_transfers(env):
    """A request that completes in parts is one."""
    with scsi_debug("dev_size_mb=32", *SHORT_TRANSFER) as disk:
        by_every_mechanism(env, short_transfers, disk)
