# SPDX-License-Identifier: GPL-2.0-only
"""Slurm: what its epilog leaves of a job on each node, with the real slurmctld and slurmd."""

import json
import os
import re
import stat

from harness import Records, check, equal, read_text, wait_for
from slurm_site import Site
from test_ranks import ext4
from test_service import Service

SHARES_MACHINE = True

BLOCK = 4096

# A rank writes so many blocks; one of them waits for the disk each time. Then it hangs.
RANKS = """
srun -n 4 sh -c '
    count=$((100 * (SLURM_PROCID + 1))) flag=append
    [ $SLURM_PROCID = 2 ] && flag=dsync
    dd if=/dev/zero of={fs}/data.$SLURM_PROCID bs={block} count=$count oflag=$flag 2>/dev/null
    echo rank $SLURM_PROCID is done
    exec sleep 1000'
"""


def as_user(site, *argv):
    """What the user sees: (exit status, standard output, standard error)."""
    return site.env.run("runuser", "-u", site.user, "--", *argv)


def rank_writes(path):
    """{rank: (node, bytes written)} of the records of processes."""
    return {r["rank"]: (r["hostname"], r["vfs_write_bytes"]) for r in Records(path).of("process")}


def test_killed(env):
    """A job on two nodes is killed: one report of both, exact, that names the slowest rank."""
    with ext4(env) as fs:
        os.chmod(fs.path, 0o777)
        site = Site(env)
        job = site.submit(RANKS.format(fs=fs.path, block=BLOCK), "-N", "2", "-n", "4")
        wait_for(lambda: site.output().count("is done") == 4, "the ranks' work", 60)
        site.run("scancel", "--signal=KILL", job)
        site.run("scancel", job)
        site.wait_end(job)
        folder = os.path.join(site.home, f"tmtrace-{job}")
        equal("files", sorted(os.listdir(folder)), [f"{node}.tmtrace" for node in site.nodes])
        for name in ("", *os.listdir(folder)):
            st = os.stat(os.path.join(folder, name))
            equal(f"owner and rights of {name}", (st.st_uid, st.st_mode & 0o077), (site.uid, 0))
        status, out, err = as_user(site, env.tmtrace, "report", folder)
        equal(f"report ({err})", (status, err), (0, ""))
        check(re.search(rf"^vfs by 4 ranks: slowest: rank 2 on {site.nodes[1]} with \S+ \S+, \d+ % of "
                        rf"all; median .*; fastest: rank [013] on t\d+n[12] with ", out, re.M),
              f"the slowest is not named: {out}")
        check(f"== slurm job {job}\n" in out, out)
        again = env.path("again.json")
        status, _, err = env.trace("report", folder, "--json", again)
        equal(f"report of records ({err})", status, 0)
        writes = [r for r in Records(again).functions("vfs", "write") if r["mount"] == fs.path]
        equal("writes", [(r["jobid"], r["count"], r["bytes"]) for r in writes],
              [(job, 1000, 1000 * BLOCK)])
        ranks = rank_writes(again)
        equal("ranks", {rank: node for rank, (node, _) in ranks.items()},
              {rank: site.nodes[rank // 2] for rank in range(4)})
        for rank, (_, written) in ranks.items():
            # Slurm's own few bytes are in it: what it does between fork and exec.
            own = written - 100 * (rank + 1) * BLOCK
            check(0 <= own < BLOCK, f"rank {rank}: {own} bytes more than it wrote")


HOSTILE = """
mkdir -p tmtrace-$SLURM_JOB_ID
ln -s {victim}/file tmtrace-$SLURM_JOB_ID/$SLURMD_NODENAME.tmtrace
ln -s {victim}/file tmtrace-$SLURM_JOB_ID/.$SLURMD_NODENAME.tmtrace.part
"""

LINKED = """
ln -s {victim} tmtrace-$SLURM_JOB_ID
"""

CLOSED = """
mkdir tmtrace-$SLURM_JOB_ID
chmod 0 .
"""


def test_hostile(env):
    """Links that the user puts there, or no rights: nobody else's file is touched, no node drained."""
    site = Site(env)
    victim = env.path("victim")
    os.mkdir(victim)
    with open(os.path.join(victim, "file"), "w", encoding="ascii") as f:
        f.write("precious")
    for path in (victim, os.path.join(victim, "file")):
        os.chmod(path, 0o777)
    names = {}
    for name, script in (("replaced", HOSTILE), ("linked", LINKED), ("closed", CLOSED)):
        job = site.submit(script.format(victim=victim), "-N", "1", "-w", site.nodes[0])
        equal(f"{name}: state", site.wait_end(job), "COMPLETED")
        equal("the victim", read_text(os.path.join(victim, "file")), "precious")
        equal("beside it", os.listdir(victim), ["file"])
        names[name] = os.path.join(site.home, f"tmtrace-{job}")
    os.chmod(site.home, 0o755)
    path = os.path.join(names["replaced"], f"{site.nodes[0]}.tmtrace")
    equal("in its folder", os.listdir(names["replaced"]), [os.path.basename(path)])
    check(stat.S_ISREG(os.lstat(path).st_mode), "a link is left")
    equal("report", env.trace("report", names["replaced"])[0], 0)
    equal("of the closed folder", os.listdir(names["closed"]), [])


def test_asked_by_root(env):
    """A past job is answered; root can ask as its user, and nobody else as another one."""
    site = Site(env)
    job = site.submit("srun -n 2 true\n", "-N", "2")
    equal("state", site.wait_end(job), "COMPLETED")
    sock = env.path(f"{site.nodes[0]}.sock")
    os.chmod(sock, 0o666)

    def dump(*argv, user=None):
        command = (env.tmtrace, "dump", "--socket", sock, "--job", job, *argv)
        status, out, err = as_user(site, *command) if user else env.run(*command)
        return status, [json.loads(line) for line in out.splitlines()], err

    status, own, err = dump(user=site.user)
    equal(f"the user's ({err})", status, 0)
    status, root, err = dump()
    equal(f"root's ({err})", status, 0)
    status, as_other, err = dump("--user", site.user)
    equal(f"root's as the user ({err})", status, 0)
    count = [sorted((r["function"], r["count"]) for r in records if r["type"] == "function")
             for records in (own, root, as_other)]
    check(count[0] and count[0] == count[1] == count[2], f"they are not the same: {count}")
    check(not [r for r in as_other if r["type"] == "run" and r["notes"]], "notes of the node")
    status, _, err = dump("--user", "root", user=site.user)
    equal("as root", status, 1)
    check("only root may ask as another user" in err, err)
    status, _, err = dump("--user", "daemon")
    equal("as a third one", status, 1)
    check(f"there is no job {job} that user" in err, err)


WRITES = """
srun -n 2 sh -c 'dd if=/dev/zero of=data.$SLURM_PROCID bs={block} count=$((10 * (SLURM_PROCID + 1))) 2>/dev/null'
sleep {seconds}
"""


def test_found(env):
    """A service of the whole machine that was told nothing of Slurm: with the first job it goes to version 1."""
    site = Site(env)
    service = Service(env, layers="vfs")
    first = site.submit(WRITES.format(block=BLOCK, seconds=1000), "-N", "1", "-n", "2")
    service.told("READY=1")
    equal("told by", service.status()["hierarchy"]["name"], "freezer")
    site.run("scancel", first)
    site.wait_end(first)
    job = site.submit(WRITES.format(block=BLOCK, seconds=0), "-N", "1", "-n", "2")
    equal("state", site.wait_end(job), "COMPLETED")
    # Slurm's own are among them.
    extra = service.records("--job", job).total("vfs", "write", "bytes") - 30 * BLOCK
    check(0 <= extra < 64 << 10, f"{extra} bytes more than were written")


def test_epilog_alone(env):
    """The script ends well whatever is in its environment, and makes nothing where it should not."""
    script = os.path.join(env.source, "scripts", "slurm", "epilog.sh")
    config = env.path("conf")
    with open(config, "w", encoding="ascii") as f:
        f.write(f"TMTRACE={env.tmtrace}\nTMTRACE_SOCKET={env.path('none')}\n")
    good = {"SLURM_JOB_ID": "17", "SLURM_JOB_UID": "65534", "SLURM_JOB_WORK_DIR": env.dir,
            "SLURMD_NODENAME": "node1"}
    before = sorted(os.listdir(env.dir))
    for change in ({}, {"SLURM_JOB_ID": ""}, {"SLURM_JOB_ID": "1; touch x"}, {"SLURM_JOB_ID": "-1"},
                   {"SLURM_JOB_UID": "$(id)"}, {"SLURM_JOB_WORK_DIR": "."},
                   {"SLURM_JOB_WORK_DIR": "/none\n/x `touch y`"}, {"SLURMD_NODENAME": "../../x"},
                   {"TMTRACE": "/bin/touch", "IFS": "/"}, {"PATH": env.dir},
                   {"TMTRACE_SOCKET": "/run/systemd/notify"}):
        status, out, err = env.run("/bin/sh", script, config, cwd=env.dir, env={**good, **change})
        equal(f"{change}: status and output", (status, out, err), (0, "", ""))
    equal("what is there", sorted(os.listdir(env.dir)), before)
