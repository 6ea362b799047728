# SPDX-License-Identifier: GPL-2.0-only
"""What the service costs programs that call without end, with a bound and without."""

import contextlib
import json
import os
import signal
import socket

import tracers
from measure import BenchError, Table, measure, ratio, show, show_percent

TITLE = "The service's bound"
PLAIN, FREE, BOUND = "no service", "max_overhead: none", "max_overhead: 1%"
# Two seconds are the time that the service has to settle.
LOADS = {
    "one function, 1,000,000 calls/s": ("--threads", "1", "--work", "3000", "push"),
    "500 functions, 4 threads": ("--threads", "4", "--work", "60000", "many"),
    "4 KiB reads of a cached file": ("--threads", "1", "pread"),
}
CONFIG = """layers: [bench, vfs]
probes: {catalogue}
history: none
log: none
snapshot: none
socket: {work}/bench.sock
{bound}
"""


@contextlib.contextmanager
def service(bench, bound):
    """The service, once it is ready."""
    config, notify = (os.path.join(bench.work, name) for name in ("bench.conf", "bench.notify"))
    with open(config, "w", encoding="utf-8") as f:
        f.write(CONFIG.format(catalogue=tracers.write_catalogue(bench, 500, "bench_push"),
                              work=bench.work, bound=bound))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(notify)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(notify)
        manager.settimeout(tracers.READY_SECONDS)
        command = ["env", f"NOTIFY_SOCKET={notify}", bench.tmtrace, "service", "--config", config]
        with tracers.background(command, signal.SIGTERM) as process:
            try:
                while b"READY=1" not in manager.recv(4096).splitlines():
                    pass
            except TimeoutError as error:
                raise BenchError("the service is not ready") from error
            yield process
        tracers.finish(process)


def run_load(bench, options):
    times = ("--skip", "0.1", "--seconds", "0.2") if bench.quick else ("--skip", "2", "--seconds", "6")
    out, _ = tracers.run(os.path.join(bench.tools, "bench-burst"), *times, *options)
    return json.loads(out)


def subject(bench, bound, options):
    if bound == PLAIN:
        return run_load(bench, options)
    # A service of its own for each: nothing is parked at its begin.
    with service(bench, bound):
        return run_load(bench, options)


def run(bench):
    subjects = {(load, bound): lambda bound=bound, options=options: subject(bench, bound, options)
                for load, options in LOADS.items() for bound in (PLAIN, FREE, BOUND)}
    samples, notes = measure(bench.rounds, subjects)
    costs = Table("CPU time of a call, with what the program does besides; from two seconds after "
                  "the begin on, for six seconds", ["", PLAIN, FREE, BOUND, f"{FREE} adds",
                                                   f"{BOUND} adds"])
    for load in LOADS:
        plain, free, bound = (samples.of((load, b), "ns") for b in (PLAIN, FREE, BOUND))
        costs.add(load, show(plain, "ns"), show(free, "ns"), show(bound, "ns"),
                  show_percent(ratio(free, plain)), show_percent(ratio(bound, plain)))
    return [costs], notes
