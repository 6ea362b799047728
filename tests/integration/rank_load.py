# SPDX-License-Identifier: GPL-2.0-only
"""A load with known figures for each process: rank_load.py DIR HOW [N]

Each process writes files of its own and prints a line of JSON about itself, its truth.
"""

import json
import os
import signal
import sys

BLOCK = 4096
RANKS = ("PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


def own_rank():
    return next((int(os.environ[name]) for name in RANKS if name in os.environ), None)


def write(folder, blocks, name="file"):
    fd = os.open(os.path.join(folder, f"{name}.{os.getpid()}"), os.O_CREAT | os.O_WRONLY, 0o600)
    for _ in range(blocks):
        os.write(fd, bytes(BLOCK))
    os.close(fd)


def tell(blocks):
    """One write to a pipe: lines of several processes do not mix."""
    line = json.dumps({"pid": os.getpid(), "rank": own_rank(), "writes": blocks,
                       "bytes": blocks * BLOCK})
    os.write(1, (line + "\n").encode())


def work(folder, blocks):
    write(folder, blocks)
    tell(blocks)


def fork(folder, n):
    """Children that do not call exec."""
    for i in range(n):
        if not os.fork():
            work(folder, i + 2)
            os._exit(0)
    for _ in range(n):
        os.wait()
    work(folder, 1)


def main():
    folder, how = sys.argv[1:3]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if how == "rank":
        work(folder, 10 * (own_rank() + 1))
    elif how == "fork":
        fork(folder, n)
    elif how == "exec":
        write(folder, n)
        os.execvpe(sys.executable, [sys.executable, __file__, folder, "after", str(n)],
                   os.environ | {"PMI_RANK": "6"})
    elif how == "after":
        write(folder, n, "after")
        tell(2 * n)
    elif how == "slow":
        fd = os.open(os.path.join(folder, "slow"), os.O_CREAT | os.O_WRONLY)
        for _ in range(n):
            os.write(fd, bytes(BLOCK))
            os.fsync(fd)
    elif how == "killed":
        work(folder, n)
        os.kill(os.getpid(), signal.SIGKILL)


main()
