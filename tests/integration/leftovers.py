# SPDX-License-Identifier: GPL-2.0-only
"""The folders of tests, and what tests that were killed have left in theirs: files, mounts, what is pinned.

A pinned tracer goes on tracing: it slows every system call of the machine, and all that is measured
on it, until its file system is unmounted.
"""

import fcntl
import glob
import os
import shutil
import subprocess
import sys
import tempfile

PREFIX, UNCLAIMED = "tmtrace-env.", "tmtrace-new."


def claim(folder):
    """A descriptor that says, until it is closed, that somebody uses the folder; None: another does."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def make_folder():
    """A folder, and its claim; what others have left is removed before."""
    remove()
    unclaimed = tempfile.mkdtemp(prefix=UNCLAIMED)
    descriptor, folder = claim(unclaimed), unclaimed.replace(UNCLAIMED, PREFIX)
    os.rename(unclaimed, folder)
    return folder, descriptor


def mounts_below(folder):
    """The last one that was mounted first."""
    with open("/proc/self/mounts", encoding="utf-8", errors="replace") as f:
        places = [line.split()[1] for line in f]
    return [place for place in reversed(places) if place.startswith(folder + "/")]


def remove():
    """Removes the folders that nobody uses any more, with what is mounted there, and tells."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")):
        descriptor = claim(folder)
        if descriptor is None:
            continue
        for place in mounts_below(folder):
            subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)
        print(f"removed {folder}, which a test that was killed had left", file=sys.stderr)
