# SPDX-License-Identifier: GPL-2.0-only
"""Commands that can hardly make a library call: what these need is loaded while they run."""

import re
import subprocess

from harness import PATIENCE, check, equal, read_text
from real_machine import compile_c

SHARES_MACHINE = True

LAYER = """layer: later
title: What a test maps itself
libraries: ["liblater.so*"]
functions:
  - name: [later_leaf]
"""
NOTHING = "no library is probed: the command has none of the catalogue"
PREPARED_MS = 3000  # far more than it takes


class Later:
    """A program that maps a library by itself, with a catalogue that has it."""

    def __init__(self, env):
        self.env = env
        self.program = compile_c(env, "later.c")
        built = compile_c(env, "later_library.c", "-shared", "-fPIC", "-fcf-protection=none")
        self.library = env.path("liblater.so.1")
        subprocess.run(["mv", built, self.library], check=True)
        names = subprocess.run(["nm", "-D", self.library], check=True, capture_output=True,
                               text=True).stdout
        self.offset = re.search(r"([0-9a-f]+) T later_leaf", names)[1]
        self.catalogue = env.path("later.yaml")
        with open(self.catalogue, "w", encoding="ascii") as f:
            f.write(LAYER)

    def run(self, before, after, calls, *options):
        """What tmtrace says of a run."""
        status, _, err = self.env.trace("--probes", self.catalogue, *options, "--", self.program,
                                        self.library, self.offset, str(before), str(after),
                                        str(calls))
        equal("exit status", status, 0)
        return err


def test_nothing(env):
    """`true` needs none of it, and is told so; files are counted as ever."""
    status, _, err = env.trace("--", "true")
    equal("exit status", status, 0)
    check(NOTHING in err, f"nothing is said of libraries: {err}")
    check(re.search(r"^vfs by \w+", err, re.M), f"libraries are said to be probed: {err}")
    check(re.search(r"^read +\w+ +/", err, re.M), f"no reads: {err}")


def test_not_known(env):
    """Who can execute or load something has its probes before it starts."""
    for command in (("sh", "-c", "true"), ("python3", "-c", "")):
        status, _, err = env.trace("--", *command)
        equal("exit status", status, 0)
        check(NOTHING not in err, f"{command}: {err}")
        check(re.search(r"^hdf5 by \w+", err, re.M), f"{command}: no mechanism: {err}")


def test_records(env):
    """Records say at their begin how calls are probed."""
    path = env.path("later.json")
    equal("exit status", env.trace("--json", path, "--", "true")[0], 0)
    first = read_text(path).splitlines()[0]
    check('"hdf5"' in first and '"hit_cost_ns"' in first, f"nothing of libraries: {first}")


def test_mapped(env):
    """A library that is mapped later all the same: how soon it is probed; later calls are exact."""
    later = Later(env)
    err = later.run(PREPARED_MS * PATIENCE, 500 * PATIENCE, 1234)
    found = re.search(r"liblater\.so\.1 was loaded while tracing: it was probed ([0-9.]+) ms later",
                      err)
    check(found, f"no note says when it was probed: {err}")
    env.remark = f"probed {found[1]} ms after mapping"
    check(float(found[1]) <= 2000 * PATIENCE, env.remark)
    check(re.search(r"^later_leaf +1,234 ", err, re.M), f"other calls: {err}")
    check(re.search("a call costs", err), f"what a call costs is not told: {err}")


def test_mapped_before(env):
    """It is mapped before anything is ready: it is probed as soon as that is, which a note says."""
    later = Later(env)
    err = later.run(0, PREPARED_MS * PATIENCE, 1234)
    check("liblater.so.1 was loaded while tracing, before library calls could be counted" in err,
          f"no note: {err}")
    check(re.search(r"^later_leaf +1,234 ", err, re.M), f"other calls: {err}")


def test_too_short(env):
    """What was mapped in a run that was over before is told."""
    err = Later(env).run(0, 0, 1)
    check(NOTHING in err, f"nothing is said of libraries: {err}")
    # On a busy machine it may be among many others that were not looked at.
    check("liblater.so.1 was loaded" in err and "its calls are missing" in err or
          "newly mapped files were not looked at" in err, f"no note of what is missing: {err}")
