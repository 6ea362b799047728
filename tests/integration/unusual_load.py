# SPDX-License-Identifier: GPL-2.0-only
"""Reads a file at a rate; in the third fifth of the time longer, and more often, as it is told.

    unusual_load.py FILE SECONDS RATE SIZE MORE [QUICK]

RATE times a second 256 KiB, which takes far longer than what a busy machine adds to it; then SIZE times
as much, MORE times as often. Looks at the file QUICK times before each read. Makes the file.
"""

import os
import sys
import time

BYTES = 256 << 10


def main():
    path = sys.argv[1]
    seconds, rate, size, more, quick = map(float, (*sys.argv[2:], 0)[:5])
    with open(path, "wb") as file:
        file.write(bytes(int(BYTES * size)))
    fd = os.open(path, os.O_RDONLY)
    begin = time.monotonic()
    while (at := time.monotonic() - begin) < seconds:
        other = 0.4 <= at / seconds < 0.6
        for _ in range(int(quick)):
            os.fstat(fd)
        os.pread(fd, int(BYTES * (size if other else 1)), 0)
        wait = 1 / (rate * (more if other else 1))
        # Not asleep: what is usual should vary little, and a processor that wakes up is slow at first.
        while time.monotonic() < begin + at + wait:
            pass


main()
