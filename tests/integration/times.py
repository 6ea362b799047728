# SPDX-License-Identifier: GPL-2.0-only
"""How far measured times may be from what a program's own clock says."""

import os

from harness import PATIENCE, check

# 2 %, or 20 us of each call or operation.
SHARE, EACH_NS = 0.02, 20000
# How much farther where others use the processors, those of other machines on the same host among
# them: between a probe and the program's own clock somebody else may run.
BUSY = 8
# Of many times, so many may be as far off as on a busy machine.
DISTURBED = 1 / 4


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


def each_of(run):
    """
    The same of each operation: between the program's clock and the probe is what a probe costs here,
    where an operation begins and where it ends.
    """
    costs = run["hit_cost_ns"] or {}
    return EACH_NS + 2 * max((ns or 0 for ns in costs.values()), default=0)


def is_near(got, wanted, *limits):
    return abs(got - wanted) <= room(got, wanted, *limits)


def near(name, got, wanted, count, *limits):
    check(is_near(got, wanted, count, *limits), told(name, got, wanted, count))


def told(name, got, wanted, count):
    return f"{name}: got {got} ns, the truth of {count} is {wanted} ns"


class Times:
    """Many times of one run: most are near, and no other is farther off than on a busy machine."""

    def __init__(self):
        self.all, self.disturbed = 0, []

    def near(self, name, got, wanted, count, *limits):
        self.all += 1
        if is_near(got, wanted, count, *limits):
            return
        self.disturbed.append(told(name, got, wanted, count))
        most = room(got, wanted, count, *limits) * max(1, BUSY / slack())
        check(abs(got - wanted) <= most, self.disturbed[-1])

    def check(self):
        """After all of them; what to remark."""
        many = f"{len(self.disturbed)} of {self.all} times were disturbed"
        check(len(self.disturbed) <= DISTURBED * self.all, f"{many}: {'; '.join(self.disturbed)}")
        return many if self.disturbed else ""
