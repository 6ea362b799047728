# SPDX-License-Identifier: GPL-2.0-only
"""Where calls are timed: before the `ret`, where that is cheap, as on the `ret`.

The same load is traced with probes on every `ret` (--exit ret) and where they are cheap (the
default). Calls, the sums of what the functions return, their failures by number and the losses must
be the same; what differs between two runs on the `ret` is not held against the others.
"""

import os
import re
import shutil

from harness import check, check_ledgers, equal
from real_machine import compile_c, need, run, trace
from test_real_libraries import hdf5_file, skip_other_mpi
from test_sites import folder, observe, private_copy

SHARES_MACHINE = True

RET = ("--exit", "ret")
LONG = 600


def classes(env, library, *command):
    """{function: how its exits fare}, by tmtrace list --sites, with the catalogue of observe()."""
    _, out, _ = env.trace("list", "--sites", "--probes", env.path("all.yaml"), "--layer", "all",
                          "--lib", f"all={library}", "--", *command)
    return dict(re.findall(r"^all +(\S+) +0x[0-9a-f+]+ +\S+ +\S+ +(\S+) ", out, re.M))


def both_ways(env, program, library, *args, least):
    """Traces a program with exits on the `ret` and where they are cheap."""
    library = private_copy(env, program, library)
    ret, one = observe(env, ["*"], "return", library, RET, program, *args)
    cheap, other = observe(env, ["*"], "return", library, (), program, *args)
    equal("the functions called", set(cheap), set(ret))
    differ = {name for name in ret if cheap[name] != ret[name]}
    unsure = set()
    if differ:
        again, _ = observe(env, ["*"], "return", library, RET, program, *args)
        unsure = {name for name in differ if again.get(name) != ret[name]}
        sure = {name: (ret[name], cheap[name]) for name in differ - unsure}
        check(not sure, f"before the ret something else is seen: {sure}")
    equal("losses", other.losses(), one.losses())
    found = classes(env, library, program, *args)
    counts = {}
    for name in ret:
        counts[found.get(name)] = counts.get(found.get(name), 0) + ret[name][0]
    replaced = sum(found.get(name) in ("emulated", "mixed") for name in ret)
    check(replaced >= least, f"only {replaced} functions were called with exits before the ret")
    env.remark = (f"{len(ret)} functions, {replaced} of them with exits before the ret; "
                  f"{len(unsure)} not comparable; calls by class: {counts}")


def test_sqlite(env):
    need("sqlite3", "setarch", "ldd")
    with open(env.path("load.sql"), "w", encoding="ascii") as f:
        f.write("create table t(a integer primary key, b text, c real);\n"
                "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) "
                "insert into t select i, 'x' || i, i * 1.5 from n;\n"
                "create index tb on t(b);\n"
                "select count(*), sum(c) from t where b like 'x1%';\n"
                "select b, c from t order by c desc limit 5;\n"
                "update t set c = c + 1 where a % 7 = 0;\ndelete from t where a % 5 = 0;\n")
    both_ways(env, shutil.which("sqlite3"), "libsqlite3.so.0", ":memory:",
              f".read {env.path('load.sql')}", least=100)


def test_libc(env):
    need("cc", "setarch", "ldd")
    program = compile_c(env, "real_calls.c", "-O0", "-fno-builtin", "-w", "-D_GNU_SOURCE")
    both_ways(env, program, "libc.so.6", folder(env), "2", least=40)


def test_hdf5(env):
    need("h5dump", "h5cc", "setarch", "ldd")
    program = shutil.which("h5dump")
    library = re.search(r"(libhdf5\S*\.so\S*) => ", run("ldd", program))
    check(library, "h5dump needs no libhdf5")
    both_ways(env, program, library[1], "-d", "/data", "-s", "0", "-c", "1000",
              hdf5_file(env, env.dir), least=100)


for _test in test_sqlite, test_libc, test_hdf5:
    _test.time_limit = LONG


def test_mpi(env):
    """MPI-IO of two ranks, by the catalogue: calls, bytes and errors of every function."""
    need("mpicc", "mpirun")
    program = compile_c(env, "real_mpi.c", compiler="mpicc")
    seen = {}
    for name, options in (("ret", RET), ("cheap", ())):
        records = trace(env, "mpirun", "-n", "2", "--allow-run-as-root", "--oversubscribe",
                        "--bind-to", "none", program, os.path.join(folder(env), "file"),
                        options=("--layer", "mpi", *options))
        skip_other_mpi(records)
        check_ledgers(records)
        seen[name] = {}
        for r in records.functions("mpi"):
            count, size, errors = seen[name].get(r["function"], (0, 0, 0))
            seen[name][r["function"]] = (count + r["count"], size + (r["bytes"] or 0),
                                         errors + r["errors"])
    equal("calls, bytes and errors with exits before the ret", seen["cheap"], seen["ret"])
