# SPDX-License-Identifier: GPL-2.0-only
"""Where calls are timed: before the `ret`, where that is cheap, as on the `ret`.

The same load is traced with probes on every `ret` (--exit ret) and where they are cheap (the
default). Calls, the sums of what the functions return, their failures by number and the losses must
be the same; what differs between two runs on the `ret` is not held against the others.
"""

import re
import shutil

from harness import check, equal
from real_machine import compile_c, need
from test_sites import folder, hdf5_load, mpi_both_ways, observe, private_copy

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
    both_ways(env, *hdf5_load(env), least=100)


for _test in test_sqlite, test_libc, test_hdf5:
    _test.time_limit = LONG


def test_mpi(env):
    """MPI-IO of two ranks, by the catalogue: calls, bytes and errors of every function."""
    ret, cheap = mpi_both_ways(env, RET)
    equal("calls, bytes and errors with exits before the ret", cheap, ret)
