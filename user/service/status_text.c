// SPDX-License-Identifier: GPL-2.0-only
/* The status record as text for people. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "service/status.h"

static struct json_object *get_member(struct json_object *record, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(record, name, &value);
	return value;
}

static __u64 number(struct json_object *record, const char *name)
{
	return json_object_get_uint64(get_member(record, name));
}

/* "3 armed, 1 waiting": the members that are not 0. */
static void print_counts(struct json_object *counts, FILE *out)
{
	char text[UNITS_ROOM];
	bool first = true;

	if (!json_object_is_type(counts, json_type_object))
		return;
	json_object_object_foreach(counts, name, value)
	{
		__u64 n = json_object_get_uint64(value);

		if (n)
			fprintf(out, "%s%s %s", first ? "" : ", ", units__count(text, n), name);
		first &= !n;
	}
	if (first)
		fputs("none", out);
	fputc('\n', out);
}

static void print_share(struct json_object *cost, const char *name, const char *what, FILE *out)
{
	struct json_object *share = get_member(cost, name);

	if (share)
		fprintf(out, "%s %.3f %% of the node's processors", what,
			json_object_get_double(share) * 100);
	else
		fprintf(out, "%s not known", what);
}

/* "at most 1 %" */
static bool print_bound(struct json_object *record, const char *name, const char *before, FILE *out)
{
	struct json_object *bound = get_member(record, name);

	if (bound)
		fprintf(out, "%sat most %g %%", before, json_object_get_double(bound) * 100);
	return bound;
}

/* What is not known is not told. */
static void print_beside(struct json_object *cost, const char *name, const char *what, FILE *out)
{
	if (!get_member(cost, name))
		return;
	fputs("           ", out);
	print_share(cost, name, what, out);
	fputc('\n', out);
}

static void print_cost(struct json_object *record, FILE *out)
{
	struct json_object *cost = get_member(record, "cost");
	double history_s = json_object_get_double(get_member(record, "history_interval"));
	char text[UNITS_ROOM];

	fprintf(out, "cost       ");
	print_share(cost, "probes_share", "probes", out);
	print_bound(record, "max_overhead", " (", out);
	if (print_bound(record, "max_thread_overhead",
			get_member(record, "max_overhead") ? ", and " : " (", out))
		fputs(" of a thread's time", out);
	if (get_member(record, "max_overhead") || get_member(record, "max_thread_overhead"))
		fputc(')', out);
	fprintf(out, ", %s hits/s\n", units__count(text, number(cost, "hits_per_s")));
	print_beside(cost, "other_calls_share", "system calls on no files", out);
	print_beside(cost, "following_share", "following processes", out);
	fputs("           ", out);
	print_share(cost, "own_share", "service", out);
	if (print_bound(record, "max_service_overhead", " (", out))
		fputc(')', out);
	fprintf(out, ", %s resident\n", units__bytes(text, number(cost, "memory_bytes")));
	if (history_s > 1)
		fprintf(out,
			"           the history is written every %g s only, as the service costs "
			"more "
			"than it may\n",
			history_s);
}

static void print_text(struct json_object *value, FILE *out)
{
	char *line = utf8__printable(value ? json_object_get_string(value) : "none");

	fputs(line ? line : "no memory", out);
	free(line);
}

static void print_mechanisms(struct json_object *mechanisms_, FILE *out)
{
	const char *before = "";

	fprintf(out, "layers     ");
	if (json_object_is_type(mechanisms_, json_type_object)) {
		json_object_object_foreach(mechanisms_, layer, mechanism)
		{
			fprintf(out, "%s%s (", before, layer);
			print_text(mechanism, out);
			fputc(')', out);
			before = ", ";
		}
	}
	fputc('\n', out);
}

/* "v2 (/sys/fs/cgroup): where jobs live" */
static void print_hierarchy(struct json_object *hierarchy_, FILE *out)
{
	static const char *const reasons[HIERARCHY_REASONS] = {
		[HIERARCHY_SAID] = "as the configuration says",
		[HIERARCHY_ONLY] = "there are no other cgroups",
		[HIERARCHY_JOBS] = "where jobs live",
		[HIERARCHY_KEPT] = "as before its start, when no jobs lived in any cgroups",
		[HIERARCHY_DEFAULT] = "no jobs lived in any cgroups at its start",
	};
	const char *reason;

	fprintf(out, "jobs by    ");
	if (!hierarchy_) {
		fprintf(out, "none: no cgroups are mounted\n");
		return;
	}
	print_text(get_member(hierarchy_, "name"), out);
	fprintf(out, " (");
	print_text(get_member(hierarchy_, "mount"), out);
	fprintf(out, ")");
	reason = json_object_get_string(get_member(hierarchy_, "reason"));
	for (size_t i = 0; reason && i < HIERARCHY_REASONS; i++)
		if (reasons[i] && !strcmp(reason, hierarchy_reason_names[i]))
			fprintf(out, ": %s", reasons[i]);
	fputc('\n', out);
}

/* Whether the counters are older than the service. */
static void print_restarts(struct json_object *record, FILE *out)
{
	__u64 restarts = number(record, "restarts");

	if (restarts)
		fprintf(out,
			"restarts   %llu since the counters began, at the last one %llu links were "
			"in place\n",
			(unsigned long long)restarts,
			(unsigned long long)number(record, "adopted_links"));
}

static void print_notes(struct json_object *notes_, FILE *out)
{
	for (size_t i = 0; notes_ && i < json_object_array_length(notes_); i++) {
		fprintf(out, "note       ");
		print_text(json_object_array_get_idx(notes_, i), out);
		fputc('\n', out);
	}
}

static void print_level(struct json_object *level, FILE *out)
{
	bool chosen = json_object_is_type(level, json_type_object);
	__u64 sample = chosen ? number(level, "sample") : 1;
	__u64 min_ns = chosen ? number(level, "min_duration_ns") : 0;
	char text[UNITS_ROOM];

	print_text(chosen ? get_member(level, "level") : level, out);
	if (sample > 1)
		fprintf(out, " (one in %s)", units__count(text, sample));
	if (min_ns)
		fprintf(out, " (from %s)", units__time(text, min_ns));
}

/* "vfs histogram, mio calls" */
static void print_layers(struct json_object *layers, FILE *out)
{
	const char *before = "";

	if (!json_object_is_type(layers, json_type_object))
		return;
	json_object_object_foreach(layers, layer, level)
	{
		fprintf(out, "%s%s ", before, layer);
		print_level(level, out);
		before = ", ";
	}
}

void status__print_set(struct json_object *record, FILE *out)
{
	struct json_object *levels = get_member(record, "levels"),
			   *jobs = get_member(levels, "jobs");

	fprintf(out, "levels     ");
	print_layers(get_member(levels, "node"), out);
	fputc('\n', out);
	for (size_t i = 0; jobs && i < json_object_array_length(jobs); i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);
		struct json_object *name = get_member(job, "jobid");

		fprintf(out, "           job ");
		print_text(name ? name : get_member(job, "cgroup"), out);
		fprintf(out, ": ");
		print_layers(get_member(job, "layers"), out);
		fputc('\n', out);
	}
}

/* "; most is paid by process 4711, job 17" */
static void print_payer(struct json_object *one, FILE *out)
{
	struct json_object *job = get_member(one, "jobid"), *cgroup = get_member(one, "cgroup");

	if (!get_member(one, "thread_pid"))
		return;
	fprintf(out, "; most was taken from process %llu",
		(unsigned long long)number(one, "thread_pid"));
	if (!job && !cgroup)
		return;
	fprintf(out, ", %s ", job ? "job" : "cgroup");
	print_text(job ? job : cgroup, out);
}

/* Of more, nobody reads each line. */
#define PARKED_LINES 8

/* name: how its lines begin, "parked" or "untimed". */
static void print_parked(struct json_object *record, const char *name, FILE *out)
{
	struct json_object *parked = get_member(record, name);
	size_t n = parked ? json_object_array_length(parked) : 0;
	size_t shown = n <= PARKED_LINES ? n : PARKED_LINES - 1;

	for (size_t i = 0; i < shown; i++) {
		struct json_object *one = json_object_array_get_idx(parked, i);

		fprintf(out, "%-11s", name);
		print_text(get_member(one, "function"), out);
		fprintf(out, " (");
		print_text(get_member(one, get_member(one, "library") ? "library" : "layer"), out);
		fprintf(out, "): ");
		print_text(get_member(one, "reason"), out);
		print_payer(one, out);
		fputc('\n', out);
	}
	if (shown < n)
		fprintf(out, "           and %zu more; --json names them all\n", n - shown);
}

static void print_kernel_io(struct json_object *io, FILE *out)
{
	char text[UNITS_ROOM], other[UNITS_ROOM];

	fprintf(out, "kernel io  ");
	if (!io) {
		fprintf(out, "not known: see the notes\n");
		return;
	}
	fprintf(out, "%s tasks gone through in %s of CPU time, every %.0f s\n",
		units__count(text, number(io, "tasks")), units__time(other, number(io, "pass_ns")),
		json_object_get_double(get_member(io, "interval_s")));
	if (json_object_object_length(get_member(io, "lost"))) {
		fprintf(out, "           threads of which something is missing: ");
		print_counts(get_member(io, "lost"), out);
	}
}

void status__print(struct json_object *record, FILE *out)
{
	char text[UNITS_ROOM], other[UNITS_ROOM];

	fprintf(out, "service    tmtrace ");
	print_text(get_member(record, "version"), out);
	fprintf(out, " on ");
	print_text(get_member(record, "hostname"), out);
	fprintf(out, ", process %llu, since %s\n", (unsigned long long)number(record, "pid"),
		units__time(text, number(record, "time_ns") - number(record, "start_ns")));
	print_restarts(record, out);
	print_mechanisms(get_member(record, "mechanisms"), out);
	print_hierarchy(get_member(record, "hierarchy"), out);
	fprintf(out, "probes     ");
	print_counts(get_member(record, "probes"), out);
	fprintf(out, "hits       %s, of which %s were recorded\n",
		units__count(text, number(record, "hits")),
		units__count(other, number(record, "recorded")));
	fprintf(out, "lost       ");
	print_counts(get_member(record, "lost_by"), out);
	fprintf(out, "series     %s of %s\n", units__count(text, number(record, "series")),
		units__count(other, number(record, "max_series")));
	fprintf(out, "jobs       %s\n", units__count(text, number(record, "jobs")));
	if (get_member(record, "levels"))
		status__print_set(record, out);
	print_cost(record, out);
	print_kernel_io(get_member(record, "kernel_io"), out);
	print_parked(record, "parked", out);
	print_parked(record, "untimed", out);
	fprintf(out, "log        ");
	print_counts(get_member(record, "log"), out);
	fprintf(out, "history    ");
	print_text(get_member(record, "history"), out);
	fputc('\n', out);
	outputs__print(get_member(record, "outputs"), out);
	print_notes(get_member(record, "notes"), out);
}
