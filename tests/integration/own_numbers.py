# SPDX-License-Identifier: GPL-2.0-only
"""Prints what it is called itself, and writes: numbers of processes and threads as the truth.

    own_numbers.py FOLDER

Each thread writes single bytes to a file of its own, and prints a line of JSON with the numbers that
the kernel gives it (in the PID namespace that it is in) and how many bytes it has written. The last
process is gone at once.
"""

import json
import os
import sys
import threading


def work(n):
    path = os.path.join(sys.argv[1], f"numbers-{n}")
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    for i in range(n):
        os.pwrite(fd, b"x", i)
    os.close(fd)
    line = {"pid": os.getpid(), "ppid": os.getppid(), "tid": threading.get_native_id(), "n": n}
    os.write(1, (json.dumps(line) + "\n").encode())


work(30)
for count in (31, 32):
    thread = threading.Thread(target=work, args=(count,))
    thread.start()
    thread.join()
for count in (33, 34):
    child = os.fork()
    if not child:
        work(count)
        os._exit(0)
    os.waitpid(child, 0)
