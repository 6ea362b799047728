// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "report/names.h"
#include "report/where.h"

const char *names__layer(const struct report_run *run, __u8 layer)
{
	return run->names.layer(run->names.context, layer);
}

int names__layer_number(const struct report_run *run, const char *name)
{
	for (int layer = 0; layer < 1 << 8; layer++) {
		const char *known = names__layer(run, (__u8)layer);

		if (known && !strcmp(known, name))
			return layer;
		if (!known && layer >= TM_LAYER_USER)
			break;
	}
	return -1;
}

int names__top_layer(const struct report_run *run)
{
	return names__layer(run, TM_LAYER_USER) ? TM_LAYER_USER : TM_LAYER_VFS;
}

int names__layer_below(const struct report_run *run, int layer)
{
	if (layer == TM_LAYER_BLOCK)
		return -1;
	if (layer == TM_LAYER_VFS)
		return TM_LAYER_BLOCK;
	return layer + 1 < 1 << 8 && names__layer(run, (__u8)(layer + 1)) ? layer + 1
									  : TM_LAYER_VFS;
}

const char *names__function(const struct report_run *run, const struct tm_key *key)
{
	return run->names.function(run->names.context, key->layer, key->function);
}

const struct process_info *names__process(const struct report_run *run, __u32 number)
{
	return number ? run->names.process(run->names.context, number) : NULL;
}

const char *names__cgroup(const struct report_run *run, __u64 job)
{
	return job && job != TM_JOB_OTHERS ? run->names.cgroup(run->names.context, job) : NULL;
}

const struct job_info *names__job(const struct report_run *run, __u64 job)
{
	static const struct job_info others = {
		.kind = JOB_OTHERS,
		.jobid = JOB_OTHERS,
		.usage = { JOB_UNKNOWN, JOB_UNKNOWN, JOB_UNKNOWN, JOB_UNKNOWN },
	};

	if (job == TM_JOB_OTHERS)
		return &others;
	return job && run->names.job ? run->names.job(run->names.context, job) : NULL;
}

const char *names__called(const struct report_run *run, __u64 job)
{
	const struct job_info *info;

	if (job && job != TM_JOB_OTHERS && run->names.jobid)
		return run->names.jobid(run->names.context, job);
	info = names__job(run, job);
	return info ? info->jobid : NULL;
}

const char *names__jobid_of(const struct report_run *run, __u64 job,
			    const struct process_info *process)
{
	const struct job_info *info = names__job(run, job);

	if (job_info__is_job(info) && !job_info__is_nameless(info))
		return info->jobid;
	if (process && process->jobid)
		return process->jobid;
	return info ? info->jobid : NULL;
}

const char *names__jobid(const struct report_run *run, const struct tm_key *key)
{
	return names__jobid_of(run, key->job, names__process(run, key->process));
}

const char *names__step_of(const struct report_run *run, __u64 job,
			   const struct process_info *process)
{
	const struct job_info *info = names__job(run, job);

	if (info && (info->step || (job_info__is_job(info) && !info->is_named)))
		return info->step;
	return process ? process->step : NULL;
}

const char *names__step(const struct report_run *run, const struct tm_key *key)
{
	return names__step_of(run, key->job, names__process(run, key->process));
}

static bool find_mount(const struct report_run *run, const struct tm_series *series,
		       struct report_mount *out)
{
	return series->key.where && run->names.mount(run->names.context, series, out);
}

const char *names__mount(const struct report_run *run, const struct tm_series *series)
{
	struct report_mount mount;

	return find_mount(run, series, &mount) ? mount.point : NULL;
}

/* The label need not have a NUL at its end. */
static void copy_label(char out[NAMES_ROOM], const struct tm_series *series)
{
	snprintf(out, NAMES_ROOM, "%.*s", (int)sizeof(series->label), series->label);
}

const char *names__fs_type(const struct report_run *run, const struct tm_series *series,
			   char out[NAMES_ROOM])
{
	struct report_mount mount;

	copy_label(out, series);
	if (!out[0] && find_mount(run, series, &mount))
		snprintf(out, NAMES_ROOM, "%s", mount.type);
	return out;
}

const char *names__device(const struct report_run *run, const struct tm_series *series,
			  char out[NAMES_ROOM])
{
	__u64 where = series->key.where;
	const char *name;

	if (series->key.flags & TM_KEY_NO_DISK) {
		snprintf(out, NAMES_ROOM, "%u:%u", where__major(where), where__minor(where));
		return out;
	}
	copy_label(out, series);
	/* A label of full length may be cut. */
	if (!where || (out[0] && strlen(out) < sizeof(series->label) - 1))
		return out;
	name = run->names.device(run->names.context, where);
	if (name)
		snprintf(out, NAMES_ROOM, "%s", name);
	else if (!out[0])
		snprintf(out, NAMES_ROOM, "%u:%u", where__major(where), where__minor(where));
	return out;
}

const struct pool_info *names__pool(const struct report_run *run, size_t i)
{
	return run->names.pool(run->names.context, i);
}

const char *names__pool_id(const struct pool_info *pool, char out[NAMES_POOL_ID])
{
	snprintf(out, NAMES_POOL_ID, "0x%llx:0x%llx", pool->id[0], pool->id[1]);
	return out;
}

static bool reads(const struct report_run *run, const struct tm_key *key,
		  enum report_reading reading)
{
	return run->names.reading(run->names.context, key->layer, key->function) & reading;
}

bool names__has_size(const struct report_run *run, const struct tm_key *key)
{
	switch (key->layer) {
	case TM_LAYER_VFS:
		return key->function == TM_VFS_READ || key->function == TM_VFS_WRITE ||
		       key->function == TM_VFS_SPLICE || key->function == TM_VFS_COPY_RANGE;
	case TM_LAYER_BLOCK:
		return true;
	default:
		return reads(run, key, REPORT_SIZED) ||
		       (key__is_operation(key) && reads(run, key, REPORT_BRINGS));
	}
}

static bool fails_with_errno(const struct report_run *run, const struct tm_key *key)
{
	return key->layer < TM_LAYER_USER || key__is_operation(key) || key__is_addb(key) ||
	       reads(run, key, REPORT_ERRNO);
}

const char *names__error(const struct report_run *run, const struct tm_key *key, __s32 code,
			 char out[NAMES_ROOM])
{
	const char *name = fails_with_errno(run, key) ? strerrorname_np(code) : NULL;

	if (code == 0)
		snprintf(out, NAMES_ROOM, "other");
	else if (name)
		snprintf(out, NAMES_ROOM, "%s", name);
	else
		snprintf(out, NAMES_ROOM, "code:%d", code);
	return out;
}
