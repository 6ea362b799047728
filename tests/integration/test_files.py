# SPDX-License-Identifier: GPL-2.0-only
"""Where a function may be: copies, stripped, static, oddly named, in another mount namespace."""

import glob
import os
import shutil

from harness import Skip, check, compare_clean, equal, need, sum_truths

SHARES_MACHINE = True

SAMPLE = "libsample.so.1"


def copy_library(env, folder):
    """A second file of libsample; its folder."""
    path = env.path(folder)
    os.mkdir(path)
    shutil.copy(os.path.join(env.stack, SAMPLE), path)
    return path


def libraries(records, function="sample_leaf"):
    return sorted(p["library"] for p in records.probes("sample", function) if p["recorded"])


def loads_with(env, *folders):
    """A load for each folder, which finds its libraries there first, and waits."""
    return [env.waiting_load("all", name=f"load{i}",
                             env={**os.environ, "LD_LIBRARY_PATH": folder})
            for i, folder in enumerate(folders)]


def trace_waiting(env, *loads):
    """Traces loads that wait, by --pid, from now to their end: the records, as the truth has them."""
    tracer = env.attach("--pid", ",".join(str(load.pid) for load in loads))
    for load in loads:
        load.go()
    truths = [load.finish() for load in loads]
    records = tracer.finish()
    compare_clean(records, sum_truths(*truths))
    return records


def test_two_copies(env):
    """Two inodes with the same functions: one record for a function, two for its probes."""
    copy = copy_library(env, "copy")
    records = trace_waiting(env, *loads_with(env, env.stack, copy))
    equal("libraries", libraries(records),
          sorted([os.path.join(env.stack, SAMPLE), os.path.join(copy, SAMPLE)]))
    equal("records of sample_leaf", len(records.functions("sample", "sample_leaf")), 1)


def test_stripped(env):
    """Without a symbol table there are still the dynamic symbols."""
    need("strip")
    folder = copy_library(env, "stripped")
    equal("strip", env.run("strip", "--strip-all", os.path.join(folder, SAMPLE))[0], 0)
    records, truth = env.trace_load("all", options=("--env", f"LD_LIBRARY_PATH={folder}"))
    compare_clean(records, truth)
    equal("libraries", libraries(records), [os.path.join(folder, SAMPLE)])


def build_static(env):
    """The whole stack in one executable; every call still goes through its symbol."""
    need("gcc")
    sources = [path for path in glob.glob(os.path.join(env.source, "tests", "stack", "*.c"))
               if os.path.basename(path) not in ("server.c", "chain.c", "load_no_stacks.c")]
    program = env.path("load-static")
    status, _, err = env.run("gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-fPIC",
                             "-fsemantic-interposition", "-fno-optimize-sibling-calls", "-pthread",
                             *sources, "-o", program, "-ldl")
    check(status == 0, f"the stack cannot be linked into one executable: {err}")
    return program


def test_static(env):
    """Functions that are linked into the executable itself."""
    program = build_static(env)
    env.load = program
    records, truth = env.trace_load("all", "--local")
    check(compare_clean(records, truth) > 80, "too few functions were traced")
    equal("libraries", libraries(records), [program])


def test_odd_name(env):
    """--lib names a file that no pattern matches, with a blank and a sign of equality in it."""
    odd = env.path("an odd=name.bin")
    shutil.copy(os.path.join(env.stack, SAMPLE), odd)
    records, truth = env.trace_load("dlopen", "--library", odd,
                                    options=("--lib", f"sample={odd}"))
    compare_clean(records, truth)
    equal("libraries", libraries(records), [odd])


def test_lib_of_two_layers(env):
    """One file may be the library of two layers: both are named."""
    stack = env.private_stack()
    env.load = os.path.join(stack, "load")
    motr = os.path.join(stack, "libmotr.so.2")
    records, truth = env.trace_load("all", options=("--lib", f"m0={motr}",
                                                    "--lib", f"addb={motr}"))
    compare_clean(records, truth)
    for layer, function in (("m0", "m0_op_wait"), ("addb", "m0_addb2_consume")):
        check(records.total(layer, function, "count") > 0, f"{function} was not traced")


def mount(env, *args):
    """Mounts something for the time of the test; Skip where it is not allowed."""
    status, _, err = env.run("mount", *args)
    if status:
        raise Skip(f"mount {' '.join(args)}: {err.strip()}")
    env.cleanup(env.run, "umount", "-l", args[-1])


def overlays(env, n):
    """A tmpfs with a folder that holds libsample, and n overlays above it: all the folders."""
    below = env.path("below")
    os.mkdir(below)
    mount(env, "-t", "tmpfs", "none", below)
    folders = [os.path.join(below, "lower")]
    os.mkdir(folders[0])
    shutil.copy(os.path.join(env.stack, SAMPLE), folders[0])
    for i in range(n):
        upper, work = (os.path.join(below, f"{name}{i}") for name in ("upper", "work"))
        folders.append(env.path(f"overlay{i}"))
        for folder in (upper, work, folders[-1]):
            os.mkdir(folder)
        mount(env, "-t", "overlay", "-o",
              f"lowerdir={folders[0]},upperdir={upper},workdir={work}", "overlay", folders[-1])
    return folders


def test_overlay(env):
    """As containers have it: one file, seen through two overlays and as it is, is probed once."""
    need("mount")
    records = trace_waiting(env, *loads_with(env, *overlays(env, 2)))
    equal("libraries", len(libraries(records)), 1)


def test_overlay_copied_up(env):
    """A file that is written through an overlay becomes another one, which is probed too."""
    need("mount")
    below, above = overlays(env, 1)
    with open(os.path.join(above, SAMPLE), "ab") as f:
        f.write(b"more")
    records = trace_waiting(env, *loads_with(env, below, above))
    equal("libraries", len(libraries(records)), 2)


def test_mount_namespace(env):
    """The path of a library means another file there: the one that is mapped is probed."""
    need("unshare", "sh", "mount")
    stack = env.private_stack()
    copy = copy_library(env, "elsewhere")
    script = 'mount --bind "$0" "$1" && shift && exec "$@"'
    bind = ("unshare", "-m", "sh", "-c", script, os.path.join(copy, SAMPLE),
            os.path.join(stack, SAMPLE))
    if env.run("unshare", "-m", "true")[0]:
        raise Skip("unshare -m is not permitted")
    load = env.waiting_load("all", load=os.path.join(stack, "load"), prefix=bind)
    records = trace_waiting(env, load)
    check(records.total("sample", "sample_leaf", "count") > 0, "nothing was traced")
