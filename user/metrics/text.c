// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/clock.h"
#include "metrics/text.h"

/* Digits of a number, of a second's billionths. */
#define DIGITS 20
#define NANOS  9

static void put_text(struct metrics_text *text, const char *bytes)
{
	fputs_unlocked(bytes, text->out);
}

static void put_number(struct metrics_text *text, __u64 value)
{
	char digits[DIGITS];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	fwrite_unlocked(digits + at, 1, sizeof(digits) - at, text->out);
}

/* Exact, whatever a number with a point holds elsewhere. */
static void put_seconds(struct metrics_text *text, __u64 ns)
{
	char digits[1 + NANOS] = ".000000000";
	__u64 rest = ns % NS_PER_S;

	put_number(text, ns / NS_PER_S);
	for (size_t at = NANOS; rest; rest /= 10)
		digits[at--] = (char)('0' + rest % 10);
	fwrite_unlocked(digits, 1, sizeof(digits), text->out);
}

static const char *type_of(const struct metrics_text *text, enum metrics_type type)
{
	static const char *const names[] = {
		[METRICS_COUNTER] = "counter",
		[METRICS_GAUGE] = "gauge",
		[METRICS_HISTOGRAM] = "histogram",
		[METRICS_INFO] = "info",
	};
	bool info = type == METRICS_INFO && text->format == METRICS_PROMETHEUS;

	return names[info ? METRICS_GAUGE : type];
}

/* What samples have at the end of their names. */
static const char *end_of(enum metrics_type type)
{
	if (type == METRICS_COUNTER)
		return "_total";
	return type == METRICS_INFO ? "_info" : "";
}

void metrics_text__start(struct metrics_text *text, FILE *out, enum metrics_format format)
{
	*text = (struct metrics_text){ .out = out, .format = format };
}

void metrics_text__begin(struct metrics_text *text, const struct metrics_about *about)
{
	bool open = text->format == METRICS_OPENMETRICS;
	const char *end = open ? "" : end_of(about->type);

	text->about = about;
	fprintf(text->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", about->name, end, about->help,
		about->name, end, type_of(text, about->type));
	if (open && about->unit)
		fprintf(text->out, "# UNIT %s %s\n", about->name, about->unit);
}

/* All of a sample but its value; with one more label, or none: NULL. */
static void put_name(struct metrics_text *text, const char *suffix, const char *labels,
		     const char *label, const char *value)
{
	put_text(text, text->about->name);
	put_text(text, suffix);
	if (*labels || label)
		put_text(text, "{");
	put_text(text, labels);
	if (label) {
		put_text(text, *labels ? "," : "");
		put_text(text, label);
		put_text(text, "=\"");
		put_text(text, value);
		put_text(text, "\"");
	}
	put_text(text, *labels || label ? "} " : " ");
	text->samples++;
}

static void put_count(struct metrics_text *text, const char *suffix, const char *labels,
		      __u64 value)
{
	put_name(text, suffix, labels, NULL, NULL);
	put_number(text, value);
	put_text(text, "\n");
}

void metrics_text__number(struct metrics_text *text, const char *labels, __u64 value)
{
	put_count(text, end_of(text->about->type), labels, value);
}

void metrics_text__seconds(struct metrics_text *text, const char *labels, __u64 ns)
{
	metrics_text__seconds_of(text, labels, NULL, NULL, ns);
}

void metrics_text__seconds_of(struct metrics_text *text, const char *labels, const char *label,
			      const char *value, __u64 ns)
{
	put_name(text, end_of(text->about->type), labels, label, value);
	put_seconds(text, ns);
	put_text(text, "\n");
}

void metrics_text__number_of(struct metrics_text *text, const char *labels, const char *label,
			     const char *value, __u64 number)
{
	put_name(text, end_of(text->about->type), labels, label, value);
	put_number(text, number);
	put_text(text, "\n");
}

void metrics_text__ratio(struct metrics_text *text, double value)
{
	metrics_text__ratio_of(text, "", NULL, NULL, value);
}

void metrics_text__ratio_of(struct metrics_text *text, const char *labels, const char *label,
			    const char *value, double ratio)
{
	put_name(text, "", labels, label, value);
	fprintf(text->out, "%.9g\n", ratio);
}

static void put_bucket(struct metrics_text *text, const char *labels, const char *edge, __u64 count)
{
	put_name(text, "_bucket", labels, "le", edge);
	put_number(text, count);
	put_text(text, "\n");
}

void metrics_text__histogram(struct metrics_text *text, const char *labels,
			     const struct metrics_histogram *histogram)
{
	char edge[32];
	__u64 sum = 0;

	for (size_t i = 0; i < histogram->n; i++) {
		sum += histogram->counts[i];
		snprintf(edge, sizeof(edge), "%.12g", (double)histogram->edges_ns[i] / NS_PER_S);
		put_bucket(text, labels, edge, sum);
	}
	sum += histogram->counts[histogram->n];
	put_bucket(text, labels, "+Inf", sum);
	put_count(text, "_count", labels, sum);
	put_name(text, "_sum", labels, NULL, NULL);
	put_seconds(text, histogram->sum_ns);
	put_text(text, "\n");
}

void metrics_text__end(struct metrics_text *text)
{
	if (text->format == METRICS_OPENMETRICS)
		put_text(text, "# EOF\n");
}
