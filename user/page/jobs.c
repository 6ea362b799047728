// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "page/jobs.h"
#include "page/layers.h"
#include "page/room.h"
#include "report/jobs.h"
#include "report/names.h"
#include "sink/job_text.h"
#include "sink/record_tree.h"

struct page_job {
	struct jobs at; /* where its series are */
	__u64 id, busy_ns;
};

struct number {
	__u64 id;
	int number;
};

struct page_jobs {
	struct page_job *jobs; /* those with a number first, by that */
	size_t n, room;
	size_t numbered;
	struct number *numbers; /* by id */
};

static int collect_jobs(struct page_jobs *jobs, const struct snapshot *snapshot)
{
	struct jobs at;

	jobs__start(&at, snapshot);
	while (jobs__next(&at)) {
		if (array__grow((void **)&jobs->jobs, &jobs->room, jobs->n, sizeof(*jobs->jobs)))
			return -ENOMEM;
		jobs->jobs[jobs->n++] = (struct page_job){
			.at = at,
			.id = jobs__id(&at),
			.busy_ns = page_layers__busy_ns(snapshot, at.first, at.end),
		};
	}
	return 0;
}

static int compare_busy(const void *left, const void *right)
{
	const struct page_job *a = left, *b = right;

	if (a->busy_ns != b->busy_ns)
		return a->busy_ns > b->busy_ns ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_ids(const void *left, const void *right)
{
	const struct number *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* The record of a job; what is of none has no names. */
static struct json_object *record_of(const struct report_run *run, const struct page_job *job)
{
	const struct snapshot *snapshot = job->at.snapshot;
	const struct gaps gaps = gaps__find(run, snapshot->time_ns);
	struct record_tree tree = record_tree__new(NULL);
	struct record *record = &tree.record;

	if (job->id) {
		job_text__add(record, run, &job->at, &gaps, true);
		record_tree__reopen(&tree);
	} else {
		record__open(record, NULL);
	}
	record__u64(record, "busy_ns", job->busy_ns);
	page_layers__add_outermost(record, "libraries", run, snapshot, job->at.first, job->at.end);
	page_layers__add(record, "layers", run, snapshot, job->at.first, job->at.end);
	record__close(record);
	return record_tree__take(&tree);
}

/* Those beyond the numbered ones together; NULL: there are none. */
static struct json_object *rest_of(const struct page_jobs *jobs, const struct report_run *run,
				   const struct snapshot *snapshot)
{
	struct snapshot rest = *snapshot;
	struct record_tree tree;
	struct record *record = &tree.record;

	if (jobs->numbered == jobs->n)
		return NULL;
	rest.n_series = 0;
	rest.series = calloc(snapshot->n_series + 1, sizeof(*rest.series));
	if (!rest.series)
		return NULL;
	tree = record_tree__new(NULL);
	for (size_t i = jobs->numbered; i < jobs->n; i++)
		for (size_t j = jobs->jobs[i].at.first; j < jobs->jobs[i].at.end; j++)
			rest.series[rest.n_series++] = snapshot->series[j];
	record__open(record, NULL);
	record__u64(record, "n", jobs->n - jobs->numbered);
	page_layers__add(record, "layers", run, &rest, 0, rest.n_series);
	record__close(record);
	free((void *)rest.series);
	return record_tree__take(&tree);
}

static int number(struct page_jobs *jobs)
{
	jobs->numbers = calloc(jobs->numbered + 1, sizeof(*jobs->numbers));
	if (!jobs->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < jobs->numbered; i++)
		jobs->numbers[i] = (struct number){ jobs->jobs[i].id, (int)i };
	qsort(jobs->numbers, jobs->numbered, sizeof(*jobs->numbers), compare_ids);
	return 0;
}

int page_jobs__write(struct page_jobs **out, struct page_document *document,
		     const struct report_run *run, const struct snapshot *snapshot)
{
	struct page_list list = page_list__new(document, ROOM_JOBS);
	struct page_jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs || collect_jobs(jobs, snapshot) < 0) {
		page_jobs__free(jobs);
		return -ENOMEM;
	}
	if (jobs->n)
		qsort(jobs->jobs, jobs->n, sizeof(*jobs->jobs), compare_busy);
	while (jobs->numbered < jobs->n &&
	       page_list__add(&list, record_of(run, &jobs->jobs[jobs->numbered])))
		jobs->numbered++;
	page_document__put_list(document, "jobs", &list, rest_of(jobs, run, snapshot));
	if (number(jobs) < 0) {
		page_jobs__free(jobs);
		return -ENOMEM;
	}
	*out = jobs;
	return 0;
}

void page_jobs__free(struct page_jobs *jobs)
{
	if (!jobs)
		return;
	free(jobs->jobs);
	free(jobs->numbers);
	free(jobs);
}

int page_jobs__number(const struct page_jobs *jobs, __u64 id)
{
	const struct number wanted = { .id = id };
	const struct number *found = bsearch(&wanted, jobs->numbers, jobs->numbered,
					     sizeof(*jobs->numbers), compare_ids);

	return found ? found->number : -1;
}

int page_jobs__n(const struct page_jobs *jobs)
{
	return (int)jobs->numbered;
}

__u64 page_jobs__id(const struct page_jobs *jobs, int number)
{
	return jobs->jobs[number].id;
}

void page_jobs__drop_names(struct json_object *record)
{
	static const char *const names[] = { "cgroup", "cgroup_id", "jobid", "step" };

	if (!record)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		json_object_object_del(record, names[i]);
}

void page_jobs__mark(struct json_object *record, int number)
{
	if (!record)
		return;
	page_jobs__drop_names(record);
	json_object_object_add(record, "job", number < 0 ? NULL : json_object_new_int(number));
}
