// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "drain/key_order.h"
#include "drain/merge.h"
#include "report/estimate.h"
#include "report/names.h"
#include "top/intake.h"

/* An interval while it is made. */
struct maker {
	const struct top_intake *intake;
	const struct top_interval *like;
	struct top_interval *interval;
	/* Of the job that it is at: what of its operations on files was seen, at all and now. */
	struct coverage coverage, since;
	bool unseen;		 /* something is known of calls of it that were not seen */
	__u64 count[TM_BUCKETS]; /* latencies of the last leaf */
};

/* Takes over the text, which may be NULL for want of memory. */
static const char *take_text(struct maker *maker, char *text)
{
	char *printable = text ? utf8__printable(text) : NULL;
	const char *name = top_names__take(maker->intake->names, printable);

	free(printable);
	free(text);
	return name;
}

static const char *job_name(struct maker *maker, __u64 job, const struct job_info *info)
{
	const char *path = names__cgroup(maker->intake->run, job);
	char *text;
	int ret;

	if (job_info__is_others(info))
		return top_names__take(maker->intake->names, "(other jobs)");
	if (info && job_info__is_job(info))
		ret = asprintf(&text, "%s job %s", info->kind, info->jobid);
	else if (path)
		ret = asprintf(&text, "%s", path);
	else if (!job)
		return top_names__take(maker->intake->names, "(not of one cgroup)");
	else
		ret = asprintf(&text, "(cgroup %llu)", job);
	return take_text(maker, ret < 0 ? NULL : text);
}

static int add_job(struct maker *maker, __u64 number)
{
	const struct top_intake *intake = maker->intake;
	const struct job_info *info = names__job(intake->run, number);
	const struct job_usage usage = info ? info->usage : job_usage__unknown();
	struct top_job job = { .job = number,
			       .start_ns = info ? info->start_ns : 0,
			       .memory_bytes = usage.memory_peak_bytes,
			       .processors = -1 };

	if (usage.cpu_ns != JOB_UNKNOWN)
		job.processors = top_usage__processors(intake->usage, number, usage.cpu_ns,
						       intake->snapshot->monotonic_ns);
	/* What info points to goes with the next call that asks for names. */
	job.name = job_name(maker, number, info);
	job.chosen = intake->is_chosen && intake->is_chosen(intake->context, intake->run, number);
	return top_interval__put_job(maker->interval, &job);
}

static char *vfs_name(const struct report_run *run, const struct tm_series *series)
{
	char type[NAMES_ROOM], *text;
	const char *function = names__function(run, &series->key);
	const char *mount;

	names__fs_type(run, series, type);
	mount = names__mount(run, series);
	if (asprintf(&text, "%s%s%s%s%s", function ? function : "?", type[0] ? " " : "", type,
		     mount ? " " : "", mount ? mount : "") < 0)
		return NULL;
	return text;
}

static char *block_name(const struct report_run *run, const struct tm_series *series)
{
	const struct tm_key *key = &series->key;
	char device[NAMES_ROOM], *text;
	const char *function = names__function(run, key);

	names__device(run, series, device);
	if (asprintf(&text, "%s %s%s%s", device[0] ? device : "?", function ? function : "?",
		     key->flags & TM_KEY_METADATA ? " meta" : "",
		     key->flags & TM_KEY_WRITEBACK ? " writeback" : "") < 0)
		return NULL;
	return text;
}

static char *library_name(const struct report_run *run, const struct tm_key *key)
{
	const char *function = names__function(run, key);
	char *text;

	if (asprintf(&text, "%s%s", function ? function : "?",
		     key__is_operation(key) ? " op" : "") < 0)
		return NULL;
	return text;
}

static void name_leaf(struct maker *maker, struct top_leaf *leaf, const struct tm_series *series)
{
	const struct top_leaf *like =
		maker->like ? top_interval__leaf(maker->like, &leaf->key) : NULL;
	const struct report_run *run = maker->intake->run;
	const char *layer;

	if (like) {
		leaf->layer = top_names__share(like->layer);
		leaf->name = top_names__share(like->name);
		return;
	}
	layer = names__layer(run, leaf->key.layer);
	leaf->layer = take_text(maker, strdup(layer ? layer : "?"));
	if (leaf->key.layer == TM_LAYER_VFS)
		leaf->name = take_text(maker, vfs_name(run, series));
	else if (leaf->key.layer == TM_LAYER_BLOCK)
		leaf->name = take_text(maker, block_name(run, series));
	else
		leaf->name = take_text(maker, library_name(run, &leaf->key));
}

static int begin_leaf(struct maker *maker, const struct tm_key *key, const struct tm_series *series)
{
	struct top_interval *interval = maker->interval;
	struct top_leaf leaf = { .key = *key };
	int ret = 0;

	if (!interval->n_jobs || interval->jobs[interval->n_jobs - 1].job != key->job)
		ret = add_job(maker, key->job);
	if (ret < 0)
		return ret;
	name_leaf(maker, &leaf, series);
	memset(maker->count, 0, sizeof(maker->count));
	return top_interval__put_leaf(interval, &leaf);
}

static int end_leaf(struct maker *maker)
{
	return maker->interval->n_leaves ? top_interval__put_latency(maker->interval, maker->count)
					 : 0;
}

static bool is_last(const struct top_interval *interval, const struct tm_key *key)
{
	return interval->n_leaves && !key_order(&interval->leaves[interval->n_leaves - 1].key, key);
}

/* Was a part of what it did meanwhile not seen? */
static bool is_parted(const struct maker *maker, const struct tm_key *key)
{
	struct unseen_calls unseen;

	if (maker->unseen && key__is_call(key))
		return unseen_calls__of(&unseen, maker->intake->snapshot, key, true) &&
		       unseen.figures[TM_UNSEEN_COUNT];
	return maker->since.missed && key->layer == TM_LAYER_VFS && !key__is_beside(key);
}

static int add_series(struct maker *maker, const struct snapshot_series *now,
		      const struct snapshot_series *before)
{
	struct tm_key key = now->total.key;
	struct figures figures;
	struct top_leaf *leaf;
	int ret = 0;

	key.process = 0;
	key.shard = 0;
	if (!is_last(maker->interval, &key)) {
		ret = end_leaf(maker);
		if (!ret)
			ret = begin_leaf(maker, &key, &now->total);
	}
	if (ret < 0)
		return ret;
	figures__interval(&figures, now, before);
	leaf = &maker->interval->leaves[maker->interval->n_leaves - 1];
	if (is_parted(maker, &key))
		leaf->about |= key.layer == TM_LAYER_VFS
				       ? estimate__add_missed(&figures, &now->total,
							      &maker->coverage, &maker->since)
				       : estimate__add_unseen(&figures, maker->intake->snapshot,
							      &now->total.key);
	figures__add(&leaf->figures, &figures);
	latency__since(maker->count, now, before);
	return 0;
}

/* Is there something to tell of it? What stands beside calls is no sum of theirs. */
static bool is_told(const struct maker *maker, const struct snapshot_series *now,
		    const struct snapshot_series *before)
{
	const struct tm_key *key = &now->total.key;

	if (now == before && !now->total.in_flight && !is_parted(maker, key))
		return false;
	return !key__is_beside(key) || key__is_operation(key);
}

/* The series i is the first one of a job. */
static void begin_job(struct maker *maker, size_t first)
{
	const struct snapshot *snapshot = maker->intake->snapshot;
	__u64 job = snapshot->series[first]->total.key.job;
	size_t end = first;

	maker->unseen = false;
	while (end < snapshot->n_series && snapshot->series[end]->total.key.job == job)
		maker->unseen |= key__is_unseen(&snapshot->series[end++]->total.key);
	maker->coverage = coverage__of_job(snapshot, first, end);
	maker->since = (struct coverage){ 0 };
	if (maker->coverage.missed)
		maker->since = coverage__interval(snapshot, first, end);
}

int top_intake__take(const struct top_intake *intake, const struct top_interval *like,
		     struct top_interval **out)
{
	const struct snapshot *snapshot = intake->snapshot;
	struct maker maker = {
		.intake = intake,
		.like = like,
		.interval = top_interval__allocate(intake->names),
	};
	int ret = maker.interval ? 0 : -ENOMEM;

	if (ret < 0)
		return ret;
	maker.interval->end_ns = snapshot->time_ns;
	maker.interval->seconds = intake->seconds;
	maker.interval->cost = intake->cost;
	for (size_t i = 0; i < snapshot->n_series && !ret; i++) {
		if (!i ||
		    snapshot->series[i]->total.key.job != snapshot->series[i - 1]->total.key.job)
			begin_job(&maker, i);
		if (is_told(&maker, snapshot->series[i], snapshot->before[i]))
			ret = add_series(&maker, snapshot->series[i], snapshot->before[i]);
	}
	if (!ret)
		ret = end_leaf(&maker);
	if (ret < 0) {
		top_interval__give(maker.interval);
		return ret;
	}
	top_interval__fit(maker.interval);
	*out = maker.interval;
	return 0;
}
