// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/combined_jobs.h"
#include "report/combined_names.h"
#include "report/name_list.h"
#include "report/names.h"
#include "report/where.h"
#include "tmtrace/process.h"

#define LAYERS_MAX (1U << 8)

struct combined_names {
	struct name_list layers; /* from TM_LAYER_USER on */
	struct name_list functions[LAYERS_MAX];
	unsigned int *readings[LAYERS_MAX]; /* of the functions */
	struct combined_jobs *jobs;	    /* from 1 on */
	struct name_list mounts;	    /* from 1 on; second: the file system's type */
	struct name_list devices;	    /* from 1 on */
	/* The parts' processes, those of one behind those of the one before. */
	const struct report_part *parts;
	__u32 *first; /* number of a part's first one, and at last the next one */
	size_t n_parts;
	struct process_info shown;
	struct pool_info pool;
};

struct combined_names *combined_names__new(const struct report_part *parts, size_t n)
{
	struct combined_names *names = calloc(1, sizeof(*names));
	__u32 *first = calloc(n + 1, sizeof(*first));

	if (names)
		names->jobs = combined_jobs__new();
	if (!names || !first || !names->jobs) {
		combined_names__free(names);
		free(first);
		return NULL;
	}
	first[0] = 1;
	for (size_t i = 0; i < n; i++) {
		const struct report_names *own = &parts[i].run->names;

		first[i + 1] = first[i] + own->n_processes(own->context);
	}
	names->parts = parts;
	names->n_parts = n;
	names->first = first;
	return names;
}

void combined_names__free(struct combined_names *names)
{
	if (!names)
		return;
	name_list__free(&names->layers);
	for (unsigned int i = 0; i < LAYERS_MAX; i++) {
		name_list__free(&names->functions[i]);
		free(names->readings[i]);
	}
	combined_jobs__free(names->jobs);
	name_list__free(&names->mounts);
	name_list__free(&names->devices);
	free(names->first);
	free(names);
}

/* The common number of a part's layer. */
static int layer_of(struct combined_names *names, const struct report_part *part, __u8 layer)
{
	int number;

	if (layer < TM_LAYER_USER)
		return layer;
	number = name_list__number(&names->layers, names__layer(part->run, layer), NULL);
	if (number < 0 || number >= (int)(LAYERS_MAX - TM_LAYER_USER))
		return -ENOMEM;
	return number + TM_LAYER_USER;
}

/* The common number of a part's function, in the common layer. */
static int function_of(struct combined_names *names, const struct report_part *part,
		       const struct tm_key *key, __u8 layer)
{
	const struct report_names *own = &part->run->names;
	struct name_list *list = &names->functions[layer];
	int number = name_list__number(list, names__function(part->run, key), NULL);
	unsigned int *readings;

	if (number < 0)
		return number;
	readings = reallocarray(names->readings[layer], list->room, sizeof(*readings));
	if (!readings)
		return -ENOMEM;
	names->readings[layer] = readings;
	readings[number] = own->reading(own->context, key->layer, key->function);
	return number;
}

/* The common place of a series. */
static int where_of(struct combined_names *names, const struct report_part *part,
		    const struct tm_series *total, __u64 *where)
{
	bool disk = total->key.layer == TM_LAYER_BLOCK && !(total->key.flags & TM_KEY_NO_DISK);
	char name[NAMES_ROOM];
	int number;

	*where = total->key.where;
	if (!total->key.where || (total->key.layer == TM_LAYER_BLOCK && !disk))
		return 0;
	if (disk)
		number = name_list__number(&names->devices, names__device(part->run, total, name),
					   NULL);
	else
		number = name_list__number(&names->mounts, names__mount(part->run, total),
					   names__fs_type(part->run, total, name));
	if (number < 0)
		return number;
	*where = disk ? (__u64)number + 1 : TM_WHERE(number + 1, 0);
	return 0;
}

static __u32 process_of(const struct combined_names *names, const struct report_part *part,
			__u32 process)
{
	size_t i = (size_t)(part - names->parts);

	/* A number without a process, as a damaged recording may have: one of the others. */
	if (process && process != TM_PROCESS_OTHERS &&
	    process > names->first[i + 1] - names->first[i])
		return TM_PROCESS_OTHERS;
	return process && process != TM_PROCESS_OTHERS ? names->first[i] + process - 1 : process;
}

int combined_names__key(struct combined_names *names, const struct report_part *part,
			const struct tm_series *total, struct tm_key *out)
{
	int layer = layer_of(names, part, total->key.layer), function, job;

	if (layer < 0)
		return layer;
	*out = (struct tm_key){
		.layer = (__u8)layer,
		.flags = total->key.flags,
		.process = process_of(names, part, total->key.process),
	};
	/* Those of the kernel's layers are the same everywhere. */
	function = layer < TM_LAYER_USER ? (int)total->key.function
					 : function_of(names, part, &total->key, out->layer);
	job = combined_jobs__number(names->jobs, part, total->key.job, &out->job);
	if (function < 0 || job < 0)
		return -ENOMEM;
	out->function = (__u32)function;
	if (layer >= TM_LAYER_USER) {
		out->where = total->key.where; /* a class of sizes is the same everywhere */
		return 0;
	}
	return where_of(names, part, total, &out->where);
}

int combined_names__object(struct combined_names *names, const struct report_part *part,
			   const struct tm_object_key *key, __u64 *job, __u8 *layer)
{
	int number = layer_of(names, part, key->layer);

	if (number < 0)
		return number;
	*layer = (__u8)number;
	return combined_jobs__number(names->jobs, part, key->job, job);
}

int combined_names__probe(struct combined_names *names, const struct report_part *part,
			  struct probe *probe)
{
	const struct tm_key key = { .layer = probe->layer_id, .function = probe->function_id };
	int layer = layer_of(names, part, probe->layer_id), function;

	if (layer < 0)
		return layer;
	if (layer < TM_LAYER_USER)
		return 0;
	function = function_of(names, part, &key, (__u8)layer);
	if (function < 0)
		return function;
	probe->layer_id = (__u8)layer;
	probe->function_id = (__u32)function;
	return 0;
}

static const char *layer_name(void *context, __u8 layer)
{
	const struct combined_names *names = context;

	if (layer < TM_LAYER_USER)
		return layer == TM_LAYER_VFS ? "vfs" : "block";
	return name_list__name(&names->layers, layer - TM_LAYER_USER);
}

static const char *function_name(void *context, __u8 layer, __u32 function)
{
	const struct combined_names *names = context;

	if (layer == TM_LAYER_VFS)
		return function < TM_VFS_FUNCTIONS ? probe_vfs_names[function] : NULL;
	if (layer == TM_LAYER_BLOCK)
		return function < TM_BLOCK_FUNCTIONS ? probe_block_names[function] : NULL;
	return name_list__name(&names->functions[layer], function);
}

static unsigned int reading(void *context, __u8 layer, __u32 function)
{
	const struct combined_names *names = context;

	return function < names->functions[layer].n ? names->readings[layer][function] : 0;
}

static const char *cgroup(void *context, __u64 job)
{
	const struct combined_names *names = context;

	return combined_jobs__path(names->jobs, job);
}

static const struct job_info *job_info(void *context, __u64 job)
{
	const struct combined_names *names = context;

	return combined_jobs__info(names->jobs, job);
}

static bool mount(void *context, const struct tm_series *series, struct report_mount *out)
{
	const struct combined_names *names = context;
	__u64 number = (__u64)where__mount(series->key.where) - 1;

	out->point = name_list__name(&names->mounts, number);
	out->type = name_list__second(&names->mounts, number);
	return out->point && *out->point;
}

static const char *device(void *context, __u64 where)
{
	const struct combined_names *names = context;

	return name_list__name(&names->devices, where - 1);
}

static const struct process_info *process(void *context, __u32 number)
{
	struct combined_names *names = context;
	const struct process_info *own;
	size_t i = 0;

	if (!number || number >= names->first[names->n_parts])
		return NULL;
	while (number >= names->first[i + 1])
		i++;
	own = names__process(names->parts[i].run, number - names->first[i] + 1);
	if (!own)
		return NULL;
	names->shown = *own;
	names->shown.node = names->parts[i].name;
	return &names->shown;
}

static __u32 n_processes(void *context)
{
	const struct combined_names *names = context;

	return names->first[names->n_parts] - 1;
}

static bool same_pool(const struct report_part *a, const struct pool_info *left,
		      const struct report_part *b, const struct pool_info *right)
{
	const char *name = names__layer(a->run, left->layer);
	char first[NAMES_ROOM];

	if (left->id[0] != right->id[0] || left->id[1] != right->id[1])
		return false;
	snprintf(first, sizeof(first), "%s", name ? name : "");
	name = names__layer(b->run, right->layer);
	return !strcmp(first, name ? name : "");
}

/* Has a part before it told of the same one? */
static bool is_told(const struct combined_names *names, const struct report_part *part,
		    const struct pool_info *pool)
{
	for (const struct report_part *other = names->parts; other < part; other++) {
		const struct pool_info *found;

		for (size_t i = 0; (found = names__pool(other->run, i)); i++)
			if (same_pool(part, pool, other, found))
				return true;
	}
	return false;
}

static const struct pool_info *pool(void *context, size_t i)
{
	struct combined_names *names = context;

	for (size_t k = 0; k < names->n_parts; k++) {
		const struct report_part *part = &names->parts[k];
		const struct pool_info *found;

		for (size_t at = 0; (found = names__pool(part->run, at)); at++) {
			int layer = layer_of(names, part, found->layer);

			if (layer < 0 || is_told(names, part, found) || i--)
				continue;
			names->pool = *found;
			names->pool.layer = (__u8)layer;
			return &names->pool;
		}
	}
	return NULL;
}

struct report_names combined_names__table(struct combined_names *names)
{
	return (struct report_names){
		.context = names,
		.layer = layer_name,
		.function = function_name,
		.reading = reading,
		.cgroup = cgroup,
		.job = job_info,
		.mount = mount,
		.device = device,
		.process = process,
		.n_processes = n_processes,
		.pool = pool,
	};
}
