// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/strings.h"
#include "probe/probe_table_state.h"

const char *const probe_vfs_names[TM_VFS_FUNCTIONS] = {
	[TM_VFS_NONE] = "none",
	[TM_VFS_READ] = "read",
	[TM_VFS_WRITE] = "write",
	[TM_VFS_OPEN] = "open",
	[TM_VFS_CLOSE] = "close",
	[TM_VFS_FSYNC] = "fsync",
	[TM_VFS_STAT] = "stat",
	[TM_VFS_READDIR] = "readdir",
	[TM_VFS_CREATE] = "create",
	[TM_VFS_UNLINK] = "unlink",
	[TM_VFS_RENAME] = "rename",
	[TM_VFS_MKDIR] = "mkdir",
	[TM_VFS_RMDIR] = "rmdir",
	[TM_VFS_TRUNCATE] = "truncate",
	[TM_VFS_FALLOCATE] = "fallocate",
	[TM_VFS_SPLICE] = "splice",
	[TM_VFS_COPY_RANGE] = "copy_range",
	[TM_VFS_MMAP] = "mmap",
};

const char *const probe_block_names[TM_BLOCK_FUNCTIONS] = {
	[TM_BLOCK_READ] = "read",
	[TM_BLOCK_WRITE] = "write",
	[TM_BLOCK_FLUSH] = "flush",
	[TM_BLOCK_DISCARD] = "discard",
};

const char *const probe_loss_names[TM_LOSSES] = {
	[TM_LOSS_UNWOUND] = "unwound",
	[TM_LOSS_KILLED] = "killed",
	[TM_LOSS_FOREIGN_STACK] = "foreign_stack",
	[TM_LOSS_TOO_DEEP] = "too_deep",
	[TM_LOSS_NO_MEMORY] = "no_memory",
	[TM_LOSS_NO_SLOT] = "no_slot",
	[TM_LOSS_NO_ENTRY] = "no_entry",
	[TM_LOSS_UNSEEN] = "unseen",
	[TM_LOSS_CONFINED] = "confined",
	[TM_LOSS_PARKED] = "parked",
};

const char *probe_state__name(enum probe_state state)
{
	static const char *const names[] = {
		[PROBE_ARMED] = "armed",   [PROBE_WAITING] = "waiting", [PROBE_FAILED] = "failed",
		[PROBE_PARKED] = "parked", [PROBE_OFF] = "off",
	};

	return names[state];
}

static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->layer_id != b->layer_id)
		return a->layer_id < b->layer_id ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct function *find_function(const struct probe_table *table, __u8 layer_id,
				      const char *name)
{
	struct function wanted = { .layer_id = layer_id, .name = name };
	struct function **node = tfind(&wanted, &table->tree, compare_functions);

	return node ? *node : NULL;
}

struct function *probe_table__function_at(const struct probe_table *table, __u8 layer_id, __u32 id)
{
	if (layer_id >= table->n_layers || id >= table->layers[layer_id].n)
		return NULL;
	return table->layers[layer_id].functions[id];
}

int probe_table__function_id(struct probe_table *table, __u8 layer_id, const char *name)
{
	struct function *function = find_function(table, layer_id, name);
	struct layer *layer;

	if (function)
		return (int)function->id;
	if (layer_id >= table->n_layers)
		return -EINVAL;
	layer = &table->layers[layer_id];
	if (array__grow((void **)&layer->functions, &layer->room, layer->n,
			sizeof(struct function *)) < 0)
		return -ENOMEM;
	function = malloc(sizeof(*function));
	if (!function)
		return -ENOMEM;
	*function = (struct function){
		.layer_id = layer_id,
		.name = strings__keep(&table->strings, name),
		.id = layer->n,
		.first_probe = NO_PROBE,
	};
	if (!function->name || !tsearch(function, &table->tree, compare_functions)) {
		free(function);
		return -ENOMEM;
	}
	layer->functions[layer->n++] = function;
	return (int)function->id;
}

/* Copies a string that may be NULL. */
static int keep(struct probe_table *table, const char **copy, const char *text)
{
	const char *kept = text ? strings__keep(&table->strings, text) : NULL;

	if (text && !kept)
		return -ENOMEM;
	*copy = kept;
	return 0;
}

void probe_table__free_texts(struct probe *probe)
{
	free((void *)probe->library);
	free((void *)probe->mechanism);
	free((void *)probe->reason);
	probe->library = probe->mechanism = probe->reason = NULL;
}

static bool copy_text(const char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return !text || *copy;
}

/* Puts copies in the place of a probe's texts. 0, or -ENOMEM: then it has none. */
int probe_table__copy_texts(struct probe_table *table, struct probe *probe)
{
	struct probe texts = { 0 };
	int ret = -ENOMEM;

	if (copy_text(&texts.library, probe->library) &&
	    copy_text(&texts.mechanism, probe->mechanism) &&
	    copy_text(&texts.reason, probe->reason))
		ret = 0;
	else
		probe_table__free_texts(&texts);
	probe->library = texts.library;
	probe->mechanism = texts.mechanism;
	probe->reason = texts.reason;
	probe->texts = ++table->texts;
	return ret;
}

/* Puts a text in the place of one of a probe's. */
static int replace_text(struct probe_table *table, size_t i, const char **text, const char *by)
{
	const char *copy;

	if (!copy_text(&copy, by))
		return -ENOMEM;
	free((void *)*text);
	*text = copy;
	table->probes[i].texts = ++table->texts;
	return 0;
}

/* Adds a probe whose layer and function the table knows. */
static int append(struct probe_table *table, const struct probe *probe)
{
	struct function *function =
		probe_table__function_at(table, probe->layer_id, probe->function_id);
	struct probe copy = *probe;

	if (array__grow((void **)&table->probes, &table->room, table->n, sizeof(copy)) < 0 ||
	    array__grow((void **)&table->slots, &table->slots_room, table->n,
			sizeof(*table->slots)) < 0 ||
	    probe_table__copy_texts(table, &copy) < 0)
		return -ENOMEM;
	copy.layer = table->layers[probe->layer_id].name;
	copy.function = function->name;
	table->probes[table->n] = copy;
	probe_table__link(table, function, table->n);
	return (int)table->n++;
}

/* A layer of the kernel: all its functions and a probe on each, in the order of their numbers. */
static int add_kernel_layer(struct probe_table *table, __u8 layer_id, const char *const *names,
			    size_t n)
{
	struct probe probe = { .layer_id = layer_id, .state = PROBE_OFF };

	for (size_t i = 0; i < n; i++) {
		int id = probe_table__function_id(table, layer_id, names[i]);

		if (id < 0)
			return id;
		probe.function_id = (__u32)id;
		id = append(table, &probe);
		if (id < 0)
			return id;
	}
	return 0;
}

static int name_layers(struct probe_table *table, const struct catalogue *cat)
{
	for (size_t i = 0; i < table->n_layers; i++) {
		const char *name = i >= TM_LAYER_USER
					   ? catalogue__layer(cat, i - TM_LAYER_USER)->name
					   : (i == TM_LAYER_VFS ? "vfs" : "block");
		int ret = keep(table, &table->layers[i].name, name);

		if (ret)
			return ret;
	}
	return 0;
}

int probe_table__new(struct probe_table **out, const struct catalogue *cat)
{
	struct probe_table *table = calloc(1, sizeof(*table));
	int ret = -ENOMEM;

	if (!table)
		return ret;
	table->n_layers = TM_LAYER_USER + catalogue__n_layers(cat);
	table->layers = calloc(table->n_layers, sizeof(*table->layers));
	if (!table->layers) {
		table->n_layers = 0;
		goto fail;
	}
	ret = name_layers(table, cat);
	if (!ret)
		ret = add_kernel_layer(table, TM_LAYER_VFS, probe_vfs_names, TM_VFS_FUNCTIONS);
	if (!ret)
		ret = add_kernel_layer(table, TM_LAYER_BLOCK, probe_block_names,
				       TM_BLOCK_FUNCTIONS);
	if (ret)
		goto fail;
	*out = table;
	return 0;
fail:
	probe_table__free(table);
	return ret;
}

void probe_table__free(struct probe_table *table)
{
	if (!table)
		return;
	tdestroy(table->tree, free);
	for (size_t i = 0; i < table->n_layers; i++)
		free((void *)table->layers[i].functions);
	for (size_t i = 0; i < table->n; i++)
		probe_table__free_texts(&table->probes[i]);
	free(table->layers);
	free(table->probes);
	free(table->slots);
	free(table->moved);
	strings__free(&table->strings);
	free(table);
}

size_t probe_table__n(const struct probe_table *table)
{
	return table->n;
}

const size_t *probe_table__numbered(const struct probe_table *table)
{
	return &table->n;
}

const struct probe *probe_table__at(const struct probe_table *table, size_t i)
{
	return &table->probes[i];
}

const char *probe_table__layer_name(const struct probe_table *table, __u8 layer_id)
{
	return layer_id < table->n_layers ? table->layers[layer_id].name : NULL;
}

const char *probe_table__function_name(const struct probe_table *table, __u8 layer_id,
				       __u32 function_id)
{
	const struct function *function = probe_table__function_at(table, layer_id, function_id);

	return function ? function->name : NULL;
}

const struct tm_spec *probe_table__spec(const struct probe_table *table, __u8 layer_id,
					__u32 function_id)
{
	const struct function *function = probe_table__function_at(table, layer_id, function_id);

	if (!function || layer_id < TM_LAYER_USER || function->first_probe == NO_PROBE)
		return NULL;
	return &table->probes[function->first_probe].spec;
}

int probe_table__add(struct probe_table *table, const struct probe *probe)
{
	if (probe->layer_id < TM_LAYER_USER ||
	    !probe_table__function_at(table, probe->layer_id, probe->function_id))
		return -EINVAL;
	if (table->n - TM_PROBE_USER >= TM_PROBES_MAX)
		return -ENOSPC;
	return append(table, probe);
}

static __u64 parked_ns(const struct probe_parking *parking, __u64 now_ns)
{
	bool is_parked = parking->since_ns && now_ns > parking->since_ns;

	return parking->parked_ns + (is_parked ? now_ns - parking->since_ns : 0);
}

void probe_parking__end(struct probe_parking *parking, __u64 now_ns)
{
	parking->parked_ns = parked_ns(parking, now_ns);
	parking->since_ns = 0;
}

int probe_table__set_state(struct probe_table *table, size_t i, enum probe_state state,
			   const char *reason)
{
	int ret = replace_text(table, i, &table->probes[i].reason, reason);

	if (!ret)
		table->probes[i].state = state;
	return ret;
}

static void begin_parking(struct probe_parking *parking, const struct probe_parking *now)
{
	__u64 before = parking->parked_ns;
	__u64 count = parking->count;

	*parking = *now;
	parking->parked_ns = before;
	parking->count = count + 1;
}

void probe_table__park(struct probe_table *table, size_t i, const struct probe_parking *parking)
{
	begin_parking(&table->probes[i].parking, parking);
	table->probes[i].state = PROBE_PARKED;
}

void probe_table__unpark(struct probe_table *table, size_t i, __u64 now_ns)
{
	struct probe *probe = &table->probes[i];

	probe_parking__end(&probe->parking, now_ns);
	if (probe->state == PROBE_PARKED)
		probe->state = PROBE_ARMED;
}

void probe_table__untime(struct probe_table *table, size_t i, const struct probe_parking *parking)
{
	begin_parking(&table->probes[i].untimed, parking);
}

void probe_table__time(struct probe_table *table, size_t i, __u64 now_ns)
{
	probe_parking__end(&table->probes[i].untimed, now_ns);
}

void probe_table__add_counted(struct probe_table *table, size_t i, __u64 calls)
{
	table->probes[i].counted += calls;
}

__u64 probe__parked_ns(const struct probe *probe, __u64 now_ns)
{
	return parked_ns(&probe->parking, now_ns);
}

__u64 probe__untimed_ns(const struct probe *probe, __u64 now_ns)
{
	return parked_ns(&probe->untimed, now_ns);
}

#define BOUND_TEXT 120

/* "and all probes may cost 1 % of what the node's processors can do" */
static const char *say_bound(const struct probe_parking *parking, char text[BOUND_TEXT])
{
	double bound = parking->bound_ppm / 1e4;
	char of[48] = "";

	if (parking->thread_pid && parking->thread_ppm)
		snprintf(of, sizeof(of), " of process %llu", parking->thread_pid);
	if (parking->thread_ppm)
		snprintf(text, BOUND_TEXT,
			 "probes took %.1f %% of the time of a thread%s, and may take %g %% of it",
			 parking->thread_ppm / 1e4, of, bound);
	else
		snprintf(text, BOUND_TEXT,
			 "all probes may cost %g %% of what the node's processors can do", bound);
	return text;
}

/* Why its calls are not timed now. */
static const char *say_untimed(const struct probe_parking *untimed, char text[PROBE_REASON])
{
	char since[32], until[32], bound[BOUND_TEXT];

	snprintf(text, PROBE_REASON,
		 "counted, not timed since %s: to time %llu calls/s costs %.2f %% of a processor "
		 "more, and %s; timed again at %s or later",
		 clock__local(since, sizeof(since), untimed->since_ns, "%H:%M:%S"),
		 untimed->hits_per_s, (double)untimed->cost_ns / NS_PER_S * 100,
		 say_bound(untimed, bound),
		 clock__local(until, sizeof(until), untimed->until_ns, "%H:%M:%S"));
	return text;
}

const char *probe__reason(const struct probe *probe, char text[PROBE_REASON])
{
	const struct probe_parking *parking = &probe->parking;
	char since[32], until[32], bound[BOUND_TEXT], cost[80] = "";

	if (probe->state == PROBE_ARMED && probe->untimed.since_ns)
		return say_untimed(&probe->untimed, text);
	if (probe->state != PROBE_PARKED)
		return probe->reason;
	clock__local(since, sizeof(since), parking->since_ns, "%H:%M:%S");
	if (!parking->bound_ppm) {
		snprintf(text, PROBE_REASON, "left out by the configuration, not counted since %s",
			 since);
		return text;
	}
	/* One that is parked for what others cost may have had none. */
	if (parking->hits_per_s || !probe->reason)
		snprintf(cost, sizeof(cost), "%llu hits/s cost %.2f %% of a processor, and ",
			 parking->hits_per_s, (double)parking->cost_ns / NS_PER_S * 100);
	snprintf(text, PROBE_REASON,
		 "parked by the governor: %s%s; %s%snot counted since %s, comes back at %s or "
		 "later",
		 cost, say_bound(parking, bound), probe->reason ? probe->reason : "",
		 probe->reason ? "; " : "", since,
		 clock__local(until, sizeof(until), parking->until_ns, "%H:%M:%S"));
	return text;
}

int probe_table__set_mechanism(struct probe_table *table, size_t i, const char *mechanism)
{
	return replace_text(table, i, &table->probes[i].mechanism, mechanism);
}

int probe_table__arm_layer(struct probe_table *table, __u8 layer_id, const char *mechanism)
{
	int ret = 0;

	for (size_t i = 0; i < table->n && !ret; i++) {
		const struct probe *probe = &table->probes[i];

		if (probe->layer_id != layer_id ||
		    (layer_id == TM_LAYER_VFS && probe->function_id == TM_VFS_NONE))
			continue;
		ret = probe_table__set_mechanism(table, i, mechanism);
		if (!ret)
			table->probes[i].state = PROBE_ARMED;
	}
	return ret;
}
