# SPDX-License-Identifier: GPL-2.0-only
"""Metrics by HTTP: who may ask, who asks badly, and how the program that answers is started."""

import contextlib
import json
import os
import random
import signal
import socket
import urllib.request

from harness import PATIENCE, check, equal, read_text
from metrics_endpoint import Endpoint, free_port, program
from openmetrics import Exposition
from test_cgroup import mount_v2, new_cgroup
from test_service import NOBODY, Service

SHARES_MACHINE = True


def test_busy_port(env):
    """A port that another program has: one line that says so, and the service goes on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        scope = new_cgroup(env, mount_v2(), "metrics")
        service = Service(env, layers="vfs", more=f"metrics: {port}\ncgroup: {scope}\n")
        status, out, err = env.run(program(env), "--config", service.config)
        equal("exit status", (status, out), (1, ""))
        check(f"{port}: cannot be listened at: another program has this port" in err and
              len(err.splitlines()) == 1, err)
    check(service.status()["probes"]["armed"] > 0, "the service is gone")
    # Nothing is told where nobody has asked for it.
    service.write(layers="vfs", more=f"cgroup: {scope}\n")
    service.process.send_signal(signal.SIGHUP)
    service.told("READY=1")
    status, _, err = env.run(program(env), "--config", service.config)
    equal("exit status", status, 2)
    check("has metrics: none, so that the service tells none" in err, err)
    header = json.loads(service.send(b'{"request":"metrics"}\n').splitlines()[0])
    check("metrics: none" in header["text"], header)
    status, _, err = env.run(program(env), "--config", service.config, "--listen", "localhost:1")
    equal("exit status", status, 2)
    check("localhost:1: a port or a numeric address" in err, err)
    status, _, err = env.run(program(env), "nonsense")
    equal("exit status", status, 2)
    err = service.stop()
    check("there is no user tmtrace-metrics" in err or "metrics" not in err, err)


def test_users(env):
    """Whoever can reach the port gets them; at the socket root, and the user that is named."""
    endpoint = Endpoint(env)
    service, pid = endpoint.service, endpoint.process.pid
    status = dict(line.split(":\t", 1) for line in read_text(f"/proc/{pid}/status").splitlines()
                  if ":\t" in line)
    equal("its user", set(status["Uid"].split()), {str(NOBODY)})
    equal("its groups", status["Groups"].split(), [])
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        equal(name, int(status[name], 16), 0)
    equal("no new privileges", status["NoNewPrivs"], "1")
    answer = service.send(b'{"request":"metrics","format":"openmetrics"}\n')
    check(b'"type":"answer"' in answer.splitlines()[0].replace(b" ", b"") and
          answer.endswith(b"# EOF\n"), answer[:200])
    header, _ = service.asked_by(NOBODY - 1, request="metrics")
    check("may not have metrics, which name everybody's jobs" in header["text"], header)
    endpoint.stop()


def exchange(endpoint, data):
    """What comes back for any bytes, up to the end of the connection."""
    with endpoint.connect() as client:
        with contextlib.suppress(OSError):
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        parts = []
        with contextlib.suppress(ConnectionError):
            while part := client.recv(65536):
                parts.append(part)
        return b"".join(parts)


def test_requests(env):
    """Methods, paths, headers as they should be and not: the next scrape is answered as ever."""
    endpoint = Endpoint(env, layers="vfs")
    status, headers, body = endpoint.ask(method="HEAD")
    equal("HEAD", (status, body), (200, b""))
    check(int(headers["Content-Length"]) > 1000 and
          headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers)
    equal("another path", endpoint.ask("/")[0], 404)
    equal("a query", endpoint.ask("/metrics?x=1")[0], 200)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "X"):
        status, headers, _ = endpoint.ask(method=method)
        equal(method, (status, headers["Allow"]), (405, "GET, HEAD"))
    dice = random.Random(7)
    for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"\0" * 100,
                 b"GET /metrics HTTP/9.9\r\n\r\n", b"GET " + b"/" * 100000 + b" HTTP/1.1\r\n\r\n",
                 b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 100000 + b"\r\n\r\n",
                 b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 20000 + b"\r\n",
                 b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
                 b"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                 b"GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: " + b",;=q\"" * 500 + b"\r\n\r\n",
                 b'{"request":"metrics"}\n', b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                 *(dice.randbytes(dice.randrange(1, 3000)) for _ in range(100))):
        answer = exchange(endpoint, data)
        check(not answer or answer.startswith(b"HTTP/1."), answer[:100])
    # Requests of which nobody awaits the answer.
    for _ in range(20):
        with endpoint.connect() as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    check(endpoint.scrape().n_samples > 30, "no metrics")
    endpoint.stop()


def test_slow_clients(env):
    """Hundreds that say nothing, or take nothing, hold nobody up: the oldest are let go."""
    endpoint = Endpoint(env, layers="vfs")
    endpoint.work()
    with contextlib.ExitStack() as clients:
        for i in range(300):
            client = clients.enter_context(endpoint.connect())
            with contextlib.suppress(OSError):
                client.sendall((b"", b"GET /metrics HTTP/1.1\r\n",
                                b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")[i % 3])
            if i % 50 == 49:
                check(endpoint.scrape().n_samples > 30, "no metrics")
        for _ in range(10):
            check(endpoint.scrape().n_samples > 30, "no metrics")
        fds = len(os.listdir(f"/proc/{endpoint.process.pid}/fd"))
        check(fds < 150, f"{fds} descriptors")
    check(endpoint.service.status()["hits"] > 0, "the service is held up")
    endpoint.stop()


def test_service_gone(env):
    """Without a service it is said so; the next one is asked without further ado."""
    endpoint = Endpoint(env, layers="vfs")
    endpoint.service.kill()
    status, _, body = endpoint.ask()
    equal("status", status, 503)
    check(b"no service of tmtrace runs here" in body, body)
    endpoint.service.begin()
    endpoint.service.told("READY=1")
    check(endpoint.scrape().n_samples > 30, "no metrics")
    # One that does not answer.
    endpoint.service.process.send_signal(signal.SIGSTOP)
    equal("status", endpoint.ask()[0], 503)
    endpoint.service.process.send_signal(signal.SIGCONT)
    check(endpoint.scrape().n_samples > 30, "no metrics")
    endpoint.stop()


def test_activation(env):
    """Sockets that systemd hands over; what is no such socket is refused."""
    port = free_port()
    scope = new_cgroup(env, mount_v2(), "metrics")
    service = Service(env, layers="vfs", more=f"metrics: {{user: nobody}}\ncgroup: {scope}\n")
    script = 'LISTEN_PID=$$ LISTEN_FDS=$0 exec "$@"'

    def begin(fd, n):
        os.dup2(fd, 3)
        os.set_inheritable(3, True)
        return env.spawn(["sh", "-c", script, str(n), program(env), "--config", service.config],
                         pass_fds=(3,))

    with socket.socket() as listener, open("/dev/null", "rb") as null:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        process = begin(listener.fileno(), 1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20 * PATIENCE) as a:
            check(Exposition(a.read(), False).n_samples > 30, "no metrics")
        process.terminate()
        _, err = process.communicate(timeout=60 * PATIENCE)
        equal(f"exit status, {err}", process.returncode, 0)
        check(f"http://127.0.0.1:{port}/metrics" in err, err)
        process = begin(null.fileno(), 1)
        _, err = process.communicate(timeout=60 * PATIENCE)
        equal("exit status", process.returncode, 2)
        check("no listening stream socket" in err, err)
    os.close(3)
    service.stop()
