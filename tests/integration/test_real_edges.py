# SPDX-License-Identifier: GPL-2.0-only
"""Uncommon ways to do I/O (real_edges.c says what it did), and what is no file at all."""

import os

from harness import Records, Skip, check, equal
from real_machine import (Tally, check_records, check_tally, compile_c, ext4,
                          fio_command, fio_report, fio_tally, lay_out, need, trace, vfs_tally)

SHARES_MACHINE = True

URING_FLAGS = ("-DWITH_LIBURING", "-luring")


def build(env, kind):
    uring = kind.startswith("uring")
    if uring and not os.path.exists("/usr/include/liburing.h"):
        raise Skip("needs liburing.h: apt install liburing-dev")
    return compile_c(env, "real_edges.c", *(URING_FLAGS if uring else ()))


def edge(env, kind):
    """Runs a kind: its Records, the mount's Tally, what it says it did, and its retries."""
    program = build(env, kind)
    truth, retries = Tally(), 0
    with ext4(env) as fs:
        path = env.path("edge.json")
        status, out, err = env.trace("--json", path, "--layer", "vfs", "--", program, kind, fs.path)
        if "Function not implemented" in err or "Operation not permitted" in err:
            raise Skip(f"{kind}: {err.strip()}")
        equal(f"exit status of {kind} ({err.strip()})", status, 0)
        records = Records(path)
    for line in out.splitlines():
        function, count, size = line.split()
        if function == "retries":
            retries = int(count)
        else:
            truth.add(function, int(count), 0, int(size))
    return records, vfs_tally(records, fs.path), truth, retries


def check_edge(env, kind):
    """Counts and bytes; what fails is in the count."""
    records, got, truth, retries = edge(env, kind)
    for function, (count, _, size) in got.by_function.items():
        got.by_function[function] = (count, 0, size)
    check_tally(got, truth)
    check_records(records)
    equal("retries", sum(r["retries"] for r in records.functions("vfs")), retries)


def test_not_files(env):
    """Event and timer descriptors and their like have regular files' modes on some kernels."""
    records, got, _, _ = edge(env, "not-files")
    check_records(records)
    check_tally(got, Tally())
    # Where the program's libraries are; in a test kernel that is virtiofs.
    strange = {r["fs_type"] for r in records.functions("vfs")} - {None, "ext4", "overlay", "xfs",
                                                                 "btrfs", "tmpfs", "virtiofs"}
    check(not strange, f"operations on {strange}")


def test_memfd(env):
    records, _, _, _ = edge(env, "memfd")
    check_records(records)
    found = [r for r in records.functions("vfs", "write") if r["fs_type"] == "tmpfs"]
    equal("writes to the memfd", sum(r["count"] for r in found), 20)
    equal("bytes", sum(r["bytes"] for r in found), 20 * 4096)


def test_o_path(env):
    check_edge(env, "o-path")


def test_nowait(env):
    check_edge(env, "nowait")


def test_aio_reuse(env):
    check_edge(env, "aio-reuse")


def test_aio_abandon(env):
    """Operations whose result nobody asked for: counted as lost or filtered, not for ever open."""
    records, _, _, _ = edge(env, "aio-abandon")
    probe, = records.of("probe", layer="vfs", function="read", final=True)
    equal("AIO reads in flight after io_destroy()", probe["in_flight"], 0)


def check_unseen(env, kind):
    """Completions that the kernel does not tell: counted as lost or still open, not forgotten."""
    records, got, truth, _ = edge(env, kind)
    counted = sum(count for count, _, _ in got.by_function.values())
    lost = sum(n for (layer, _, reason), n in records.losses().items()
               if layer == "vfs" and reason in ("unseen", "killed"))
    wanted = sum(count for count, _, _ in truth.by_function.values())
    equal("counted + lost", counted + lost, wanted)
    check(lost > 0, "the kernel told them all: this tests nothing")


def test_uring_overflow(env):
    check_unseen(env, "uring-overflow")


def test_uring_skip(env):
    check_unseen(env, "uring-skip")


def test_uring_cancelled(env):
    """A linked request that is cancelled never became an operation on a file: it is filtered."""
    records, got, truth, _ = edge(env, "uring-cancelled")
    filtered = sum(p["filtered"] for p in records.of("probe", layer="vfs", function="read"))
    equal("reads", got.by_function["read"][0], truth.by_function["read"][0] - 1)
    check(filtered > 0, "the cancelled request is nowhere")


def test_uring_direct(env):
    check_edge(env, "uring-direct")


def test_uring_pipes(env):
    records, got, _, _ = edge(env, "uring-pipes")
    check_records(records)
    check_tally(got, Tally())


def test_uring_options(env):
    """fio with a submission thread of the kernel, registered files, fixed buffers."""
    need("fio")
    with ext4(env) as fs:
        lay_out(fs)
        for option in ("--sqthread_poll=1", "--registerfiles=1", "--fixedbufs=1"):
            report = env.path("fio.json")
            records = trace(env, *fio_command(fs.path, report, "--ioengine=io_uring",
                                              "--iodepth=8", "--bs=4k", "--rw=randrw",
                                              "--direct=1", option))
            check_records(records)
            check_tally(vfs_tally(records, fs.path), fio_tally(fio_report(report)),
                        ("read", "write"))
