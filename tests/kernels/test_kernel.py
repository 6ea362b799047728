# SPDX-License-Identifier: GPL-2.0-only
"""What only the test kernels are held to: the mechanisms that are chosen there; that all loads.

Run by itself in such a kernel, this prints the table. After a change that is meant:

    tests/kernels/boot 6.1 --env TMTRACE_TEST_KERNEL=6.1 -- python3 tests/kernels/test_kernel.py \
        > tests/kernels/golden/6.1.txt
"""

import difflib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "tests", "integration"))

from harness import Env, Records, Skip, check, equal, read_text  # noqa: E402 (its folder had to be named first)
from test_all import all_exact  # noqa: E402

KERNEL_LAYERS = ("vfs", "block")


def how_recorded(records, probe):
    found = records.functions(probe["layer"], probe["function"])
    return "timed" if any(r["total_ns"] for r in found) else "counted"


def mechanisms(records):
    return [r for r in records.of("run") if r.get("final")][-1]["mechanisms"]


def files_alone(env):
    """Without libraries, system calls that are no operations on files are of no interest."""
    path = env.path("alone.json")
    status, _, err = env.trace("--json", path, "--layer", "vfs", "--", "true")
    check(status == 0, f"--layer vfs -- true ended with {status}: {err}")
    return mechanisms(Records(path))


def table(env):
    """
    Lines "LAYER FUNCTION MECHANISM", of the kernel's layers; of libraries a line for each mechanism
    of a layer's functions, with how they are recorded, and of "sample" for each function. "layer"
    is what the run says, "alone" what it says without libraries.
    """
    records, _ = all_exact(env)
    lines = set()
    for probe in records.of("probe", final=True):
        mechanism = probe["mechanism"] or probe["state"]
        if probe["layer"] in KERNEL_LAYERS:
            lines.add(f"{probe['layer']} {probe['function']} {mechanism}")
        elif probe["hits"]:
            function = probe["function"] if probe["layer"] == "sample" else "*"
            lines.add(f"{probe['layer']} {function} {mechanism} {how_recorded(records, probe)}")
    lines |= {f"layer {layer} {mechanism}" for layer, mechanism in mechanisms(records).items()}
    lines |= {f"alone {layer} {mechanism}" for layer, mechanism in files_alone(env).items()}
    return sorted(lines)


def test_mechanisms(env):
    """
    All functions of the sample stack are exact; a mechanism that is silently worse than it was
    fails, and one that is better, too.
    """
    kernel = os.environ.get("TMTRACE_TEST_KERNEL")
    if not kernel:
        raise Skip("not one of the test kernels (TMTRACE_TEST_KERNEL)")
    golden = read_text(os.path.join(HERE, "golden", kernel + ".txt")).splitlines()
    differences = [line for line in difflib.unified_diff(golden, table(env), lineterm="", n=0)
                   if not line.startswith(("---", "+++", "@@"))]
    check(not differences, f"not as in golden/{kernel}.txt: {', '.join(differences)}")


EVERYTHING = ("--calls", "-g", "--objects", "--per-process", "--addb")


def test_everything(env):
    """All at once, with libraries and without: what the verifier refuses first, for its stack."""
    for options in (EVERYTHING, (*EVERYTHING[:-1], "--layer", "vfs,block")):
        path = env.path("everything.json")
        status, _, err = env.trace("--json", path, *options, "--", "true")
        check(status == 0, f"{' '.join(options)} ended with {status}: {err}")
        check(Records(path).of("object"), f"{' '.join(options)}: no file was counted")


WRITERS = """
for writer in 1 2 3 4; do
    for i in $(seq 30); do
        dd if=/dev/zero of="$0.$writer" bs=4096 count=100 status=none
    done &
done
wait
"""


def test_short_processes(env):
    """Of many processes that end, no write is missed while their accounts are given back."""
    path = env.path("short.json")
    status, _, err = env.trace("--json", path, "--processes", "--layer", "vfs", "--", "sh", "-c",
                               WRITERS, env.path("written"))
    check(status == 0, f"ended with {status}: {err}")
    records = Records(path)
    equal("writes", sum(r["count"] for r in records.functions("vfs", "write", fs_type="ext4")),
          4 * 30 * 100)
    told = [r["posix_write_count"] for r in records.of("process") if r["comm"] == "dd"]
    equal("of processes", (len(told), sum(told)), (4 * 30, 4 * 30 * 100))


def main():
    env = Env(os.path.join(SOURCE, "build"), SOURCE)
    try:
        print(*table(env), sep="\n")
    finally:
        env.close()


if __name__ == "__main__":
    main()
