# SPDX-License-Identifier: GPL-2.0-only
"""The machine on which it was measured, and the versions of what was measured."""

import os
import re
import shutil
import subprocess


def first_line(*command):
    """What a program says of itself; None where it is not installed."""
    if not shutil.which(command[0]):
        return None
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return (done.stdout.splitlines() or [""])[0].strip()


def version_of(*command):
    line = first_line(*command)
    match = re.search(r"\d+(\.[\w+~-]+)+", line or "")
    return match.group(0) if match else line


def processor():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown"


def memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def describe():
    """{what: text}, without the machine's name."""
    virtual = first_line("systemd-detect-virt")
    return {
        "kernel": os.uname().release,
        "processor": f"{processor()}, {os.cpu_count()} CPUs"
                     + (f", virtual machine ({virtual})" if virtual not in (None, "none") else ""),
        "memory": f"{memory_bytes() / (1 << 30):.1f} GiB",
    }


def peers():
    """{program: version} of those that are installed."""
    found = {"bpftrace": version_of("bpftrace", "--version"),
             "strace": version_of("strace", "--version"),
             "perf": version_of("perf", "--version")}
    return {name: version for name, version in found.items() if version}
