# SPDX-License-Identifier: GPL-2.0-only
"""Files are seen with the eyes of the user: the command's, and those that the command line names."""

import os
import re
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


def written(env, recording):
    """Every way to have a file written: what comes before its name, and what after."""
    return (
        (("--layer", "vfs", "--json"), ("--", "true")),
        (("record", "--layer", "vfs", "-o"), ("--", "true")),
        (("--layer", "addb", "--addb", "--addb-text"), ("--", "true")),
        (("--layer", "vfs", "--processes", "--selfie"), ("--", "true")),
        (("report", "--json"), (recording,)),
        (("report", "--force", "--html"), (recording,)),
        (("story", "--json"), (recording,)),
        (("export", "--force", "--sqlite"), (recording,)),
        (("export", "--force", "--perfetto"), (recording,)),
    )


def recorded(env, name="data"):
    path = env.path(name)
    equal("recording", env.trace("record", "-q", "--calls", "--addb", "-o", path, "--", env.load,
                                 "story", "--how", "offer")[0], 0)
    return path


def test_link_of_another(env):
    """Root follows nobody else's symbolic links, neither to a file nor to a folder."""
    recording = recorded(env)
    os.chmod(env.dir, 0o777)
    os.mkdir(env.path("of-root"), 0o755)
    victim = env.path("of-root/victim")
    for link, target in (("file-link", victim), ("folder-link", env.path("of-root")),
                         ("no-link", env.path("of-root/none"))):
        os.symlink(target, env.path(link))
        os.chown(env.path(link), NOBODY, NOBODY, follow_symlinks=False)
    for before, after in written(env, recording):
        for path in ("file-link", "folder-link/victim", "folder-link/none", "no-link"):
            with open(victim, "w", encoding="utf-8") as f:
                f.write("of root")
            status, _, err = env.trace(*before, env.path(path), *after)
            words = " ".join((*before, path))
            check(status in (1, 125), f"{words}: {status}, {err}")
            check(re.search("symbolic link of user 65534|is no plain file", err), f"{words}: {err}")
            equal(f"{words}: lines", len(err.splitlines()), 1)
            equal(f"{words}: root's file", read_text(victim), "of root")
            equal(f"{words}: root's folder", os.listdir(env.path("of-root")), ["victim"])


def test_link_of_root(env):
    """Root's own links are followed, and those of the kernel."""
    os.symlink(env.path("folder"), env.path("link"))
    os.mkdir(env.path("folder"))
    os.symlink("folder/o.json", env.path("o.json"))
    for path in ("link/../o.json", "o.json"):
        equal("exit status", env.trace("--layer", "vfs", "--json", env.path(path), "--", "true")[0],
              0)
        check(Records(env.path("folder/o.json")).of("run"), f"{path}: no records")
    for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        status, out, err = env.trace("--layer", "vfs", "--json", path, "--", "true")
        check(status == 0 and '"run"' in out, f"{path}: {status}, {err}")
    own = env.path("own")
    status, _, _ = env.run("sh", "-c", '"$0" --layer vfs --json /dev/stdout -- true > "$1"',
                           env.tmtrace, own)
    check(status == 0 and Records(own).of("run"), "nothing in the file of standard output")


def test_output_of_the_caller(env):
    """Under sudo files are made with the rights of the caller, --user or not."""
    recording = recorded(env)
    os.chown(recording, NOBODY, NOBODY)
    os.chmod(env.dir, 0o777)
    os.mkdir(env.path("private"), 0o700)
    for before, after in written(env, recording):
        words = " ".join(before)
        more = ((), ("--user", "nobody")) if after[0] == "--" and before[0] != "record" else ((),)
        for user in more:
            status, _, err = env.trace(*user, *before, env.path("private/a"), *after, env=SUDO)
            check(status in (1, 125) and "ermission denied" in err, f"{words}: {status}, {err}")
            equal(f"{words}: in the folder", os.listdir(env.path("private")), [])
            status, _, err = env.trace(*user, *before, env.path("a"), *after, env=SUDO)
            equal(words, status, 0)
            equal(f"{words}: owner", os.stat(env.path("a")).st_uid, NOBODY)
            os.unlink(env.path("a"))


def test_given_file(env):
    """What is no plain file is not given away."""
    status, _, err = env.trace("--user", "nobody", "--layer", "vfs", "--json", "/dev/null", "--",
                               "true")
    equal("exit status", (status, err), (0, ""))
    equal("owner of /dev/null", os.stat("/dev/null").st_uid, 0)


def test_replaced_last(env):
    """What is there is replaced once all that can fail has not."""
    recording = recorded(env)
    os.chown(recording, NOBODY, NOBODY)
    os.chmod(env.dir, 0o777)
    if env.run(*AS_NOBODY, "test", "-x", env.tmtrace, cwd="/")[0]:
        raise Skip("the build tree is not accessible to nobody")
    few = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
    before = os.stat(recording).st_ino
    names = sorted(os.listdir(env.dir))
    for prefix in (AS_NOBODY, few):
        for _ in range(2):
            status, _, err = env.run(*prefix, env.tmtrace, "record", "-o", recording, "--", "true",
                                     cwd="/")
            equal("exit status", status, 125)
            check("CAP_" in err or "permitted" in err, err)
        equal("names", sorted(os.listdir(env.dir)), names)
        equal("recording", os.stat(recording).st_ino, before)
    for before, after in written(env, recording)[:4]:
        path = env.path("there")
        if before[0] == "record":
            continue
        with open(path, "w", encoding="utf-8") as f:
            f.write("of before\n")
        os.chmod(path, 0o666)
        status, _, err = env.run(*AS_NOBODY, env.tmtrace, *before, path, *after, cwd="/")
        equal(" ".join(before), (status, read_text(path)), (125, "of before\n"))
        os.unlink(path)
        equal(" ".join(before), env.run(*AS_NOBODY, env.tmtrace, *before, path, *after,
                                        cwd="/")[0], 125)
        check(not os.path.exists(path), f"{before}: an empty file was left")


def test_recording_is_not_overwritten(env):
    """Records, text and lines of processes never go where a recording is."""
    recording, other = recorded(env), recorded(env, "other")
    for before, after in written(env, other):
        if before[0] in ("record", "export") or "--html" in before:
            continue
        size = os.stat(recording).st_size
        status, _, err = env.trace(*before, recording, *after)
        check(status in (1, 125) and "is a recording" in err, f"{before}: {status}, {err}")
        equal("size", os.stat(recording).st_size, size)
    equal("dump", env.trace("dump", "-i", recording)[0], 0)


def test_no_space_keeps_the_recording(env):
    """A recording for which there is no room does not push the one before away."""
    need("mount", "umount")
    disk = env.path("disk")
    os.mkdir(disk)
    if env.run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk)[0]:
        raise Skip("mounting a tmpfs is not permitted")
    env.cleanup(env.run, "umount", disk)
    path = os.path.join(disk, "data")
    record = ("record", "-q", "--layer", "vfs", "-o", path, "--size")
    equal("first", env.trace(*record, "1M", "--", "true")[0], 0)
    before = os.stat(path).st_ino
    for _ in range(2):
        status, _, err = env.trace(*record, "8M", "--", "true")
        check(status == 125 and "no room" in err, f"{status}: {err}")
        equal("files", (os.listdir(disk), os.stat(path).st_ino), (["data"], before))
