# SPDX-License-Identifier: GPL-2.0-only
"""MPI-IO under mpirun and the HDF5 tools: their calls, and the file operations inside."""

import os

from harness import Skip, check, equal
from real_machine import check_records, compile_c, ext4, need, trace

SHARES_MACHINE = True

RANKS = 2
# As in real_mpi.c: calls of all ranks, and their bytes.
ROUND_BYTES = 25000 * 4
MPI_CALLS = {
    "MPI_Init": (RANKS, None),
    "MPI_Finalize": (RANKS, None),
    "MPI_Barrier": (RANKS, None),
    "MPI_File_open": (RANKS, None),
    "MPI_File_close": (RANKS, None),
    "MPI_File_sync": (RANKS, None),
    "MPI_File_write_at_all": (5 * RANKS, 5 * RANKS * ROUND_BYTES),
    "MPI_File_read_at": (6 * RANKS, 6 * RANKS * ROUND_BYTES),
    "MPI_Send": (7, 7 * 40),
    "MPI_Recv": (7, 7 * 40),
}


def skip_other_mpi(records):
    """Sizes are known only of Open MPI; so are the options of its mpirun."""
    libraries = {r["library"] for r in records.of("probe", layer="mpi") if r["hits"]}
    if not any("libmpi.so" in (library or "") for library in libraries):
        raise Skip(f"needs Open MPI: apt install libopenmpi-dev (found {libraries or 'none'})")


def check_mpi(records):
    got = {}
    for r in records.functions("mpi"):
        count, size = got.get(r["function"], (0, 0))
        got[r["function"]] = (count + r["count"], size + (r["bytes"] or 0))
        equal(f"errors of {r['function']}", r["errors"], 0)
    for function, (count, size) in MPI_CALLS.items():
        equal(f"calls and bytes of {function}", got.get(function), (count, size or 0))


def test_mpi_io(env):
    need("mpicc", "mpirun")
    program = compile_c(env, "real_mpi.c", compiler="mpicc")
    with ext4(env) as fs:
        file = os.path.join(fs.path, "file")
        # Ranks on this machine, whatever it is like: no other transport, no binding to cores.
        records = trace(env, "mpirun", "-n", str(RANKS), "--allow-run-as-root", "--oversubscribe",
                        "--bind-to", "none", program, file,
                        options=("--layer", "mpi,vfs,block"))
        wrote = records.total("vfs", "write", "bytes", mount=fs.path)
    check_records(records)
    skip_other_mpi(records)
    check_mpi(records)
    for function in ("MPI_File_open", "MPI_File_write_at_all", "MPI_File_read_at",
                     "MPI_File_sync"):
        check(records.total("mpi", function, "vfs_ns") > 0, f"{function}: no time in files")
    equal("MPI_Send: time in files", records.total("mpi", "MPI_Send", "vfs_ns"), 0)
    # Aggregation of a collective write may read and write more, never less.
    check(wrote >= 5 * RANKS * ROUND_BYTES, f"only {wrote} bytes were written to the mount")


def hdf5_file(env, folder):
    """A file of HDF5, made by a small program of the library's own compiler."""
    program = compile_c(env, "real_hdf5.c", compiler="h5cc")
    path = os.path.join(folder, "data.h5")
    status, _, err = env.run(program, path)
    check(status == 0, f"real_hdf5 ended with {status}: {err}")
    return path


def check_inside(records, *functions):
    for function in functions:
        calls = records.total("hdf5", function, "count")
        check(calls > 0, f"{function} was not seen")
        check(records.total("hdf5", function, "vfs_ns") > 0,
              f"{function}: {calls} calls, but no time in files")


def hdf5_tool(env, functions, *command):
    """Traces a tool on a file; {data} and {copy} in its arguments are the paths."""
    need(command[0], "h5cc")
    with ext4(env) as fs:
        paths = {"data": hdf5_file(env, fs.path), "copy": os.path.join(fs.path, "copy.h5")}
        fs.sync()
        records = trace(env, *(word.format(**paths) for word in command),
                        options=("--layer", "hdf5,vfs,block"), stdout=-3)
        moved = (records.total("vfs", "read", "bytes", mount=fs.path) +
                 records.total("vfs", "write", "bytes", mount=fs.path))
    check_records(records)
    check_inside(records, *functions)
    return moved


def test_h5dump(env):
    moved = hdf5_tool(env, ("H5Fopen", "H5Dread"), "h5dump", "-d", "/data", "{data}")
    check(moved >= 800_000, f"{moved} bytes of a file of 800000")


def test_h5ls(env):
    hdf5_tool(env, ("H5Fopen",), "h5ls", "-r", "{data}")


def test_h5repack(env):
    # What is written compressed goes to the file when it is closed.
    moved = hdf5_tool(env, ("H5Fopen", "H5Dread", "H5Fclose"), "h5repack", "-f", "GZIP=1",
                      "{data}", "{copy}")
    check(moved >= 800_000, f"{moved} bytes of a file of 800000")


def test_h5copy(env):
    hdf5_tool(env, ("H5Fopen", "H5Ocopy"), "h5copy", "-i", "{data}", "-o", "{copy}", "-s", "/data",
              "-d", "/data")
