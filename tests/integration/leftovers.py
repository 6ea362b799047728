# SPDX-License-Identifier: GPL-2.0-only
"""What test processes that were killed have left behind: folders, what is mounted there, what is pinned.

A pinned tracer goes on tracing: it slows every system call of the machine, and all that is measured
on it, until its file system is unmounted.
"""

import fcntl
import glob
import os
import shutil
import subprocess
import tempfile
import time

PREFIX = "tmtrace-env."
# A folder is claimed right after it was made.
CLAIMED_S = 10


def make_folder():
    """A folder, and the descriptor that says, until it is closed, that somebody uses it."""
    folder = tempfile.mkdtemp(prefix=PREFIX)
    claim = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(claim, fcntl.LOCK_EX)
    return folder, claim


def is_left(folder):
    try:
        claim = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return time.time() - os.fstat(claim).st_mtime > CLAIMED_S
    except BlockingIOError:
        return False
    finally:
        os.close(claim)


def mounts_below(folder):
    """The last one that was mounted first."""
    with open("/proc/self/mounts", encoding="utf-8", errors="replace") as f:
        places = [line.split()[1] for line in f]
    return [place for place in reversed(places) if place.startswith(folder + "/")]


def remove():
    """Removes what nobody uses any more; the folders."""
    folders = [f for f in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")) if is_left(f)]
    for folder in folders:
        for place in mounts_below(folder):
            subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    return folders


def remove_and_tell():
    folders = remove()
    if folders:
        print(f"removed what tests that were killed had left: {', '.join(folders)}", flush=True)
