// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "metrics/job_labels.h"
#include "metrics/metrics.h"
#include "metrics/ranking.h"
#include "metrics/shown.h"
#include "metrics/split.h"
#include "tmtrace/env_job.h"

/* Samples of the node, and of what is folded: fewer. */
#define NODE_SAMPLES 100
/* Those that have no rows of their own get no more than one in so many. */
#define SHARE_OF_OTHERS 3
/* The most that one job gets: one in so many. */
#define SHARE_OF_ONE 4
/* Rows that jobs have counted before they came out of the others, at most. */
#define BASE_ROWS 2048

struct metrics {
	size_t most;
	__u64 restarted_ns;
	__u64 before_ns; /* CLOCK_REALTIME: of the update before; 0: there was none */
	struct metrics_ranking ranking;
	struct metrics_job *jobs; /* in the order of their ids */
	size_t n_jobs;
	struct metrics_folded folded;
};

/* A time of which the jobs are made. */
struct making {
	struct metrics *metrics;
	const struct report_run *run;
	const struct snapshot *snapshot;
	struct metrics_job *jobs;
	size_t n, room;
	size_t old; /* the next of those that were there before */
	size_t base_rows;
	size_t others; /* samples of the others, at most */
};

struct metrics *metrics__new(size_t most_samples, __u64 restarted_ns)
{
	struct metrics *metrics = calloc(1, sizeof(*metrics));

	if (!metrics)
		return NULL;
	metrics->most = most_samples;
	metrics->restarted_ns = restarted_ns;
	return metrics;
}

void metrics__bound(struct metrics *metrics, size_t most_samples)
{
	metrics->most = most_samples;
}

static void free_job(struct metrics_job *job)
{
	metric_rows__free(&job->rows);
	metric_rows__free(&job->base);
	free(job->labels);
	metrics_layers__free(&job->layers);
}

static void free_jobs(struct metrics_job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_job(&jobs[i]);
	free(jobs);
}

void metrics__free(struct metrics *metrics)
{
	if (!metrics)
		return;
	free_jobs(metrics->jobs, metrics->n_jobs);
	metrics_ranking__free(&metrics->ranking);
	free(metrics);
}

static size_t samples_of_jobs(const struct metrics *metrics)
{
	return metrics->most - NODE_SAMPLES;
}

static size_t samples_of_one(const struct metrics *metrics)
{
	return samples_of_jobs(metrics) / SHARE_OF_ONE;
}

/* The job as it was shown before; NULL: it was not. To be asked in the order of the ids. */
static struct metrics_job *find_old(struct making *making, __u64 id)
{
	struct metrics *metrics = making->metrics;

	while (making->old < metrics->n_jobs && metrics->jobs[making->old].id < id)
		making->old++;
	if (making->old < metrics->n_jobs && metrics->jobs[making->old].id == id)
		return &metrics->jobs[making->old];
	return NULL;
}

static struct metrics_job *add_job(struct making *making, __u64 id)
{
	if (array__grow((void **)&making->jobs, &making->room, making->n, sizeof(*making->jobs)) <
	    0)
		return NULL;
	making->jobs[making->n] = (struct metrics_job){
		.id = id,
		.cpu_ns = JOB_UNKNOWN,
		.memory_peak_bytes = JOB_UNKNOWN,
	};
	return &making->jobs[making->n++];
}

/* Adds what was counted. */
static int add_counters(struct metric_rows *out, const struct metric_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct metric_row *row = metric_rows__get(out, &rows->rows[i].key);

		if (!row)
			return -ENOMEM;
		metric_counters__add(&row->sums.counters, &rows->rows[i].sums.counters);
	}
	return 0;
}

/* Rows of what it counted beside the base. */
static void leave_base(struct metric_rows *rows, const struct metric_rows *base)
{
	for (size_t i = 0; i < base->n; i++) {
		struct metric_row *row = metric_rows__find(rows, &base->rows[i].key);

		if (row)
			metric_counters__subtract(&row->sums.counters,
						  &base->rows[i].sums.counters);
	}
}

/* The job's rows, of all that it did. */
static int make_rows(struct making *making, struct metrics_job *job, const struct metric_rows *all,
		     const struct metrics_job *old, size_t samples)
{
	static const struct metric_rows none;
	const struct metrics_split split = {
		.run = making->run,
		.samples = samples,
		.now_ns = making->snapshot->time_ns,
		.since_ns = job->since_ns,
		.restarted_ns = making->metrics->restarted_ns,
	};

	if (metrics_layers__add_rows(&job->layers, all) < 0 ||
	    metrics_split__make(&split, all, old ? &old->rows : &none, &job->rows) < 0)
		return -ENOMEM;
	making->metrics->folded.rows += all->n;
	for (size_t i = 0; i < job->rows.n; i++)
		making->metrics->folded.rows -= !metric_key__is_other(&job->rows.rows[i].key);
	return 0;
}

static int label_job(const struct making *making, struct metrics_job *job)
{
	job->labels = metrics_job__labels(making->run, job->id);
	return job->labels ? 0 : -ENOMEM;
}

/* What is told at a job's end may be less than what was read before: it does not fall. */
static void take_usage(struct metrics_job *job, const struct job_info *info,
		       const struct metrics_job *old)
{
	if (info) {
		job->cpu_ns = info->usage.cpu_ns;
		job->memory_peak_bytes = info->usage.memory_peak_bytes;
	}
	if (old && old->cpu_ns != JOB_UNKNOWN &&
	    (job->cpu_ns == JOB_UNKNOWN || job->cpu_ns < old->cpu_ns))
		job->cpu_ns = old->cpu_ns;
}

/* Is it the job that had the number before? Those that the environment names are used again. */
static bool is_same(const struct metrics_job *job, const struct metrics_job *old)
{
	return job->rank->was_there && old &&
	       (!tm_env_job_is(job->id) || !strcmp(job->labels, old->labels));
}

/*
 * When a job's counters began that was not shown before: now, if it comes out of the others; else
 * with it, which was after the time before.
 */
static __u64 begin_of(const struct making *making, const struct metrics_job *job,
		      const struct job_info *info)
{
	if (job->rank->was_there)
		return making->snapshot->time_ns;
	return info && info->start_ns ? info->start_ns : making->metrics->before_ns;
}

/* A job gets room; what it has counted is found out later. */
static int begin_job(struct making *making, struct metrics_rank *rank)
{
	struct metrics_job *old = find_old(making, rank->job), *job;
	const struct job_info *info;

	if (!old && rank->was_there && making->base_rows >= BASE_ROWS) {
		rank->has_room = false;
		return 0;
	}
	job = add_job(making, rank->job);
	if (!job)
		return -ENOMEM;
	job->rank = rank;
	if (label_job(making, job) < 0)
		return -ENOMEM;
	if (old && !is_same(job, old)) {
		rank->was_there = false;
		old = NULL;
	}
	job->goes_on = old;
	info = names__job(making->run, job->id);
	take_usage(job, info, old);
	job->since_ns = old ? old->since_ns : begin_of(making, job, info);
	return 0;
}

/* The order of what tells jobs apart: their labels, and since when they count, as it is told. */
static int compare_labels(const struct metrics_job *a, const struct metrics_job *b)
{
	__u64 since = a->since_ns / NS_PER_MS, other = b->since_ns / NS_PER_MS;
	int order = strcmp(a->labels, b->labels);

	return order ? order : since < other ? -1 : since > other;
}

/* Of the same ones first who was shown before, then the older. */
static int by_labels(const void *left, const void *right)
{
	const struct metrics_job *a = *(struct metrics_job *const *)left;
	const struct metrics_job *b = *(struct metrics_job *const *)right;
	int order = compare_labels(a, b);

	if (order)
		return order;
	if (a->rank->had_room != b->rank->had_room)
		return a->rank->had_room ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* What nobody could tell apart would be no metric any more: one of those has room. */
static int leave_out_twins(struct making *making)
{
	struct metrics_job **order = calloc(making->n + 1, sizeof(struct metrics_job *));
	size_t kept = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < making->n; i++)
		order[i] = &making->jobs[i];
	qsort(order, making->n, sizeof(struct metrics_job *), by_labels);
	for (size_t i = 1; i < making->n; i++)
		if (compare_labels(order[i], order[i - 1]) == 0)
			order[i]->rank->has_room = false;
	free(order);
	for (size_t i = 0; i < making->n; i++) {
		if (making->jobs[i].rank->has_room)
			making->jobs[kept++] = making->jobs[i];
		else
			free_job(&making->jobs[i]);
	}
	making->n = kept;
	return 0;
}

static int begin_jobs(struct making *making)
{
	struct metrics_ranking *ranking = &making->metrics->ranking;
	int ret = 0;

	for (size_t i = 0; i < making->metrics->n_jobs; i++)
		making->base_rows += making->metrics->jobs[i].base.n;
	for (size_t i = 0; i < ranking->n && !ret; i++)
		if (ranking->ranks[i].has_room)
			ret = begin_job(making, &ranking->ranks[i]);
	making->old = 0;
	return ret ? ret : leave_out_twins(making);
}

/* What it had counted among the others stays there. */
static int set_base(struct metrics_job *job, struct metrics_job *old, const struct metric_rows *all)
{
	if (old) {
		job->base = old->base;
		old->base = (struct metric_rows){ 0 };
		return 0;
	}
	return job->rank->was_there ? add_counters(&job->base, all) : 0;
}

static int fill_job(struct making *making, struct metrics_job *job)
{
	struct metrics_job *old = job->goes_on ? find_old(making, job->id) : NULL;
	struct metric_rows all = { 0 };
	int ret = metric_rows__add_series(&all, making->run, making->snapshot, job->rank->first,
					  job->rank->end);

	if (!ret)
		ret = set_base(job, old, &all);
	if (!ret) {
		leave_base(&all, &job->base);
		ret = make_rows(making, job, &all, old, samples_of_one(making->metrics));
	}
	metric_rows__free(&all);
	return ret;
}

/* What has no room, what was counted before it had, and what was of others already. */
static int gather_others(struct making *making, struct metric_rows *all)
{
	const struct metrics_ranking *ranking = &making->metrics->ranking;
	const struct snapshot *snapshot = making->snapshot;
	size_t end = ranking->n ? ranking->ranks[ranking->n - 1].end : 0;
	int ret = metric_rows__add_series(all, making->run, snapshot, end, snapshot->n_series);

	for (size_t i = 0; i < ranking->n && !ret; i++) {
		const struct metrics_rank *rank = &ranking->ranks[i];

		if (rank->has_room)
			continue;
		making->metrics->folded.jobs++;
		ret = metric_rows__add_series(all, making->run, snapshot, rank->first, rank->end);
	}
	for (size_t i = 0; i < making->n && !ret; i++)
		ret = add_counters(all, &making->jobs[i].base);
	return ret;
}

static int add_others(struct making *making)
{
	struct metrics_job *old = find_old(making, TM_JOB_OTHERS), *job;
	struct metric_rows all = { 0 };
	int ret = gather_others(making, &all);

	if (!ret && (all.n || old)) {
		job = add_job(making, TM_JOB_OTHERS);
		if (!job)
			ret = -ENOMEM;
		else
			job->since_ns = making->metrics->restarted_ns;
		if (!ret)
			ret = label_job(making, job);
		if (!ret)
			ret = make_rows(making, job, &all, old, making->others);
	}
	metric_rows__free(&all);
	return ret;
}

/* Jobs that had rows and have none. */
static size_t count_lost(const struct making *making)
{
	const struct metrics *metrics = making->metrics;
	size_t lost = 0, at = 0;

	for (size_t i = 0; i < metrics->n_jobs; i++) {
		__u64 id = metrics->jobs[i].id;

		while (at < making->n && making->jobs[at].id < id)
			at++;
		lost += at == making->n || making->jobs[at].id != id;
	}
	return lost;
}

/* Are there others in any case? */
static bool has_others(const struct making *making)
{
	const struct metrics *metrics = making->metrics;
	const struct snapshot *snapshot = making->snapshot;

	if (metrics->n_jobs && metrics->jobs[metrics->n_jobs - 1].id == TM_JOB_OTHERS)
		return true;
	return snapshot->n_series &&
	       snapshot->series[snapshot->n_series - 1]->total.key.job == TM_JOB_OTHERS;
}

/* What others need who may be anybody. */
static int measure_others(struct making *making)
{
	size_t most = samples_of_jobs(making->metrics) / SHARE_OF_OTHERS;
	struct metric_rows rows = { 0 };
	int ret = metric_rows__add_series(&rows, making->run, making->snapshot, 0,
					  making->snapshot->n_series);

	making->others = 0;
	for (size_t i = 0; i < rows.n; i++)
		making->others += metrics_shown__samples(making->run, &rows.rows[i].key);
	if (making->others > most)
		making->others = most;
	metric_rows__free(&rows);
	return ret;
}

/* Others need room where there are any, or where not all jobs have room without them. */
static int choose_jobs(struct making *making)
{
	struct metrics_ranking *ranking = &making->metrics->ranking;
	size_t samples = samples_of_jobs(making->metrics);
	size_t of_one = samples_of_one(making->metrics);
	int ret = metrics_ranking__choose(ranking, samples, of_one);

	/* Still one may be left out: who is called as another one is. */
	making->others = ranking->left;
	if (ret || (!ranking->is_full && !has_others(making)))
		return ret;
	ret = measure_others(making);
	return ret ? ret : metrics_ranking__choose(ranking, samples - making->others, of_one);
}

static int make_jobs(struct making *making)
{
	struct metrics *metrics = making->metrics;
	int ret = metrics_ranking__update(&metrics->ranking, making->run, making->snapshot);

	metrics->folded.jobs = metrics->folded.rows = 0;
	if (!ret)
		ret = choose_jobs(making);
	if (!ret)
		ret = begin_jobs(making);
	for (size_t i = 0; i < making->n && !ret; i++)
		ret = fill_job(making, &making->jobs[i]);
	if (!ret)
		ret = add_others(making);
	if (!ret)
		metrics->folded.times += count_lost(making);
	return ret;
}

int metrics__update(struct metrics *metrics, const struct report_run *run,
		    const struct snapshot *snapshot)
{
	struct making making = { .metrics = metrics, .run = run, .snapshot = snapshot };
	int ret = make_jobs(&making);

	free_jobs(metrics->jobs, metrics->n_jobs);
	metrics->jobs = NULL;
	metrics->n_jobs = 0;
	metrics->before_ns = snapshot->time_ns;
	if (!ret) {
		metrics->jobs = making.jobs;
		metrics->n_jobs = making.n;
		return 0;
	}
	/* Who was among the others is not known any more. */
	free_jobs(making.jobs, making.n);
	metrics_ranking__free(&metrics->ranking);
	metrics->restarted_ns = snapshot->time_ns;
	return ret;
}

size_t metrics__n_jobs(const struct metrics *metrics)
{
	return metrics->n_jobs;
}

const struct metrics_job *metrics__job(const struct metrics *metrics, size_t i)
{
	return &metrics->jobs[i];
}

struct metrics_folded metrics__folded(const struct metrics *metrics)
{
	return metrics->folded;
}

size_t metrics__most_samples(const struct metrics *metrics)
{
	return metrics->most;
}
