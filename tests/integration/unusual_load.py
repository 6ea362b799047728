# SPDX-License-Identifier: GPL-2.0-only
"""Reads a file at a rate; in the third fifth of the time longer, and more often, as it is told.

    unusual_load.py FILE SECONDS RATE SIZE MORE

RATE times a second 4 KiB; then SIZE times as much, MORE times as often. Makes the file.
"""

import os
import sys
import time


def main():
    path = sys.argv[1]
    seconds, rate, size, more = map(float, sys.argv[2:])
    with open(path, "wb") as file:
        file.write(bytes(int(4096 * size)))
    fd = os.open(path, os.O_RDONLY)
    begin = time.monotonic()
    while (at := time.monotonic() - begin) < seconds:
        other = 0.4 <= at / seconds < 0.6
        os.pread(fd, int(4096 * (size if other else 1)), 0)
        wait = 1 / (rate * (more if other else 1))
        time.sleep(max(0, begin + at + wait - time.monotonic()))


main()
