# SPDX-License-Identifier: GPL-2.0-only
"""Builds the programs of tests/harm and their library, as many at a time as there are processors.

What is built is kept, and made again when its sources, the headers or the commands change.
"""

import concurrent.futures
import hashlib
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "programs")
LIBRARY = os.path.join(HERE, "library")
TIME_LIMIT = 300


class NotBuilt(Exception):
    """A compiler has failed."""


def lacking(program):
    """What the machine lacks to build or run a program, in words; None: nothing."""
    for needed, package in program.needs:
        if not (os.path.exists(needed) if needed.startswith("/") else shutil.which(needed)):
            return f"{needed} is missing: apt-get install {package}"
    return None


def sources_of(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def digest(commands, files):
    total = hashlib.sha256(repr(commands).encode())
    for path in files:
        with open(path, "rb") as f:
            total.update(f.read())
    return total.hexdigest()


def run(command, environment):
    done = subprocess.run(command, env={**os.environ, **environment}, timeout=TIME_LIMIT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode:
        raise NotBuilt(f"{' '.join(command)}: {' '.join(done.stdout.split())[-1000:]}")


def make(target, commands, files, environment=None):
    """Runs commands that make a file, unless it was made by the same ones of the same files."""
    stamp, wanted = target + ".made", digest(commands, files)
    if os.path.exists(target) and os.path.exists(stamp):
        with open(stamp, encoding="ascii") as f:
            if f.read() == wanted:
                return
    for command in commands:
        run(command, environment or {})
    with open(stamp, "w", encoding="ascii") as f:
        f.write(wanted)


class Builder:
    """Where things are built: folder/shared, or folder/NAME for a program with its own library."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.shared = os.path.join(self.folder, "shared")

    def place(self, program):
        return os.path.join(self.folder, program.name) if program.own else self.shared

    def library(self, program):
        return os.path.join(self.place(program), "libtmharm.so")

    def target(self, program):
        """Its file: the catalogue knows by the name those that hold the traced functions."""
        if program.source.endswith(".py"):
            return os.path.join(SOURCES, program.source)
        return os.path.join(self.place(program), f"harm_{program.name}")

    def traced_file(self, program):
        """The file with the traced functions that it calls."""
        path = (program.traced or "{library}").format(program=self.target(program),
                                                      library=self.library(program))
        return os.path.realpath(path)

    def traced_files(self, programs):
        return sorted({self.traced_file(program) for program in programs})

    def make_library(self, place):
        os.makedirs(place, exist_ok=True)
        files, target = sources_of(LIBRARY), os.path.join(place, "libtmharm.so")
        code = [path for path in files if path.endswith((".c", ".S"))]
        make(target, [["gcc", "-O2", "-fPIC", "-shared", "-fexceptions", "-fcf-protection=none",
                       *code, "-Wl,-soname,libtmharm.so", "-o", target]], files)

    def compile(self, program):
        """The commands that build a program, and their environment."""
        source = os.path.join(SOURCES, program.source)
        target, place = self.target(program), self.place(program)
        linked = ["-L", place, "-ltmharm", "-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags"]
        if source.endswith(".rs"):
            rustc = "/usr/bin/rustc" if os.path.exists("/usr/bin/rustc") else "rustc"
            return [[rustc, "-O", "-o", target, source, "-L", place, "-l", "tmharm",
                     "-C", "link-arg=-Wl,-rpath,$ORIGIN"]], {"RUSTC_BOOTSTRAP": "1"}
        if source.endswith(".go"):
            return [["go", "build", "-o", target, source]], {
                "GO111MODULE": "off", "GOCACHE": os.path.join(self.folder, "go-cache"),
                "GOPATH": os.path.join(self.folder, "go-path"), "GOTOOLCHAIN": "local",
                "GOFLAGS": "", "CGO_CFLAGS": f"-I{LIBRARY}",
                "CGO_LDFLAGS_ALLOW": ".*", "CGO_LDFLAGS": f"-L{place} -Wl,-rpath,{place}"}
        compiler = "g++" if source.endswith(".cpp") else "gcc"
        objects, commands = [], []
        for more in program.more:
            objects.append(f"{target}.{more}.o")
            commands.append(["gfortran", "-O2", "-c", os.path.join(SOURCES, more),
                             "-J", place, "-o", objects[-1]])
        if program.traced == "{program}":  # the library's functions are the program's own
            objects += [path for path in sources_of(LIBRARY) if path.endswith((".c", ".S"))]
            compiler, linked = "gcc", ["-lstdc++"]
        return [*commands, [compiler, "-O2", "-Wall", "-Werror", "-pthread", "-D_GNU_SOURCE",
                            f"-I{LIBRARY}", source, *objects, *program.flags, *linked,
                            "-o", target]], {}

    def make_program(self, program):
        if program.source.endswith(".py"):
            return
        commands, environment = self.compile(program)
        headers = [path for path in sources_of(SOURCES) if path.endswith(".h")]
        sources = [os.path.join(SOURCES, name) for name in (program.source, *program.more)]
        if program.source == "static_exception.cpp":
            sources.append(os.path.join(SOURCES, "exception.cpp"))
        make(self.target(program), commands,
             [*sources, *headers, *sources_of(LIBRARY), self.library(program)], environment)

    def build(self, programs):
        """Builds programs: {name: why it was not built}."""
        failures = {}
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for place in {self.place(program) for program in programs}:
                self.make_library(place)
            built = {program.name: pool.submit(self.make_program, program)
                     for program in programs if not lacking(program)}
            for name, result in built.items():
                try:
                    result.result()
                except (NotBuilt, OSError, subprocess.SubprocessError) as error:
                    failures[name] = str(error)
        return failures
