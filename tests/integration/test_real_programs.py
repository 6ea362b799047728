# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the distribution: strace's counts and /proc/PID/io against the VFS records."""

import glob
import os
import re
import shutil

from harness import PATIENCE, check, equal
from real_machine import (Tally, check_records, check_tally, ext4, need, run, trace, vfs_tally)

SHARES_MACHINE = True

# System calls on a descriptor, which is the first argument.
CALLS = {"read": ("read", "pread64", "readv", "preadv", "preadv2"),
         "write": ("write", "pwrite64", "writev", "pwritev", "pwritev2"),
         "close": ("close",),
         "fsync": ("fsync", "fdatasync", "sync_file_range", "syncfs"),
         "readdir": ("getdents", "getdents64"),
         "truncate": ("ftruncate",),
         "copy_range": ("copy_file_range",),
         "fallocate": ("fallocate",),
         "stat": ("fstat",)}
FUNCTION_OF = {call: function for function, calls in CALLS.items() for call in calls}
OPENS = ("open", "openat", "openat2", "creat")
# By path, for the whole run: strace does not say on which mount.
PATHS = {"rename": ("rename", "renameat", "renameat2"), "mkdir": ("mkdir", "mkdirat")}

# As in: newfstatat(3</a>, "", ...) = 0, and: openat(...) = 3</a/b>
LINE = re.compile(r"(?P<call>\w+)\((?P<args>.*)\)\s+= (?P<result>-?\d+)(?:<(?P<opened>[^>]*)>)?")
DESCRIPTOR = re.compile(r"\d+<(?P<path>[^>]*)>")
SIZES = ("read", "write", "copy_range")


def on(mount, path):
    return path == mount or path.startswith(mount + "/")


def count_line(tally, match, mount):
    call, result = match["call"], int(match["result"])
    error = int(result < 0)
    for function, calls in PATHS.items():
        if call in calls:
            tally.add(function, 1, error)
    if call in OPENS:
        if result >= 0 and on(mount, match["opened"]):
            tally.add("open", 1)
        return
    descriptor = DESCRIPTOR.match(match["args"])
    if not descriptor or not on(mount, descriptor["path"]):
        return
    function = FUNCTION_OF.get(call)
    if call == "newfstatat" and '>, "", ' in match["args"]:
        function = "stat"  # glibc's fstat()
    if function:
        size = result if function in SIZES and not error else 0
        tally.add(function, 1, error, size)


def strace_tally(env, mount, command, cwd):
    """What strace saw: on files of the mount, and by path."""
    prefix = env.path("strace")
    run("strace", "-ff", "-y", "-s", "16", "-o", prefix, *command, cwd=cwd)
    tally = Tally()
    for path in glob.glob(prefix + ".*"):
        with open(path, encoding="utf-8", errors="replace") as f:
            for match in filter(None, map(LINE.match, f)):
                count_line(tally, match, mount)
        os.unlink(path)
    return tally


def tmtrace_tally(env, mount, command, cwd, options, inspect):
    records = trace(env, *command, cwd=cwd, options=options)
    inspect(records)
    tally = vfs_tally(records, mount)
    tally.merge("create", "open")
    tally.by_function.pop("mmap", None)
    for function in PATHS:
        for r in records.functions("vfs", function):
            tally.add(function, r["count"], r["errors"])
    return tally


def fill(folder):
    """A small tree of files of many sizes."""
    for i in range(12):
        path = os.path.join(folder, "tree", f"d{i % 3}", f"file{i}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(b"tmtrace" * (i * 1000))


def compare(env, program, *script, options=("--layer", "vfs,block"), inspect=check_records):
    """
    The same commands in two equal folders, once under strace and once under tmtrace, whose records
    are inspected.
    """
    need("strace", program)

    def traced_tally(*args):
        return tmtrace_tally(*args, options, inspect)

    with ext4(env) as fs:
        tallies = []
        for name, count in (("first", strace_tally), ("other", traced_tally)):
            folder = os.path.join(fs.path, name)
            os.mkdir(folder)
            fill(folder)
            # Folders of equal length, and nothing of the user's own configuration.
            os.environ.update(HOME=folder, GIT_CONFIG_NOSYSTEM="1")
            tallies.append(count(env, fs.path, ["sh", "-e", "-c", "; ".join(script)], folder))
            run("sync", "--file-system", fs.path)
        truth, got = tallies
        check(truth["read"][0] + truth["readdir"][0] > 0, "strace saw nothing on the mount")
        check_tally(got, truth)


def test_tar(env):
    compare(env, "tar", "tar cf a.tar tree", "mkdir out", "tar xf a.tar -C out", "tar tf a.tar")


def test_cp(env):
    compare(env, "cp", "cp -r tree copy", "cp --reflink=never tree/d2/file11 x", "mv x y", "sync y")


def test_dd(env):
    compare(env, "dd", "dd if=tree/d2/file11 of=x bs=1000 conv=fsync",
            "dd if=/dev/zero of=x bs=4k count=20 conv=notrunc oflag=direct,dsync",
            "dd if=x of=/dev/null bs=3000", "! dd if=missing of=y")


def test_find(env):
    compare(env, "find", "find . -type f -size +1k -exec cat {} + | wc -c", "rm -r tree")


def test_sqlite3(env):
    compare(env, "sqlite3",
            "sqlite3 db 'create table t(a); insert into t values (1), (2); "
            "insert into t select a from t; delete from t where a = 1; vacuum;'",
            "sqlite3 db 'select count(*) from t'")


def test_git(env):
    compare(env, "git", "git init -q repository", "git -C repository config gc.auto 0",
            "cp -r tree repository", "git -C repository add tree")


# Copies a file and prints its own accounting; perl's sysread() is a read().
PERL = r"""
my ($from, $to, $times) = @ARGV;
for (1 .. $times) {
    open(my $in, '<', $from) or die; open(my $out, '>', $to) or die;
    while (sysread($in, my $data, 4096)) { syswrite($out, $data) == length($data) or die; }
    close($in); close($out);
}
open(my $io, '<', '/proc/self/io') or die;
sysread($io, my $text, 4096);
open(my $report, '>', $ARGV[3]) or die;
syswrite($report, $text);
"""


def own_accounting(env, folder, times):
    """(vfs reads, their bytes, writes, their bytes) by the kernel's accounting, and by tmtrace."""
    report = env.path("io")
    records = trace(env, "perl", "-e", PERL, os.path.join(folder, "from"),
                    os.path.join(folder, "to"), str(times), report)
    check_records(records)
    with open(report, encoding="ascii") as f:
        text = f.read()
    io = dict(line.split(": ") for line in text.splitlines())
    # The report itself is read and written after it was made.
    truth = (int(io["syscr"]), int(io["rchar"]) + len(text),
             int(io["syscw"]), int(io["wchar"]) + len(text))
    got = tuple(records.total("vfs", function, field) for function in ("read", "write")
                for field in ("count", "bytes"))
    return truth, got


def test_proc_io(env):
    """Two runs, and their difference: starting a program also reads from a pipe."""
    need("perl")
    with ext4(env) as fs:
        with open(os.path.join(fs.path, "from"), "wb") as f:
            f.write(os.urandom(100_001))
        few_truth, few = own_accounting(env, fs.path, 3)
        many_truth, many = own_accounting(env, fs.path, 10)
    equal("(reads, bytes, writes, bytes)", tuple(m - f for m, f in zip(many, few)),
          tuple(m - f for m, f in zip(many_truth, few_truth)))
    # The reports' own lengths differ by a few digits.
    check(many[1] - few[1] > 7 * 100_001 - 100, f"too few bytes: {few}, {many}")


def test_first_output(env):
    """How long until a command has been started, traced and reported."""
    need("true")
    times = []
    for _ in range(5):
        begin = os.times().elapsed
        trace(env, shutil.which("true"), options=())
        times.append(os.times().elapsed - begin)
    env.remark = f"tmtrace -- true: {min(times):.2f} to {max(times):.2f} s"
    check(min(times) < 5 * PATIENCE, f"tmtrace -- true took {min(times):.1f} s")
