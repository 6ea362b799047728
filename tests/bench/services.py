# SPDX-License-Identifier: GPL-2.0-only
"""A service of the bench's own."""

import contextlib
import os
import signal
import socket

import tracers
from measure import BenchError

CONFIG = """layers: [{layers}]
probes: {catalogue}
log: none
snapshot: none
socket: {socket}
max_overhead: {max_overhead}
{more}
"""


@contextlib.contextmanager
def service(bench, catalogue, layers, *more, max_overhead="none"):
    """The service, once it is ready; more: lines of its configuration."""
    config, notify, listens = (os.path.join(bench.work, "bench." + name)
                               for name in ("conf", "notify", "sock"))
    with open(config, "w", encoding="utf-8") as f:
        f.write(CONFIG.format(layers=layers, catalogue=catalogue, socket=listens,
                              max_overhead=max_overhead, more="\n".join(more)))
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
            process.socket = listens
            yield process
        tracers.finish(process)
