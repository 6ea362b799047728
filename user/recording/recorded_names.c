// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"
#include "recording/job_code.h"
#include "recording/recorded_names.h"
#include "recording/recorded_pools.h"
#include "recording/recorded_processes.h"

#define LAYERS_MAX (1U << 8)

struct function {
	const char *name; /* NULL: not said */
	unsigned int reading;
};

struct layer {
	const char *name;
	struct function *functions;
	size_t n, room;
};

/* A cgroup's path and job, a mount's point and type, a device's name. */
struct place {
	enum recording_entry type;
	__u64 key;
	const char *name, *fs_type;
	struct job_info job;
	bool has_job;
};

struct recorded_names {
	struct strings strings;
	struct layer layers[LAYERS_MAX];
	void *places; /* of struct place, tsearch(3) */
	struct recorded_processes *processes;
	struct recorded_pools *pools;
};

struct recorded_names *recorded_names__new(void)
{
	struct recorded_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->processes = recorded_processes__new();
	names->pools = recorded_pools__new();
	if (names->processes && names->pools)
		return names;
	recorded_names__free(names);
	return NULL;
}

void recorded_names__free(struct recorded_names *names)
{
	if (!names)
		return;
	for (unsigned int i = 0; i < LAYERS_MAX; i++)
		free(names->layers[i].functions);
	tdestroy(names->places, free);
	recorded_processes__free(names->processes);
	recorded_pools__free(names->pools);
	strings__free(&names->strings);
	free(names);
}

/* Keeps a text, unless it is what is there. 0, -EBADMSG where there is none, or -ENOMEM. */
static int keep(struct recorded_names *names, const char **out, struct unpack_text text)
{
	char *copy;
	int ret = 0;

	if (!text.at)
		return -EBADMSG;
	if (*out && strlen(*out) == text.n && memcmp(*out, text.at, text.n) == 0)
		return 0;
	copy = strndup(text.at, text.n);
	if (copy)
		*out = strings__keep(&names->strings, copy);
	if (!copy || !*out)
		ret = -ENOMEM;
	free(copy);
	return ret;
}

static int take_layer(struct recorded_names *names, __u64 key, struct unpack *unpack)
{
	if (key > LAYERS_MAX)
		return -EBADMSG;
	return keep(names, &names->layers[key - 1].name, unpack__text(unpack));
}

static int take_function(struct recorded_names *names, __u64 key, struct unpack *unpack)
{
	__u64 layer_id = (key - 1) >> 32, id = (key - 1) & 0xffffffff;
	struct layer *layer = &names->layers[layer_id % LAYERS_MAX];
	int ret;

	if (layer_id >= LAYERS_MAX || id >= RECORDING_FUNCTIONS_MAX)
		return -EBADMSG;
	while (layer->n <= id) {
		if (array__grow((void **)&layer->functions, &layer->room, layer->n,
				sizeof(struct function)) < 0)
			return -ENOMEM;
		layer->functions[layer->n++] = (struct function){ 0 };
	}
	ret = keep(names, &layer->functions[id].name, unpack__text(unpack));
	if (ret < 0)
		return ret;
	layer->functions[id].reading = (unsigned int)unpack__u64(unpack);
	return 0;
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static struct place *find_place(const struct recorded_names *names, enum recording_entry type,
				__u64 key)
{
	const struct place wanted = { .type = type, .key = key };
	struct place **node = tfind(&wanted, &names->places, compare_places);

	return node ? *node : NULL;
}

static struct place *add_place(struct recorded_names *names, enum recording_entry type, __u64 key)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		return NULL;
	place->type = type;
	place->key = key;
	if (tsearch(place, &names->places, compare_places))
		return place;
	free(place);
	return NULL;
}

/* A text that may be missing. */
static int keep_if_any(struct recorded_names *names, const char **out, struct unpack_text text)
{
	if (text.at)
		return keep(names, out, text);
	*out = NULL;
	return 0;
}

/* Who the job is; there is nothing where that was not known, as in older recordings. */
static int take_job(struct recorded_names *names, struct place *place, struct unpack *unpack)
{
	struct job_info *job = &place->job;
	struct job_names said;
	int ret;

	if (unpack->at == unpack->end)
		return 0;
	job_code__unpack(job, &said, unpack);
	if (unpack->failed || !said.kind.at != !said.jobid.at)
		return -EBADMSG;
	ret = keep_if_any(names, &job->kind, said.kind);
	if (!ret)
		ret = keep_if_any(names, &job->jobid, said.jobid);
	if (!ret)
		ret = keep_if_any(names, &job->step, said.step);
	if (!ret)
		ret = keep_if_any(names, &job->sluid, said.sluid);
	place->has_job = !ret;
	return ret;
}

static int take_place(struct recorded_names *names, enum recording_entry type, __u64 key,
		      struct unpack *unpack)
{
	struct place *place = find_place(names, type, key);
	int ret;

	if (!place)
		place = add_place(names, type, key);
	if (!place)
		return -ENOMEM;
	ret = keep(names, &place->name, unpack__text(unpack));
	if (!ret && type == RECORDING_MOUNT)
		ret = keep(names, &place->fs_type, unpack__text(unpack));
	if (!ret && type == RECORDING_CGROUP)
		ret = take_job(names, place, unpack);
	return ret;
}

int recorded_names__take(struct recorded_names *names, enum recording_entry type, __u64 key,
			 struct unpack *unpack)
{
	if (!key)
		return -EBADMSG;
	switch (type) {
	case RECORDING_LAYER:
		return take_layer(names, key, unpack);
	case RECORDING_FUNCTION:
		return take_function(names, key, unpack);
	case RECORDING_CGROUP:
	case RECORDING_MOUNT:
	case RECORDING_DEVICE:
		return take_place(names, type, key, unpack);
	case RECORDING_PROCESS:
		return recorded_processes__take(names->processes, key, unpack);
	case RECORDING_POOL:
		return recorded_pools__take(names->pools, key, unpack);
	default:
		return -EBADMSG;
	}
}

static const char *layer_name(void *context, __u8 id)
{
	const struct recorded_names *names = context;

	return names->layers[id].name;
}

static const struct function *function_at(const struct recorded_names *names, __u8 layer_id,
					  __u32 id)
{
	const struct layer *layer = &names->layers[layer_id];

	return id < layer->n && layer->functions[id].name ? &layer->functions[id] : NULL;
}

static const char *function_name(void *context, __u8 layer_id, __u32 id)
{
	const struct function *function = function_at(context, layer_id, id);

	return function ? function->name : NULL;
}

static unsigned int reading(void *context, __u8 layer_id, __u32 id)
{
	const struct function *function = function_at(context, layer_id, id);

	return function ? function->reading : 0;
}

static const char *cgroup(void *context, __u64 job)
{
	const struct place *place = find_place(context, RECORDING_CGROUP, job);

	return place ? place->name : NULL;
}

static const struct job_info *job_info(void *context, __u64 job)
{
	const struct place *place = find_place(context, RECORDING_CGROUP, job);

	return place && place->has_job ? &place->job : NULL;
}

static bool mount(void *context, const struct tm_series *series, struct report_mount *out)
{
	const struct place *place = find_place(context, RECORDING_MOUNT, series->key.where);

	if (!place || !place->name || !place->fs_type)
		return false;
	*out = (struct report_mount){ .point = place->name, .type = place->fs_type };
	return true;
}

static const char *device(void *context, __u64 where)
{
	const struct place *place = find_place(context, RECORDING_DEVICE, where);

	return place ? place->name : NULL;
}

static const struct process_info *process(void *context, __u32 number)
{
	const struct recorded_names *names = context;

	return recorded_processes__at(names->processes, number);
}

static __u32 n_processes(void *context)
{
	const struct recorded_names *names = context;

	return recorded_processes__n(names->processes);
}

static const struct pool_info *pool(void *context, size_t i)
{
	const struct recorded_names *names = context;

	return recorded_pools__at(names->pools, i);
}

struct report_names recorded_names__table(struct recorded_names *names)
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
