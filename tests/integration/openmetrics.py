# SPDX-License-Identifier: GPL-2.0-only
"""A reader of OpenMetrics 1.0 and of Prometheus' text format 0.0.4 that forgives nothing.

It knows what both specifications ask of metadata, names, labels, values and histograms, and what
they only recommend: each metric has HELP and TYPE, and all of its samples follow one another.
"""

import collections
import decimal
import re

from harness import check, equal

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[n"\\])*)"')
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(e-[0-9]+)?")
ENDS = {"counter": ("_total",), "gauge": ("",), "info": ("_info",),
        "histogram": ("_bucket", "_count", "_sum")}

Sample = collections.namedtuple("Sample", "name labels value")


class Metric:
    """One metric: what is said of it, and its samples."""

    def __init__(self, name):
        self.name = name
        self.help = self.type = self.unit = None
        self.samples = []

    def check(self, formal):
        """Holds it against the specification."""
        check(self.help and self.type, f"{self.name}: HELP {self.help}, TYPE {self.type}")
        check(self.type in ENDS, f"{self.name}: type {self.type}")
        check(self.help.endswith("."), f"{self.name}: {self.help}")
        if self.unit is not None:
            check(formal, f"{self.name}: UNIT is OpenMetrics'")
            check(self.name.endswith("_" + self.unit), f"{self.name}: unit {self.unit}")
        for sample in self.samples:
            self.check_sample(sample, formal)
        if self.type == "histogram":
            self.check_histograms()

    def check_sample(self, sample, formal):
        ends = ENDS[self.type]
        if self.type == "counter" and not formal:
            check(self.name.endswith("_total"), f"{self.name}: a counter")
            ends = ("",)
        check(sample.name in [self.name + end for end in ends],
              f"{sample.name} among the samples of {self.name}")
        check(("le" in sample.labels) == sample.name.endswith("_bucket"),
              f"{sample}: le is for buckets")
        if self.type == "info":
            equal(f"{sample}", sample.value, 1)

    def check_histograms(self):
        """Buckets rise to +Inf, which is the count, and are the same in all."""
        groups, edges = collections.OrderedDict(), set()
        for sample in self.samples:
            rest = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
            groups.setdefault(rest, []).append(sample)
        for labels, samples in groups.items():
            name = f"{self.name}{dict(labels)}"
            *buckets, count, total = samples
            equal(f"{name}: order", [s.name[len(self.name):] for s in samples],
                  ["_bucket"] * len(buckets) + ["_count", "_sum"])
            uppers = [decimal.Decimal(s.labels["le"].replace("+Inf", "Infinity")) for s in buckets]
            check(all(a < b for a, b in zip(uppers, uppers[1:])), f"{name}: edges {uppers}")
            values = [s.value for s in buckets]
            check(all(a <= b for a, b in zip(values, values[1:])), f"{name}: counts {values}")
            equal(f"{name}: last edge", buckets[-1].labels["le"], "+Inf")
            equal(f"{name}: +Inf and count", values[-1], count.value)
            # What was counted at the level summary is in the sum alone.
            check(total.value > 0 or not count.value, f"{name}: {count.value} took no time")
            edges.add(tuple(s.labels["le"] for s in buckets))
        check(len(edges) <= 1, f"{self.name}: different edges {edges}")


def read_labels(text, line):
    """{name: value} of what stands between braces."""
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        check(found, f"no label at {text[at:]!r} in {line!r}")
        check(found[1] not in labels, f"{found[1]} is twice in {line!r}")
        value = re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), found[2])
        check(value and value.isprintable(), f"the value of {found[1]} in {line!r}")
        labels[found[1]] = value
        at = found.end()
        if at < len(text):
            check(text[at] == "," and at + 1 < len(text), f"no comma at {text[at:]!r} in {line!r}")
            at += 1
    return labels


class Reader:
    """Line by line."""

    def __init__(self, formal):
        self.formal = formal
        self.metrics = collections.OrderedDict()
        self.metric = None
        self.seen = set()

    def begin(self, name):
        """The metric that a line of metadata is of; a new one ends the one before for good."""
        if not self.metric or self.metric.name != name:
            check(name not in self.metrics, f"{name} is begun twice")
            self.metric = self.metrics[name] = Metric(name)
        check(not self.metric.samples, f"{name}: metadata behind samples")
        return self.metric

    def read_metadata(self, line):
        mark, kind, name, text = line.split(" ", 3)
        check(mark == "#" and kind in ("HELP", "TYPE", "UNIT"), line)
        check(re.fullmatch(NAME, name), line)
        metric, member = self.begin(name), kind.lower()
        check(getattr(metric, member) is None, f"{line!r}: twice")
        setattr(metric, member, text)

    def read_sample(self, line):
        found = SAMPLE.fullmatch(line)
        check(found and self.metric, f"no sample: {line!r}")
        check(NUMBER.fullmatch(found[3]), f"no number: {line!r}")
        sample = Sample(found[1], read_labels(found[2] or "", line), decimal.Decimal(found[3]))
        key = (sample.name, tuple(sorted(sample.labels.items())))
        check(key not in self.seen, f"twice: {line!r}")
        self.seen.add(key)
        self.metric.samples.append(sample)

    def read(self, text):
        check(text.endswith("\n"), "the last line has no end")
        lines = text[:-1].split("\n")
        if self.formal:
            equal("the last line", lines.pop(), "# EOF")
        for line in lines:
            check(line and line == line.strip(), f"a line with blanks or nothing: {line!r}")
            if line.startswith("#"):
                self.read_metadata(line)
            else:
                self.read_sample(line)
        for metric in self.metrics.values():
            metric.check(self.formal)


class Exposition:
    """What was read."""

    def __init__(self, data, formal):
        reader = Reader(formal)
        reader.read(data.decode("utf-8"))
        self.metrics = reader.metrics
        self.formal = formal
        self.n_samples = sum(len(m.samples) for m in self.metrics.values())

    def samples(self, name, **labels):
        """Samples of that name, "tmtrace_calls_total", with these labels among theirs."""
        return [s for m in self.metrics.values() for s in m.samples
                if s.name == name and labels.items() <= s.labels.items()]

    def sum(self, name, **labels):
        return sum(s.value for s in self.samples(name, **labels))

    def value(self, name, **labels):
        found = self.samples(name, **labels)
        equal(f"samples of {name}{labels}", len(found), 1)
        return found[0].value

    def counters(self):
        """{(name, labels): value} of all that may not fall."""
        return {(s.name, tuple(sorted(s.labels.items()))): s.value
                for m in self.metrics.values() if m.type in ("counter", "histogram")
                for s in m.samples}


def check_monotonic(before, after, but=()):
    """No counter has fallen that is in both, but for those of these names."""
    old, new = before.counters(), after.counters()
    for key in old.keys() & new.keys():
        if key[0] in but:
            continue
        check(new[key] >= old[key], f"{key} was {old[key]} and is {new[key]}")
