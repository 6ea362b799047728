# SPDX-License-Identifier: GPL-2.0-only
"""Libraries whose names say nothing: known by what they export; tools before them are none."""

import os
import shutil
import signal

from harness import check, equal, need, read_text, wait_for
from real_machine import trace

# Of MPI itself: each function has a second name, by which tools call it.
MPI = """
int PMPI_Init(int *argc, char ***argv) { return 0; }
int PMPI_Barrier(void *comm) { return 0; }
int MPI_Init(int *argc, char ***argv) __attribute__((weak, alias("PMPI_Init")));
int MPI_Barrier(void *comm) __attribute__((weak, alias("PMPI_Barrier")));
int MPI_File_open(void *comm) { return 0; }
"""
# A tool defines the functions anew, and passes their calls on.
TOOL = """
int PMPI_Init(int *argc, char ***argv), PMPI_Barrier(void *comm);
int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
int MPI_Barrier(void *comm) { return PMPI_Barrier(comm); }
int MPI_File_open(void *comm) { return 0; }
"""
LINKED = """
int MPI_Init(int *, char ***), MPI_Barrier(void *);
int main(void) { MPI_Init(0, 0); for (int i = 0; i < 10; i++) MPI_Barrier(0); return 0; }
"""
# Calls one function until it is told to go on, then the other one ten times.
LOADED = """
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int (*barrier)(void *) = dlsym(library, "MPI_Barrier");
	int (*open_file)(void *) = dlsym(library, "MPI_File_open");
	while (access(argv[2], F_OK)) { barrier(0); usleep(100000); }
	for (int i = 0; i < 10; i++) open_file(0);
	return 0;
}
"""


def compiled(env, name, text, *options):
    """The file that the text of a program makes."""
    need("gcc")
    source = env.path(f"{name}.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(text)
    status, _, err = env.run("gcc", "-w", "-O1", "-o", env.path(name), source, *options,
                             f"-Wl,-rpath,{env.dir}")
    equal(f"gcc {name}: {err}", status, 0)
    return env.path(name)


def library(env, name, text):
    return compiled(env, name, text, "-shared", "-fPIC", f"-Wl,-soname,{name}")


def barriers(records):
    return records.total("mpi", "MPI_Barrier", "count")


def test_linked(env):
    """One that the program is linked with."""
    program = compiled(env, "linked", LINKED, library(env, "libodd.so", MPI))
    equal("calls", barriers(trace(env, program, options=("--layer", "mpi"))), 10)


def test_loaded(env):
    """One that is mapped while somebody traces all of the machine."""
    odd, go = library(env, "libodd.so", MPI), env.path("go")
    program = compiled(env, "loaded", LOADED)
    tracer = env.attach("--all", "--layer", "mpi", "--interval", "0.2")
    load = env.spawn([program, odd, go])
    wait_for(lambda: '"MPI_Barrier"' in read_text(tracer.path), "it to be probed")
    with open(go, "w", encoding="ascii"):
        pass
    equal("status", load.wait(timeout=60), 0)
    records = tracer.finish(signal.SIGINT)
    equal("calls", records.total("mpi", "MPI_File_open", "count"), 10)


def test_tool(env):
    """A tool between the program and the library: each call counts once, as one of the library."""
    mpi = library(env, "libodd.so", MPI)
    tool = library(env, "libtool.so", TOOL)
    program = compiled(env, "linked", LINKED, tool, mpi)
    records = trace(env, program, options=("--layer", "mpi"))
    equal("calls", barriers(records), 10)
    equal("probes in the tool", [r for r in records.of("probe") if r["library"] == "libtool.so"], [])



def test_left_alone(env):
    """One is left alone where a process that nobody traces maps it beside what copies code."""
    odd, go = library(env, "libodd.so", MPI), env.path("go")
    copier = library(env, "libplain.so", "void MapStaticCodeToLargePages(void) { }")
    program = compiled(env, "linked", LINKED, odd)
    bystander = env.spawn([compiled(env, "loaded", LOADED), odd, go],
                          env={**os.environ, "LD_PRELOAD": copier})
    wait_for(lambda: odd in read_text(f"/proc/{bystander.pid}/maps"), "it to be mapped")
    records = trace(env, program, options=("--layer", "mpi"))
    equal("calls", barriers(records), 0)
    reasons = {r["reason"] for r in records.of("probe") if r["library"] == odd}
    check(reasons and all(f"process {bystander.pid} " in reason and "MapStaticCode" in reason
                          for reason in reasons), reasons)
    check(any(odd in note and "not traced" in note for note in records.notes()), records.notes())
    with open(go, "w", encoding="ascii"):
        pass
    equal("status", bystander.wait(timeout=60), 0)
    equal("calls", barriers(trace(env, program, options=("--layer", "mpi"))), 10)



def test_old_c_library(env):
    """Before 2.34 glibc's file was called libc-2.33.so: no function of it is counted, nor missing."""
    _, libraries, _ = env.run("ldd", "/bin/sleep")
    path = next(line.split()[2] for line in libraries.splitlines() if "libc.so.6 =>" in line)
    shutil.copy(path, env.path("libc-2.33.so"))
    os.symlink("libc-2.33.so", env.path("libc.so.6"))
    status, _, err = env.trace("--env", f"LD_LIBRARY_PATH={env.dir}", "--", "sleep", "0.3")
    equal(f"status: {err}", status, 0)
    check("no library is probed" in err, err)
    check("libc-2.33.so" not in err, err)


ODD = """
static int plain(int x) { return x + 7; }
static int (*choose(void))(int) { return plain; }
int odd_chosen(int x) __attribute__((ifunc("choose")));
int odd_plain(int x) { __asm__(""); return x; }
"""
CALLS = """
int odd_chosen(int), odd_plain(int);
int main(void) { return odd_chosen(1) + odd_plain(1) - 9; }
"""


def test_in_vain(env):
    """What a catalogue of the user's names that cannot be probed is said, with what was meant."""
    program = compiled(env, "calls", CALLS, library(env, "libodd.so", ODD))
    with open(env.path("odd.yaml"), "w", encoding="ascii") as f:
        f.write('layer: odd\nlibraries: libodd.so\ndefaults: {fail: never, returns: s32}\n'
                'functions:\n  - name: [odd_plain, odd_chosen, odd_plian, "none_*"]\n')
    records = trace(env, program, options=("--layer", "odd", "--probes", env.path("odd.yaml")))
    equal("calls", records.total("odd", "odd_plain", "count"), 1)
    notes = [note for note in records.notes() if "libodd.so" in note]
    equal("notes", notes, [
        f"{env.path('odd.yaml')}: none of libodd.so's functions is called so: "
        "odd_plian (did you mean odd_plain?), none_*",
        "libodd.so: odd_chosen: not traced, as the library chooses the code when it is loaded "
        "(IFUNC); name the functions that it chooses from"])
