# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with the input: one clear line, the right exit status, nothing left behind."""

import os
import re
import shutil

from harness import Skip, check, equal, need, read_text

SHARES_MACHINE = True

RUN, USAGE, SETUP = 1, 2, 125
DURATION = ("--duration", "0.2")


def refused(env, wanted, pattern, *args, prefix=(), **kwargs):
    """tmtrace must refuse with this status and one line that matches; no file may remain."""
    before = sorted(os.listdir(env.dir))
    status, out, err = env.run(*prefix, env.tmtrace, *args, **kwargs)
    lines = err.splitlines()
    words = " ".join(args)
    check(len(lines) == 1, f"{words}: {len(lines)} lines on standard error: {err}")
    check(lines[0].startswith("tmtrace: "), f"{words}: whose message is this? {lines[0]}")
    check(re.search(pattern, lines[0]), f"{words}: nothing about {pattern} in: {lines[0]}")
    equal(f"{words}: exit status", status, wanted)
    equal(f"{words}: standard output", out, "")
    equal(f"{words}: files", sorted(os.listdir(env.dir)), before)


def test_options(env):
    for args, pattern in (
            (("--no-such-option",), "no-such-option"),
            (("--all", "--no-such-option"), "no-such-option"),
            (("-Z", "--all"), "Z"),
            (("--all", "--duration"), "duration"),
            (("--all", "--duration", "soon"), "soon"),
            (("--all", "--duration", "-1"), "-1"),
            (("--all", "--duration", "nan"), "nan"),
            (("--all", "--interval", "0"), "0"),
            (("--all", "--lib", "mio"), "LAYER=PATH"),
            (("--all", "--max-series", "1"), "max-series"),
            (("--all", "--max-overhead", "0%"), "--max-overhead 0%: a part above 0 is needed"),
            (("--all", "--max-overhead", "much"), "--max-overhead much"),
            (("--all", "--mechanism", "user=magic"), "magic"),
            (("--all", "--mechanism", "vfs=magic"), "vfs=magic: known for vfs are"),
            (("--all", "--mechanism", "user=multi,block=magic"), "block=magic: known for block"),
            (("--all", "--mechanism", "disk=magic"), "user, vfs and block"),
            (("--all", "--mechanism", "user=multi,"), "LAYER=NAME"),
            (("--env", "NOTHING", "--", "true"), "VAR=VALUE"),
            (("--json", "-", "--", "true"), "standard output"),
            (("--all", "--user", "nobody"), "--user"),
            (("--all", "--optional"), "--optional")):
        refused(env, USAGE, re.escape(pattern), *args)


def test_scope(env):
    pid = str(os.getpid())
    for args in ((), ("--layer", "vfs"), ("--pid", pid, "--all"), ("--all", "--", "true"),
                 ("--pid", pid, "--", "true"), ("--cgroup", "/", "--all")):
        refused(env, USAGE, "--pid.*--cgroup.*--all.*COMMAND", *args)


def test_pid_list(env):
    for text in ("", "x", "1,", ",1", "1,x", "-5", "0", "1 2", "99999999999999999999", "4711x"):
        refused(env, USAGE, "not a list", "--pid", text, *DURATION)


def free_pid():
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as f:
        return next(pid for pid in range(int(f.read()) - 1, 1, -1)
                    if not os.path.exists(f"/proc/{pid}"))


def test_pid_gone(env):
    pid = str(free_pid())
    refused(env, RUN, f"{pid}.*no such process", "--pid", pid, *DURATION)
    refused(env, RUN, f"{pid}.*no such process", "--pid", f"{os.getpid()},{pid}", *DURATION)


def test_pid_of_the_kernel(env):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if re.search(r"^PPid:\s+2$", read_text(f"/proc/{pid}/status"), re.M):
            refused(env, RUN, f"{pid}.*kernel", "--pid", pid, *DURATION)
            return
    raise Skip("no thread of the kernel is to be seen")


def test_layer(env):
    refused(env, USAGE, "nosuch.*known", "--all", "--layer", "nosuch", *DURATION)
    refused(env, USAGE, "nosuch.*known", "--layer", "vfs,nosuch", "--", "true")
    refused(env, USAGE, "no layer", "--all", "--layer", "", *DURATION)
    refused(env, USAGE, "nosuch", "--all", "--lib", f"nosuch={env.load}", *DURATION)


def test_cgroup(env):
    refused(env, RUN, "no-such-cgroup", "--cgroup", "/no-such-cgroup", *DURATION)
    refused(env, RUN, re.escape(env.dir), "--cgroup", env.dir, *DURATION)
    refused(env, RUN, re.escape(env.sample), "--cgroup", env.sample, *DURATION)
    refused(env, RUN, "cgroup", "--cgroup", "", *DURATION)


def write(env, name, data):
    path = env.path(name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def elf_variants(env):
    """Files that are not what an ELF file should be: (path, why)."""
    with open(os.path.join(env.stack, "libmio.so"), "rb") as f:
        whole = f.read()
    yield env.path("missing.so"), "No such file"
    yield env.dir, "directory|regular|ELF"
    yield write(env, "empty.so", b""), "empty|short|ELF|truncated"
    yield write(env, "text.so", b"not a library\n" * 50), "ELF"
    yield write(env, "cut.so", whole[:1000]), "cut|truncated|corrupt|ELF|beyond|end|outside"
    yield write(env, "header.so", whole[:64]), "cut|truncated|corrupt|ELF|beyond|end|outside"
    yield write(env, "junk.so", whole[:64] + b"\xff" * (len(whole) - 64)), "."
    yield write(env, "other.so", whole[:18] + b"\xb7\x00" + whole[20:]), "x86|machine|ELF|built"


def test_elf(env):
    for path, pattern in list(elf_variants(env)):
        refused(env, RUN, pattern, "--all", "--lib", f"mio={path}", *DURATION)
        refused(env, SETUP, pattern, "--lib", f"mio={path}", "--", "true")


def test_library_without_functions(env):
    other = os.path.join(env.stack, "libstacktruth.so")
    refused(env, RUN, "libstacktruth.*none|none.*libstacktruth|libstacktruth.so: none", "--all",
            "--lib", f"mio={other}", *DURATION)


def test_unreadable(env):
    """A fifo must not be waited for."""
    fifo = env.path("fifo")
    os.mkfifo(fifo)
    refused(env, RUN, "fifo", "--all", "--lib", f"mio={fifo}", *DURATION, timeout=30)
    refused(env, RUN, "fifo", "--all", "--probes", fifo, *DURATION, timeout=30)


CATALOGUES = {
    "layer: x\ntitle: t\nlibraries: [\"libx.so\"]\nfunctions:\n  - name: f\n    sise: return\n":
        (6, "sise"),
    "layer: x\ntitle: t\nlibraries: [\"libx.so\"]\ncolour: red\nfunctions:\n  - name: f\n":
        (4, "colour"),
    "layer: x\ntitle: t\nlibraries: libx.so\nfunctions: 7\n": (4, "functions"),
    "layer: x\ntitle: t\nlibraries: [\"libx.so\"]\nfunctions:\n  - name: f\n    enabled: maybe\n":
        (6, "enabled"),
    "layer: x\ntitle: t\nlibraries: [\"libx.so\"]\nfunctions:\n  - name: f\n    returns: s65\n":
        (6, "returns|s65"),
    "layer: x\ntitle: t\nlibraries: [\"libx.so\"]\nfunctions:\n  - name: f\n    size: [1\n":
        (None, "."),
    "layer: vfs\ntitle: t\nlibraries: [\"libx.so\"]\nfunctions:\n  - name: f\n": (1, "vfs"),
    "": (None, "empty|layer|nothing"),
    "\x00\x01\x02": (None, "."),
}


def test_catalogue(env):
    """The message says where in the file."""
    for number, (text, (line, pattern)) in enumerate(CATALOGUES.items()):
        path = write(env, f"bad{number}.yaml", text.encode())
        place = re.escape(path) + (f":{line}\\b.*" if line else ".*") + f"({pattern})"
        refused(env, RUN, place, "--all", "--probes", path, *DURATION)
        refused(env, SETUP, place, "--probes", path, "--", "true")


def test_catalogue_with_layer(env):
    """That a layer is named does not make it an error of usage."""
    path = write(env, "bad.yaml", b"colour: red\n")
    layer = ("--layer", "vfs", "--probes", path)
    refused(env, RUN, "bad.yaml:1", "--all", *layer, *DURATION)
    refused(env, SETUP, "bad.yaml:1", *layer, "--", "true")


def test_catalogue_missing(env):
    refused(env, RUN, "missing.yaml.*No such file", "--all", "--probes", env.path("missing.yaml"),
            *DURATION)


def test_catalogue_twice(env):
    """The same layer in two files is either one layer or an error, never a crash."""
    copy = env.path("again.yaml")
    shutil.copy(env.sample, copy)
    status, _, err = env.trace("--probes", env.sample, "--probes", copy, "--layer", "sample",
                               "--json", env.path("o.json"), "--", "true")
    check(status == 0 or (status == SETUP and len(err.splitlines()) == 1),
          f"status {status}: {err}")


AS_NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")


def test_no_root(env):
    need("setpriv")
    # Not by running it: the call itself is made before the rights are gone.
    if env.run(*AS_NOBODY, "test", "-x", env.tmtrace, cwd="/")[0]:
        raise Skip("the build tree is not accessible to nobody")
    for args, status in ((("--all", *DURATION), RUN), (("--", "true"), SETUP),
                         (("--layer", "vfs", "--all", *DURATION), RUN)):
        refused(env, status, "root|CAP_|permitted", *args, prefix=AS_NOBODY, cwd="/")


def test_missing_capability(env):
    """Root without the capabilities is told which it needs."""
    need("setpriv")
    few = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
    if env.run(*few, "true")[0]:
        raise Skip("setpriv cannot drop capabilities here")
    for args, status in ((("--all", *DURATION), RUN), (("--", "true"), SETUP)):
        refused(env, status, "CAP_", *args, prefix=few)


def test_few_open_files(env):
    """What is missing is descriptors, at whatever step: never said to be the kernel's fault."""
    need("setpriv")
    few = ("setpriv", "--bounding-set", "-sys_resource", "--inh-caps", "-sys_resource")
    if env.run(*few, "true")[0]:
        raise Skip("setpriv cannot drop capabilities here")
    for soft, taken in ((20, 0), (64, 0), (255, 0), (256, 120), (256, 150), (256, 200), (256, 235)):
        files = [os.open(os.devnull, os.O_RDONLY) for _ in range(taken)]
        status, _, err = env.run(*few, "sh", "-c", 'ulimit -n "$0"; exec "$@"', str(soft),
                                 env.tmtrace, "--", "true", pass_fds=files)
        for fd in files:
            os.close(fd)
        if status == 0:
            check(taken == 120, f"{soft} files, {taken} of them open: nothing was said")
            continue
        equal(f"{soft} files, {taken} of them open", (status, len(err.splitlines())), (SETUP, 1))
        check(re.search("too many open files", err, re.IGNORECASE) and
              not re.search("5.17|refuses|types", err), f"{soft} files, {taken} open: {err}")
    refused(env, SETUP, "may have 64; .*ulimit -n", "--", "true",
            prefix=(*few, "sh", "-c", 'ulimit -n 64; exec "$@"', "sh"))


def test_no_space(env):
    """A file system too small for the records."""
    need("mount", "umount")
    small = env.path("small")
    os.mkdir(small)
    if env.run("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", small)[0]:
        raise Skip("mounting a tmpfs is not permitted")
    env.cleanup(env.run, "umount", small)
    refused(env, RUN, "o.json.*No space", "--all", "--json", os.path.join(small, "o.json"),
            *DURATION)


def test_output_is_a_folder(env):
    refused(env, RUN, "directory", "--all", "--json", env.dir, *DURATION)
    refused(env, SETUP, "directory", "--json", env.dir, "--", "true")


def lacking(env, name):
    """The kernel's types without one of them, as a file."""
    with open("/sys/kernel/btf/vmlinux", "rb") as f:
        types = bytearray(f.read())
    place = types.find(b"\0" + name + b"\0")
    check(place > 0, f"this kernel has no {name}")
    types[place + 1:place + 2] = b"0"
    with open(env.path("types"), "wb") as f:
        f.write(types)
    return env.path("types")


def test_kernel_lacks_a_type(env):
    """The type is named; layers that do not need it are traced."""
    need("unshare", "mount")
    if env.run("unshare", "-m", "true")[0]:
        raise Skip("unshare -m is not permitted")
    script = 'mount --bind "$0" /sys/kernel/btf/vmlinux && exec "$@"'
    for name, layer, other in ((b"xol_area", "mio", "vfs"), (b"gendisk", "block", "vfs"),
                               (b"fdtable", "vfs", "block")):
        run = ("unshare", "-m", "sh", "-c", script, lacking(env, name), env.tmtrace)
        for what, wanted in ((layer, 125), (other, 0)):
            status, _, err = env.run(*run, "--layer", what, "--", "true")
            equal(f"without {name.decode()}: status of --layer {what} ({err})", status, wanted)
            check(wanted == 0 or name.decode() in err, f"{name.decode()} is not named: {err}")
