# SPDX-License-Identifier: GPL-2.0-only
"""fio's own report against the VFS records, /proc/diskstats against the block records."""

from harness import BRIEF, Records, check, equal
from real_devices import FIELDS, check_disk, patiently, total
from real_machine import (attach, check_records, check_tally, difference, ext4, fio_command,
                          fio_report, fio_tally, lay_out, need, vfs_tally)

SHARES_MACHINE = True

DEPTH = 8

KINDS = [(how, size, rw) for how in ("buffered", "direct") for size in ("4k", "128k")
         for rw in ("read", "write", "randrw")]
if BRIEF:
    KINDS = [("buffered", "4k", "randrw"), ("direct", "128k", "randrw")]
# What other engines have of their own are the system calls, which both directions take.
MIXED = [kind for kind in KINDS if kind[2] == "randrw"]


def traced_fio(env, fs, options):
    """fio under `-- fio` and under --all at once: both records, fio's report, diskstats."""
    mine, report = env.path("fio-records.json"), env.path("fio.json")
    fs.sync()
    machine = attach(env, "--all", "--layer", "vfs,block")
    before = fs.diskstats()
    status, _, err = env.trace("--json", mine, "--layer", "vfs,block", "--",
                               *fio_command(fs.path, report, *options))
    fs.sync()
    stats = difference(fs.diskstats(), before)
    everything = machine()
    equal(f"exit status of fio ({err})", status, 0)
    return Records(mine), everything, fio_report(report), stats


def check_device_times(records, disk, stats):
    """
    The kernel's milliseconds of a request are those in the queue and in the device. Its start is
    that of the plug, which gathers requests for a while, so that it may have more.
    """
    for function, (count, _) in FIELDS.items():
        ms = f"{function}_ms"
        ours = (total(records, disk, function, "total_ns") +
                total(records, disk, function, "queue_ns")) / 1e6
        most = 1.1 * stats[ms] + 0.2 * stats[count] + 3
        least = 0.5 * stats[ms] - 0.5 * stats[count] - 3
        check(least <= ours <= most,
              f"{disk} {function}: {ours:.1f} ms queued and in the device, "
              f"diskstats has {stats[ms]} ms for {stats[count]} requests")


def check_elapsed(records, disk, report):
    """No more than all jobs' whole depth can have been under way at any time."""
    elapsed_ns = max(job["job_runtime"] for job in report["jobs"]) * 1e6 + 1e9
    for function in ("read", "write"):
        busy_ns = (total(records, disk, function, "total_ns") +
                   total(records, disk, function, "queue_ns"))
        check(busy_ns <= elapsed_ns * DEPTH * len(report["jobs"]),
              f"{disk} {function}: {busy_ns / 1e6:.0f} ms in {elapsed_ns / 1e6:.0f} ms")


def check_direct_in_scope(mine, everything, disk, report):
    """Direct I/O is started by fio itself, so the narrower scope sees it as well."""
    for function in ("read", "write"):
        wanted = sum(job[function]["io_bytes"] for job in report["jobs"])
        got = sum(r["bytes"] for r in mine.of("device", final=True, device=disk,
                                              function=function) if not r["writeback"])
        most = total(everything, disk, function, "bytes")
        check(wanted <= got <= most,
              f"-- fio: {got} bytes {function} of {disk}, fio has {wanted}, --all {most}")


def one(env, fs, engine, how, size, rw):
    options = [f"--ioengine={engine}", f"--direct={int(how == 'direct')}", f"--bs={size}",
               f"--rw={rw}", f"--iodepth={DEPTH}"]
    mine, everything, report, stats = traced_fio(env, fs, options)
    wanted = fio_tally(report)
    for records in (mine, everything):
        # The rest of the machine goes on while the last figures are read.
        check_records(records, quiet=records is mine)
        check_tally(vfs_tally(records, fs.path), wanted, ("read", "write"))
        check({r["fs_type"] for r in records.functions("vfs", mount=fs.path)} == {"ext4"},
              "not all is ext4")
    check_disk(everything, fs.disk, stats)
    check_device_times(everything, fs.disk, stats)
    if how == "direct":
        check_elapsed(mine, fs.disk, report)
        check_direct_in_scope(mine, everything, fs.disk, report)


def all_kinds(env, engine, kinds):
    need("fio")
    failures = []
    with ext4(env) as fs:
        lay_out(fs)
        for kind in kinds:
            try:
                patiently(one, env, fs, engine, *kind, tries=6)
            except Exception as failure:  # the other kinds tell where the trouble ends
                failures.append(f"{' '.join(kind)}: {failure}")
    check(not failures, "\n".join([engine, *failures]))


def test_psync(env):
    all_kinds(env, "psync", KINDS)


def test_pvsync2(env):
    all_kinds(env, "pvsync2", MIXED)


def test_libaio(env):
    all_kinds(env, "libaio", MIXED)


def test_io_uring(env):
    all_kinds(env, "io_uring", MIXED)
