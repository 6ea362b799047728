# SPDX-License-Identifier: GPL-2.0-only
"""Files are seen with the eyes of the user: the command's, and those that the command line names."""

import os
import stat

from harness import (Records, Skip, check, compare_clean, equal, need, read_text, read_truth,
                     wait_for)

SHARES_MACHINE = True

NOBODY = 65534
SUDO = {**os.environ, "SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY), "SUDO_USER": "nobody"}
AS_NOBODY = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")

# bindfs without -o allow_other: a user's mount, which not even root may enter.
MOUNTED = f"""mount --make-rprivate / && {" ".join(AS_NOBODY)} bindfs --no-allow-other "$0" "$1" || exit 77
mount=$1; shift
"$@"
status=$?
umount "$mount"
exit $status
"""


def users_mount(env):
    """What runs a command where the sample stack is on a user's own FUSE mount; and that folder."""
    need("unshare", "setpriv", "bindfs", "fusermount3")
    os.chmod(env.dir, 0o777)
    folder = env.path("fuse")
    os.mkdir(folder)
    os.chown(folder, NOBODY, NOBODY)
    within = ("unshare", "-m", "sh", "-c", MOUNTED, env.private_stack(), folder)
    status, out, err = env.run(*within, "sh", "-c", 'ls "$0"', folder)
    if status == 77:
        raise Skip(f"a user cannot mount a folder here: {err}")
    if status == 0:
        raise Skip(f"root may enter the mount: {out}")
    check("ermission denied" in err, f"root lists the mount: {err}")
    return within, folder


def trace_on_mount(env, *options):
    """The sample stack's load on the mount under tmtrace: all is counted."""
    within, folder = users_mount(env)
    records, truth = env.path("records.json"), env.path("truth.json")
    status, _, err = env.run(*within, env.tmtrace, "--json", records, "--probes", env.sample,
                             *options, "--", os.path.join(folder, "load"), "all", "--count", "50",
                             "--truth", truth)
    equal("exit status, standard error", (status, err), (0, ""))
    check(compare_clean(Records(records), read_truth(truth)) > 80, "too few functions")


def test_fuse(env):
    """A command on a file system that lets its user in alone is probed, and counted exactly."""
    trace_on_mount(env, "--user", "nobody")


def test_fuse_process(env):
    """One that runs already, and one that is started later, are looked at as their user."""
    within, folder = users_mount(env)
    script = f"""touch "$6"; chmod 666 "$6"; {" ".join(AS_NOBODY)} "$0"/load wait-then --truth "$2" --go "$1" all --count 50 2> "$6" &
"$3" --json "$4" --probes "$5" --pid $! 2> "$7" & tracer=$!
until grep -q '"run"' "$4" 2> /dev/null; do kill -0 $tracer || exit 1; sleep 0.1; done
touch "$1"; wait $tracer
"""
    status, _, err = env.run(*within, "sh", "-c", script, folder, env.path("go"), env.path("truth"),
                             env.tmtrace, env.path("o.json"), env.sample, env.path("waits"),
                             env.path("err"))
    equal("exit status", (status, err, read_text(env.path("err"))), (0, "", ""))
    check(compare_clean(Records(env.path("o.json")), read_truth(env.path("truth"))) > 80,
          "too few functions")


def test_fuse_of_another(env):
    """Who may not enter is told so; never that root should run as root."""
    within, folder = users_mount(env)
    program = os.path.join(folder, "load")
    status, _, err = env.run(*within, env.tmtrace, "--", program, "all")
    equal("exit status", status, 126)
    check(program in err and "denied" in err and "as root" not in err, err)
    status, _, err = env.run(*within, env.tmtrace, "--user", "nobody", "--probes", env.sample, "--",
                             "sh", "-c", f"{program} all --count 2; sleep 0.3")
    check(status == 0 and "as root" not in err, f"{status}: {err}")
    check("was loaded while tracing" in err, f"nothing was probed: {err}")


def test_readable_by_root_alone(env):
    """What the user may execute, but not read, is probed all the same."""
    stack = env.private_stack()
    os.chmod(env.dir, 0o777)
    program = os.path.join(stack, "load")
    os.chmod(program, 0o711)
    records, truth = env.path("o.json"), env.path("truth")
    status, _, err = env.trace("--user", "nobody", "--json", records, "--probes", env.sample, "--",
                               program, "all", "--count", "50", "--truth", truth)
    equal("exit status", (status, err), (0, ""))
    check(compare_clean(Records(records), read_truth(truth)) > 80, "too few functions")


def test_program_of_another(env):
    """A command that its user may not execute is refused as the shell refuses it."""
    os.chmod(env.dir, 0o755)
    private = env.path("private")
    os.mkdir(private, 0o700)
    program = os.path.join(private, "program")
    with open(program, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n")
    os.chmod(program, 0o755)
    for argv, kwargs in ((("--user", "nobody"), {}), ((), {"env": SUDO})):
        status, _, err = env.trace(*argv, "--layer", "vfs", "--", program, **kwargs)
        equal("exit status", status, 126)
        check("permission denied" in err, err)
    equal("as root", env.trace("--layer", "vfs", "--", program)[0], 0)


SECRET = "root:$6$secret:19000\n"


def secret_file(env, name, text=SECRET):
    os.chmod(env.dir, 0o755)
    with open(env.path(name), "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(env.path(name), 0o600)
    return env.path(name)


def refused_to_caller(env, path, *args):
    """Under sudo tmtrace says that the caller may not read it, and nothing of what is in it."""
    for identity in (SUDO, {**SUDO, "SUDO_UID": "54321", "SUDO_GID": "54321"}):
        status, out, err = env.trace(*args, env=identity)
        words = " ".join(args)
        check(status in (1, 2, 125), f"{words}: {status}, {err}")
        check("Permission denied" in err and path in err, f"{words}: {err}")
        check(f"as user {identity['SUDO_UID']}, who called sudo" in err, f"{words}: {err}")
        check("secret" not in out + err.replace(path, ""), f"{words} shows what is in it: {err}")
        equal(f"{words}: lines", len(err.splitlines()), 1)


def test_input_of_root(env):
    """A sudo rule for tmtrace is none for files: they are read as who called sudo."""
    path = secret_file(env, "hidden")
    refused_to_caller(env, path, f"--probes={path}", "--", "true")
    refused_to_caller(env, path, "list", f"--probes={path}")
    refused_to_caller(env, path, f"--job-patterns={path}", "--all", "--duration", "0.1", "--layer",
                      "vfs")
    refused_to_caller(env, path, "--lib", f"mio={path}", "--all", "--duration", "0.1")
    refused_to_caller(env, path, "service", "--config", path)
    for command in (("report",), ("dump",), ("story",), ("export", "--sqlite", env.path("a"))):
        refused_to_caller(env, path, *command, "-i", path)
    refused_to_caller(env, path, "report", "--diff", path, path)
    folder = env.path("folder")
    os.mkdir(folder, 0o700)
    refused_to_caller(env, folder, f"--probes={folder}", "--", "true")


def test_input_of_the_caller(env):
    """What the caller may read, and root too, is read; and of root's own shell, root's files."""
    os.chmod(env.dir, 0o755)
    with open(env.sample, encoding="utf-8") as f:
        path = secret_file(env, "own.yaml", f.read())
    equal("root", env.trace("list", "--probes", path, "--", "true")[0], 0)
    os.chown(path, NOBODY, NOBODY)
    for identity in (SUDO, os.environ):
        status, _, err = env.trace("--probes", path, "--", "true", env=identity)
        equal("exit status", (status, err.splitlines()[0][:7]), (0, "tmtrace"))
    # Believed where we are root alone.
    os.chown(path, 0, 0)
    status, _, err = env.run(*AS_NOBODY, env.tmtrace, "list", "--probes", path, "--", "true",
                             env={**SUDO, "SUDO_UID": "0", "SUDO_GID": "0"}, cwd="/")
    check(status != 0 and "Permission denied" in err, f"{status}: {err}")


def test_limits_of_acting(env):
    """tmtrace as another user is nobody's to look into, and is root again afterwards."""
    os.chmod(env.dir, 0o777)
    records = env.path("o.json")
    tracer = env.start("--user", "nobody", "--json", records, "--layer", "vfs", "--", "sleep", "1")
    wait_for(lambda: '"run"' in read_text(records), "tmtrace to start")
    lines = read_text(f"/proc/{tracer.pid}/status").splitlines()
    equal("ids", [line.split()[1:] for line in lines if line[:4] in ("Uid:", "Gid:")],
          [["0"] * 4, ["0"] * 4])
    equal("groups", [line.split()[1:] for line in lines if line.startswith("Groups:")],
          [[str(g) for g in sorted(os.getgroups())]])
    own = read_text("/proc/self/status").splitlines()
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        equal(name, [line for line in lines if line.startswith(name)],
              [line for line in own if line.startswith(name)])
    equal("owner", stat.S_IMODE(os.stat(records).st_mode) & 0o022, 0)
    equal("exit status", tracer.wait(), 0)
