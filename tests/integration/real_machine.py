# SPDX-License-Identifier: GPL-2.0-only
"""File systems, block devices and programs of this machine, for the tests against real programs.

Every file system is private to a test, so that records can be selected by their mount and nobody
else's I/O is among them.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess

from harness import PATIENCE, Failure, Records, Skip, check, read_text, wait_for

MIB = 1 << 20

PACKAGES = {"mpicc": "libopenmpi-dev", "mpirun": "openmpi-bin", "h5cc": "libhdf5-dev",
            "h5dump": "hdf5-tools", "h5import": "hdf5-tools", "mkfs.ext4": "e2fsprogs",
            "losetup": "mount", "find": "findutils", "cc": "gcc",
            "h5ls": "hdf5-tools", "h5copy": "hdf5-tools",
            "h5repack": "hdf5-tools"}


def need(*programs):
    """Skips the test where a program is missing."""
    for program in programs:
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            raise Skip(f"needs {program}: apt install {PACKAGES.get(program, program)}")


def run(*command, timeout=120, **kwargs):
    """Runs a command that must succeed; its standard output."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=timeout * PATIENCE, **kwargs)
    if done.returncode:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def attach(env, *options, records="attached.json"):
    """tmtrace in the background, attached when this returns; call what it gives for its Records."""
    path = env.path(records)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # of an earlier run: its text would be taken for this one's
    process = env.start("--json", path, *options)
    wait_for(lambda: process.poll() is not None or read_text(path), "tmtrace to attach")

    def finish():
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60 * PATIENCE)
        check(process.returncode == 0, f"tmtrace ended with {process.returncode}: {err}")
        return Records(path)

    return finish


CLONE_NEWNS = 0x20000  # linux/sched.h


def leave_mount_namespace():
    """
    This process's mounts are its own from now on. When it and its children are gone, in whatever
    way, so are its mounts, and the loop devices under them.
    """
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS):
        raise Skip(f"private mounts: {os.strerror(ctypes.get_errno())}")
    run("mount", "--make-rprivate", "/")


@contextlib.contextmanager
def mounted(path, *options):
    """What `mount OPTIONS PATH` mounts; Skip where the machine cannot."""
    leave_mount_namespace()
    os.makedirs(path, exist_ok=True)
    done = subprocess.run(["mount", *options, path], capture_output=True, text=True)
    if done.returncode:
        raise Skip(f"mount {' '.join(options)}: {done.stderr.strip()}")
    try:
        yield path
    finally:
        if subprocess.run(["umount", path], capture_output=True).returncode:
            subprocess.run(["umount", "--lazy", path], check=False)


def tmpfs(env, name="tmpfs"):
    return mounted(env.path(name), "-t", "tmpfs", "tmtrace-test")


def load_module(*words):
    """What the kernel would do itself at the first use of a module, if it has it."""
    with contextlib.suppress(OSError):
        subprocess.run([read_text("/proc/sys/kernel/modprobe").strip(), "-q", *words],
                       capture_output=True, check=False)


@contextlib.contextmanager
def loop_device(env, size=256 * MIB, name="image", direct=False):
    """A loop device of a file, for instance "/dev/loop0"; direct: it goes round the page cache."""
    need("losetup")
    load_module("loop")
    image = env.path(name)
    with open(image, "wb") as f:
        os.posix_fallocate(f.fileno(), 0, size)
    how = ["--direct-io=on"] if direct else []
    done = subprocess.run(["losetup", "--find", "--show", *how, image],
                          capture_output=True, text=True)
    if done.returncode:
        raise Skip(f"losetup: {done.stderr.strip()}")
    device = done.stdout.strip()
    try:
        # While it is held open it stays; then it goes by itself, also when this is killed.
        with open(device, "rb"):
            run("losetup", "--detach", device)
            yield device
    finally:
        os.unlink(image)


# Neither dates nor the look at the free blocks, some seconds after mounting, come in between.
OPTIONS = "noatime,no_prefetch_block_bitmaps"


class Ext4:
    """A journaled ext4 on a loop device of its own."""

    def __init__(self, path, device):
        self.path = path
        self.device = device
        self.disk = os.path.basename(device)

    def sync(self):
        """Leaves nothing to write: what follows on the device is what the test does."""
        run("sync", "--file-system", self.path)

    def diskstats(self):
        return diskstats(self.disk)


@contextlib.contextmanager
def ext4(env, size=256 * MIB, name="ext4"):
    need("mkfs.ext4")
    with loop_device(env, size, name + ".image") as device:
        # Without lazy initialisation: a kernel thread would write for minutes.
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
        with mounted(env.path(name), "-t", "ext4", "-o", OPTIONS, device) as path:
            yield Ext4(path, device)


# Documentation/admin-guide/iostats.rst
DISKSTATS = ("reads", "reads_merged", "sectors_read", "read_ms",
             "writes", "writes_merged", "sectors_written", "write_ms",
             "in_flight", "io_ms", "weighted_ms",
             "discards", "discards_merged", "sectors_discarded", "discard_ms",
             "flushes", "flush_ms")


def diskstats(disk):
    with open("/proc/diskstats", encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[2] == disk:
                return dict(zip(DISKSTATS, map(int, words[3:])))
    raise Failure(f"/proc/diskstats does not have {disk}")


def difference(after, before):
    return {key: after[key] - before[key] for key in after}


def compile_c(env, source, *flags, compiler="cc"):
    """A program of a C file beside this one; its path."""
    need(compiler)
    name, _ = os.path.splitext(source)
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([compiler, "-O1", "-o", env.path(name), os.path.join(here, source),
                           *flags], cwd=env.dir, capture_output=True, text=True, errors="replace")
    if done.returncode and ("cannot find -l" in done.stderr or "No such file" in done.stderr):
        raise Skip(f"cannot build {source}: {done.stderr.strip().splitlines()[0]}")
    check(done.returncode == 0, f"{compiler} {source}: {done.stderr}")
    return env.path(name)


def trace(env, *command, options=("--layer", "vfs,block"), expect=0, name="real.json", **kwargs):
    """A command under tmtrace: its Records."""
    path = env.path(name)
    status, _, err = env.trace("--json", path, *options, "--", *command, **kwargs)
    check(status == expect, f"{' '.join(command)} ended with {status}: {err}")
    return Records(path)


# What every run must satisfy.

def check_histograms(records):
    for r in records.of("function", final=True) + records.of("device", final=True):
        name = f"{r['layer']} {r['function']} on {r.get('mount') or r.get('device')}"
        if r["buckets"] is None and r["min_ns"] is None:
            continue  # counted at entry, not timed; or only begun
        total = sum(bucket[2] for bucket in r["buckets"])
        check(total == r["count"], f"{name}: count {r['count']}, in the histogram {total}")


def kernel_probes(records):
    return [r for layer in ("vfs", "block") for r in records.of("probe", layer=layer, final=True)]


def check_identity(records):
    """Nothing is unaccounted for."""
    for r in kernel_probes(records):
        parts = r["recorded"] + r["filtered"] + r["lost"] + r["in_flight"]
        check(r["hits"] == parts,
              f"ledger of {r['layer']} {r['function']}: {r['hits']} hits are not {r['recorded']} "
              f"recorded + {r['filtered']} filtered + {r['lost']} lost + {r['in_flight']} in flight "
              f"({reasons(records, r)})")


def reasons(records, probe):
    return ", ".join(f"{loss['count']} {loss['reason']}" for loss in
                     records.of("loss", layer=probe["layer"], function=probe["function"]))


def check_ledgers(records, quiet=True):
    """Nothing is unaccounted for or lost; where all is quiet, nothing is in flight any more."""
    check_identity(records)
    for r in kernel_probes(records):
        name = f"{r['layer']} {r['function']}"
        unseen = sum(loss["count"] for loss in
                     records.of("loss", layer="block", function=r["function"], reason="unseen"))
        lost = r["lost"] - (unseen if r["layer"] == "block" else 0)
        check(lost == 0, f"{name}: {lost} lost: {reasons(records, r)}")
        # Readahead of a program's file may be under way when it ends, and kernels have been seen
        # that run no BPF program in some of a disk's interrupts: only private
        # devices are held to it, by their records.
        if quiet and r["layer"] == "vfs":
            check(r["in_flight"] == 0, f"{name}: {r['in_flight']} in flight")


def check_records(records, quiet=True):
    check_histograms(records)
    check_ledgers(records, quiet)


class Tally:
    """Operations, errors and bytes by function."""

    def __init__(self):
        self.by_function = {}

    def add(self, function, count, errors=0, total_bytes=0):
        old = self.by_function.get(function, (0, 0, 0))
        self.by_function[function] = (old[0] + count, old[1] + errors, old[2] + total_bytes)

    def __getitem__(self, function):
        return self.by_function.get(function, (0, 0, 0))

    def minus(self, other):
        """What came on top of another run."""
        result = Tally()
        for function in self.by_function.keys() | other.by_function.keys():
            result.by_function[function] = tuple(
                a - b for a, b in zip(self[function], other[function]))
        return result

    def merge(self, function, into):
        """Counts one function as another one."""
        self.add(into, *self.by_function.pop(function, (0, 0, 0)))


def vfs_tally(records, *mounts):
    """The vfs records of these mounts; None for operations whose file system is not known."""
    tally = Tally()
    for r in records.functions("vfs"):
        if r["mount"] in mounts:
            tally.add(r["function"], r["count"], r["errors"], r["bytes"] or 0)
    return tally


def check_tally(got, wanted, functions=None):
    """Every function's (count, errors, bytes) to the unit; all differences in one message."""
    wrong = []
    for function in functions or sorted(got.by_function.keys() | wanted.by_function.keys()):
        if got[function] != wanted[function]:
            wrong.append(f"{function}: {got[function]}, the truth is {wanted[function]}")
    check(not wrong, "(count, errors, bytes) of " + "; ".join(wrong))


# fio: two jobs, a file each.
FIO_SIZE = 8 * MIB


def fio_command(directory, report, *options, jobs=2, size=FIO_SIZE):
    return ["fio", "--name=job", f"--directory={directory}", f"--size={size}",
            f"--numjobs={jobs}", "--fallocate=none", "--randrepeat=1", "--output-format=json",
            f"--output={report}", *options]


def lay_out(fs, **kwargs):
    """The files, so that fio does not write them in the run that is compared."""
    run(*fio_command(fs.path, "/dev/null", "--rw=write", "--bs=1m", "--end_fsync=1", **kwargs))
    fs.sync()


def fio_report(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return json.loads(text[text.index("{"):])  # fio's notes come before it


def fio_tally(report):
    tally = Tally()
    for job in report["jobs"]:
        for function in ("read", "write"):
            if job[function]["total_ios"]:
                tally.add(function, job[function]["total_ios"], 0, job[function]["io_bytes"])
    return tally
