# SPDX-License-Identifier: GPL-2.0-only
"""What a user without privileges may try against the service, and that it goes on as before."""

import ctypes
import json
import mmap
import os
import random
import socket
import stat
import time

from harness import Skip, check, compare, equal, read_text, wait_for
from test_cgroup import joining, mount_v2, new_cgroup
from test_service import NOBODY, Service, configuration

SHARES_MACHINE = True

SOMEBODY = NOBODY - 1


def as_user(uid, what, *args):
    """Runs a function as that user, in a process of its own, which it must survive: its result."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            with os.fdopen(writer, "w", encoding="utf-8") as f:
                json.dump(what(*args), f)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as f:
        text = f.read()
    equal("how it ended", os.waitpid(pid, 0)[1], 0)
    return json.loads(text)


def alive(service, least=0):
    """It still answers, soon, and counts."""
    before = time.monotonic()
    status = service.status()
    check(time.monotonic() - before < 30, "the answer took long")
    check(status["hits"] >= least, status)
    return status


def user_folder(env, name):
    """A folder that is the user's."""
    path = env.path(name)
    os.mkdir(path)
    os.chown(path, NOBODY, NOBODY)
    return path


def test_links(env):
    """Links of users where the service writes lead nowhere: what they name stays as it is."""
    target = env.path("target")
    with open(target, "w", encoding="utf-8") as f:
        f.write("precious")
    folder = user_folder(env, "shared")
    os.chmod(folder, 0o1777)
    os.chmod(env.dir, 0o755)
    names = ("history.data", "pairs", "node.prom", "socket", "socket.lock")
    for name in names:
        as_user(NOBODY, os.symlink, target, os.path.join(folder, name))
        path = env.path("tmtrace.yaml")
        with open(path, "w", encoding="utf-8") as f:
            text = configuration(env, layers="vfs", dir=folder)
            f.write(text.replace(f"{folder}/run/socket", f"{folder}/socket"))
        process = env.start("service", "--config", path)
        wait_for(lambda: process.poll() is not None or
                 os.path.exists(os.path.join(folder, "node.prom")) or
                 stat.S_ISSOCK(os.lstat(os.path.join(folder, "socket")).st_mode)
                 if os.path.lexists(os.path.join(folder, "socket")) else
                 process.poll() is not None, "a service, or none")
        time.sleep(1)
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=60)
        equal(f"what {name} leads to", read_text(target), "precious")
        for left in os.listdir(folder):
            os.remove(os.path.join(folder, left))


def map_file(path):
    """Maps a file as the loader maps a library; it stays mapped until the process ends."""
    fd = os.open(path, os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ | mmap.PROT_EXEC, mmap.MAP_PRIVATE,
                   fd, ctypes.c_long(0))
    os.close(fd)
    return at != ctypes.c_void_p(-1).value


def bad_libraries(folder, library):
    """Files that are called like a library and are none; each is mapped, and changed meanwhile."""
    dice = random.Random(7)
    whole = open(library, "rb").read()
    contents = {"empty": b"\0" * 4096, "garbage": dice.randbytes(20000),
                "cut": whole[:len(whole) // 3], "head": whole[:64] + dice.randbytes(9000)}
    for i in range(20):
        damaged = bytearray(whole)
        for _ in range(200):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        contents[f"damaged{i}"] = bytes(damaged)
    mapped = 0
    for name, content in contents.items():
        below = os.path.join(folder, name)
        os.mkdir(below)
        path = os.path.join(below, os.path.basename(library))
        with open(path, "wb") as f:
            f.write(content)
        mapped += map_file(path)
        if name.endswith("3"):
            os.truncate(path, 100)
    huge = os.path.join(folder, os.path.basename(library))
    with open(huge, "wb") as f:
        f.write(whole[:4096])
        f.truncate(1 << 40)
    mapped += map_file(huge)
    os.rename(huge, huge + ".old")
    os.mkfifo(huge)
    time.sleep(3)
    return mapped


def test_libraries(env):
    """Files that are called like a library, of any content and size: what is true is counted."""
    folder = user_folder(env, "libraries")
    cgroup = new_cgroup(env, mount_v2(), "honest")
    load = env.waiting_load("all", prefix=joining(cgroup))
    service = Service(env)
    library = [os.path.join(env.stack, name) for name in os.listdir(env.stack)
               if name.startswith("libsample") and ".so" in name][0]
    mapped = as_user(NOBODY, bad_libraries, folder, library)
    check(mapped >= 20, mapped)
    status = alive(service)
    check(status["cost"]["memory_bytes"] < 100 << 20, status["cost"])
    load.go()
    truth = load.finish()
    compare(service.records("--job", os.path.basename(cgroup)), truth, layers=("sample",))
    service.stop()


def many_libraries(folder, name, n):
    for i in range(n):
        below = os.path.join(folder, str(i))
        os.mkdir(below)
        with open(os.path.join(below, name), "wb") as f:
            f.write(b"\177ELF" + bytes(4092))
        map_file(os.path.join(below, name))
    time.sleep(2)
    return n


def test_many_libraries(env):
    """Thousands of files that are called like a library: the service answers all the time."""
    folder = user_folder(env, "libraries")
    service = Service(env)
    before = service.status()["cost"]["memory_bytes"]
    as_user(NOBODY, many_libraries, folder, "libsample.so", 3000)
    status = alive(service)
    check(status["cost"]["memory_bytes"] < before + (40 << 20), (before, status["cost"]))
    equal("what is said of them", len(status["notes"]) < 100, True)
    service.stop()


NASTY = "x\n\033[31m\"}{\\\t\r\x7f\u202e"


def test_names(env):
    """Names, arguments and environments of any bytes and size: a record stays a line."""
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind(env.path("log"))
    log.settimeout(60)
    service = Service(env, layers="vfs", log=f"{{types: [process], socket: {env.path('log')}}}")
    program = env.path(NASTY.replace("/", ""))
    os.symlink("/bin/cat", program)
    pids = set()
    for argv, environment in (([program, "/etc/passwd"], {"SLURM_JOB_ID": NASTY, "USER": NASTY}),
                              ([program, *["a" * 100000] * 10], {"A" * 1000: "b" * 100000}),
                              ([b"\xff\xfe\n", b"/etc/passwd"],
                               {f"V{i}": "c" * 100000 for i in range(15)})):
        child = env.spawn(argv, executable=program, env=environment)
        child.communicate()
        pids.add(child.pid)
    seen = {}
    while pids:
        line = log.recv(1 << 20)
        check(not set(line) & set(b"\n\033\r"), line)
        record = json.loads(line.decode().partition("@cee: ")[2])
        seen[record["pid"]] = record
        pids.discard(record["pid"])
    check(any("\033[31m" in r["comm"] for r in seen.values()), seen)
    text = service.command("report", "--job", "/")
    check("\033[31m" not in text, text)
    alive(service)
    service.stop()


def idle_clients(path, n):
    """Connections that say nothing, or garbage, or never take their answers."""
    clients = []
    refused = 0
    for i in range(n):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(1)
        try:
            client.connect(path)
            if i % 3 == 1:
                client.send(os.urandom(100))
            if i % 3 == 2:
                client.send(b'{"request":"dump"}\n')
            clients.append(client)
        except OSError:
            refused += 1
    time.sleep(2)
    return refused


def test_sockets(env):
    """Clients that hold on to what they have, while root asks, and again after them."""
    service = Service(env, layers="vfs")
    asking = os.fork()
    if asking == 0:
        for _ in range(3):
            as_user(NOBODY, idle_clients, service.socket, 300)
        os._exit(0)
    for _ in range(10):
        alive(service)
        time.sleep(0.3)
    os.waitpid(asking, 0)
    alive(service)
    header, _ = service.asked_by(SOMEBODY, request="status")
    equal("another user", header["type"], "answer")
    service.stop()


def ask_often(path, seconds):
    """Asks for all there is, as often as it goes: (answers, refusals)."""
    counts = {"answer": 0, "error": 0}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            client.sendall(b'{"request":"dump"}\n')
            answer = b"".join(iter(lambda: client.recv(65536), b""))
            counts[json.loads(answer.splitlines()[0])["type"]] += 1
    return counts


def test_questions(env):
    """A user that asks without end costs the service a bounded part of a processor."""
    service = Service(env, layers="vfs")
    before = service.status()["cost"]["own_cpu_ns"]
    counts = as_user(NOBODY, ask_often, service.socket, 5)
    spent = service.status()["cost"]["own_cpu_ns"] - before
    check(counts["answer"] > 0 and counts["error"] > 0, counts)
    check(spent < 2_000_000_000, f"{spent} ns for {counts}")
    service.stop()


def test_cgroup_names(env):
    """A user's cgroup that is called like somebody else's job is the user's own."""
    mount = mount_v2()
    own = new_cgroup(env, mount, "own")
    os.chown(own, NOBODY, NOBODY)
    path = own
    for name in ("slurm", f"uid_{SOMEBODY}", "job_17", "step_0"):
        path = os.path.join(path, name)
        as_user(NOBODY, os.mkdir, path)
        env.cleanup(os.rmdir, path)
    service = Service(env, layers="vfs")
    child = env.spawn([*joining(path), "cat", "/etc/passwd"])
    child.communicate()

    def seen(uid):
        _, lines = service.asked_by(uid, request="dump")
        return {r["cgroup"] for r in lines if r["type"] == "function"}

    # At once: it has ended just now.
    check(any(c.startswith("/" + os.path.basename(own)) for c in seen(NOBODY)), "not its owner")
    equal("whom the name names", seen(SOMEBODY), set())
    header, _ = service.asked_by(SOMEBODY, request="dump", job="17")
    equal("by its number", header["type"], "error")
    service.stop()


def test_processes(env):
    """Thousands of short processes: all counted, memory bounded."""
    folder = user_folder(env, "files")
    service = Service(env, layers="vfs")
    cgroup = new_cgroup(env, mount_v2(), "flood")
    child = env.spawn([*joining(cgroup), "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                       "--clear-groups", "sh", "-c",
                       f"cd {folder}; i=0; while [ $i -lt 3000 ]; do (: > f$i); i=$((i+1)); done"])
    child.communicate()
    equal("exit status", child.returncode, 0)
    name = "/" + os.path.basename(cgroup)
    created = sum(r["count"] for r in service.records("--all").of("function")
                  if r["cgroup"] == name and r["function"] == "create")
    equal("files", created, 3000)
    check(alive(service)["cost"]["memory_bytes"] < 100 << 20, "memory")
    service.stop()


def test_namespaces(env):
    """Processes of another pid namespace, whose numbers others have, are told apart."""
    cgroup = new_cgroup(env, mount_v2(), "spaces")
    service = Service(env, layers="vfs")
    child = env.spawn([*joining(cgroup), "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                       "--clear-groups", "unshare", "--user", "--map-root-user", "--pid", "--fork",
                       "cat", "/etc/passwd"])
    _, err = child.communicate()
    if child.returncode:
        raise Skip(f"no user namespaces for users here: {err}")
    _, lines = service.asked_by(SOMEBODY, request="dump")
    check("/" + os.path.basename(cgroup) not in {r.get("cgroup") for r in lines}, "seen by others")
    check("/" + os.path.basename(cgroup) in
          {r.get("cgroup") for r in service.records("--all").of("function")}, "not counted")
    header, _ = service.asked_by(NOBODY, request="status", probes=True)
    equal("root in a namespace alone", header["type"], "error")
    service.stop()
