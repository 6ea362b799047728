# SPDX-License-Identifier: GPL-2.0-only
"""A virtual machine: qemu, the virtiofsd that shares this machine's files, and what it says."""

import collections
import ctypes
import selectors
import signal
import socket
import subprocess
import time

QEMU = "qemu-system-x86_64"
VIRTIOFSD = "/usr/lib/qemu/virtiofsd"
UP = b"tmtrace-init: up"
# Emulated, an instruction with a prefix that copies or clears goes byte by byte. A kernel that takes it
# for fast (erms, rep_good) needs up to 1.4 times the processor's time.
PLAIN_COPIES = "erms=off"
KERNEL_OPTIONS = ("console=ttyS0 panic=-1 oops=panic loglevel=4 mitigations=off net.ifnames=0 "
                  "random.trust_cpu=on rcupdate.rcu_expedited=1 clearcpuid=rep_good")


class NotBooted(Exception):
    """The kernel did not get as far as the command."""


class Died(Exception):
    """The kernel went down, or hangs, while the command ran."""


class TimedOut(Exception):
    """The command was not done in time."""


class Settings(collections.namedtuple("Settings", "kernel initrd disk smp memory shell cx16")):
    """
    Paths of the kernel's image, its initrd and its disk; processors; MiB; with a shell or not; with
    the instruction cmpxchg16b or not.
    """


PR_SET_PDEATHSIG = 1  # linux/prctl.h


def start(argv, fds, **kwargs):
    """Starts a program that inherits sockets, and that ends when this one does, in whatever way."""
    libc = ctypes.CDLL(None)
    return subprocess.Popen(argv, pass_fds=fds, stderr=subprocess.PIPE,
                            preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
                            **kwargs)


def virtiofsd():
    """Starts one that serves /: (its process, a socket connected to it)."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")  # an abstract name of the kernel's choice
        listener.listen(1)
        client = socket.socket(socket.AF_UNIX)
        client.connect(listener.getsockname())
        process = start(
            [VIRTIOFSD, f"--fd={listener.fileno()}", "-f", "-o", "source=/", "-o", "cache=always",
             "-o", "sandbox=chroot", "-o", "log_level=err", "-o", "announce_submounts"],
            [listener.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return process, client


class Machine:
    """One boot. `with Machine(settings) as machine: status = machine.run(...)`."""

    PORTS = ("console", "out", "err", "status")

    def __init__(self, settings):
        self.files, share = virtiofsd()
        pairs = {name: socket.socketpair() for name in self.PORTS}
        self.ends = {name: pair[0] for name, pair in pairs.items()}
        theirs = {name: pair[1] for name, pair in pairs.items()} | {"share": share}
        self.qemu = start(
            command_line(settings, {name: end.fileno() for name, end in theirs.items()}),
            [end.fileno() for end in theirs.values()],
            stdin=None if settings.shell else subprocess.DEVNULL,
            stdout=None if settings.shell else subprocess.DEVNULL)
        for end in theirs.values():
            end.close()
        self.console = b""
        self.status = b""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for process in (self.qemu, self.files):
            if process.poll() is None:
                process.kill()
            process.communicate()
        for end in self.ends.values():
            end.close()

    def last_words(self):
        """What is worth repeating of the console and of qemu's own errors."""
        lines = [line.strip() for line in self.console.decode("utf-8", "replace").splitlines()]
        for mark in ("Kernel panic", "tmtrace-init: ", "BUG: ", "watchdog: "):
            found = [line for line in lines if mark in line and "init: up" not in line]
            if found:
                return found[-1]
        said = b""
        for process in (self.qemu, self.files):
            if ended(process):
                said += process.stderr.read()
        return said.decode("utf-8", "replace").strip() or (lines or ["it said nothing"])[-1]

    def run(self, boot_seconds, seconds, handlers):
        """
        Waits for the end of the command; its exit status. handlers has a function for "console",
        "out" and "err", which gets the bytes as they come.
        """
        end, up = time.monotonic() + boot_seconds, False
        with selectors.DefaultSelector() as selector:
            for name, socket_end in self.ends.items():
                selector.register(socket_end, selectors.EVENT_READ, name)
            while selector.get_map():
                ready = selector.select(max(0, end - time.monotonic()))
                if not ready:
                    raise self.too_late(up, seconds if up else boot_seconds)
                for key, _ in ready:
                    data = key.fileobj.recv(65536)
                    if not data:
                        selector.unregister(key.fileobj)
                    self.take(key.data, data, handlers)
                if not up and UP in self.console:
                    end, up = time.monotonic() + seconds, True
        if not self.status.strip():
            raise (Died if up else NotBooted)(self.last_words())
        return int(self.status)

    def take(self, name, data, handlers):
        if name == "status":
            self.status += data
            return
        if name == "console":
            self.console = (self.console + data)[-1 << 20:]
        handlers[name](data)

    def too_late(self, up, seconds):
        if not up:
            return NotBooted(f"not up after {seconds} s: {self.last_words()}")
        if b"Kernel panic" in self.console:
            return Died(self.last_words())
        return TimedOut(f"not done after {seconds} s")


def ended(process, seconds=1):
    """Whether a process is over, or soon will be."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def command_line(settings, fds):
    """qemu's arguments; fds has the numbers of the sockets that it inherits."""
    options = [QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
               # Never by KVM: nested ones have been seen to offer it and to hang.
               "-machine", "q35,memory-backend=memory", "-accel", "tcg,thread=multi",
               "-cpu", f"max,la57=off,{PLAIN_COPIES}" + ("" if settings.cx16 else ",cx16=off"),
               "-smp", str(settings.smp), "-m", str(settings.memory),
               "-object", f"memory-backend-memfd,id=memory,size={settings.memory}M,share=on"]
    options += ["-chardev", f"socket,id=share,fd={fds['share']}",
                "-device", "vhost-user-fs-pci,chardev=share,tag=root,queue-size=1024",
                "-drive", f"file={settings.disk},if=none,id=disk,format=raw,cache=unsafe",
                "-device", "virtio-blk-pci,drive=disk", "-device", "virtio-serial-pci",
                "-chardev", f"socket,id=console,fd={fds['console']}",
                "-serial", "chardev:console"]
    if settings.shell:
        options += ["-chardev", "stdio,id=shell,signal=off", "-serial", "chardev:shell"]
    for port in ("out", "err", "status"):
        options += ["-chardev", f"socket,id={port},fd={fds[port]}",
                    "-device", f"virtserialport,chardev={port},name={port}"]
    return options + ["-kernel", settings.kernel, "-initrd", settings.initrd,
                      "-append", KERNEL_OPTIONS]
