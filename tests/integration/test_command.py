# SPDX-License-Identifier: GPL-2.0-only
"""-- COMMAND: who runs it, with what, and how it ends."""

import os
import pwd
import signal
import time

from harness import Skip, alone, check, compare_clean, equal, read_text

SHARES_MACHINE = True


def status_of(env, *words, options=(), environment=None):
    return env.trace("--json", env.path("o.json"), *options, "--", *words, env=environment)


@alone
def test_first_output(env):
    """Not an assertion of time: the figure is printed."""
    seconds = []
    for _ in range(3):
        start = time.monotonic()
        equal("exit status", env.trace("--", "true")[0], 0)
        seconds.append(time.monotonic() - start)
    env.remark = f"tmtrace -- true takes {min(seconds):.2f} s"


def test_own_status(env):
    for code in (0, 1, 7, 125, 255):
        equal("exit status", status_of(env, "sh", "-c", f"exit {code}")[0], code)


def test_killed_status(env):
    for name in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
        equal(f"exit status after {name.name}",
              status_of(env, "sh", "-c", f"kill -{int(name)} $$")[0], 128 + name)


def one_line(err):
    lines = err.splitlines()
    equal("lines on standard error", len(lines), 1)
    check(lines[0].startswith("tmtrace: "), f"whose message is this? {lines[0]}")
    return lines[0]


def test_not_found(env):
    status, out, err = env.trace("--", "no-such-command-of-anybody")
    equal("exit status", status, 127)
    equal("standard output", out, "")
    check("no-such-command-of-anybody" in one_line(err), err)


def test_not_found_path(env):
    status, _, err = env.trace("--", env.path("missing"))
    equal("exit status", status, 127)
    check(env.path("missing") in one_line(err), err)


def test_not_executable(env):
    with open(env.path("text"), "w", encoding="ascii") as f:
        f.write("no program\n")
    status, _, err = env.trace("--", env.path("text"))
    equal("exit status", status, 126)
    check(env.path("text") in one_line(err), err)


def test_folder(env):
    status, _, err = env.trace("--", env.dir)
    equal("exit status", status, 126)
    one_line(err)


def test_setup_failure(env):
    """125, and the command is not run."""
    touched = env.path("touched")
    status, _, err = env.trace("--json", env.path("no/such/folder"), "--", "touch", touched)
    equal("exit status", status, 125)
    check("no/such/folder" in one_line(err), err)
    check(not os.path.exists(touched), "the command was run all the same")


def test_optional(env):
    """The same, but the command is run, and its status counts."""
    touched = env.path("touched")
    status, out, err = env.trace("--optional", "--json", env.path("no/such/folder"), "--", "sh",
                                 "-c", f"touch {touched}; echo out; exit 5")
    equal("exit status", status, 5)
    equal("standard output", out, "out\n")
    check(os.path.exists(touched), "the command was not run")
    check("no/such/folder" in err and "without tracing" in err, f"what was the matter? {err}")


def test_optional_without_root(env):
    """Who may not trace can still run the command."""
    status, out, err = env.run("setpriv", "--reuid", "65534", "--regid", "65534",
                               "--clear-groups", env.tmtrace, "--optional", "--", "echo", "ran",
                               cwd="/")
    equal("exit status", status, 0)
    equal("standard output", out, "ran\n")
    check("tmtrace: " in err, f"nothing says that it was not traced: {err}")


def test_environment(env):
    status, out, _ = status_of(env, "sh", "-c", 'echo "$ONE,$TWO"',
                               options=("--env", "ONE=1", "--env", "TWO=b=c d"))
    equal("exit status", status, 0)
    equal("output", out, "1,b=c d\n")


def nobody():
    try:
        return pwd.getpwnam("nobody")
    except KeyError as error:
        raise Skip("there is no user nobody") from error


def check_identity(env, out):
    """uid, gid, supplementary groups, names and the owner of what was written."""
    user = nobody()
    uid, gid, groups, names = out.splitlines()
    equal("uid", int(uid), user.pw_uid)
    equal("gid", int(gid), user.pw_gid)
    equal("groups", {int(g) for g in groups.split()}, {user.pw_gid})
    equal("names", names, f"{user.pw_name} {user.pw_dir}")
    equal("owner of the records", os.stat(env.path("o.json")).st_uid, user.pw_uid)


IDENTITY = ("sh", "-c", 'id -u; id -g; id -G; echo "$USER $HOME"')


def test_user(env):
    nobody()
    status, out, err = status_of(env, *IDENTITY, options=("--user", "nobody"))
    equal("exit status", (status, err), (0, ""))
    check_identity(env, out)


def test_sudo_caller(env):
    user = nobody()
    sudo = {**os.environ, "SUDO_UID": str(user.pw_uid), "SUDO_GID": str(user.pw_gid),
            "SUDO_USER": user.pw_name, "SUDO_COMMAND": "tmtrace"}
    os.chown(env.dir, user.pw_uid, user.pw_gid)  # where the records go
    status, out, err = status_of(env, *IDENTITY, environment=sudo)
    equal("exit status", (status, err), (0, ""))
    check_identity(env, out)


def test_user_unknown(env):
    status, _, err = env.trace("--user", "nobody-of-that-name", "--", "true")
    equal("exit status", status, 125)
    check("nobody-of-that-name" in one_line(err), err)


def test_traced_as_user(env):
    """What the user's processes do is exact, too."""
    nobody()
    os.chmod(env.dir, 0o777)
    if env.run("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "test", "-x",
               env.load)[0]:
        raise Skip("the build tree is not accessible to nobody")
    records, truth = env.trace_load("all", options=("--user", "nobody"))
    check(compare_clean(records, truth) > 80, "too few functions")
    equal("owner of the truth", os.stat(env.path("truth.json")).st_uid, nobody().pw_uid)


def test_duration_with_command(env):
    """Tracing stops, the command goes on; its status is still the exit status."""
    status, out, _ = status_of(env, "sh", "-c", "sleep 1; echo done; exit 3",
                               options=("--duration", "0.2"))
    equal("exit status and output", (status, out), (3, "done\n"))


def test_signals_are_not_inherited(env):
    """The command starts with the signals as tmtrace found them, and no descriptors of its own."""
    words = ("sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd")
    status, out, _ = status_of(env, *words)
    equal("exit status", status, 0)
    blocked, ignored, *fds = out.split("\n")
    untraced = env.run(*words)[1].split("\n")
    equal("blocked and ignored", [blocked, ignored], untraced[:2])
    check(set(fds) <= {"0", "1", "2", "3", ""}, f"descriptors of the command: {fds}")
    check(read_text(env.path("o.json")), "no records were written")


def test_limits_are_not_inherited(env):
    """tmtrace opens more files than the shell lets it; the command has the shell's limits."""
    limits = "ulimit -Sn; ulimit -Hn"
    status, out, err = env.run("sh", "-c", 'ulimit -Sn 64; exec "$0" -q -- sh -c "$1"',
                               env.tmtrace, limits)
    untraced = env.run("sh", "-c", f"ulimit -Sn 64; {limits}")[1]
    equal("exit status, limits", (status, out), (0, untraced))
    check("open files" not in err, err)


def test_sudo_caller_unknown(env):
    """Who is not understood is not root; and root's files are not given away."""
    for uid in ("junk", "", "-1"):
        sudo = {**os.environ, "SUDO_UID": uid, "SUDO_GID": uid}
        status, out, err = status_of(env, "id", "-u", environment=sudo)
        equal("exit status", (status, out), (125, ""))
        check("SUDO_UID" in one_line(err), err)
    secret = env.path("secret")
    with open(secret, "w", encoding="utf-8") as f:
        f.write("of root")
    os.chmod(secret, 0o600)
    os.chmod(env.dir, 0o755)
    user = nobody()
    sudo = {**os.environ, "SUDO_UID": str(user.pw_uid), "SUDO_GID": str(user.pw_gid)}
    status, _, err = env.trace("--json", secret, "--", "true", env=sudo)
    equal("exit status", status, 125)
    check("ermission denied" in one_line(err), err)
    with open(secret, encoding="utf-8") as f:
        equal("root's file", f.read(), "of root")
