# SPDX-License-Identifier: GPL-2.0-only
"""A file system that does not answer (bindfs, stopped): the service and everybody else go on."""

import os
import random
import shutil
import signal
import subprocess
import time

from harness import PATIENCE, check, equal, need, wait_for
from test_service import Service
from test_unused import FUNCTIONS, LAYERS, Mapper, armed

STANDS_LOAD = True

# Nothing waits for longer than this.
MOST_S = 3


class Stuck:
    """A folder with a library on a file system that can be stopped."""

    def __init__(self, env):
        need("bindfs")
        self.folder, real = env.path("bound"), env.path("real")
        os.mkdir(self.folder)
        os.mkdir(real)
        shutil.copy(os.path.join(env.stack, "libmio.so"), real)
        self.library = os.path.join(self.folder, "libmio.so")
        self.daemon = env.spawn(["bindfs", "-f", "-o", "allow_other", real, self.folder])
        env.cleanup(subprocess.run, ["umount", "-l", self.folder])
        env.cleanup(self.go_on)
        wait_for(lambda: os.path.exists(self.library), "bindfs")

    def stop(self):
        self.daemon.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.daemon.send_signal(signal.SIGCONT)


def in_time(what, function):
    begin = time.monotonic()
    result = function()
    took = time.monotonic() - begin
    check(took < MOST_S * PATIENCE, f"{what} took {took:.1f} s")
    return result


def check_others(env, service, name):
    """Others are traced, and who rewrites a traced library does not wait."""
    folder = env.path(name)
    os.mkdir(folder)
    library = shutil.copy(os.path.join(env.stack, "libmio.so"), folder)
    mapper = Mapper(env, library)
    wait_for(lambda: armed(service, folder) == FUNCTIONS, "the probes of another library")
    in_time("cp", lambda: subprocess.run(
        ["cp", os.path.join(env.stack, "libmio.so"), library], check=True))
    mapper.end()


def has_note(service, stuck):
    return any(stuck.library in note and "does not answer" in note
               for note in service.status()["notes"])


def test_first(env):
    """It stops before its library was looked at."""
    stuck = Stuck(env)
    service = Service(env, layers=LAYERS)
    mapper = Mapper(env, stuck.library, stop=stuck.daemon.pid)
    in_time("status", service.status)
    wait_for(lambda: has_note(service, stuck), "a note")
    check_others(env, service, "one")
    in_time("the end", service.stop)
    in_time("the start", lambda: (service.begin(), service.told("READY=1")))
    wait_for(lambda: has_note(service, stuck), "a note")
    check_others(env, service, "two")
    equal("probes there", armed(service, stuck.folder), 0)
    stuck.go_on()
    wait_for(lambda: armed(service, stuck.folder) == FUNCTIONS, "the probes of what answers again",
             seconds=60)
    mapper.end()
    service.stop()


def test_afterwards(env):
    """It stops when its library is probed; the process that maps it ends, and the service."""
    stuck = Stuck(env)
    service = Service(env, layers=LAYERS)
    mapper = Mapper(env, stuck.library)
    wait_for(lambda: armed(service, stuck.folder) == FUNCTIONS, "the probes")
    stuck.stop()
    in_time("status", service.status)
    check_others(env, service, "one")
    mapper.end()
    wait_for(lambda: not armed(service, stuck.folder), "the end of its probes")
    in_time("status", service.status)
    in_time("the end", service.stop)
    in_time("the start", lambda: (service.begin(), service.told("READY=1")))
    stuck.go_on()
    service.stop()


def test_any_moment(env):
    """It stops while its libraries are looked at, copied or probed, and goes on, again and again."""
    stuck = Stuck(env)
    service = Service(env, layers=LAYERS)
    moments, mappers = random.Random(1), []
    for i in range(6):
        name = f"{i}-libmio.so"
        shutil.copy(stuck.library, os.path.join(stuck.folder, name))
        mappers.append(Mapper(env, os.path.join(stuck.folder, name)))
        time.sleep(moments.random() / 5)
        stuck.stop()
        in_time("status", service.status)
        time.sleep(0.5)
        in_time("status", service.status)
        stuck.go_on()
    wait_for(lambda: armed(service, stuck.folder) == 6 * FUNCTIONS, "all probes", seconds=90)
    for mapper in mappers:
        mapper.end()
    service.stop()
