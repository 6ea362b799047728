# SPDX-License-Identifier: GPL-2.0-only
"""The initrd of a test kernel: busybox, tests/kernels/init, and the modules that reach the disks."""

import lzma
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
BUSYBOX = "/bin/busybox"
# Where they are part of the kernel they are no modules.
EARLY_MODULES = ("virtio_pci", "virtio_console", "virtio_blk", "virtiofs")
APPLETS = ("sh", "mount", "umount", "mkdir", "modprobe", "cp", "switch_root", "reboot")

FOLDER, FILE, PROGRAM, LINK, DEVICE = 0o040755, 0o100644, 0o100755, 0o120777, 0o020600


class Archive:
    """A cpio archive in the "newc" format (cpio(5)), which the kernel unpacks."""

    def __init__(self):
        self.parts = []
        self.folders = set()

    def add(self, name, mode, data=b"", device=(0, 0)):
        """Adds an entry, and the folders that it is in."""
        parent = os.path.dirname(name)
        if parent and parent not in self.folders:
            self.folders.add(parent)
            self.add(parent, FOLDER)
        path = name.encode() + b"\0"
        inode, links = len(self.parts) + 1, 1
        fields = (inode, mode, 0, 0, links, 0, len(data), 0, 0, *device, len(path), 0)
        header = b"070701" + b"".join(b"%08x" % field for field in fields)
        self.parts.append(pad(header + path) + pad(data))

    def add_file(self, name, path, mode=PROGRAM):
        with open(path, "rb") as f:
            self.add(name, mode, f.read())

    def finish(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def pad(data):
    return data + bytes(-len(data) % 4)


def early_modules(base):
    """{file: those that it needs} of the modules that the initrd loads, and of those needed."""
    with open(os.path.join(base, "modules.dep"), encoding="ascii") as f:
        depends = dict(line.rstrip("\n").split(":") for line in f)
    files = {re.sub(r"\.ko.*", "", os.path.basename(path)).replace("-", "_"): path
             for path in depends}
    wanted = {files[name] for name in EARLY_MODULES if name in files}
    wanted = wanted.union(*(depends[path].split() for path in wanted))
    return {path: depends[path].split() for path in sorted(wanted)}


def plain_name(path):
    return path.removesuffix(".xz")


def plain_module(path):
    """A module as busybox can load it: not compressed."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
        return f.read()


def make(kernel, config, command, init=os.path.join(HERE, "init")):
    """The initrd for the kernel in a folder, with the texts of /config and /command."""
    archive = Archive()
    for name in ("proc", "sys", "dev"):
        archive.add(name, FOLDER)
        archive.folders.add(name)
    archive.add("dev/console", DEVICE, device=(5, 1))
    archive.add_file("init", init)
    archive.add_file("bin/busybox", BUSYBOX)
    for applet in APPLETS:
        archive.add(f"bin/{applet}", LINK, b"busybox")
    inside = os.path.join("lib", "modules", kernel.version)
    base = os.path.join(kernel.folder, inside)
    modules = early_modules(base)
    for path in modules:
        archive.add(os.path.join(inside, plain_name(path)), FILE,
                    plain_module(os.path.join(base, path)))
    depends = "".join(f"{plain_name(path)}: {' '.join(map(plain_name, needed))}\n"
                      for path, needed in modules.items())
    archive.add(os.path.join(inside, "modules.dep"), FILE, depends.encode())
    archive.add("config", FILE, config.encode())
    archive.add("command", FILE, command.encode())
    return archive.finish()
