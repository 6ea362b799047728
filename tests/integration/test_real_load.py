# SPDX-License-Identifier: GPL-2.0-only
"""File operations of `load`, which prints the truth, on private file systems."""

from harness import Skip, check, equal
from real_machine import Tally, check_records, check_tally, ext4, tmpfs, vfs_tally

SHARES_MACHINE = True

# What tmtrace calls what `load` counted by system call, AIO or io_uring operation.
FUNCTIONS = {
    "read": ("read", "pread64", "readv", "preadv", "preadv2", "aio_pread", "aio_preadv",
             "uring_read", "uring_readv"),
    "write": ("write", "pwrite64", "writev", "pwritev", "pwritev2", "aio_pwrite", "aio_pwritev",
              "uring_write", "uring_writev"),
    "open": ("openat", "uring_openat"),
    "close": ("close", "uring_close"),
    "fsync": ("fsync", "fdatasync", "aio_fsync", "uring_fsync"),
    "stat": ("fstat", "newfstatat", "stat", "statx", "uring_statx"),
    "readdir": ("getdents64",),
    "unlink": ("unlink", "uring_unlinkat"),
    "rename": ("rename",),
    "mkdir": ("mkdir",),
    "rmdir": ("rmdir",),
    "truncate": ("truncate", "ftruncate"),
    "fallocate": ("fallocate", "uring_fallocate"),
    "splice": ("sendfile", "splice"),
    "copy_range": ("copy_file_range",),
    None: ("lseek",),
}
FUNCTION_OF = {call: function for function, calls in FUNCTIONS.items() for call in calls}

# Operations whose every call names an open file, so that its mount is known.
ON_MOUNT = ("read", "write", "close", "fsync", "readdir", "create", "fallocate", "splice",
            "copy_range")


def truth_tally(truth, creates):
    if "skipped" in truth:
        raise Skip(truth["skipped"])
    tally = Tally()
    for row in truth["vfs"]:
        if FUNCTION_OF[row["function"]]:
            tally.add(FUNCTION_OF[row["function"]], row["calls"], row["errors"], row["bytes"])
    tally.add("open", -creates)
    tally.add("create", creates)
    return tally


def check_sizes(records, mount):
    """Each read and write that did not fail has a size."""
    for r in records.functions("vfs", mount=mount):
        if r["function"] in ("read", "write"):
            sized = sum(bucket[2] for bucket in r["size_buckets"])
            equal(f"sizes of {r['function']}", sized, r["count"] - r["errors"])


def run_load(env, mount, fs_type, count, words, creates):
    """One run on a mount; what tmtrace saw of it and by path, and the truth."""
    records, truth = env.trace_load(*words, "--dir", mount, "--count", str(count))
    truth = truth_tally(truth, creates)
    check_records(records)
    check_sizes(records, mount)
    check_tally(vfs_tally(records, mount), truth, ON_MOUNT)
    types = {r["fs_type"] for r in records.functions("vfs", mount=mount)}
    check(types == {fs_type}, f"file system types on {mount}: {types}")
    return vfs_tally(records, mount, None), truth


def compare(env, mount, fs_type, words, creates):
    """
    Operations by path, and opens that fail, are not told apart by mount: there the loader and
    libc of all processes of the run are in the count. So two runs, and their difference.
    """
    few, few_truth = run_load(env, mount, fs_type, 7, words, creates(7))
    many, many_truth = run_load(env, mount, fs_type, 17, words, creates(17))
    got, wanted = many.minus(few), many_truth.minus(few_truth)
    # Each file is mapped once in each round; that is not in the truth's list.
    got.by_function.pop("mmap", None)
    check_tally(got, wanted)


def on_both(env, words, creates):
    with ext4(env) as fs:
        compare(env, fs.path, "ext4", words, creates)
    with tmpfs(env) as path:
        compare(env, path, "tmpfs", words, creates)


def test_files(env):
    on_both(env, ["files", "--size", "5000"], lambda rounds: 2 * rounds)


def test_aio(env):
    on_both(env, ["aio", "--size", "8192"], lambda rounds: 1)


def test_aio_direct(env):
    with ext4(env) as fs:
        compare(env, fs.path, "ext4", ["aio", "--how", "direct", "--size", "8192"],
                lambda rounds: 1)


def test_uring(env):
    on_both(env, ["uring", "--size", "8192"], lambda rounds: rounds)
