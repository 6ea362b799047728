/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics as text: the format of Prometheus, version 0.0.4, or OpenMetrics 1.0. Each metric is
 * begun once, and then has all of its samples.
 */
#ifndef USER_METRICS_TEXT_H
#define USER_METRICS_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

enum metrics_format {
	METRICS_PROMETHEUS,
	METRICS_OPENMETRICS,
};

enum metrics_type {
	METRICS_COUNTER,
	METRICS_GAUGE,
	METRICS_HISTOGRAM,
	METRICS_INFO, /* its labels say it; the value is 1 */
};

struct metrics_about {
	const char *name; /* without "_total" and "_info" */
	const char *unit; /* which the name ends with; NULL: it has none */
	enum metrics_type type;
	const char *help; /* a sentence */
};

struct metrics_text {
	FILE *out;
	enum metrics_format format;
	size_t samples; /* so far */
	bool failed;	/* no memory for some */
	const struct metrics_about *about;
};

void metrics_text__start(struct metrics_text *text, FILE *out, enum metrics_format format);
void metrics_text__begin(struct metrics_text *text, const struct metrics_about *about);

/* labels: as of labels.h; "": none. */
void metrics_text__number(struct metrics_text *text, const char *labels, __u64 value);
void metrics_text__seconds(struct metrics_text *text, const char *labels, __u64 ns);
void metrics_text__ratio(struct metrics_text *text, double value);
void metrics_text__ratio_of(struct metrics_text *text, const char *labels, const char *label,
			    const char *value, double ratio);
/* With one more label, whose value has nothing to be escaped. */
void metrics_text__number_of(struct metrics_text *text, const char *labels, const char *label,
			     const char *value, __u64 number);
void metrics_text__seconds_of(struct metrics_text *text, const char *labels, const char *label,
			      const char *value, __u64 ns);

/* Edges are inclusive and rise; counts[i] are above the edge before, the last above all. */
struct metrics_histogram {
	const __u64 *edges_ns, *counts;
	size_t n; /* edges */
	__u64 sum_ns;
};

void metrics_text__histogram(struct metrics_text *text, const char *labels,
			     const struct metrics_histogram *histogram);
/* Ends the text. */
void metrics_text__end(struct metrics_text *text);

#endif
