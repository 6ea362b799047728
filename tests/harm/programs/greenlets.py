# SPDX-License-Identifier: GPL-2.0-only
"""Greenlets switch in calls: their stacks are copied away from the main one, and back."""

import ctypes
import sys

import greenlet

ROUNDS, N = 30, 5
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
library = ctypes.CDLL(sys.argv[1])
main = greenlet.getcurrent()
counts = {"hm_call": 0, "hm_plain": 0}


def call(name, *args):
    counts[name] += 1
    return getattr(library, name)(*args)


@FUNCTION
def switch(_):
    main.switch()
    return 1


def body(number):
    total = 0
    for i in range(ROUNDS):
        total += call("hm_call", switch, None) + call("hm_plain", i + number)
    return total


lets = [greenlet.greenlet(body) for _ in range(N)]
results = [let.switch(number) for number, let in enumerate(lets)]
while not all(let.dead for let in lets):
    for number, let in enumerate(lets):
        if not let.dead:
            results[number] = let.switch()
print("sums", *results)
print("calls", *(f"{name} {count}" for name, count in counts.items()))
