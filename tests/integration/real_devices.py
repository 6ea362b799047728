# SPDX-License-Identifier: GPL-2.0-only
"""Block devices that a test makes for itself, and what /proc/diskstats says of them."""

import contextlib
import glob
import os
import re
import subprocess

from harness import Failure, Skip, check, equal, read_text, wait_for
from real_machine import MIB, attach, difference, diskstats, load_module, loop_device, need, run

SECTOR = 512
# The fields of /proc/diskstats that a device record must agree with.
FIELDS = {"read": ("reads", "sectors_read"), "write": ("writes", "sectors_written"),
          "discard": ("discards", "sectors_discarded"), "flush": ("flushes", None)}


def driver(name, module):
    """Skips the test where the kernel has no driver of that name and no module for it."""
    load_module(module)
    names = {line.split()[1] for line in read_text("/proc/devices").splitlines()
             if len(line.split()) == 2}
    if name not in names:
        raise Skip(f"this kernel has no {module}")


@contextlib.contextmanager
def zram(size=64 * MIB):
    """A device without requests, in memory: its name."""
    control = "/sys/class/zram-control"
    if not os.path.exists(control):
        driver("zram", "zram")
    try:
        number = read_text(os.path.join(control, "hot_add")).strip()
    except OSError as error:
        raise Skip(f"zram: {error.strerror}") from error
    disk = f"zram{number}"
    try:
        wait_for(lambda: os.path.exists(f"/dev/{disk}"), f"/dev/{disk}")
        with open(f"/sys/block/{disk}/disksize", "w", encoding="ascii") as f:
            f.write(str(size))
        yield disk
    finally:
        with open(f"/sys/block/{disk}/reset", "w", encoding="ascii") as f:
            f.write("1")
        with open(os.path.join(control, "hot_remove"), "w", encoding="ascii") as f:
            f.write(number)


@contextlib.contextmanager
def mapped(*tables, name="tmtrace-test"):
    """A device of the device mapper: its name as the kernel has it, for instance "dm-0"."""
    need("dmsetup")
    driver("device-mapper", "dm_mod")
    name = f"{name}-{os.getpid()}"
    done = subprocess.run(["dmsetup", "create", "--noudevsync", name], input="\n".join(tables),
                          capture_output=True, text=True)
    if done.returncode:
        raise Skip(f"dmsetup: {done.stderr.strip()}")
    try:
        yield os.path.basename(os.path.realpath(run("dmsetup", "info", "--noheadings", "-c", "-o",
                                                    "blkdevname", name).strip()))
    finally:
        run("dmsetup", "remove", "--noudevsync", "--retry", name)


@contextlib.contextmanager
def scsi_debug(*parameters):
    """A SCSI disk in memory, which can be told to fail: its name."""
    load_module("sd_mod")
    load_module("scsi_debug", *parameters)
    pattern = "/sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/*"
    try:
        try:
            wait_for(lambda: glob.glob(pattern), "a disk of scsi_debug", seconds=10)
        except Failure as failure:
            raise Skip("this kernel has no scsi_debug") from failure
        disk = os.path.basename(glob.glob(pattern)[0])
        wait_for(lambda: os.path.exists(f"/dev/{disk}"), f"/dev/{disk}")
        yield disk
    finally:
        load_module("-r", "scsi_debug")


def sectors(disk):
    return int(read_text(f"/sys/block/{os.path.basename(disk)}/size"))


@contextlib.contextmanager
def linear(disk):
    """A dm-linear over the whole of a disk."""
    with mapped(f"0 {sectors(disk)} linear {disk} 0") as device:
        yield device


@contextlib.contextmanager
def array(level, *disks, chunk_kib=64):
    """An md array without superblocks: its name, for instance "md127"."""
    need("mdadm")
    driver("md", "md_mod")
    load_module(f"raid{level}")
    number = next(n for n in range(120, 200) if not os.path.exists(f"/sys/block/md{n}"))
    disk = f"md{number}"
    words = [f"--level={level}", f"--raid-devices={len(disks)}"]
    if level == 0:
        words.append(f"--chunk={chunk_kib}")
    done = subprocess.run(["mdadm", "--build", f"/dev/{disk}", *words, "--assume-clean", *disks]
                          if level else
                          ["mdadm", "--build", f"/dev/{disk}", *words, *disks],
                          capture_output=True, text=True, env={**os.environ, "MDADM_NO_UDEV": "1"})
    if done.returncode:
        raise Skip(f"mdadm: {done.stderr.strip()}")
    try:
        yield disk
    finally:
        run("mdadm", "--stop", f"/dev/{disk}")


@contextlib.contextmanager
def loops(env, n, size=64 * MIB):
    """Loop devices of files of their own: their paths."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(loop_device(env, size, f"disk-{i}")) for i in range(n)]


def node(disk):
    """The path of a disk; made where nobody else does."""
    path = f"/dev/{disk}"
    if not os.path.exists(path):
        major, minor = map(int, read_text(f"/sys/block/{disk}/dev").split(":"))
        os.mknod(path, 0o600 | 0o060000, os.makedev(major, minor))
    return path


class Traced:
    """The machine's block layer, and the statistics of some disks over the same time."""

    def __init__(self, env, *disks, options=("--layer", "block"), scope=("--all",)):
        self.disks = [os.path.basename(disk) for disk in disks]
        self.finish = attach(env, *scope, *options)
        self.before = {disk: diskstats(disk) for disk in self.disks}
        self.stats = {}

    def stop(self):
        """Both: the Records, and by disk what /proc/diskstats has more than before."""
        for disk in self.disks:
            self.stats[disk] = settled(disk, self.before[disk])
        return self.finish(), self.stats


def settled(disk, before):
    """The difference, once nothing is in flight."""
    after = diskstats(disk)
    for _ in range(100):
        if not after["in_flight"]:
            break
        subprocess.run(["sleep", "0.05"], check=True)
        after = diskstats(disk)
    return difference(after, before)


def total(records, disk, function, field, **fields):
    return sum(r[field] for r in records.of("device", final=True, device=disk, function=function,
                                            **fields))


class Unseen(Failure):
    """Completions were missing, and tmtrace says so.

    Kernels have been seen that run no BPF program in some completion interrupts. Then a run is
    made again: the figures must be exact where the kernel tells everything.
    """


def check_disk(records, disk, stats):
    """The records of a disk against its statistics: equal, to the unit."""
    wrong = []
    for function, (count, field) in FIELDS.items():
        got = total(records, disk, function, "count")
        if got != stats[count]:
            wrong.append(f"{function}: {got} requests, diskstats has {stats[count]}")
        got = total(records, disk, function, "bytes")
        wanted = stats[field] * SECTOR if field else 0
        if got != wanted:
            wrong.append(f"{function}: {got} bytes, diskstats has {wanted}")
    open_now = sum(r["in_flight"] for r in records.of("device", final=True, device=disk))
    if open_now:
        wrong.append(f"{open_now} in flight")
    if wrong and (open_now or unseen(records)):
        raise Unseen(f"{disk}: " + "; ".join(wrong))
    check(not wrong, f"{disk}: " + "; ".join(wrong))


def check_all(records, stats):
    for disk, difference_of_disk in stats.items():
        check_disk(records, disk, difference_of_disk)


SKIPPED = re.compile(r"(\d+) block events were not seen")


def unseen(records):
    """How many completions tmtrace says that it has not seen."""
    losses = records.of("loss", layer="block", reason="unseen")
    skipped = [int(match.group(1)) for match in map(SKIPPED.match, records.notes()) if match]
    return sum(loss["count"] for loss in losses) + sum(skipped)


def check_told(records, disk, stats):
    """
    The kernel skips a program of a perf tracepoint or kprobe in an interrupt of another one: what is
    missing must be told, and be little. How many there are.
    """
    missing = 0
    for function, (count, _) in FIELDS.items():
        got = total(records, disk, function, "count")
        check(got <= stats[count], f"{disk}: {got} {function}s, diskstats has {stats[count]}")
        missing += stats[count] - got
    told = unseen(records) + sum(r["in_flight"] for r in records.of("device", final=True,
                                                                   device=disk))
    check(missing <= told, f"{disk}: {missing} are missing, {told} are told")
    everything = sum(stats[count] for count, _ in FIELDS.values())
    check(missing <= 0.05 * everything, f"{disk}: {missing} of {everything} are missing")
    return missing


def patiently(function, *args, tries=3):
    """Runs a test again where the kernel did not tell a completion."""
    for left in reversed(range(tries)):
        try:
            return function(*args)
        except Unseen:
            if not left:
                raise


def mechanism_options(env, mechanism):
    """The options that force a mechanism; Skip where this kernel refuses it."""
    options = ("--layer", "block", "--mechanism", f"block={mechanism}")
    done = env.trace(*options, "--", "true")
    if done[0] == 125 and "refuses it" in done[2]:
        raise Skip(done[2].strip().splitlines()[-1])
    equal(f"exit status ({done[2]})", done[0], 0)
    return options


def dd(*words):
    run("dd", "status=none", *words)
