# SPDX-License-Identifier: GPL-2.0-only
"""Recordings that are not as they should be, and places where none can be written."""

import json
import os
import random
import re
import subprocess
import zlib

from harness import PATIENCE, Skip, check, equal, need, read_text
from test_bad_input import refused

SHARES_MACHINE = True

RUN, USAGE, SETUP = 1, 2, 125
HEADER = 4096
BLOCK_HEADER, ENTRY_HEADER = 64, 16


def record(env, name="data", *options):
    path = env.path(name)
    status, _, err = env.trace("record", "-q", "-o", path, "--layer", "vfs", *options, "--", "ls")
    equal("exit status and standard error", (status, err), (0, ""))
    return path


def variant(env, name, data):
    path = env.path(name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def test_unreadable(env):
    """Files that are no recordings are refused by all who read them, with the reason."""
    with open(record(env), "rb") as f:
        whole = f.read()
    newer, damaged = bytearray(whole), bytearray(whole)
    for header in (0, 2048):
        newer[header + 8] = 99
        damaged[header + 40] ^= 1
    cases = ((env.path("missing"), "No such file"), (variant(env, "empty", b""), "recording"), (variant(env, "text", b"x" * 9999),
                                                         "not a recording"),
             (variant(env, "newer", newer), "newer"), (variant(env, "bad", damaged), "damaged"),
             (variant(env, "short", whole[:100]), "cut|short|recording|damaged"),
             (variant(env, "nothing", whole[:HEADER]), "cut off|nothing"))
    for path, pattern in cases:
        refused(env, RUN, pattern, "report", path)
        refused(env, RUN, pattern, "dump", "-i", path)
    refused(env, RUN, "No such file", "report", env.path("data"), env.path("missing"))
    refused(env, RUN, "directory|not a recording", "dump", "-i", env.dir)
    os.mkdir(env.path("folder"))
    refused(env, RUN, "there is no file in this folder", "report", env.path("folder"))


def test_folder(env):
    """A folder's recordings are taken together; what is none is named and left out."""
    with open(record(env), "rb") as f:
        whole = f.read()
    os.mkdir(env.path("folder"))
    os.rename(env.path("data"), env.path("folder/data"))
    equal("exit status", env.trace("record", "-o", env.path("folder/other"), "--layer", "vfs",
                                   "--", "cat", "/etc/passwd")[0], 0)
    paths = [env.path("folder/data"), env.path("folder/other")]
    status, wanted, err = env.trace("report", *paths)
    equal(f"exit status ({err})", status, 0)
    equal("of a folder", env.trace("report", env.path("folder")), (0, wanted, ""))
    for name, data in (("copy", whole), ("cut", whole[:100]), ("text", b"x" * 9999), ("empty", b""),
                       (".hidden", b"x")):
        variant(env, f"folder/{name}", data)
    os.mkfifo(env.path("folder/fifo"))
    os.mkdir(env.path("folder/folder"))
    status, out, err = env.trace("report", env.path("folder"))
    equal("exit status", status, 0)
    lines = err.splitlines()
    equal("left out", [re.match(r"tmtrace: .*/folder/(\w+): .*; it is left out$", line)[1]
                       for line in lines], ["cut", "empty", "text", "data"])
    check("has figures that are in" in lines[-1] and "/copy, too" in lines[-1], lines[-1])
    equal("the rest", out.replace("/folder/copy", "/folder/data"), wanted)
    for path in (*paths, env.path("folder/copy")):
        os.unlink(path)
    status, _, err = env.trace("report", env.path("folder"))
    equal("exit status", status, 1)
    check(err.endswith("folder: no recording is in this folder\n"), err)


def recoded(whole, change):
    """A recording whose version of what is in it was changed by so much; else it is intact."""
    data = bytearray(whole)
    at = HEADER + BLOCK_HEADER + ENTRY_HEADER  # the run is the first entry
    equal("type of the first entry", data[at - ENTRY_HEADER], 1)
    data[at] += change
    length = int.from_bytes(data[HEADER + 56:HEADER + 60], "little")
    crc = zlib.crc32(data[HEADER + 8:HEADER + BLOCK_HEADER + length])
    data[HEADER + 4:HEADER + 8] = crc.to_bytes(4, "little")
    return data


def test_other_versions(env):
    """A recording of another version is not called damaged; who wrote it, and who reads, is said."""
    with open(record(env), "rb") as f:
        whole = f.read()
    same = variant(env, "same", recoded(whole, 0))
    equal("the report of the same version",
          env.trace("report", same)[1].replace(same, env.path("data")),
          env.trace("report", env.path("data"))[1])
    this = env.trace("--version")[1].split()[-1]
    for name, change in (("older", -1), ("newer", 1)):
        path = variant(env, name, recoded(whole, change))
        pattern = rf"another version of tmtrace \({re.escape(this)}.*this one, {re.escape(this)}"
        for args in (("report", path), ("report", "--json", "-", path), ("dump", path),
                     ("dump", "--follow", path), ("report", "--diff", env.path("data"), path),
                     ("report", env.path("data"), path)):
            refused(env, RUN, pattern, *args)


def test_permission(env):
    """A recording that its reader may not read; one that is readable needs no privileges."""
    need("setpriv")
    path = record(env)
    os.chmod(env.dir, 0o755)
    as_user = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    status, out, err = env.run(*as_user, env.tmtrace, "report", path)
    check(status == 0 and "vfs: " in out, f"without privileges: {status}, {err}")
    os.chmod(path, 0o600)
    refused(env, RUN, "Permission denied", "report", path, prefix=as_user)


def test_damaged(env):
    """Whatever is changed or cut in a recording: a report or an error, never more."""
    with open(record(env, "data", "--size", "128K"), "rb") as f:
        whole = f.read()
    rng = random.Random(4711)
    for i in range(40):
        data = bytearray(whole[:rng.randrange(len(whole))] if i % 4 == 0 else whole)
        for _ in range(rng.choice((1, 8, 64))):
            data[rng.randrange(len(data) if i % 2 else min(len(data), 3 * HEADER))] ^= \
                1 << rng.randrange(8)
        path = variant(env, "damaged", data)
        for command in (("report",), ("report", "--tree"), ("report", "--json", "-"), ("dump",)):
            status, out, err = env.trace(*command, path)
            check(status in (0, 1), f"{command} ended with {status}: {err}")
            check((status == 0) == (err == ""), f"{command}: {status}, {err}")
            if command[-1] in ("-", "dump"):
                for line in out.splitlines():
                    json.loads(line)


def test_options(env):
    """What makes no sense on the command line."""
    data = record(env)
    for args, pattern in (
            (("report", "--sort", "luck", data), "luck.*p99"),
            (("report", "--filter", "colour=blue", data), "colour=blue.*fs_type"),
            (("report", "--filter", "layer", data), "KEY=GLOB"),
            (("report", "--json", "-", "--tree", data), "--tree"),
            (("report", "--json", "-", "--sort", "name", data), "--sort"),
            (("report", "--diff", data), "two recordings"),
            (("report", "--diff", "--histogram", data, data), "without --tree"),
            (("report", "--nonsense"), "tmtrace report --help.*nonsense"),
            (("dump", data, data), "one recording"),
            (("dump", "--nonsense"), "tmtrace dump --help.*nonsense"),
            (("record",), "nothing to trace"),
            (("record", "--size", "1", "--", "true"), "--size 1.*at least"),
            (("record", "--size", "1X", "--", "true"), "1X.*bytes"),
            (("record", "--size", "-1M", "--", "true"), "-1M"),
            (("record", "--interval", "1", "--", "true"), "--interval"),
            (("--size", "1M", "--", "true"), "-o FILE"),
            (("record", "--size", "99999999999999999999T", "--", "true"), "bytes")):
        refused(env, USAGE, pattern, *args)


def test_records_into_itself(env):
    data = record(env)
    refused(env, RUN, "itself", "report", data, "--json", data)
    check("vfs: " in env.trace("report", data)[1], "the recording is gone")


def test_foreign_file(env):
    """What is no recording is not overwritten, nor what is being written."""
    for name, content in (("precious", "precious\n"), ("data.old", "old\n")):
        path = env.path(name)
        with open(path, "w", encoding="ascii") as f:
            f.write(content)
        target = path.removesuffix(".old")
        if target != path:
            record(env)
        refused(env, SETUP, "recording", "record", "-o", target, "--", "true")
        equal(f"content of {name}", read_text(path), content)
    refused(env, SETUP, "directory|no recording", "record", "-o", env.dir, "--", "true")
    refused(env, SETUP, "No such file", "record", "-o", env.path("a/b"), "--", "true")
    refused(env, RUN, "precious", "record", "-o", env.path("precious"), "--all", "--duration",
            "0.1")


def small_disk(env, size):
    """A file system of that size; it goes with the test."""
    disk = env.path("disk")
    os.mkdir(disk)
    status, _, err = env.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk)
    if status:
        raise Skip(f"no tmpfs can be mounted: {err}")
    env.cleanup(env.run, "umount", disk)
    return disk


def test_full_disk(env):
    """A disk that is too small is told before anything is run, and nothing is left there."""
    disk = small_disk(env, "1M")
    path = os.path.join(disk, "data")
    mark = env.path("ran")
    status, _, err = env.trace("record", "-o", path, "--", "touch", mark)
    equal("exit status", status, SETUP)
    check(re.search("No space|has not", err) and len(err.splitlines()) == 1, err)
    check(not os.path.exists(mark), "the command was run")
    equal("exit status", env.trace("record", "-o", path, "--size", "512K", "--layer", "vfs", "--",
                                   "ls")[0], 0)
    check("vfs: " in env.trace("report", path)[1], "no report")


def test_too_small_a_file(env):
    """Too many series for the file: said with the size that would do; the command goes on."""
    status, _, err = env.trace("record", "-o", env.path("data"), "--size", "68K", "--probes",
                               env.sample, "--", "sh", "-c", "sleep 0.1; exit 5")
    equal("exit status", status, 5)
    check(re.search(r"data: .*(--size|bytes|KiB|MiB)", err), f"nothing about the size: {err}")
    equal("lines on standard error", len(err.splitlines()), 1)


def test_owner(env):
    """Under sudo the recording is made with the rights of who called it, and is theirs."""
    os.chmod(env.dir, 0o777)
    nobody = {**os.environ, "SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody"}
    path = env.path("data")
    for _ in range(2):
        equal("exit status", env.trace("record", "-q", "-o", path, "--", "true", env=nobody)[0], 0)
    for name in (path, path + ".old"):
        equal(f"owner of {name}", (os.stat(name).st_uid, os.stat(name).st_gid), (65534, 65534))
    os.mkdir(env.path("private"), 0o700)
    status, _, err = env.trace("record", "-o", env.path("private/data"), "--", "true", env=nobody)
    check(status == SETUP and "Permission denied" in err, f"{status}, {err}")


def test_closed_pipe(env):
    """Who reads no further ends it without harm."""
    path = record(env)
    for command in (("dump", path), ("report", "--json", "-", path), ("report", path)):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([env.tmtrace, *command], stdout=writer, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=60 * PATIENCE, check=False)
        os.close(writer)
        check(done.returncode in (1, -13), f"{command} ended with {done.returncode}")
        check(len(done.stderr.splitlines()) <= 1, f"{command}: {done.stderr}")
    with open("/dev/full", "wb") as full:
        for command in (("dump", path), ("report", "--json", "-", path), ("report", path)):
            status, _, err = env.trace(*command, stdout=full)
            check(status == 1 and "No space" in err, f"{command}: {status}, {err}")


STRANGE = "/tmp/a \"b\"\n{\"type\":\"run\"}\x1b[2J\x07\xff"


def test_strange_names(env):
    """Names with quotes, newlines, escapes and invalid UTF-8: valid records, plain tables."""
    path = env.path("data")
    command = os.fsencode(env.path("x")) + STRANGE.encode("latin-1").replace(b"/", b"_")
    os.symlink("/bin/true", command)
    status = subprocess.run([env.tmtrace, "record", "-q", "-o", path, "--", command],
                            timeout=60 * PATIENCE, check=False).returncode
    equal("exit status", status, 0)
    for args in (("dump", path), ("report", "--json", "-", path)):
        lines = env.trace(*args)[1].splitlines()
        for line in lines:
            json.loads(line)
        equal("run records", sum(json.loads(line)["type"] == "run" for line in lines), 2)
    out = env.trace("report", path)[1]
    check("\x1b" not in out and "\x07" not in out, "control characters in the report")
    check(not re.search(r'^\{"type', out, re.M), "an injected line")
