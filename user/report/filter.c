// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/filter.h"
#include "report/names.h"
#include "timeline/timeline.h"
#include "tmtrace/number.h"

enum filter_key {
	FILTER_LAYER,
	FILTER_FUNCTION,
	FILTER_CGROUP,
	FILTER_DEVICE,
	FILTER_FS_TYPE,
	FILTER_MOUNT,
	FILTER_PID,
	FILTER_COMM,
	FILTER_RANK,
	FILTER_JOBID,
	FILTER_KEYS,
};

static const char *const key_names[FILTER_KEYS] = {
	[FILTER_LAYER] = "layer",   [FILTER_FUNCTION] = "function", [FILTER_CGROUP] = "cgroup",
	[FILTER_DEVICE] = "device", [FILTER_FS_TYPE] = "fs_type",   [FILTER_MOUNT] = "mount",
	[FILTER_PID] = "pid",	    [FILTER_COMM] = "comm",	    [FILTER_RANK] = "rank",
	[FILTER_JOBID] = "jobid",
};

struct pattern {
	enum filter_key key;
	char *glob;
	bool exact; /* it is the name itself */
};

struct filter {
	struct pattern *patterns;
	size_t n, room;
	bool (*chosen)(void *context, const struct report_run *run, __u64 job); /* NULL: all */
	void *context;
};

struct filter *filter__new(void)
{
	return calloc(1, sizeof(struct filter));
}

void filter__free(struct filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->n; i++)
		free(filter->patterns[i].glob);
	free(filter->patterns);
	free(filter);
}

/* Takes over the pattern's text, which may be NULL: no memory. */
static int add_pattern(struct filter *filter, struct pattern pattern, struct error *err)
{
	if (!pattern.glob || array__grow((void **)&filter->patterns, &filter->room, filter->n,
					 sizeof(pattern)) < 0) {
		free(pattern.glob);
		return error__set(err, -ENOMEM, "no memory");
	}
	filter->patterns[filter->n++] = pattern;
	return 0;
}

int filter__add(struct filter *filter, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;
	enum filter_key key = 0;
	struct pattern pattern;

	while (key < FILTER_KEYS &&
	       (strlen(key_names[key]) != length || strncmp(text, key_names[key], length) != 0))
		key++;
	if (!equals || key == FILTER_KEYS)
		return error__set(err, -EINVAL,
				  "--filter %s: not KEY=GLOB with one of the keys layer, function, "
				  "cgroup, device, fs_type, mount, pid, comm, rank, jobid",
				  text);
	pattern = (struct pattern){ .key = key, .glob = strdup(equals + 1) };
	return add_pattern(filter, pattern, err);
}

int filter__add_job(struct filter *filter, const char *jobid, struct error *err)
{
	struct pattern pattern = { .key = FILTER_JOBID, .glob = strdup(jobid), .exact = true };

	return add_pattern(filter, pattern, err);
}

void filter__choose_jobs(struct filter *filter,
			 bool (*chosen)(void *context, const struct report_run *run, __u64 job),
			 void *context)
{
	filter->chosen = chosen;
	filter->context = context;
}

static bool job_passes(const struct filter *filter, const struct report_run *run, __u64 job)
{
	return !filter->chosen || filter->chosen(filter->context, run, job);
}

/* What is looked at: a series, and who did that. */
struct subject {
	const struct report_run *run;
	const struct tm_series *total;
	const struct process_info *process; /* NULL: not known */
};

static struct subject subject_of(const struct report_run *run, const struct tm_series *total)
{
	return (struct subject){ run, total, names__process(run, total->key.process) };
}

/* What a key says of its process; a rank that is not known is none. */
static const char *process_name(const struct process_info *process, enum filter_key key,
				char room[NAMES_ROOM])
{
	if (!process)
		return NULL;
	if (key == FILTER_COMM)
		return process->comm;
	if (key == FILTER_RANK && process->rank < 0)
		return NULL;
	snprintf(room, NAMES_ROOM, "%lld",
		 key == FILTER_RANK ? process->rank : tm_number(process->pid));
	return room;
}

/* The name that a key is about; NULL where the series has none. */
static const char *name_of(const struct subject *subject, enum filter_key key,
			   char room[NAMES_ROOM])
{
	const struct report_run *run = subject->run;
	const struct tm_series *total = subject->total;
	bool vfs = total->key.layer == TM_LAYER_VFS, block = total->key.layer == TM_LAYER_BLOCK;

	switch (key) {
	case FILTER_LAYER:
		return names__layer(run, total->key.layer);
	case FILTER_FUNCTION:
		return names__function(run, &total->key);
	case FILTER_CGROUP:
		return names__cgroup(run, total->key.job);
	case FILTER_JOBID:
		return names__jobid_of(run, total->key.job, subject->process);
	case FILTER_DEVICE:
		return block ? names__device(run, total, room) : NULL;
	case FILTER_FS_TYPE:
		return vfs || total->key.flags & TM_KEY_NO_DISK ? names__fs_type(run, total, room)
								: NULL;
	case FILTER_MOUNT:
		return vfs ? names__mount(run, total) : NULL;
	default:
		return process_name(subject->process, key, room);
	}
}

static bool matches(const struct pattern *pattern, const char *name)
{
	return pattern->exact ? !strcmp(pattern->glob, name) : fnmatch(pattern->glob, name, 0) == 0;
}

/* Does any pattern of a key match, or is there none? */
static bool key_passes(const struct filter *filter, const struct subject *subject,
		       enum filter_key key)
{
	char room[NAMES_ROOM];
	bool asked = false;

	for (size_t i = 0; i < filter->n; i++) {
		const char *name;

		if (filter->patterns[i].key != key)
			continue;
		asked = true;
		name = name_of(subject, key, room);
		if (name && matches(&filter->patterns[i], name))
			return true;
	}
	return !asked;
}

bool filter__passes(const struct filter *filter, const struct report_run *run,
		    const struct tm_series *total)
{
	struct subject subject = subject_of(run, total);

	for (enum filter_key key = 0; key < FILTER_KEYS; key++) {
		if (!key_passes(filter, &subject, key))
			return false;
	}
	return job_passes(filter, run, total->key.job);
}

/* The number of the process that has, or had last, this pid; 0: it is not known. */
static __u32 process_of(const struct report_run *run, __u32 pid)
{
	__u32 number = run->names.n_processes(run->names.context);

	for (; number; number--) {
		const struct process_info *process = names__process(run, number);

		if (process && process->pid == pid)
			break;
	}
	return number;
}

bool filter__passes_object(const struct filter *filter, const struct report_run *run,
			   const struct tm_object_key *key)
{
	struct tm_series like = { .key = { .job = key->job, .layer = key->layer } };
	struct subject subject;

	for (size_t i = 0; i < filter->n; i++) {
		switch (filter->patterns[i].key) {
		case FILTER_LAYER:
		case FILTER_CGROUP:
			break;
		case FILTER_PID:
		case FILTER_COMM:
		case FILTER_RANK:
		case FILTER_JOBID:
			if (key->tgid && !like.key.process)
				like.key.process = process_of(run, key->tgid);
			break;
		default:
			return false;
		}
		subject = subject_of(run, &like);
		if (!key_passes(filter, &subject, filter->patterns[i].key))
			return false;
	}
	return job_passes(filter, run, key->job);
}

bool filter__passes_account(const struct filter *filter, const struct report_run *run,
			    const struct process_account *account)
{
	const struct tm_series like = { .key.job = account->job };
	const struct subject subject = { run, &like, &account->info };

	for (size_t i = 0; i < filter->n; i++) {
		switch (filter->patterns[i].key) {
		case FILTER_CGROUP:
		case FILTER_PID:
		case FILTER_COMM:
		case FILTER_RANK:
		case FILTER_JOBID:
			break;
		default:
			return false;
		}
		if (!key_passes(filter, &subject, filter->patterns[i].key))
			return false;
	}
	return job_passes(filter, run, account->job);
}

static int apply_to_objects(const struct filter *filter, const struct report_run *run,
			    const struct snapshot *in, struct snapshot *out)
{
	const struct snapshot_object **objects = calloc(in->n_objects + 1, sizeof(*objects));

	out->objects = objects;
	out->n_objects = 0;
	if (!objects)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_objects; i++) {
		if (filter__passes_object(filter, run, &in->objects[i]->total.key))
			objects[out->n_objects++] = in->objects[i];
	}
	return 0;
}

/* Of a layer as a whole: what names less than that is not in them. */
static bool passes_timeline(const struct filter *filter, const struct report_run *run,
			    const struct timeline_about *about)
{
	const struct tm_series like = { .key = { .job = about->job, .layer = about->layer } };
	struct subject subject = subject_of(run, &like);

	for (size_t i = 0; i < filter->n; i++) {
		enum filter_key key = filter->patterns[i].key;

		if (key != FILTER_LAYER && key != FILTER_CGROUP && key != FILTER_JOBID)
			return false;
		if (!key_passes(filter, &subject, key))
			return false;
	}
	return job_passes(filter, run, about->job);
}

static int apply_to_timelines(const struct filter *filter, const struct report_run *run,
			      const struct snapshot *in, struct snapshot *out)
{
	struct timeline **timelines = calloc(in->n_timelines + 1, sizeof(*timelines));

	out->timelines = timelines;
	out->n_timelines = 0;
	if (!timelines)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_timelines; i++) {
		struct timeline_about about = timeline__about(in->timelines[i]);

		if (passes_timeline(filter, run, &about))
			timelines[out->n_timelines++] = in->timelines[i];
	}
	return 0;
}

int filter__apply(const struct filter *filter, const struct report_run *run,
		  const struct snapshot *in, struct snapshot *out)
{
	*out = *in;
	out->n_series = 0;
	out->series = calloc(in->n_series + 1, sizeof(*out->series));
	out->before = calloc(in->n_series + 1, sizeof(*out->before));
	if (apply_to_objects(filter, run, in, out) < 0 ||
	    apply_to_timelines(filter, run, in, out) < 0 || !out->series || !out->before) {
		filter__release(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < in->n_series; i++) {
		if (!filter__passes(filter, run, &in->series[i]->total))
			continue;
		out->series[out->n_series] = in->series[i];
		out->before[out->n_series++] = in->before[i];
	}
	return 0;
}

void filter__release(struct snapshot *out)
{
	free((void *)out->series);
	free((void *)out->before);
	free((void *)out->objects);
	free((void *)out->timelines);
	*out = (struct snapshot){ 0 };
}
