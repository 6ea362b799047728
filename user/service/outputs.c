// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/utf8.h"
#include "service/outputs.h"

void outputs__add(const struct service_outputs *outputs, struct record *record)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC), realtime = clock__ns(CLOCK_REALTIME);

	record__open(record, "outputs");
	for (size_t i = 0; i < SERVICE_OUTPUTS; i++)
		if (outputs->at[i])
			output_state__add(outputs->at[i], record, now, realtime);
	record__close(record);
}

static const char *text_of(struct json_object *output, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(output, name, &value);
	return value ? json_object_get_string(value) : NULL;
}

static __u64 number_of(struct json_object *output, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(output, name, &value);
	return json_object_get_uint64(value);
}

/* What another process says is not printed as it is. */
static void print_text(const char *text, FILE *out)
{
	char *line = utf8__printable(text ? text : "?");

	fputs(line ? line : "no memory", out);
	free(line);
}

static bool fails(struct json_object *output)
{
	const char *state = text_of(output, "state");

	return state && !strcmp(state, "fails");
}

static void print_failure(const char *name, struct json_object *output, FILE *out)
{
	char text[UNITS_ROOM], date[32];

	fprintf(out, "fails      ");
	print_text(name, out);
	fprintf(out, " since %s: ",
		clock__local(date, sizeof(date), number_of(output, "since_ns"), "%F %T"));
	print_text(text_of(output, "reason"), out);
	if (text_of(output, "remedy")) {
		fprintf(out, "; ");
		print_text(text_of(output, "remedy"), out);
	}
	fprintf(out, "; next try in %s\n", units__time(text, number_of(output, "next_try_ns")));
}

/* Also of one that works again. */
static void print_failures(const char *name, struct json_object *output, FILE *out)
{
	char text[UNITS_ROOM], time[UNITS_ROOM];

	fprintf(out, "           ");
	print_text(name, out);
	fprintf(out, " has failed %s times, for %s in all; lost: %llu ",
		units__count(text, number_of(output, "failures")),
		units__time(time, number_of(output, "failed_ns")),
		(unsigned long long)number_of(output, "lost"));
	print_text(text_of(output, "lost_are"), out);
	fputc('\n', out);
}

void outputs__print(struct json_object *outputs, FILE *out)
{
	const char *before = "";

	if (!json_object_is_type(outputs, json_type_object) || !json_object_object_length(outputs))
		return;
	fprintf(out, "outputs    ");
	json_object_object_foreach(outputs, name, output)
	{
		fputs(before, out);
		print_text(name, out);
		fputs(fails(output) ? " fails" : " works", out);
		before = ", ";
	}
	fputc('\n', out);
	json_object_object_foreach(outputs, failing, one)
	{
		if (fails(one))
			print_failure(failing, one, out);
		if (number_of(one, "failures"))
			print_failures(failing, one, out);
	}
}

static bool has_any(const struct service_outputs *outputs)
{
	for (size_t i = 0; i < SERVICE_OUTPUTS; i++)
		if (outputs->at[i])
			return true;
	return false;
}

/* One figure of an output. */
struct figure {
	struct metrics_about about;
	const char *pair; /* its name among pairs */
	__u64 (*of)(const struct output_state *state);
};

static __u64 works_of(const struct output_state *state)
{
	return !state->fails;
}

static __u64 failures_of(const struct output_state *state)
{
	return state->failures;
}

static __u64 failed_of(const struct output_state *state)
{
	return output_state__failed_ns(state, clock__ns(CLOCK_MONOTONIC));
}

static __u64 lost_of(const struct output_state *state)
{
	return state->lost;
}

static const struct figure figures[] = {
	{ { "tmtrace_output_works", NULL, METRICS_GAUGE,
	    "Whether an output of the service works (1) or fails (0)." },
	  "output_works",
	  works_of },
	{ { "tmtrace_output_failures", NULL, METRICS_COUNTER,
	    "How often an output began to fail." },
	  "output_failures",
	  failures_of },
	{ { "tmtrace_output_failed_seconds", "seconds", METRICS_COUNTER,
	    "How long an output has failed." },
	  "output_failed_seconds",
	  failed_of },
	{ { "tmtrace_output_lost", NULL, METRICS_COUNTER,
	    "What an output lost while it failed: of the history calls and records of processes, "
	    "of the log records, of files versions." },
	  "output_lost",
	  lost_of },
};

#define FIGURES (sizeof(figures) / sizeof(*figures))

void outputs__write_metrics(const struct service_outputs *outputs, struct metrics_text *text)
{
	for (size_t f = 0; f < FIGURES && has_any(outputs); f++) {
		metrics_text__begin(text, &figures[f].about);
		for (size_t i = 0; i < SERVICE_OUTPUTS; i++) {
			const struct output_state *state = outputs->at[i];

			if (!state)
				continue;
			if (figures[f].about.unit)
				metrics_text__seconds_of(text, "", "output", state->kind->name,
							 figures[f].of(state));
			else
				metrics_text__number_of(text, "", "output", state->kind->name,
							figures[f].of(state));
		}
	}
}

void outputs__write_pairs(const struct service_outputs *outputs, FILE *out)
{
	for (size_t i = 0; i < SERVICE_OUTPUTS; i++) {
		const struct output_state *state = outputs->at[i];

		for (size_t f = 0; state && f < FIGURES; f++) {
			__u64 value = figures[f].of(state);

			fprintf(out, "tmtrace.%s{%s} ", figures[f].pair, state->kind->name);
			if (figures[f].about.unit)
				fprintf(out, "%llu.%09llu\n", value / NS_PER_S, value % NS_PER_S);
			else
				fprintf(out, "%llu\n", value);
		}
	}
}
