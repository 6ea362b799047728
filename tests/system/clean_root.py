# SPDX-License-Identifier: GPL-2.0-only
"""The package in a root that has but what it needs, without a service manager: as in a container."""

import ctypes
import os
import subprocess

from world import CONFIG, check, equal

CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x00020000, 0x4000, 0x40000


class Root:
    """An unpacked root; mounts are seen by this process and its children alone."""

    def __init__(self, archive, folder, package, newer):
        self.folder = folder
        subprocess.run(["tar", "-C", folder, "-xpf", archive, "--numeric-owner",
                        "--exclude=./dev/*"], check=True)
        os.chmod(folder, 0o755)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNS) or libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None):
            raise OSError(ctypes.get_errno(), "no mounts of its own")
        for source, kind in (("proc", "proc"), ("sys", "sysfs")):
            subprocess.run(["mount", "-t", kind, kind, os.path.join(folder, source)], check=True)
        subprocess.run(["mount", "--rbind", "/dev", os.path.join(folder, "dev")], check=True)
        for name, path in (("first.deb", package), ("second.deb", newer)):
            subprocess.run(["cp", path, os.path.join(folder, "root", name)], check=True)
        self.before = self.files()

    def run(self, script):
        done = subprocess.run(["chroot", self.folder, "bash", "-c", script], text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                                   "DEBIAN_FRONTEND": "noninteractive"})
        return done.returncode, done.stdout.strip()

    def output(self, script):
        status, said = self.run(script)
        equal(f"`{script}`: {said}: status", status, 0)
        return said

    def files(self):
        """All but what apt and dpkg keep of any package."""
        found = self.output("find / -xdev ! -path '/var/lib/dpkg/*' ! -path '/var/log/*' "
                            "! -path '/var/cache/*' ! -path '/var/lib/apt/*' ! -path '/tmp/*'")
        return set(found.splitlines())


def install(root):
    """It installs, though no service can run; the program does."""
    root.output("apt-get install -qq -y /root/first.deb")
    check(root.output("tmtrace --version").startswith("tmtrace "), "--version")
    equal("--check", root.output("tmtrace service --check"), f"{CONFIG}: right")
    check("/usr/share/tmtrace/probes" not in root.output("tmtrace list --layer mio -- true"), "")
    check(os.path.islink(root.folder + "/etc/systemd/system/multi-user.target.wants/tmtrace.service"),
          "the service is not enabled")
    check(not [path for path in root.files() if "tests" in path and "tmtrace" in path], "tests")


def trace(root):
    """It traces, as the kernel of this machine allows."""
    status, said = root.run("tmtrace --layer vfs -- cat /etc/hostname")
    check(status == 0 and "read" in said, said)


def service(root):
    """The service runs there without a manager, and without a log."""
    root.output("printf 'log: none\\nhistory: none\\nlayers: [vfs]\\n' >/root/own.yaml")
    said = root.output("timeout -s TERM 20 bash -c 'tmtrace service --config /root/own.yaml & "
                       "until tmtrace status 2>/dev/null; do sleep 0.2; done; kill %1; wait'")
    check("vfs (" in said, said)
    root.output("rm /root/own.yaml")


def upgrade(root):
    """What the administrator has changed stays."""
    root.output(f"echo 'interval: 7' >>{CONFIG}")
    root.output("apt-get install -qq -y /root/second.deb")
    check(root.output(f"tail -n 1 {CONFIG}") == "interval: 7", "the change is lost")
    equal("version", root.output("dpkg-query -W -f='${Version}' tmtrace").rsplit("-", 1)[1], "2")
    equal("verify", root.output(f"dpkg --verify tmtrace | grep -v {CONFIG} || true"), "")


def remove(root):
    """Its configuration stays."""
    root.output("apt-get remove -qq -y tmtrace")
    root.output(f"test -e {CONFIG} && ! test -e /usr/bin/tmtrace")


def purge(root):
    """Nothing is left."""
    root.output("apt-get purge -qq -y tmtrace")
    equal("left", sorted(root.files() - root.before), [])


STEPS = (install, trace, service, upgrade, remove, purge)
