// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drain/formulas.h"
#include "report/names.h"
#include "report/process_sums.h"
#include "tmtrace/process.h"

#define NO_SUM ((size_t)-1)

/* Which sum a process is part of, by its number. */
struct parts {
	size_t *of;  /* NO_SUM: none */
	char **jobs; /* of the sums by rank, what their job is called */
	__u32 n;     /* the highest number */
};

static void free_parts(struct parts *parts)
{
	for (size_t i = 0; parts->jobs && i <= parts->n; i++)
		free(parts->jobs[i]);
	free((void *)parts->jobs);
	free(parts->of);
}

static bool is_of_job(const struct parts *parts, size_t i, const char *job)
{
	return parts->jobs[i] && strcmp(parts->jobs[i], job) == 0;
}

/* The sum of a rank of a job, a new one where there is none; NO_SUM: no memory. */
static size_t find_rank(struct process_sums *sums, struct parts *parts,
			const struct process_info *process)
{
	const char *job = process->jobid ? process->jobid : "";
	size_t i = 0;

	while (i < sums->n && (sums->at[i].rank != process->rank || !is_of_job(parts, i, job)))
		i++;
	if (i < sums->n)
		return i;
	parts->jobs[i] = strdup(job);
	return parts->jobs[i] ? sums->n++ : NO_SUM;
}

static int add_process(struct process_sums *sums, struct parts *parts, enum process_sums_by by,
		       __u32 number, const struct process_info *process)
{
	size_t i = sums->n;

	if (by == PROCESS_SUMS_BY_PROCESS)
		sums->n++;
	else
		i = find_rank(sums, parts, process);
	if (i == NO_SUM)
		return -ENOMEM;
	parts->of[number] = i;
	if (!sums->at[i].number)
		sums->at[i] = (struct process_sum){
			.number = number,
			.pid = process->pid,
			.rank = process->rank,
		};
	return 0;
}

/* A sum for each process that is known, or each rank, and by process two more. */
static int make_parts(struct process_sums *sums, struct parts *parts, const struct report_run *run,
		      enum process_sums_by by)
{
	int ret = 0;

	parts->n = run->names.n_processes(run->names.context);
	parts->of = calloc((size_t)parts->n + 1, sizeof(*parts->of));
	parts->jobs = calloc((size_t)parts->n + 1, sizeof(*parts->jobs));
	sums->at = calloc((size_t)parts->n + 2, sizeof(*sums->at));
	if (!parts->of || !parts->jobs || !sums->at)
		return -ENOMEM;
	for (__u32 number = 0; number <= parts->n && !ret; number++) {
		const struct process_info *process = names__process(run, number);

		parts->of[number] = NO_SUM;
		if (process && (by == PROCESS_SUMS_BY_PROCESS || process->rank >= 0))
			ret = add_process(sums, parts, by, number, process);
	}
	if (by != PROCESS_SUMS_BY_PROCESS)
		return ret;
	sums->at[sums->n++] = (struct process_sum){ .number = TM_PROCESS_OTHERS, .rank = -1 };
	sums->at[sums->n++] = (struct process_sum){ .number = 0, .rank = -1 };
	return ret;
}

static size_t part_of(const struct process_sums *sums, const struct parts *parts, __u32 number,
		      enum process_sums_by by)
{
	if (number && number <= parts->n && parts->of[number] != NO_SUM)
		return parts->of[number];
	if (by != PROCESS_SUMS_BY_PROCESS)
		return NO_SUM;
	return number ? sums->n - 2 : sums->n - 1;
}

static void add_counts(struct process_sum *sum, const struct tm_series *total)
{
	if (key__is_beside(&total->key))
		return;
	sum->count += total->count;
	sum->bytes += total->bytes;
	sum->errors += total->errors;
}

static void add_up(struct process_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++) {
		struct process_sum *sum = &sums->at[i];
		struct busy_time busy = { 0 };

		for (size_t j = sum->first; j < sum->end; j++) {
			add_counts(sum, &sums->snapshot.series[j]->total);
			busy_time__add(&busy, &sums->snapshot.series[j]->total);
		}
		sum->busy_ns = busy_time__ns(&busy);
	}
}

/* Puts the series in the order of their sums. */
static int place(struct process_sums *sums, const struct parts *parts, const struct snapshot *in,
		 enum process_sums_by by)
{
	const struct snapshot_series **series = calloc(in->n_series + 1, sizeof(*series));
	size_t at = 0, part;

	if (!series)
		return -ENOMEM;
	sums->snapshot.series = series;
	for (size_t i = 0; i < in->n_series; i++) {
		part = part_of(sums, parts, in->series[i]->total.key.process, by);
		if (part != NO_SUM)
			sums->at[part].end++; /* how many they are */
	}
	for (size_t i = 0; i < sums->n; i++) {
		size_t n = sums->at[i].end;

		sums->at[i].first = sums->at[i].end = at;
		at += n;
	}
	sums->snapshot.n_series = at;
	for (size_t i = 0; i < in->n_series; i++) {
		part = part_of(sums, parts, in->series[i]->total.key.process, by);
		if (part != NO_SUM)
			series[sums->at[part].end++] = in->series[i];
	}
	return 0;
}

int process_sums__make(struct process_sums *out, const struct report_run *run,
		       const struct snapshot *in, enum process_sums_by by)
{
	struct parts parts = { 0 };
	size_t n = 0;
	int ret;

	*out = (struct process_sums){ 0 };
	ret = make_parts(out, &parts, run, by);
	if (!ret)
		ret = place(out, &parts, in, by);
	free_parts(&parts);
	if (ret)
		return ret;
	add_up(out);
	/* Who did nothing is not there. */
	for (size_t i = 0; i < out->n; i++)
		if (out->at[i].first < out->at[i].end)
			out->at[n++] = out->at[i];
	out->n = n;
	return 0;
}

void process_sums__free(struct process_sums *sums)
{
	free(sums->at);
	free((void *)sums->snapshot.series);
	*sums = (struct process_sums){ 0 };
}

int process_sums__sort(struct process_sums *sums,
		       int (*compare)(const void *, const void *, void *), void *context)
{
	const struct snapshot_series **series =
		calloc(sums->snapshot.n_series + 1, sizeof(*series));
	size_t at = 0;

	if (!series)
		return -ENOMEM;
	qsort_r(sums->at, sums->n, sizeof(*sums->at), compare, context);
	for (size_t i = 0; i < sums->n; i++) {
		struct process_sum *sum = &sums->at[i];
		size_t n = sum->end - sum->first;

		memcpy((void *)&series[at], &sums->snapshot.series[sum->first],
		       n * sizeof(*series));
		sum->first = at;
		sum->end = at += n;
	}
	free((void *)sums->snapshot.series);
	sums->snapshot.series = series;
	return 0;
}
