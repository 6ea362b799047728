# SPDX-License-Identifier: GPL-2.0-only
"""What a service leaves out while it runs, and puts back when it ends: nothing else loses a count."""

import signal

from harness import check, equal
from test_cgroup import finish
from test_continuity import OwnLoads, Writer
from test_service import Service

STANDS_LOAD = True

LAYERS = ("vfs", "block")


class Reloading(Service):
    """A service that reads its configuration again."""

    def reload(self, layers, **values):
        """What it says of its layers then."""
        self.write(layers=layers, **values)
        self.process.send_signal(signal.SIGHUP)
        self.told("READY=1")

    def left_out(self):
        """The layers of which parts are parked."""
        return {p["layer"] for p in self.status()["parked"]}


def check_ledgers_of_kernel(records):
    """Every hit has its fate, also of what was left out."""
    for p in records.of("probe"):
        if p["layer"] in LAYERS:
            equal(f"{p['layer']}.{p['function']}: fates of its hits",
                  p["recorded"] + p["filtered"] + p["lost"] + p["in_flight"], p["hits"])


def test_layers(env):
    """Layers of the kernel are left out and taken back; libraries count on, and nothing is lost."""
    loads, writer = OwnLoads(env), Writer(env)
    waiting = [loads.waiting(f"load-{i}") for i in range(3)]
    service = Reloading(env, layers="sample, vfs, block")
    truths = [finish(waiting[0])]
    writer.once()
    writer.check(service.records("--all"))
    service.reload("sample")
    equal("left out", service.left_out(), set(LAYERS))
    told = [p for p in service.status()["parked"] if p["layer"] == "vfs"]
    check("left out by the configuration, not counted since" in told[0]["reason"], told[0])
    check("parked     read (vfs): left out" in service.command("status"), "status says nothing")
    truths.append(finish(waiting[1]))
    written = writer.count
    writer.once()
    writer.count = written
    records = service.records("--all")
    writer.check(records)
    check_ledgers_of_kernel(records)
    # One alone, in another order, then all.
    service.reload("block, sample")
    equal("left out", service.left_out(), {"vfs"})
    service.reload("sample, block, vfs")
    equal("left out", service.left_out(), set())
    truths.append(finish(waiting[2]))
    writer.once()
    records = service.records("--all")
    writer.check(records)
    check_ledgers_of_kernel(records)
    loads.compare(records, truths, "sample")
    service.stop()


def test_restart(env):
    """A layer that the service has not begun with, and other libraries, need a restart."""
    service = Reloading(env, layers="sample, block")
    service.reload("sample, block, vfs")
    equal("left out", service.left_out(), set())
    service.reload("block")
    err = service.stop()
    equal("refusals", err.count("which need a restart; the service goes on as before"), 2)
