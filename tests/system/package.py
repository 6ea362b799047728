# SPDX-License-Identifier: GPL-2.0-only
"""The package as a file: what lintian says of it, and that building it again gives the same one."""

import os
import shutil
import subprocess
import tempfile

from root import Lacking

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = ("Makefile", "README.md", "CHANGELOG.md", "LICENSE", "bpf", "docs", "headers", "probes",
           "scripts", "tests", "user", "vmlinux")


def build(folder, version, copy_to, revision="1", source=SOURCE, **environment):
    """Builds the package of a source tree in a folder, where it is the only one; its copy's path."""
    done = subprocess.run([os.path.join(source, "scripts/package/build"), "--revision", revision,
                           version, folder], cwd=source, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **environment}, check=False)
    if done.returncode:
        raise AssertionError(f"scripts/package/build ended with {done.returncode}")
    return shutil.copy2(os.path.join(source, done.stdout.split()[-1]), copy_to)


class Package:
    def __init__(self, path, version):
        self.path, self.version = path, version


def lintian(package):
    """lintian has nothing to say."""
    if not shutil.which("lintian"):
        raise Lacking("lintian is missing: apt-get install lintian")
    done = subprocess.run(["lintian", "-I", "--pedantic", "--allow-root", package.path],
                          stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0 and not done.stdout, done.stdout


def reproducible(package):
    """The same sources in another folder give the same bytes."""
    date = subprocess.run(["dpkg-parsechangelog", "-l", "-", "-S", "Timestamp"], check=True, text=True,
                          input=changelog(package), stdout=subprocess.PIPE).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="tmtrace-package.") as folder:
        for name in SOURCES:
            if os.path.isdir(os.path.join(SOURCE, name)):
                shutil.copytree(os.path.join(SOURCE, name), os.path.join(folder, name))
            else:
                shutil.copy2(os.path.join(SOURCE, name), folder)
        again = build(os.path.join(folder, "build/package"), package.version, folder, source=folder,
                      SOURCE_DATE_EPOCH=date)
        with open(package.path, "rb") as first, open(again, "rb") as second:
            assert first.read() == second.read(), f"{package.path} and {again} differ"


def changelog(package):
    """The text of its changelog.Debian.gz."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package.path], stdout=subprocess.PIPE) as tar:
        data = subprocess.run(["tar", "-xO", "./usr/share/doc/tmtrace/changelog.Debian.gz"],
                              stdin=tar.stdout, stdout=subprocess.PIPE, check=True).stdout
    return subprocess.run(["zcat"], input=data, stdout=subprocess.PIPE, check=True).stdout.decode()


STEPS = (lintian, reproducible)
