# SPDX-License-Identifier: GPL-2.0-only
"""Files that no process maps any more: what the service held of them goes, what was counted stays."""

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
import time

from harness import PATIENCE, Skip, check, compare, equal, sum_truths, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_continuity import Kept
from test_late import await_probes
from test_service import NOBODY, Service

STANDS_LOAD = True

LAYERS = "sample, mio, mstro"
MNT_EXPIRE = 4  # sys/mount.h
# Of 8,192 probes; libmio.so has 29 functions.
SHARE = 2048
FUNCTIONS = 29

# Maps files as a program would, and keeps them until its input ends.
MAP = """
import ctypes, mmap, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
user, stop = int(sys.argv[1]), int(sys.argv[2])
os.setgroups([])
os.setresgid(user, user, user)
os.setresuid(user, user, user)
for name in sys.argv[3:]:
    fd, size = os.open(name, os.O_RDONLY), os.stat(name).st_size
    if stop:
        os.kill(stop, signal.SIGSTOP)
    code = mmap.PROT_READ | mmap.PROT_EXEC
    if libc.mmap(None, size, code, mmap.MAP_PRIVATE, fd, 0) == ctypes.c_void_p(-1).value:
        sys.exit("it cannot be mapped")
    if not stop:
        os.close(fd)
print("mapped", flush=True)
sys.stdin.read()
"""


class Mapper:
    """A process that maps files, until end(); then another one is stopped, where there is one."""

    def __init__(self, env, *names, user=0, stop=0):
        self.process = subprocess.Popen([sys.executable, "-c", MAP, str(user), str(stop), *names],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        env.cleanup(self.end)
        equal("it says", self.process.stdout.readline(), b"mapped\n")

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait(60 * PATIENCE)


def own_probes(service, folder):
    """The probes on files below a folder, those that there were among them."""
    records = map(json.loads, service.command("status", "--probes").splitlines())
    return [r for r in records
            if r["type"] == "probe" and (r.get("library") or "").startswith(folder)]


def armed(service, folder):
    return sum(p["state"] == "armed" for p in own_probes(service, folder))


def held(service, folder):
    """The files below a folder that the service has open."""
    fds, found = f"/proc/{service.process.pid}/fd", []
    for fd in os.listdir(fds):
        try:
            found.append(os.readlink(os.path.join(fds, fd)))
        except FileNotFoundError:
            pass
    return [name for name in found if name.startswith(folder) and ".so" in name]


def await_end(service, folder):
    wait_for(lambda: not armed(service, folder) and not held(service, folder),
             f"the end of what is held of {folder}")


def own_cgroup(env):
    """What others on this machine do is in other ones."""
    return new_cgroup(env, mount_v2(), "loads")


def compare_loads(service, truths, cgroup):
    compare(service.records("--all"), sum_truths(*truths), layers=LAYERS.split(", "),
            cgroup="/" + os.path.basename(cgroup))


def test_rebuilt(env):
    """Libraries that are built, used and replaced: counts add up, numbers are used again."""
    service = Kept(env, layers=LAYERS)
    cgroup, truths, numbers = own_cgroup(env), [], []
    for i in range(3):
        stack = env.path(f"stack{i}")
        shutil.copytree(env.stack, stack, ignore=shutil.ignore_patterns("obj"))
        load = env.waiting_load("all", name=f"load{i}", load=os.path.join(stack, "load"),
                                prefix=joining(cgroup))
        await_probes(load.pid, stack, "libmio")
        load.go()
        truths.append(load.finish())
        shutil.rmtree(stack)
        await_end(service, stack)
        compare_loads(service, truths, cgroup)
        numbers.append(len(own_probes(service, env.dir)))
    check(numbers[2] < 2 * numbers[0], numbers)
    service.restart()
    equal("armed again", armed(service, env.dir), 0)
    compare_loads(service, truths, cgroup)


def test_back_again(env):
    """A library that is mapped again later has its probes again, and goes on counting."""
    stack = env.private_stack()
    service = Kept(env, layers=LAYERS)
    cgroup, truths = own_cgroup(env), []
    for i in range(2):
        load = env.waiting_load("all", name=f"load{i}", load=os.path.join(stack, "load"),
                                prefix=joining(cgroup))
        await_probes(load.pid, stack, "libmio")
        load.go()
        truths.append(load.finish())
        await_end(service, stack)
        service.restart()
    compare_loads(service, truths, cgroup)


def mounted_tmpfs(env):
    mount = env.path("mounted")
    os.mkdir(mount)
    if subprocess.run(["mount", "-t", "tmpfs", "none", mount], check=False).returncode:
        raise Skip("nothing can be mounted")
    env.cleanup(subprocess.run, ["sh", "-c", f"umount -l {mount} 2>/dev/null"])
    return mount


def probed_mount(env):
    """A file system of which a library is mapped, and probed; the service; and who maps it."""
    mount = mounted_tmpfs(env)
    library = shutil.copy(os.path.join(env.stack, "libmio.so"), mount)
    service = Service(env, layers=LAYERS)
    mapper = Mapper(env, library)
    wait_for(lambda: armed(service, mount) == FUNCTIONS, "the probes")
    return mount, service, mapper


def test_unmount(env):
    """A file system can be unmounted once nobody uses it."""
    mount, _, mapper = probed_mount(env)
    check(subprocess.run(["umount", mount], stderr=subprocess.DEVNULL, check=False).returncode,
          "it was unmounted while it was used")
    mapper.end()
    wait_for(lambda: not subprocess.run(["umount", mount], stderr=subprocess.DEVNULL,
                                        check=False).returncode, "that it is not busy",
             seconds=4 * PATIENCE)


def expires(mount):
    """What autofs does: is a file system gone that nobody has used since it was asked before?"""
    if ctypes.CDLL(None, use_errno=True).umount2(mount.encode(), MNT_EXPIRE) == 0:
        return True
    check(ctypes.get_errno() in (errno.EAGAIN, errno.EBUSY), os.strerror(ctypes.get_errno()))
    return False


def test_expire(env):
    """A file system that autofs has mounted expires: the service does not even look at it."""
    mount, service, mapper = probed_mount(env)
    for _ in range(2):
        check(not expires(mount), "it has expired while it was used")
    mapper.end()
    wait_for(lambda: not armed(service, mount), "the end of its probes")
    wait_for(lambda: ended_twice(mount), "that nobody looks at it", seconds=10 * PATIENCE)
    service.stop()


def ended_twice(mount):
    """It is asked after, and again after two of the service's rounds."""
    if expires(mount):
        return True
    time.sleep(2.5)
    return expires(mount)


def copies(env, folder, n):
    os.mkdir(env.path(folder))
    return [shutil.copy(os.path.join(env.stack, "libmio.so"), env.path(f"{folder}/{i}.so"))
            for i in range(n)]


def check_share(env, service, names):
    mapper = Mapper(env, *names, user=NOBODY)
    # Others may run something as that user, too.
    wait_for(lambda: SHARE * 3 // 4 < armed(service, env.path("many")) <= SHARE, "the share")
    wait_for(lambda: any(f"user {NOBODY} " in note for note in service.status()["notes"]), "a note")
    other = Mapper(env, *copies(env, "other", 1))
    wait_for(lambda: armed(service, env.path("other")) == FUNCTIONS, "another user's probes")
    mapper.end()
    other.end()
    await_end(service, env.dir)
    shutil.rmtree(env.path("other"))


def test_share(env):
    """One user who maps more libraries than a share: others' are traced, and all of it goes."""
    service = Service(env, layers=LAYERS)
    names = copies(env, "many", SHARE // FUNCTIONS + 30)
    try:
        for _ in range(2):
            check_share(env, service, names)
    finally:
        service.stop()  # the kernel takes long over so many probes of one that is killed
