# SPDX-License-Identifier: GPL-2.0-only
"""tmtrace story: which layer made an operation slow, against the load, which delays one of them."""

import json
import os
import re
import signal

from harness import PATIENCE, check, equal, need, read_truth, wait_for
from real_machine import ext4

SHARES_MACHINE = True

# Longer than a busy machine lets a thread wait that it has woken.
DELAY_NS = 200e6 * PATIENCE
MORE_NS = 0.5 * DELAY_NS
DELAY = ("--delay", str(DELAY_NS / 1e9))

# The heading of a story, and the two lines with the times.
HEADING = re.compile(r"^m(?:io|0) (\w+)(?: #(\d+))?, process (\d+) on (\S+): (.*?), at \S+(.*)$")
MOST = re.compile(r"^most of the time: ([a-z ]+), (.*) \((.*)%\)$")
KINDS = {"mio_obj_writev": "WRITE", "mio_obj_create": "CREATE"}
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

RECORD = ("record", "-q", "--calls", "--addb")
IN_NODE = 'hostname "$0" && exec "$@"'


def to_ns(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


class Story:
    """One operation's story, from the text."""

    def __init__(self, heading):
        self.kind, seqno, pid, self.host, total, self.rest = heading.groups()
        self.seqno = int(seqno) if seqno else None
        self.pid, self.total_ns = int(pid), to_ns(total)
        self.most = self.layers = None
        self.tree = []
        self.notes = []

    def take(self, line):
        most = MOST.match(line)
        if most:
            self.most = most.group(1)
        elif line.startswith("  middleware "):
            parts = [re.match(r"(.*?) (-|[\d.]+ \w+)$", p).groups() for p in line.strip().split(", ")]
            self.layers = {name: 0 if ns == "-" else to_ns(ns) for name, ns in parts}
        elif line.startswith("note:"):
            self.notes.append(line)
        elif line.strip():
            self.tree.append(line)


def read_stories(text):
    """(the lines before, the stories)"""
    stories, before = [], []
    for line in text.splitlines():
        heading = HEADING.match(line)
        if heading:
            stories.append(Story(heading))
        elif stories:
            stories[-1].take(line)
        else:
            before.append(line)
    return before, stories


def record_load(env, *load_args, options=(), data="data"):
    """`load story`, recorded: its truth."""
    os.environ["LD_BIND_NOW"] = "1"
    truth = env.path("truth.json")
    status, _, err = env.trace(*RECORD, *options, "-o", env.path(data), "--", env.load, "story",
                               "--truth", truth, *DELAY, *load_args)
    check(status == 0, f"load story ended with {status}: {err}")
    return read_truth(truth)


def tell(env, *args, files=("data",)):
    status, out, err = env.trace("story", *(a for f in files for a in ("-i", env.path(f))), *args)
    check(status == 0, f"story ended with {status}: {err}")
    return read_stories(out)


def tell_records(env, *args, files=("data",)):
    """The same as records: those of clocks, those of stories."""
    files = [a for f in files for a in ("-i", env.path(f))]
    status, out, err = env.trace("story", *files, *args, "--json", "-")
    check(status == 0, f"story --json ended with {status}: {err}")
    records = [json.loads(line) for line in out.splitlines()]
    return ([r for r in records if r["type"] == "clock"],
            [r for r in records if r["type"] == "story"])


def is_shown(name, text_ns, ns):
    """A time of the text is the record's, to the three digits that it has."""
    check(abs(text_ns - ns) <= 0.005 * ns, f"{name}: {text_ns} in the text, {ns} in the record")


TIME = re.compile(r"(\?|-?[\d.]+ (?:ns|us|ms|s)) +[<=|>].*$")


def check_records(stories, records):
    """The text's figures are those of the records."""
    equal("stories", [(s.kind, s.seqno, s.pid, s.host) for s in stories],
          [(r["kind"], r["seqno"], r["pid"], r["hostname"]) for r in records])
    for story, record in zip(stories, records):
        is_shown("time", story.total_ns, record["duration_ns"])
        equal("most", story.most, record["most"])
        layers = {k[:-3].replace("_", " "): ns for k, ns in record["layers"].items()}
        equal("layers", list(layers), list(story.layers))
        equal("sum of the layers", sum(layers.values()), record["duration_ns"])
        for layer, ns in layers.items():
            is_shown(layer, story.layers[layer], ns)
        lines, nodes = story.tree[1:], record["nodes"]
        equal("lines of the tree", len(lines), len(nodes))
        equal("the operation", nodes[record["root"]]["id"], record["seqno"])
        for line, node in zip(lines, nodes):
            depth = (len(line) - len(line.lstrip())) // 2
            equal(f"depth of {line}", depth, depth_of(nodes, node))
            check(node.get("name", "") in line, f"{node} is not {line}")
            time = TIME.search(line).group(1)
            if time == "?":
                equal("time", node["duration_ns"], None)
            else:
                is_shown(line, to_ns(time), node["duration_ns"])


def depth_of(nodes, node):
    return 0 if node["parent"] is None else 1 + depth_of(nodes, nodes[node["parent"]])


def check_delayed(story, truth):
    """It is the one that was delayed, in the layer in which it was."""
    delayed = truth["story"]
    equal("the layer in which most time went", story.most, delayed["layer"])
    ns = story.layers[delayed["layer"]]
    check(0.99 * DELAY_NS <= ns <= DELAY_NS + MORE_NS, f"{ns} ns in {delayed['layer']}: {story.layers}")
    total = sum(story.layers.values())
    check(abs(total - story.total_ns) <= 0.01 * story.total_ns,
          f"{story.layers} are {total}, not {story.total_ns} ns")
    if "seqno" in delayed:
        equal("operation", (story.kind, story.seqno),
              (KINDS[delayed["function"]], delayed["seqno"]))
        equal("process", story.pid, truth["pid"])
        operation = next(o for o in truth["operations"] if o["seqno"] == delayed["seqno"])
        steps = [int(k.split()[2]) for k in kinds(story) if k.startswith("m0 ")]
        equal("its steps", steps, [m["sm_id"] for m in reversed(operation["motr"])])


def kinds(story):
    """What is in the tree, line by line, without numbers."""
    return [re.match(r" *(.*?)  ", line + "  ").group(1) for line in story.tree[1:]]


def check_chain(story):
    """All layers are there, one below the other."""
    found = kinds(story)
    at = 0
    for part in ("mio_obj_", "mio ", "m0 ", "ioo ", "rpc ", "bulk ", "server ", "bulk ",
                 "transaction ", "storage I/O ", "write"):
        while at < len(found) and not found[at].startswith(part):
            at += 1
        check(at < len(found), f"no {part} in {story.tree}")
        at += 1
    equal("notes", story.notes, [])


def delayed_of(stories, truth):
    """Of the slowest, the one that was delayed: the first waits until its server has started."""
    found = [s for s in stories if s.seqno == truth["story"]["seqno"]]
    equal(f"stories of the delayed one among {[s.seqno for s in stories]}", len(found), 1)
    return found[0]


def name_delayed(env, how):
    truth = record_load(env, "--how", how)
    _, stories = tell(env, "--slowest", "3")
    equal("stories", len(stories), 3)
    story = delayed_of(stories, truth)
    check_delayed(story, truth)
    check_chain(story)
    check_records(stories, tell_records(env, "--slowest", "3")[1])


def test_middleware(env):
    """MIO itself takes long before it launches anything."""
    name_delayed(env, "middleware")


def test_poll(env):
    """It was complete, and nobody looked."""
    name_delayed(env, "poll")


def test_network(env):
    """The request is under way for long."""
    name_delayed(env, "network")


def test_server(env):
    """The server takes long beside its storage I/O."""
    name_delayed(env, "server")


def test_disk(env):
    """The storage I/O takes long."""
    name_delayed(env, "disk")


def test_requests(env):
    """Below direct writes and fsyncs are their block requests; a buffered write has none."""
    for direct in (True, False):
        os.environ["STACK_DIRECT"] = str(int(direct))
        with ext4(env) as fs:
            truth = record_load(env, "--how", "disk", "--dir", fs.path)
            _, stories = tell(env, "--slowest", "3")
            story = delayed_of(stories, truth)
            check_delayed(story, truth)
            check_chain(story)
            _, records = tell_records(env, "--slowest", "3")
            check_records(stories, records)
            check_disk(story, next(r for r in records if r["seqno"] == story.seqno), fs.disk,
                       direct)


def check_disk(story, record, disk, direct):
    nodes = record["nodes"]
    writes = [i for i, n in enumerate(nodes) if n["kind"] == "file" and n["name"] == "write"]
    requests = [n for n in nodes if n["kind"] == "block" and n["name"] == "write"]
    equal("writes of the file", len(writes), 1)
    equal("it needs no request", nodes[writes[0]]["cached"], not direct)
    equal("the text says so", any("write, no block request" in line for line in story.tree),
          not direct)
    if not direct:
        equal("requests", requests, [])
        return
    data = [r for r in requests if r["parent"] == writes[0]]
    check(data, f"no request below the write: {nodes}")
    for r in data:
        equal("device", r["device"], disk)
        check(r["start_ns"] >= nodes[writes[0]]["start_ns"] and r["queue_ns"] <= r["duration_ns"],
              f"{r} in {nodes[writes[0]]}")
    equal("bytes", sum(r["bytes"] for r in data), record["bytes"])
    check(any(f"{disk} write 4.00 KiB, queued" in line for line in story.tree), f"{story.tree}")


def test_offer(env):
    """The call of Maestro around it is in the tree, above MIO's."""
    truth = record_load(env, "--how", "offer")
    _, stories = tell(env, "--slowest", "3")
    story = next(s for s in stories if kinds(s)[0].startswith("mstro_"))
    check_delayed(story, truth)
    equal("the calls around", [k.split("(")[0] for k in kinds(story)[:2]],
          ["mstro_cdo_offer", "mio_obj_create"])


def test_selected(env):
    """By number and by object."""
    truth = record_load(env, "--how", "server", "--count", "20")
    delayed = truth["story"]
    _, stories = tell(env, "--slowest", "1")
    first = stories[0]
    _, stories = tell(env, "--op", f"{first.host}:{truth['pid']}:{delayed['seqno']}")
    equal("stories", [(s.kind, s.seqno) for s in stories],
          [(KINDS[delayed["function"]], delayed["seqno"])])
    check_delayed(stories[0], truth)
    operation = next(o for o in truth["operations"] if o["seqno"] == delayed["seqno"])
    _, stories = tell(env, "--object", operation["object"], "--slowest", "1000")
    wanted = sorted(o["seqno"] for o in truth["operations"])
    equal("operations on the object", sorted(s.seqno for s in stories), wanted)
    for story in stories:
        check(f"object {operation['object']}" in story.rest, story.rest)


def test_without_addb(env):
    """What was not recorded is said, and is in the layer above."""
    os.environ["LD_BIND_NOW"] = "1"
    status, _, err = env.trace("record", "-q", "--calls", "-o", env.path("data"), "--", env.load,
                               "story", *DELAY, "--how", "server", "--truth",
                               env.path("truth.json"))
    check(status == 0, f"load story ended with {status}: {err}")
    story = delayed_of(tell(env)[1], read_truth(env.path("truth.json")))
    equal("layer", story.most, "client")
    check(any("record with --addb" in note for note in story.notes), f"{story.notes}")


def start_server(env):
    """A server with a recorder of its own, on a host of another name; how to end both."""
    socket = f"@tmtrace-story-{os.getpid()}"
    server = env.spawn([os.path.join(env.stack, "motr-server"), "--dir", env.dir, "--socket",
                        socket])
    data = env.path("server")
    recorder = env.spawn(["unshare", "--uts", "sh", "-c", IN_NODE, "node-b", env.tmtrace, *RECORD,
                          "-o", data, "--json", env.path("server.json"), "--pid",
                          str(server.pid)])
    wait_for(lambda: recorder.poll() is not None or (
        os.path.exists(env.path("server.json")) and os.path.getsize(env.path("server.json"))),
        "the server's recorder")

    def stop():
        recorder.send_signal(signal.SIGINT)
        _, err = recorder.communicate(timeout=60 * PATIENCE)
        equal(f"the recorder's status ({err})", recorder.returncode, 0)
        server.terminate()
        server.wait()

    return socket, stop


def test_two_nodes(env):
    """Client and server recorded each on its own; the clocks' difference is told with its error."""
    need("unshare")
    socket, stop = start_server(env)
    os.environ["STACK_SOCKET"] = socket
    os.environ["LD_BIND_NOW"] = "1"
    truth_path = env.path("truth.json")
    status, _, err = env.run("unshare", "--uts", "sh", "-c", IN_NODE, "node-a", env.tmtrace, *RECORD,
                             "-o", env.path("client"), "--", env.load, "story", *DELAY, "--how",
                             "server", "--dir", env.dir, "--truth", truth_path)
    check(status == 0, f"load story ended with {status}: {err}")
    stop()
    truth = read_truth(truth_path)
    before, stories = tell(env, files=("client", "server"))
    story = delayed_of(stories, truth)
    check_delayed(story, truth)
    check_chain(story)
    equal("host", story.host, "node-a")
    clock = re.match(r"clock of node-b: (.*) (?:ahead of|behind) that of node-a, within (.*) "
                     r"\((\d+) requests\)$", before[0])
    check(clock, f"no clock in {before}")
    check(to_ns(clock.group(1)) <= to_ns(clock.group(2)), f"the clock is the same, not {before[0]}")
    clocks, records = tell_records(env, files=("client", "server"))
    check_records(stories, records)
    equal("clocks", [(c["hostname"], c["of"], c["requests"], c["drifts"]) for c in clocks],
          [("node-a", "node-b", int(clock.group(3)), False)])
    is_shown("the clock", to_ns(clock.group(1)), abs(clocks[0]["ahead_ns"]))
    is_shown("its error", to_ns(clock.group(2)), clocks[0]["error_ns"])
    # The client alone: the server's time is the network's, which is said.
    story = delayed_of(tell(env, files=("client",))[1], truth)
    equal("layer", story.most, "network")
    check(any("give its recording too" in note for note in story.notes), f"{story.notes}")


def test_bad_input(env):
    """What cannot be is said in one line."""
    record_load(env, "--how", "server")
    for args, reason in (
            (("--op", "nonsense"), "is a host, a process"),
            (("--object", "5"), "two halves in hex"),
            (("--slowest", "0"), "--slowest")):
        status, _, err = env.trace("story", "-i", env.path("data"), *args)
        equal(f"status of {args}", status, 2)
        check(reason in err, f"{args}: {err}")
    for args, reason in (
            (("-i", env.path("nothing")), "nothing"),
            (("-i", env.path("data"), "--op", "nowhere:1:1"), "has no operation 1"),
            (("-i", env.path("data"), "--object", "1:1"), "no operation on the object")):
        status, _, err = env.trace("story", *args)
        equal(f"status of {args}", status, 1)
        check(reason in err, f"{args}: {err}")
    status, _, err = env.trace("record", "-q", "-o", env.path("plain"), "--layer", "vfs", "--", "true")
    equal(f"status ({err})", status, 0)
    status, _, err = env.trace("story", "-i", env.path("plain"))
    equal("status", status, 1)
    check("record them with --calls" in err, err)
