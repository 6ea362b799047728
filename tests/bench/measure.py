# SPDX-License-Identifier: GPL-2.0-only
"""What is measured: one value per round and subject; medians, spreads, ratios, tables."""

import statistics


class BenchError(Exception):
    """It cannot be measured here, or what was measured is not true."""


class Samples:
    """Values by subject (who was measured), metric (what of it) and round."""

    def __init__(self):
        self.values = {}

    def add(self, number, subject, metric, value):
        self.values.setdefault((subject, metric), {})[number] = value

    def of(self, subject, metric):
        """{round: value}; empty where the subject could not be measured."""
        return self.values.get((subject, metric), {})

    def subjects(self):
        """In the order of the first round that had them all."""
        return list(dict.fromkeys(subject for subject, _ in self.values))


def measure(rounds, runs):
    """Round by round each of {subject: function() -> {metric: value}}, in an order that changes.

    Returns the samples, and why there are none where a function raised a BenchError.
    """
    samples, notes = Samples(), []
    subjects = list(runs)
    for number in range(rounds):
        shift = number % len(subjects)
        for subject in subjects[shift:] + subjects[:shift]:
            try:
                values = runs[subject]()
            except BenchError as error:
                notes.append(f"{subject}: {error}")
                continue
            for metric, value in values.items():
                samples.add(number, subject, metric, value)
    return samples, notes


def each(function, *samples):
    """function of the values of each round in which all were measured."""
    common = set.intersection(*(set(values) for values in samples))
    return {number: function(*(values[number] for values in samples))
            for number in sorted(common)}


def ratio(values, others):
    """Round by round: a clock that changes its speed between rounds does not matter."""
    return each(lambda a, b: a / b if b > 0 else float("inf"), values, others)


def added(values, others):
    return each(lambda a, b: a - b, values, others)


UNITS = {"ns": ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns")),
         "bytes": ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))}


def digits(value):
    """Three significant ones."""
    size = abs(value)
    if not size:
        return "0"
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def show(values, unit=None):
    """Median and spread, "945 ns (930 - 1,010)"; the unit is that of the median."""
    if not values:
        return "-"
    values = values.values()
    middle = statistics.median(values)
    units = UNITS.get(unit, ((1, ""),))
    scale, name = next((u for u in units if abs(middle) >= u[0]), units[-1])
    text = digits(middle / scale) + (f" {name}" if name else "")
    if len(values) == 1:
        return text
    return f"{text} ({digits(min(values) / scale)} - {digits(max(values) / scale)})"


def show_percent(values):
    """Of ratios: by how much they are more than 1."""
    if not values:
        return "-"
    values = values.values()
    middle, low, high = (f"{100 * (v - 1):+.0f} %"
                         for v in (statistics.median(values), min(values), max(values)))
    return middle if len(values) == 1 else f"{middle} ({low} - {high})"


def show_share(values):
    """Of parts of 1: in percent."""
    scaled = {number: 100 * value for number, value in values.items()}
    return show(scaled) + " %" if scaled else "-"


def verdict(values, must):
    """Does the median hold what it must?"""
    if not values:
        return "-"
    return "yes" if statistics.median(values.values()) <= must else "no"


class Table:
    """Rows of text below a header; the first column is to the left, the others to the right."""

    def __init__(self, title, header, rows=None):
        self.title = title
        self.header = header
        self.rows = rows or []

    def add(self, *cells):
        self.rows.append(list(cells))

    def lines(self, markdown):
        """The same columns for a terminal and for a file."""
        rows = [self.header, *self.rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(self.header))]
        aligned = [[cell.rjust(width) if i else cell.ljust(width)
                    for i, (cell, width) in enumerate(zip(row, widths))] for row in rows]
        if not markdown:
            return [self.title, *("  " + "  ".join(row).rstrip() for row in aligned)]
        rule = ["-" * width if not i else "-" * (width - 1) + ":"
                for i, width in enumerate(widths)]
        return [self.title + ":", "",
                *("| " + " | ".join(row) + " |" for row in [aligned[0], rule, *aligned[1:]])]
