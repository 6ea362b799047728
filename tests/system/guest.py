# SPDX-License-Identifier: GPL-2.0-only
"""A machine with systemd: tests/kernels' machine with a disk of its own, and what runs there."""

import base64
import collections
import os
import shlex
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "tests", "kernels"))

import initrd  # noqa: E402 (its folder had to be named first)
import machine  # noqa: E402

BOOT_SECONDS = 300
# Kernels by qemu's emulation panic early now and then.
ATTEMPTS = 3

Done = collections.namedtuple("Done", "status output")


class Gone(Exception):
    """The machine is not up, or does not answer."""


class Guest:
    """
    One machine, its disk and the folder that is shared with it. start() boots it, and again after
    its end: the disk remains.
    """

    def __init__(self, kernel, disk, folder, cx16):
        path = os.path.join(folder, "initrd")
        with open(path, "wb") as f:
            f.write(initrd.make(kernel, "", "", os.path.join(HERE, "init")))
        self.settings = machine.Settings(kernel.image, path, disk, 1, 1536, False, cx16)
        self.machine = None
        self.reader = None
        self.buffer = b""

    def start(self):
        for attempt in range(ATTEMPTS):
            self.machine = machine.Machine(self.settings)
            self.buffer = b""
            self.reader = threading.Thread(target=self.read_console, daemon=True)
            self.reader.start()
            try:
                if self.line(BOOT_SECONDS) == b"up":
                    return
            except Gone:
                if attempt + 1 == ATTEMPTS:
                    raise
            self.stop()

    def read_console(self):
        console = self.machine.ends["console"]
        while True:
            try:
                data = console.recv(65536)
            except OSError:
                return
            if not data:
                return
            self.machine.console = (self.machine.console + data)[-1 << 20:]

    def line(self, seconds):
        """The next line of the agent, without its end."""
        end = time.monotonic() + seconds
        port = self.machine.ends["out"]
        while b"\n" not in self.buffer:
            port.settimeout(max(0.01, end - time.monotonic()))
            try:
                data = port.recv(1 << 20)
            except (socket.timeout, ConnectionError) as error:
                raise Gone(f"{error!r}: {self.machine.last_words()}") from error
            if not data:
                raise Gone(self.machine.last_words())
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def run(self, script, user=None, seconds=300):
        """Runs a script there by bash, as root or another user: Done."""
        if user:
            script = f"exec runuser -u {user} -- bash -c {shlex.quote(script)}"
        self.machine.ends["out"].sendall(base64.b64encode(script.encode()) + b"\n")
        status, _, output = self.line(seconds).partition(b" ")
        return Done(int(status), base64.b64decode(output).decode("utf-8", "replace").strip())

    def output(self, script, user=None, seconds=300):
        """The same where it must end well: what it printed."""
        done = self.run(script, user, seconds)
        if done.status:
            raise AssertionError(f"`{script}` ended with {done.status}: {done.output[-2000:]}")
        return done.output

    def wait_for(self, script, what, seconds=120):
        """Runs a script until it prints something and ends well; what it printed."""
        end = time.monotonic() + seconds
        while True:
            done = self.run(script)
            if done.status == 0 and done.output:
                return done.output
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not after {seconds} s; last: {done.output[-1000:]}")
            time.sleep(1)

    def reboot(self):
        """As an administrator does it; qemu ends there, and is started again."""
        script = "systemd-run --quiet --on-active=1 systemctl reboot"
        self.output(script)
        try:
            self.machine.qemu.wait(300)
        except Exception as error:
            raise Gone(f"no reboot: {self.machine.last_words()}") from error
        self.stop()
        self.start()

    def stop(self):
        if self.machine:
            self.machine.__exit__()
            self.reader.join(10)
            self.machine = None
