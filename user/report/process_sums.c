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
	size_t n_sums;
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

/* NO_SUM: the process is in none. */
static size_t part_of(const struct parts *parts, __u32 number, enum process_sums_by by)
{
	if (number && number <= parts->n && parts->of[number] != NO_SUM)
		return parts->of[number];
	if (by != PROCESS_SUMS_BY_PROCESS)
		return NO_SUM;
	return number ? parts->n_sums - 2 : parts->n_sums - 1;
}

/* What each did, and how many series that is, in its `end`. */
static int add_up(struct process_sums *sums, const struct parts *parts, const struct snapshot *in,
		  enum process_sums_by by)
{
	struct busy_time *busy = calloc(sums->n + 1, sizeof(*busy));

	if (!busy)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_series; i++) {
		const struct tm_series *total = &in->series[i]->total;
		size_t part = part_of(parts, total->key.process, by);
		struct process_sum *sum;

		if (part == NO_SUM)
			continue;
		sum = &sums->at[part];
		sum->end++;
		if (key__is_beside(&total->key))
			continue;
		sum->count += total->count;
		sum->bytes += total->bytes;
		sum->errors += total->errors;
		busy_time__add(&busy[part], total);
	}
	for (size_t i = 0; i < sums->n; i++)
		sums->at[i].busy_ns = busy_time__ns(&busy[i]);
	free(busy);
	return 0;
}

enum process_kind process_sum__kind(const struct process_sum *sum)
{
	if (!sum->number)
		return PROCESS_KIND_NONE;
	return sum->number == TM_PROCESS_OTHERS ? PROCESS_KIND_OTHERS : PROCESS_KIND_ONE;
}

static __u64 sort_value(const struct process_sum *sum, enum table_sort sort)
{
	switch (sort) {
	case TABLE_BY_COUNT:
		return sum->count;
	case TABLE_BY_BYTES:
		return sum->bytes;
	case TABLE_BY_ERRORS:
		return sum->errors;
	default:
		return sum->busy_ns;
	}
}

static int compare_numbers(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_sums(const void *left, const void *right, void *context)
{
	const struct process_sum *a = left, *b = right;
	enum table_sort sort = *(const enum table_sort *)context;
	int order = compare_numbers(process_sum__kind(a), process_sum__kind(b));

	if (!order && sort == TABLE_BY_PID)
		order = compare_numbers(a->pid, b->pid);
	if (!order && sort == TABLE_BY_RANK) /* -1, none, is the largest */
		order = compare_numbers((__u64)a->rank, (__u64)b->rank);
	if (!order)
		order = compare_numbers(sort_value(b, sort), sort_value(a, sort));
	return order ? order : compare_numbers(a->number, b->number);
}

/* Puts the series in the order of their sums, and leaves out who did nothing. */
static int place(struct process_sums *sums, struct parts *parts, const struct snapshot *in,
		 enum process_sums_by by)
{
	const struct snapshot_series **series = calloc(in->n_series + 1, sizeof(*series));
	size_t *places = calloc(sums->n + 1, sizeof(*places)), all = sums->n;

	sums->snapshot.series = series;
	if (!series || !places) {
		free(places);
		return -ENOMEM;
	}
	sums->n = 0;
	for (size_t i = 0; i < all; i++) {
		struct process_sum *sum = &sums->at[sums->n];

		if (!sums->at[i].end)
			continue;
		*sum = sums->at[i];
		places[sum->part] = sums->n++;
		sum->first = sums->snapshot.n_series;
		sums->snapshot.n_series += sum->end;
		sum->end = sum->first;
	}
	for (size_t i = 0; i < in->n_series; i++) {
		size_t part = part_of(parts, in->series[i]->total.key.process, by);

		if (part != NO_SUM)
			series[sums->at[places[part]].end++] = in->series[i];
	}
	free(places);
	return 0;
}

int process_sums__make(struct process_sums *out, const struct report_run *run,
		       const struct snapshot *in, enum process_sums_by by, enum table_sort sort)
{
	struct parts parts = { 0 };
	int ret;

	*out = (struct process_sums){ 0 };
	ret = make_parts(out, &parts, run, by);
	parts.n_sums = out->n;
	for (size_t i = 0; i < out->n; i++)
		out->at[i].part = i;
	if (!ret)
		ret = add_up(out, &parts, in, by);
	if (!ret && out->n)
		qsort_r(out->at, out->n, sizeof(*out->at), compare_sums, &sort);
	if (!ret)
		ret = place(out, &parts, in, by);
	free_parts(&parts);
	return ret;
}

void process_sums__free(struct process_sums *sums)
{
	free(sums->at);
	free((void *)sums->snapshot.series);
	*sums = (struct process_sums){ 0 };
}
