# SPDX-License-Identifier: GPL-2.0-only
"""Measuring in a virtual machine, with another kernel and without KVM.

A module of the bench asks boot() for a figure: that boots a kernel by tests/kernels/boot and runs
the module's own file there, as

    python3 FILE BUILD QUICK ARGUMENT...

whose main is serve(). The figures come back as a line of JSON.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

import tracers
from measure import BenchError

MARK = "measured: "
ATTEMPTS = 3


def run_vm(command):
    """(exit status, output, error output); interrupted, it takes its VM with it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        out, err = process.communicate()
    except BaseException:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    return process.returncode, out, err


def boot(bench, kernel, file, *arguments):
    """What was measured. An emulated kernel panics now and then: then another one is tried."""
    command = [os.path.join(bench.source, "tests", "kernels", "boot"), kernel, "--smp", "1",
               "--build", bench.build, "--", "python3", os.path.abspath(file), bench.build,
               str(int(bench.quick)), *arguments]
    for _ in range(ATTEMPTS):
        status, out, err = run_vm(command)
        for line in out.splitlines():
            if line.startswith(MARK):
                return json.loads(line.removeprefix(MARK))
        if status == 1:
            break
    raise BenchError(f"in a VM with Linux {kernel}: {err.strip()[-300:]}")


def serve(inside):
    """In the VM: tells what inside(bench, ARGUMENT...) has measured."""
    build, quick, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        bench = tracers.Bench(build, 1, bool(int(quick)), work)
        try:
            print(MARK + json.dumps(inside(bench, *arguments)))
        except BenchError as error:
            sys.exit(str(error))
