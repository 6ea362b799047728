# SPDX-License-Identifier: GPL-2.0-only
"""Reads a trace of Perfetto from its bytes, as https://protobuf.dev says them, with the field numbers
of Perfetto's public .proto files; none of tmtrace's own code is in it.
"""

import collections

from harness import Failure, check, equal

Slice = collections.namedtuple("Slice", "track start_ns end_ns depth name categories args flows "
                                        "terminating parent")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def fields(data):
    """A message's fields: (number, value); of a length-delimited one its bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif kind == 2:
            length, at = varint(data, at)
            check(at + length <= len(data), "a field goes beyond its message")
            value, at = data[at:at + length], at + length
        else:
            raise Failure(f"wire type {kind}")
        yield tag >> 3, value


def message(data):
    """All values of each field."""
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def one(found, number, default=None):
    values = found.get(number, [default])
    equal(f"values of field {number}", len(values), 1)
    return values[0]


def text(value):
    return None if value is None else value.decode("utf-8")  # strictly: it must be UTF-8


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Trace:
    """Tracks by their number, and slices."""

    def __init__(self, path):
        self.tracks, self.names, self.events = {}, {}, []
        self.clocks = []
        with open(path, "rb") as f:
            for number, packet in fields(f.read()):
                equal("field of the trace", number, 1)
                self.take(message(packet))
        self.slices = list(self.nest())

    def take(self, packet):
        equal("sequence", one(packet, 10), 1)
        for data in packet.get(6, ()):
            self.clocks += [tuple(one(message(c), n) for n in (1, 2)) for c in message(data)[1]]
        for data in packet.get(12, ()):
            for name in map(message, message(data)[3]):
                self.names[one(name, 1)] = text(one(name, 2))
        for data in packet.get(60, ()):
            self.take_track(message(data))
        for data in packet.get(11, ()):
            self.events.append((one(packet, 8), message(data)))

    def take_track(self, found):
        number = one(found, 1)
        check(number and number not in self.tracks, f"track {number} is there twice")
        track = {"name": text(one(found, 2)), "parent": one(found, 5)}
        for data in map(message, found.get(3, ())):
            track.update(kind="process", pid=one(data, 1), name=text(one(data, 6)))
        for data in map(message, found.get(4, ())):
            track.update(kind="thread", pid=one(data, 1), tid=one(data, 2), name=text(one(data, 5)))
        check(not track["parent"] or track["parent"] in self.tracks, f"{track} has no parent")
        self.tracks[number] = track

    def arguments(self, event):
        found = {}
        for data in map(message, event.get(4, ())):
            value, = [v for n in (3, 4, 6) for v in data.get(n, ())]
            if 4 in data:
                value = signed(value)
            found[self.names[one(data, 1)]] = text(value) if isinstance(value, bytes) else value
        return found

    def nest(self):
        """Slices, as a reader has them: by time, what is of one time in the order of the file."""
        stacks = collections.defaultdict(list)
        for ns, event in sorted(self.events, key=lambda e: e[0]):
            track, kind = one(event, 11), one(event, 9)
            check(track in self.tracks, f"a slice on track {track}, which is none")
            stack = stacks[track]
            if kind == 1:
                stack.append((ns, event))
                continue
            equal("type of an event", kind, 2)
            check(stack, "a slice ends that did not begin")
            start, begun = stack.pop()
            parent = self.arguments(stack[-1][1]).get("id") if stack else None
            yield Slice(track, start, ns, len(stack), text(one(begun, 23)),
                        [text(c) for c in begun.get(22, ())], self.arguments(begun),
                        begun.get(47, []), begun.get(48, []) + event.get(48, []), parent)
        equal("slices that do not end", [s for s in stacks.values() if s], [])

    def flows(self):
        """Arrows: pairs of slices. Each begins once and ends once, and that not before."""
        begins = {f: s for s in self.slices for f in s.flows}
        ends = {f: s for s in self.slices for f in s.terminating}
        equal("arrows that begin", sum(len(s.flows) for s in self.slices), len(begins))
        equal("arrows that end", sum(len(s.terminating) for s in self.slices), len(ends))
        equal("arrows that begin, and end", set(begins), set(ends))
        order = {f: i for i, (_, e) in enumerate(sorted(self.events, key=lambda e: e[0]))
                 for f in e.get(47, ())}
        for i, (_, event) in enumerate(sorted(self.events, key=lambda e: e[0])):
            for flow in event.get(48, ()):
                check(order[flow] < i, f"arrow {flow} ends before it begins")
        return [(begins[f], ends[f]) for f in begins]
