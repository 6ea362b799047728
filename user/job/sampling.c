// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/id_map.h"
#include "base/less.h"
#include "job/sampling.h"

#define PPM 1e6

/* Operations that are estimated by the same calls of the kernel's count. */
enum sampled {
	SAMPLED_READS,
	SAMPLED_WRITES,
	SAMPLED_OTHERS,
	SAMPLED,
};

enum quantity {
	QUANTITY_COUNT,
	QUANTITY_BYTES,
	QUANTITY_TIME,
	QUANTITIES,
};

/* Sums over slices: all that the error follows from. */
struct moments {
	double n, x, y, xx, xy, yy;
};

/* What is known of a job until a moment. */
struct counted {
	__u64 calls[SAMPLED], bytes[SAMPLED]; /* x: those that the kernel counted meanwhile */
	__u64 y[SAMPLED][QUANTITIES];
};

struct sampled_job {
	__u64 id;
	__u64 stamp;		  /* of the end of a slice at which it was there */
	struct tm_series *series; /* the one with what the kernel counts; NULL: none yet */
	struct counted now, before;
	struct moments moments[SAMPLED][QUANTITIES];
};

struct sampling {
	struct id_map jobs;
	__u64 stamp;
};

struct sampling *sampling__new(void)
{
	return calloc(1, sizeof(struct sampling));
}

void sampling__free(struct sampling *sampling)
{
	if (!sampling)
		return;
	id_map__clear(&sampling->jobs, free);
	free(sampling);
}

static void add_slice(struct moments *moments, double x, double y)
{
	moments->n++;
	moments->x += x;
	moments->y += y;
	moments->xx += x * x;
	moments->xy += x * y;
	moments->yy += y * y;
}

/* See sampling.h. Of nothing that was seen, and of a single slice, nothing is known. */
static __u32 spread_of(const struct moments *moments)
{
	double ratio, squares, spread = 1, least = 1 / (moments->n + 2);

	if (moments->n >= 2 && moments->x > 0 && moments->y > 0) {
		ratio = moments->y / moments->x;
		squares = moments->yy - 2 * ratio * moments->xy + ratio * ratio * moments->xx;
		spread = squares > 0 ? sqrt(moments->n / (moments->n - 1) * squares) / moments->y
				     : 0;
	}
	if (spread < least)
		spread = least;
	return spread * PPM < (double)~0U ? (__u32)(spread * PPM) : ~0U;
}

__u32 sampling__spread_ppm(const double *x, const double *y, unsigned int n)
{
	struct moments moments = { 0 };

	for (unsigned int i = 0; i < n; i++)
		add_slice(&moments, x[i], y[i]);
	return spread_of(&moments);
}

/* The job's entry, a new one if there is none; NULL: no memory. */
static struct sampled_job *get_job(struct sampling *sampling, __u64 id)
{
	struct sampled_job *job = id_map__find(&sampling->jobs, id);

	if (!job) {
		job = calloc(1, sizeof(*job));
		if (!job || id_map__add(&sampling->jobs, id, job) < 0) {
			free(job);
			return NULL;
		}
		job->id = id;
	}
	if (job->stamp != sampling->stamp) {
		job->stamp = sampling->stamp;
		job->series = NULL;
		job->now = (struct counted){ 0 };
	}
	return job;
}

static __u64 load(const __u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* What the kernel counted while operations were. */
static void add_task_io(struct sampled_job *job, struct tm_series *series)
{
	__u64 io[TM_TASK_IO_COUNTS], missed[TM_MISSED];
	struct counted *now = &job->now;

	for (__u32 i = 0; i < TM_TASK_IO_COUNTS; i++)
		io[i] = load(series__task_io(series, i));
	for (__u32 i = 0; i < TM_MISSED; i++)
		missed[i] = load(series__missed(series, i));
	now->calls[SAMPLED_READS] += less(io[TM_TASK_IO_SYSCR], missed[TM_MISSED_SYSCR]);
	now->bytes[SAMPLED_READS] += less(io[TM_TASK_IO_RCHAR], missed[TM_MISSED_RCHAR]);
	now->calls[SAMPLED_WRITES] += less(io[TM_TASK_IO_SYSCW], missed[TM_MISSED_SYSCW]);
	now->bytes[SAMPLED_WRITES] += less(io[TM_TASK_IO_WCHAR], missed[TM_MISSED_WCHAR]);
	now->calls[SAMPLED_OTHERS] +=
		less(io[TM_TASK_IO_SYSCR] + io[TM_TASK_IO_SYSCW], missed[TM_MISSED_CALLS]);
	/* Where there are several, one is enough to tell. */
	job->series = series;
}

static void add_operations(struct sampled_job *job, const struct tm_series *series)
{
	enum sampled sampled = series->key.function == TM_VFS_READ    ? SAMPLED_READS
			       : series->key.function == TM_VFS_WRITE ? SAMPLED_WRITES
								      : SAMPLED_OTHERS;
	__u64 *y = job->now.y[sampled];

	y[QUANTITY_COUNT] += load(&series->count);
	y[QUANTITY_BYTES] += load(&series->bytes);
	y[QUANTITY_TIME] += load(&series->total_ns);
}

static int read_all(struct sampling *sampling, struct tm_series *series, __u32 n)
{
	for (__u32 i = 0; i < n; i++) {
		struct tm_series *one = &series[i];
		bool task_io = key__is_task_io(&one->key);
		struct sampled_job *job;

		if (!series__is_live(__atomic_load_n(&one->state, __ATOMIC_ACQUIRE)) ||
		    one->key.layer != TM_LAYER_VFS || (!task_io && key__is_beside(&one->key)))
			continue;
		job = get_job(sampling, one->key.job);
		if (!job)
			return -ENOMEM;
		if (task_io)
			add_task_io(job, one);
		else
			add_operations(job, one);
	}
	return 0;
}

/* What a job did in the slice, of one kind. What went to another job's series is no slice. */
static void end_one(struct sampled_job *job, enum sampled sampled)
{
	const struct counted *now = &job->now, *before = &job->before;
	double calls = (double)now->calls[sampled] - (double)before->calls[sampled];
	double bytes = (double)now->bytes[sampled] - (double)before->bytes[sampled], y[QUANTITIES];
	bool any = calls > 0, back = calls < 0 || bytes < 0;

	for (int i = 0; i < QUANTITIES; i++) {
		y[i] = (double)now->y[sampled][i] - (double)before->y[sampled][i];
		any |= y[i] > 0;
		back |= y[i] < 0;
	}
	if (!any || back)
		return;
	for (int i = 0; i < QUANTITIES; i++)
		add_slice(&job->moments[sampled][i],
			  i == QUANTITY_BYTES && sampled != SAMPLED_OTHERS ? bytes : calls, y[i]);
}

static __u64 pack(__u32 low, __u32 high)
{
	return (__u64)high << 32 | low;
}

static void write_spread(struct tm_series *series, __u32 which, __u64 value)
{
	__atomic_store_n(series__spread(series, which), value, __ATOMIC_RELAXED);
}

/* Notes it where the job's counts are, so that it goes wherever they go. */
static void note(const struct sampled_job *job)
{
	const struct moments(*all)[QUANTITIES] = job->moments;
	double slices = 0;

	for (int i = 0; i < SAMPLED; i++)
		if (all[i][QUANTITY_COUNT].n > slices)
			slices = all[i][QUANTITY_COUNT].n;
	for (int i = 0; i < QUANTITIES; i++)
		write_spread(job->series, (__u32)i,
			     pack(spread_of(&all[SAMPLED_READS][i]),
				  spread_of(&all[SAMPLED_WRITES][i])));
	write_spread(job->series, TM_SPREAD_OTHERS,
		     pack(spread_of(&all[SAMPLED_OTHERS][QUANTITY_COUNT]),
			  spread_of(&all[SAMPLED_OTHERS][QUANTITY_TIME])));
	__atomic_store_n(&job->series->max_ns, (__u64)slices, __ATOMIC_RELAXED);
}

/* Jobs that have no series any more are forgotten. */
static void drop_gone(struct sampling *sampling)
{
	bool again = true;

	/* To remove one moves others. */
	while (again) {
		again = false;
		for (size_t i = 0; i < sampling->jobs.room; i++) {
			struct sampled_job *job = sampling->jobs.entries[i].value;

			if (!job || job->stamp == sampling->stamp)
				continue;
			id_map__remove(&sampling->jobs, job->id);
			free(job);
			again = true;
			i--;
		}
	}
}

int sampling__end(struct sampling *sampling, struct tm_series *series, __u32 n)
{
	int ret;

	sampling->stamp++;
	ret = read_all(sampling, series, n);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < sampling->jobs.room; i++) {
		struct sampled_job *job = sampling->jobs.entries[i].value;

		if (!job || job->stamp != sampling->stamp)
			continue;
		for (int sampled = 0; sampled < SAMPLED; sampled++)
			end_one(job, (enum sampled)sampled);
		job->before = job->now;
		if (job->series)
			note(job);
	}
	drop_gone(sampling);
	return 0;
}
