// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/note_list.h"
#include "drain/merge.h"
#include "drain/roll_up.h"
#include "object/object_merge.h"
#include "report/combined.h"
#include "report/combined_names.h"
#include "timeline/timelines.h"

struct combined {
	struct combined_names *names;
	struct report_run run;
	struct snapshot snapshot;
	char scope[64];
	struct note_list notes;
	struct probe *probes;
	struct tm_ledger *ledgers;
	struct tm_call_ledger *call_ledgers;
	bool has_calls; /* of any part, single calls were recorded */
	size_t n_probes;
	struct roll_up *roll_up;
	struct object_merge *objects;
	struct timelines *timelines;
};

/* The series of all parts, under common keys. */
static int add_series(struct combined *combined, const struct report_part *parts, size_t n)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += parts[i].snapshot->n_series;
	combined->roll_up = roll_up__new(all);
	if (!combined->roll_up)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < parts[i].snapshot->n_series; j++) {
			const struct snapshot_series *series = parts[i].snapshot->series[j];
			struct tm_key key;

			if (combined_names__key(combined->names, &parts[i], &series->total, &key) <
			    0)
				return -ENOMEM;
			roll_up__add(combined->roll_up, &key, series, NULL);
		}
	}
	return roll_up__finish(combined->roll_up, false, &combined->snapshot);
}

/* Files and objects of all processes and parts; their times since 1970, as all parts' are. */
static int add_objects(struct combined *combined, const struct report_part *parts, size_t n)
{
	int ret = 0;

	combined->objects = object_merge__new();
	if (!combined->objects)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct snapshot *snapshot = parts[i].snapshot;
		struct object_merge_from from = {
			.source = (__u32)i,
			.shift_ns = snapshot->time_ns - snapshot->monotonic_ns,
		};

		for (size_t j = 0; j < snapshot->n_objects && !ret; j++) {
			from.object = snapshot->objects[j];
			ret = combined_names__object(combined->names, &parts[i],
						     &from.object->total.key, &from.job,
						     &from.layer);
			if (!ret)
				ret = object_merge__add(combined->objects, &from);
		}
	}
	return ret;
}

/* Of all parts, each at its own time. */
static int add_timelines(struct combined *combined, const struct report_part *parts, size_t n)
{
	int ret = 0;

	combined->timelines = timelines__new(~(size_t)0, 0);
	if (!combined->timelines)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct snapshot *snapshot = parts[i].snapshot;

		for (size_t j = 0; j < snapshot->n_timelines && !ret; j++) {
			struct timeline_about about = timeline__about(snapshot->timelines[j]);
			const struct tm_object_key key = { .job = about.job, .layer = about.layer };

			ret = combined_names__object(combined->names, &parts[i], &key, &about.job,
						     &about.layer);
			if (!ret)
				ret = timelines__merge(combined->timelines, about.job, about.layer,
						       snapshot->timelines[j]);
		}
	}
	return ret;
}

static void add_ledger(struct tm_ledger *to, const struct tm_ledger *from)
{
	const struct tm_ledger both[] = { *to, *from };

	*to = merge__ledgers(both, 2);
}

static void add_calls(struct combined *combined, size_t to, const struct tm_call_ledger *from)
{
	const struct tm_call_ledger both[] = { combined->call_ledgers[to], *from };

	combined->call_ledgers[to] = merge__call_ledgers(both, 2);
	combined->has_calls = true;
}

static int add_probe(struct combined *combined, const struct report_part *part, size_t i,
		     size_t *to)
{
	struct probe *probe;

	/* The kernel layers' probes come first, the same in all. */
	*to = i < TM_PROBE_USER && combined->n_probes > i ? i : combined->n_probes;
	probe = &combined->probes[*to];
	if (*to < combined->n_probes && probe->state != PROBE_OFF)
		return 0;
	*probe = part->run->probes[i];
	combined->n_probes += *to == combined->n_probes;
	return combined_names__probe(combined->names, part, probe);
}

static int add_probes(struct combined *combined, const struct report_part *parts, size_t n)
{
	size_t all = 0, to;

	for (size_t i = 0; i < n; i++)
		all += parts[i].run->n_probes;
	combined->probes = calloc(all + 1, sizeof(*combined->probes));
	combined->ledgers = aligned_alloc(__alignof__(struct tm_ledger),
					  (all + 1) * sizeof(*combined->ledgers));
	combined->call_ledgers = calloc(all + 1, sizeof(*combined->call_ledgers));
	if (!combined->probes || !combined->ledgers || !combined->call_ledgers)
		return -ENOMEM;
	memset(combined->ledgers, 0, (all + 1) * sizeof(*combined->ledgers));
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < parts[i].run->n_probes; j++) {
			if (add_probe(combined, &parts[i], j, &to) < 0)
				return -ENOMEM;
			if (j >= parts[i].snapshot->n_ledgers)
				continue;
			add_ledger(&combined->ledgers[to], &parts[i].snapshot->ledgers[j]);
			if (parts[i].snapshot->call_ledgers)
				add_calls(combined, to, &parts[i].snapshot->call_ledgers[j]);
		}
	}
	return 0;
}

static void keep_same(const char **text, const char *other)
{
	if (*text && strcmp(*text, other) != 0)
		*text = NULL;
}

/* What is the same in all is said; else how many there are. */
static void describe(struct combined *combined, const struct report_part *parts, size_t n)
{
	struct report_run *run = &combined->run;
	bool one_scope = true;

	*run = *parts[0].run;
	run->combined = true;
	run->argv = NULL;
	run->epoch = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct report_run *part = parts[i].run;

		one_scope &= !strcmp(part->scope, run->scope);
		keep_same(&run->hostname, part->hostname);
		keep_same(&run->version, part->version);
		keep_same(&run->kernel, part->kernel);
		run->times_known = report__join_known(run->times_known, part->times_known);
		if (part->start_ns < run->start_ns)
			run->start_ns = part->start_ns;
		if (parts[i].snapshot->time_ns > combined->snapshot.time_ns)
			combined->snapshot.time_ns = parts[i].snapshot->time_ns;
		for (size_t j = 0; j < part->n_notes; j++)
			note_list__add(&combined->notes, "%s: %s", parts[i].name, part->notes[j]);
	}
	snprintf(combined->scope, sizeof(combined->scope), "%zu recordings", n);
	if (!one_scope)
		run->scope = combined->scope;
	run->n_mechanisms = run->n_hit_costs = 0;
	run->probe_share = -1;
}

static void finish_report(struct combined *combined)
{
	struct report_run *run = &combined->run;

	run->names = combined_names__table(combined->names);
	run->probes = combined->probes;
	run->n_probes = combined->n_probes;
	run->notes = (const char *const *)combined->notes.lines;
	run->n_notes = combined->notes.n;
	run->n_start_notes = 0;
	combined->snapshot.monotonic_ns = combined->snapshot.time_ns;
	combined->snapshot.objects = object_merge__sorted(combined->objects);
	combined->snapshot.n_objects = object_merge__count(combined->objects);
	timelines__show(combined->timelines, &combined->snapshot);
	combined->snapshot.ledgers = combined->ledgers;
	combined->snapshot.n_ledgers = combined->n_probes;
	combined->snapshot.call_ledgers = combined->has_calls ? combined->call_ledgers : NULL;
}

int combined__new(struct combined **out, const struct report_part *parts, size_t n)
{
	struct combined *combined = calloc(1, sizeof(*combined));
	int ret = combined ? 0 : -ENOMEM;

	if (!ret)
		combined->names = combined_names__new(parts, n);
	if (!ret && !combined->names)
		ret = -ENOMEM;
	if (!ret)
		ret = add_probes(combined, parts, n);
	if (!ret)
		ret = add_series(combined, parts, n);
	if (!ret)
		ret = add_objects(combined, parts, n);
	if (!ret)
		ret = add_timelines(combined, parts, n);
	if (ret) {
		combined__free(combined);
		return ret;
	}
	describe(combined, parts, n);
	finish_report(combined);
	*out = combined;
	return 0;
}

void combined__free(struct combined *combined)
{
	if (!combined)
		return;
	roll_up__free(combined->roll_up);
	object_merge__free(combined->objects);
	timelines__free(combined->timelines);
	free(combined->probes);
	free(combined->ledgers);
	free(combined->call_ledgers);
	note_list__clear(&combined->notes);
	combined_names__free(combined->names);
	free(combined);
}

const struct report_run *combined__run(const struct combined *combined)
{
	return &combined->run;
}

const struct snapshot *combined__snapshot(const struct combined *combined)
{
	return &combined->snapshot;
}
