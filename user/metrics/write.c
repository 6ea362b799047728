// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "metrics/labels.h"
#include "metrics/metrics.h"
#include "metrics/shown.h"
#include "report/names.h"

static const struct metrics_about about_info = { "tmtrace_job", NULL, METRICS_INFO,
						 "What the jobs are that have metrics." };
static const struct metrics_about about_cpu = { "tmtrace_job_cpu_seconds", "seconds",
						METRICS_COUNTER,
						"CPU time of a job since it began." };
static const struct metrics_about about_memory = { "tmtrace_job_memory_peak_bytes", "bytes",
						   METRICS_GAUGE,
						   "The most memory that a job had at one time." };

/* A job as it is written. */
struct written {
	const struct metrics_job *job;
	char *labels; /* with since when it counts */
};

/* Takes what the labels have; NULL: there was no memory. */
static char *take_labels(struct metrics_labels *labels)
{
	if (labels->failed)
		metrics_labels__free(labels);
	return labels->text;
}

static char *label_job(const struct metrics_job *job)
{
	struct metrics_labels labels = { 0 };

	metrics_labels__append(&labels, job->labels);
	metrics_labels__add_time(&labels, "since", job->since_ns);
	return take_labels(&labels);
}

static char *label_row(const struct report_run *run, const struct metrics_job *job,
		       const struct metric_row *row)
{
	struct metrics_labels labels = { 0 };

	metrics_labels__append(&labels, job->labels);
	metrics_shown__label(&labels, run, &row->key);
	metrics_labels__add_time(&labels, "since", row->since_ns);
	return take_labels(&labels);
}

static int write_info(struct metrics_text *text, const struct report_run *run,
		      const struct written *written)
{
	const struct job_info *info = names__job(run, written->job->id);
	struct metrics_labels labels = { 0 };
	const char *cgroup;
	char *all;

	metrics_labels__append(&labels, written->labels);
	if (info && info->kind) {
		metrics_labels__add(&labels, "kind", info->kind);
		metrics_labels__add(&labels, "jobid", info->jobid);
	}
	cgroup = names__cgroup(run, written->job->id);
	if (cgroup)
		metrics_labels__add(&labels, "cgroup", cgroup);
	all = take_labels(&labels);
	if (!all)
		return -ENOMEM;
	metrics_text__number(text, all, 1);
	free(all);
	return 0;
}

/* What is known of jobs beside what they did; of the others it is not. */
static int write_jobs(struct metrics_text *text, const struct report_run *run,
		      const struct written *jobs, size_t n)
{
	int ret = 0;

	metrics_text__begin(text, &about_info);
	for (size_t i = 0; i < n && !ret; i++)
		ret = write_info(text, run, &jobs[i]);
	metrics_text__begin(text, &about_cpu);
	for (size_t i = 0; i < n; i++)
		if (jobs[i].job->cpu_ns != JOB_UNKNOWN)
			metrics_text__seconds(text, jobs[i].labels, jobs[i].job->cpu_ns);
	metrics_text__begin(text, &about_memory);
	for (size_t i = 0; i < n; i++)
		if (jobs[i].job->memory_peak_bytes != JOB_UNKNOWN)
			metrics_text__number(text, jobs[i].labels, jobs[i].job->memory_peak_bytes);
	return ret;
}

int metrics__write_jobs(const struct metrics *metrics, const struct report_run *run,
			struct metrics_text *text)
{
	size_t n = metrics__n_jobs(metrics);
	struct written *jobs = calloc(n + 1, sizeof(*jobs));
	int ret = jobs ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++) {
		jobs[i].job = metrics__job(metrics, i);
		jobs[i].labels = label_job(jobs[i].job);
		ret = jobs[i].labels ? 0 : -ENOMEM;
	}
	if (!ret)
		ret = write_jobs(text, run, jobs, n);
	for (size_t i = 0; jobs && i < n; i++)
		free(jobs[i].labels);
	free(jobs);
	return ret;
}

static size_t count_rows(const struct metrics *metrics)
{
	size_t rows = 0;

	for (size_t i = 0; i < metrics__n_jobs(metrics); i++)
		rows += metrics__job(metrics, i)->rows.n;
	return rows;
}

int metrics__write(const struct metrics *metrics, const struct report_run *run,
		   struct metrics_text *text)
{
	struct metrics_shown_row *rows = calloc(count_rows(metrics) + 1, sizeof(*rows));
	int ret = rows ? 0 : -ENOMEM;
	size_t n = 0;

	for (size_t i = 0; i < metrics__n_jobs(metrics) && !ret; i++) {
		const struct metrics_job *job = metrics__job(metrics, i);

		for (size_t j = 0; j < job->rows.n && !ret; j++) {
			rows[n].row = &job->rows.rows[j];
			rows[n].labels = label_row(run, job, &job->rows.rows[j]);
			ret = rows[n++].labels ? 0 : -ENOMEM;
		}
	}
	if (!ret)
		metrics_shown__write(text, run, rows, n);
	while (n)
		free(rows[--n].labels);
	free(rows);
	return ret;
}
