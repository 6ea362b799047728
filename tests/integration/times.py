# SPDX-License-Identifier: GPL-2.0-only
"""How far measured times may be from what a program's own clock says."""

import os

from harness import PATIENCE, check

# 2 %, or 20 us of each call or operation.
SHARE, EACH_NS = 0.02, 20000
# How much farther where others use the processors: between a probe and the program's own clock
# somebody else may run.
BUSY = 8


def slack():
    """How many times farther a time may be off here."""
    return max(PATIENCE, BUSY if os.getloadavg()[0] > os.cpu_count() else 1)


def room(got, wanted, count=1, share=SHARE, each=EACH_NS):
    """
    How far the time of so many may be off. An emulated machine stands still now and then, for tens
    of milliseconds: there only the order of magnitude is judged.
    """
    return max(slack() * max(share * wanted, each * count),
               19 * min(got, wanted) if PATIENCE > 1 else 0)


def is_near(got, wanted, *limits):
    return abs(got - wanted) <= room(got, wanted, *limits)


def near(name, got, wanted, count, *limits):
    check(is_near(got, wanted, count, *limits),
          f"{name}: got {got} ns, the truth of {count} is {wanted} ns")
