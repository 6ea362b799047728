/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Made-up snapshots for the tests of metrics: any number of jobs, which count, end and are added up
 * with the others, as the recycler does it. To be included once, after cmocka.h.
 */
#ifndef TESTS_UNIT_METRICS_WORLD_H
#define TESTS_UNIT_METRICS_WORLD_H

#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/search.h"
#include "drain/key_order.h"
#include "metrics/metrics.h"
#include "tmtrace/env_job.h"

#define LAYER_LIB TM_LAYER_USER
/* Functions of the library. */
#define FUNCTIONS 600

#define WORLD_BEGIN (1700000000ULL * NS_PER_S)

/* A series with all of its calls in one bucket, the same for each function. */
struct made {
	struct snapshot_series series;
	__u64 count;
};

struct made_job {
	__u64 id;
	const char *path; /* NULL: one of its number */
	struct job_info info;
};

struct world {
	struct report_run run;
	struct snapshot snapshot;
	struct made **made;
	size_t room;
	struct made_job jobs[16]; /* those of which something is known */
	size_t n_jobs;
	char name[64];
};

static const char *layer_name(void *context, __u8 layer)
{
	static const char *const names[] = { "vfs", "block", "lib" };

	(void)context;
	return layer <= LAYER_LIB ? names[layer] : NULL;
}

static const char *function_name(void *context, __u8 layer, __u32 function)
{
	struct world *world = context;

	if (layer == TM_LAYER_VFS)
		return probe_vfs_names[function];
	if (layer == TM_LAYER_BLOCK)
		return probe_block_names[function];
	snprintf(world->name, sizeof(world->name), "lib_function_%u", function);
	return world->name;
}

static unsigned int reading(void *context, __u8 layer, __u32 function)
{
	(void)context;
	(void)layer;
	return function % 2 ? REPORT_SIZED : 0;
}

static struct made_job *known_job(struct world *world, __u64 job)
{
	for (size_t i = 0; i < world->n_jobs; i++)
		if (world->jobs[i].id == job)
			return &world->jobs[i];
	return NULL;
}

static const char *cgroup_name(void *context, __u64 job)
{
	struct world *world = context;
	const struct made_job *known = known_job(world, job);

	if (known && known->path)
		return known->path;
	snprintf(world->name, sizeof(world->name), "/slice/cgroup-%llu", job);
	return world->name;
}

static const struct job_info *job_of(void *context, __u64 job)
{
	const struct made_job *known = known_job(context, job);

	return known ? &known->info : NULL;
}

static bool no_mount(void *context, const struct tm_series *series, struct report_mount *out)
{
	(void)context;
	(void)series;
	(void)out;
	return false;
}

static const char *no_device(void *context, __u64 where)
{
	(void)context;
	(void)where;
	return NULL;
}

static inline void world__open(struct world *world)
{
	*world = (struct world){
		.run = { .version = "0", .epoch = "e", .times_known = REPORT_ALL_TIMES },
		.snapshot = { .time_ns = WORLD_BEGIN, .monotonic_ns = NS_PER_S },
	};
	world->run.names = (struct report_names){
		.context = world,
		.layer = layer_name,
		.function = function_name,
		.reading = reading,
		.cgroup = cgroup_name,
		.job = job_of,
		.mount = no_mount,
		.device = no_device,
	};
}

static inline void world__close(struct world *world)
{
	for (size_t i = 0; i < world->snapshot.n_series; i++)
		free(world->made[i]);
	free(world->made);
	free((void *)world->snapshot.series);
}

static inline struct made_job *world__know(struct world *world, __u64 id)
{
	struct made_job *job = &world->jobs[world->n_jobs++];

	*job = (struct made_job){ .id = id, .info.usage = job_usage__unknown() };
	return job;
}

static inline void world__pass(struct world *world, __u64 seconds)
{
	world->snapshot.time_ns += seconds * NS_PER_S;
	world->snapshot.monotonic_ns += seconds * NS_PER_S;
}

/* Where a key is, or would be, among the series. */
static inline size_t world__place(const struct world *world, const struct tm_key *key)
{
	return SEARCH_FIRST(world->snapshot.n_series, i,
			    key_order(&world->made[i]->series.total.key, key) < 0);
}

static inline struct made *world__series(struct world *world, const struct tm_key *key)
{
	size_t i = world__place(world, key), n = world->snapshot.n_series;
	struct made *made;

	if (i < n && key_order(&world->made[i]->series.total.key, key) == 0)
		return world->made[i];
	if (n == world->room) {
		world->room = n ? 2 * n : 1024;
		world->made = realloc(world->made, world->room * sizeof(struct made *));
		world->snapshot.series = realloc((void *)world->snapshot.series,
						 world->room * sizeof(*world->snapshot.series));
		assert_true(world->made && world->snapshot.series);
	}
	made = calloc(1, sizeof(*made));
	assert_non_null(made);
	made->series.total.key = *key;
	made->series.latency = (struct histogram){
		.first = tm_bucket_of(1000ULL << key->function % 12),
		.n = 1,
		.count = &made->count,
	};
	memmove(&world->made[i + 1], &world->made[i], (n - i) * sizeof(struct made *));
	world->made[i] = made;
	world->snapshot.n_series++;
	for (size_t j = i; j <= n; j++)
		world->snapshot.series[j] = &world->made[j]->series;
	return made;
}

/* n calls of so many ns and bytes each. */
static inline void world__count(struct world *world, const struct tm_key *key, __u64 n, __u64 ns,
				__u64 bytes)
{
	struct made *made = world__series(world, key);
	struct tm_series *total = &made->series.total;

	made->count += n;
	total->count += n;
	total->total_ns += n * ns;
	total->self_ns += n * ns;
	total->bytes += n * bytes;
	total->errors += n / 10;
	total->times_ns[TM_TIME_BLOCK] += n * ns / 2;
	total->queue_ns += key->layer == TM_LAYER_BLOCK ? n * 10 : 0;
}

/* The job is over for long: what it counted is that of the others. */
static inline void world__recycle(struct world *world, __u64 job)
{
	const struct tm_key from = { .job = job }, to = { .job = job + 1 };
	size_t first = world__place(world, &from), end = world__place(world, &to);
	struct made **gone;

	if (end == first)
		return;
	gone = calloc(end - first, sizeof(struct made *));
	assert_non_null(gone);
	memcpy(gone, &world->made[first], (end - first) * sizeof(struct made *));
	memmove(&world->made[first], &world->made[end],
		(world->snapshot.n_series - end) * sizeof(struct made *));
	world->snapshot.n_series -= end - first;
	for (size_t i = first; i < world->snapshot.n_series; i++)
		world->snapshot.series[i] = &world->made[i]->series;
	for (size_t i = 0; i < end - first; i++) {
		const struct tm_series *total = &gone[i]->series.total;
		struct tm_key key = total->key;
		struct made *others;

		key__fold(&key);
		others = world__series(world, &key);
		others->count += gone[i]->count;
		memcpy(others->series.total.label, total->label, sizeof(total->label));
		others->series.total.count += total->count;
		others->series.total.total_ns += total->total_ns;
		others->series.total.self_ns += total->self_ns;
		others->series.total.bytes += total->bytes;
		others->series.total.errors += total->errors;
		others->series.total.times_ns[TM_TIME_BLOCK] += total->times_ns[TM_TIME_BLOCK];
		others->series.total.queue_ns += total->queue_ns;
		free(gone[i]);
	}
	free(gone);
}

static inline struct tm_key key_of_lib(__u64 job, __u32 function)
{
	return (struct tm_key){ .job = job, .layer = LAYER_LIB, .function = function };
}

static inline struct tm_key key_of_read(__u64 job)
{
	return (struct tm_key){ .job = job, .layer = TM_LAYER_VFS, .function = TM_VFS_READ };
}

/* All that metrics say, as Prometheus would read it. */
static inline char *text_of(const struct world *world, const struct metrics *metrics,
			    size_t *samples)
{
	struct metrics_text text;
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	assert_non_null(out);
	metrics_text__start(&text, out, METRICS_PROMETHEUS);
	assert_int_equal(metrics__write_jobs(metrics, &world->run, &text), 0);
	assert_int_equal(metrics__write(metrics, &world->run, &text), 0);
	assert_int_equal(fclose(out), 0);
	assert_false(text.failed);
	if (samples)
		*samples = text.samples;
	return bytes;
}

static inline char *update(struct world *world, struct metrics *metrics)
{
	assert_int_equal(metrics__update(metrics, &world->run, &world->snapshot), 0);
	return text_of(world, metrics, NULL);
}

static inline bool has_line(const char *text, const char *line)
{
	const char *at = text;

	while ((at = strstr(at, line)) != NULL) {
		if ((at == text || at[-1] == '\n') && at[strlen(line)] == '\n')
			return true;
		at++;
	}
	return false;
}

static inline void expect(const char *text, const char *line)
{
	if (!has_line(text, line))
		fail_msg("no line %s in\n%s", line, text);
}

#endif
