# SPDX-License-Identifier: GPL-2.0-only
"""What was counted, added up from records: the figures that every form of a recording has to show."""

import collections

from harness import check

KINDS = ("function", "device", "op", "by_size", "association", "addb_state", "addb_value")
QUANTILES = (("p50_ns", 500), ("p90_ns", 900), ("p99_ns", 990), ("p999_ns", 999))
# What of series is added up.
SUMS = ("count", "timed", "errors", "retries", "bytes", "sum", "in_flight", "total_ns", "self_ns", "queue_ns", "vfs_ns",
        "net_ns", "wait_ns", "syscall_ns", "block_ns", "iowait_ns", "blocked", "submit_ns", "late_poll_ns", "abandoned",
        "forgotten", "killed", "no_entry")


def quantile(buckets, per_mille, low, high):
    """The value that so many of a thousand are not above, spread evenly over its bucket; None: there is none."""
    rank = -(-sum(n for _, _, n in buckets) * per_mille // 1000)
    for lower, upper, n in buckets:
        if rank <= n:
            lower, upper = max(lower, low), min(upper, high)
            return lower + (upper - lower) * rank // n if upper > lower else upper
        rank -= n
    return None


def added_up(records, name):
    """[lower, upper, count] of several records' histograms."""
    counts = collections.Counter()
    for record in records:
        for lower, upper, n in record[name] or ():
            counts[lower, upper] += n
    return [(*edges, n) for edges, n in sorted(counts.items())]


class Figures:
    """The sums of some records; None where no record has the figure."""

    def __init__(self, records):
        check(records, "figures of no record")
        self.records = records
        self.first = records[0]
        self.buckets = added_up(records, "buckets")
        self.sizes = added_up(records, "size_buckets")
        self.bucketed = sum(n for _, _, n in self.buckets)

    def __getattr__(self, name):
        values = [r[name] for r in self.records if r.get(name) is not None]
        if name in SUMS:
            return sum(values) if values else None
        if name == "min_ns":
            return min(values, default=None)
        if name == "max_ns":
            return max(values, default=None)
        per_mille = dict(QUANTILES).get(name)
        check(per_mille, f"there is no figure {name}")
        return quantile(self.buckets, per_mille, self.min_ns, self.max_ns) if self.buckets else None

    @property
    def own_ns(self):
        """Time without that of traced calls inside: what can be added up over layers and functions."""
        return self.self_ns if "self_ns" in self.first else self.total_ns

    @property
    def is_sized(self):
        """Has any of them a size? What was counted at the level summary is in no histogram."""
        return bool(self.sizes or self.bytes)

    @property
    def average_ns(self):
        return self.total_ns // self.timed if self.timed else None

    @property
    def lost(self):
        return self.abandoned + self.forgotten + self.killed + self.no_entry


def groups_of(records, *names):
    """{what these members are: records}"""
    groups = collections.defaultdict(list)
    for record in records:
        groups[tuple(str(record.get(name)) for name in names)].append(record)
    return groups


def grouped(records, *names):
    """{what these members are: Figures}"""
    return {key: Figures(of) for key, of in groups_of(records, *names).items()}


def of_type(records, *kinds):
    return [r for r in records if r["type"] in kinds]
