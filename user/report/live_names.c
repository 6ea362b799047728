// SPDX-License-Identifier: GPL-2.0-only
#include "host/devices.h"
#include "host/mounts.h"
#include "job/job_table.h"
#include "pool/pools.h"
#include "process/processes.h"
#include "report/live_names.h"
#include "report/where.h"

static const char *layer(void *context, __u8 id)
{
	const struct live_names *names = context;

	return probe_table__layer_name(names->probes, id);
}

static const char *function(void *context, __u8 layer_id, __u32 id)
{
	const struct live_names *names = context;

	return probe_table__function_name(names->probes, layer_id, id);
}

static unsigned int reading(void *context, __u8 layer_id, __u32 id)
{
	const struct live_names *names = context;
	const struct tm_spec *spec = probe_table__spec(names->probes, layer_id, id);
	bool has_size, brings;

	if (!spec)
		return 0;
	brings = spec->size.kind == TM_SIZE_BROUGHT;
	has_size = spec->size.kind != TM_SIZE_NONE && !brings;
	return (has_size ? REPORT_SIZED : 0) | (brings ? REPORT_BRINGS : 0) |
	       (spec->fail == TM_FAIL_NEGATIVE_ERRNO ? REPORT_ERRNO : 0);
}

static const char *cgroup(void *context, __u64 job)
{
	const struct live_names *names = context;

	return names->jobs ? job_table__path(names->jobs, job) : NULL;
}

static const struct job_info *job_info(void *context, __u64 job)
{
	const struct live_names *names = context;

	return names->jobs ? job_table__info(names->jobs, job) : NULL;
}

static const char *jobid(void *context, __u64 job)
{
	const struct live_names *names = context;

	return names->jobs ? job_table__jobid(names->jobs, job) : NULL;
}

/* The mount of a series; one that got its id since, for another file system, is not meant. */
static bool mount(void *context, const struct tm_series *series, struct report_mount *out)
{
	const struct live_names *names = context;
	__u64 where = series->key.where;
	const struct mount_entry *entry;

	if (!names->mounts)
		return false;
	entry = mounts__find(names->mounts, where__mount(where), (pid_t)series->creator);
	if (!entry || entry->major != where__major(where) || entry->minor != where__minor(where))
		return false;
	*out = (struct report_mount){ .point = entry->point, .type = entry->type };
	return true;
}

static const char *device(void *context, __u64 where)
{
	const struct live_names *names = context;

	if (!names->devices)
		return NULL;
	return devices__name(names->devices, where__major(where), where__minor(where));
}

static const struct process_info *process(void *context, __u32 number)
{
	const struct live_names *names = context;

	return names->processes ? processes__at(names->processes, number) : NULL;
}

static __u32 n_processes(void *context)
{
	const struct live_names *names = context;

	return names->processes ? processes__n(names->processes) : 0;
}

static const struct pool_info *pool(void *context, size_t i)
{
	const struct live_names *names = context;

	return names->pools ? pools__at(names->pools, i) : NULL;
}

void live_names__use(struct live_names *names, struct report_run *run)
{
	run->names = (struct report_names){
		.context = names,
		.layer = layer,
		.function = function,
		.reading = reading,
		.cgroup = cgroup,
		.job = job_info,
		.jobid = jobid,
		.mount = mount,
		.device = device,
		.process = process,
		.n_processes = n_processes,
		.pool = pool,
	};
	run->probes = probe_table__at(names->probes, 0);
	run->n_probes = probe_table__n(names->probes);
}
