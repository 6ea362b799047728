// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recording/recording_format.h"
#include "recording/run_code.h"

/* As many arguments as there is room for; of what is left out, "..." is put. */
static void pack_argv(struct pack *pack, char *const *argv)
{
	size_t n = 0, bytes = 0;
	bool cut;

	for (; argv && argv[n] && n < RECORDING_ARGUMENTS_MAX - 1; n++) {
		bytes += strlen(argv[n]);
		if (bytes > RECORDING_ARGV_BYTES)
			break;
	}
	cut = argv && argv[n];
	pack__u64(pack, n + cut);
	for (size_t i = 0; i < n; i++)
		pack__string(pack, argv[i]);
	if (cut)
		pack__string(pack, "...");
}

void run_code__pack(struct pack *pack, const struct report_run *run,
		    const struct recording_about *about)
{
	pack__u64(pack, RECORDING_VERSION);
	pack__string(pack, run->version);
	pack__string(pack, run->kernel);
	pack__string(pack, run->hostname);
	pack__string(pack, run->scope);
	pack__string(pack, run->epoch);
	pack__string(pack, about->user);
	pack__string(pack, about->boot_id);
	pack__u64(pack, about->cpus);
	pack__u64(pack, run->start_ns);
	pack__u64(pack, run->times_known);
	pack__u64(pack, run->n_start_notes);
	pack_argv(pack, run->argv);
	pack__u64(pack, run->n_mechanisms);
	for (size_t i = 0; i < run->n_mechanisms; i++) {
		pack__string(pack, run->mechanisms[i].layer);
		pack__string(pack, run->mechanisms[i].mechanism);
	}
	pack__u64(pack, run->n_hit_costs);
	for (size_t i = 0; i < run->n_hit_costs; i++) {
		const struct report_hit_cost *cost = &run->hit_costs[i];

		pack__string(pack, cost->site_class);
		pack__u64(pack, cost->ns);
		pack__u64(pack, cost->inside_ns);
		pack__u64(pack, cost->counted_ns);
	}
}

/* A string that has to be there. */
static const char *needed(struct unpack *unpack)
{
	char *text = unpack__string(unpack);

	unpack->failed |= !text;
	return text;
}

static void unpack_argument(void *to, struct unpack *unpack)
{
	*(const char **)to = needed(unpack);
}

static void unpack_mechanism(void *to, struct unpack *unpack)
{
	struct report_mechanism *mechanism = to;

	mechanism->layer = needed(unpack);
	mechanism->mechanism = needed(unpack);
}

static void unpack_cost(void *to, struct unpack *unpack)
{
	struct report_hit_cost *cost = to;

	cost->site_class = needed(unpack);
	cost->ns = unpack__u64(unpack);
	cost->inside_ns = unpack__u64(unpack);
	cost->counted_ns = unpack__u64(unpack);
}

/* As many items of size bytes as follow, and one of zeros; NULL for none. */
static void *unpack_array(struct unpack *unpack, size_t *n, __u64 most, size_t size,
			  void (*unpack_item)(void *to, struct unpack *unpack))
{
	__u64 there = unpack__below(unpack, most);
	char *array = there ? calloc(there + 1, size) : NULL;

	*n = array ? there : 0;
	unpack->failed |= there && !array;
	for (size_t i = 0; i < *n && !unpack->failed; i++)
		unpack_item(array + i * size, unpack);
	return array;
}

/* More than there can be; nothing depends on it but memory. */
#define MECHANISMS_MAX 1024

int run_code__unpack(struct run_code *out, struct unpack *unpack)
{
	struct report_run *run = &out->run;
	size_t n_arguments;

	*out = (struct run_code){ .run.probe_share = -1 };
	out->coding = unpack__u64(unpack);
	run->version = needed(unpack);
	if (!unpack->failed && out->coding != RECORDING_VERSION)
		return -ENOTSUP;
	run->kernel = needed(unpack);
	run->hostname = needed(unpack);
	run->scope = needed(unpack);
	run->epoch = needed(unpack);
	out->about.user = unpack__string(unpack);
	out->about.boot_id = unpack__string(unpack);
	out->about.cpus = (unsigned int)unpack__u64(unpack);
	run->start_ns = unpack__u64(unpack);
	run->times_known = (__u32)unpack__u64(unpack);
	run->n_start_notes = unpack__u64(unpack);
	run->argv = unpack_array(unpack, &n_arguments, RECORDING_ARGUMENTS_MAX + 1,
				 sizeof(*run->argv), unpack_argument);
	run->mechanisms = unpack_array(unpack, &run->n_mechanisms, MECHANISMS_MAX,
				       sizeof(*run->mechanisms), unpack_mechanism);
	run->hit_costs = unpack_array(unpack, &run->n_hit_costs, MECHANISMS_MAX,
				      sizeof(*run->hit_costs), unpack_cost);
	return unpack->failed ? -EBADMSG : 0;
}

void run_code__free(struct run_code *code)
{
	struct report_run *run = &code->run;

	for (size_t i = 0; run->argv && run->argv[i]; i++)
		free(run->argv[i]);
	free((void *)run->argv);
	for (size_t i = 0; i < run->n_mechanisms; i++) {
		free((char *)run->mechanisms[i].layer);
		free((char *)run->mechanisms[i].mechanism);
	}
	free((void *)run->mechanisms);
	for (size_t i = 0; i < run->n_hit_costs; i++)
		free((char *)run->hit_costs[i].site_class);
	free((void *)run->hit_costs);
	free((char *)run->version);
	free((char *)run->kernel);
	free((char *)run->hostname);
	free((char *)run->scope);
	free((char *)run->epoch);
	free((char *)code->about.user);
	free((char *)code->about.boot_id);
	*code = (struct run_code){ 0 };
}

/* More can follow, at the end; thread_ppm does, which came later. */
#define PARKING_NUMBERS (offsetof(struct probe_parking, thread_ppm) / sizeof(__u64))
#define THREAD_NUMBERS	(sizeof(struct probe_parking) / sizeof(__u64) - PARKING_NUMBERS)

void run_code__pack_probe(struct pack *pack, const struct probe *probe)
{
	pack__u64(pack, probe->layer_id);
	pack__u64(pack, probe->function_id);
	pack__u64(pack, probe->entry_only);
	pack__u64(pack, probe->state);
	pack__u64(pack, probe->site);
	pack__u64(pack, probe->entry.first);
	pack__u64(pack, probe->entry.site);
	pack__u64(pack, probe->entry.moved);
	pack__string(pack, probe->library);
	pack__string(pack, probe->mechanism);
	pack__string(pack, probe->reason);
	pack__numbers(pack, (const __u64 *)&probe->parking, PARKING_NUMBERS);
	pack__numbers(pack, (const __u64 *)&probe->untimed, PARKING_NUMBERS);
	pack__u64(pack, probe->counted);
	pack__numbers(pack, &probe->parking.thread_ppm, THREAD_NUMBERS);
	pack__numbers(pack, &probe->untimed.thread_ppm, THREAD_NUMBERS);
}

int run_code__unpack_probe(struct probe *out, struct unpack *unpack)
{
	*out = (struct probe){ 0 };
	out->layer_id = (__u8)unpack__below(unpack, 1 << 8);
	out->function_id = (__u32)unpack__below(unpack, RECORDING_FUNCTIONS_MAX);
	out->entry_only = unpack__u64(unpack) != 0;
	out->state = (enum probe_state)unpack__below(unpack, PROBE_OFF + 1);
	out->site = unpack__u64(unpack);
	out->entry.first = (enum entry_class)unpack__below(unpack, ENTRY_CLASSES);
	out->entry.site = (enum entry_class)unpack__below(unpack, ENTRY_CLASSES);
	out->entry.moved = (__u32)unpack__u64(unpack);
	out->library = unpack__string(unpack);
	out->mechanism = unpack__string(unpack);
	out->reason = unpack__string(unpack);
	if (unpack->at < unpack->end) /* older ones have no more */
		unpack__numbers(unpack, (__u64 *)&out->parking, PARKING_NUMBERS);
	if (unpack->at < unpack->end) {
		unpack__numbers(unpack, (__u64 *)&out->untimed, PARKING_NUMBERS);
		out->counted = unpack__u64(unpack);
	}
	if (unpack->at < unpack->end) {
		unpack__numbers(unpack, &out->parking.thread_ppm, THREAD_NUMBERS);
		unpack__numbers(unpack, &out->untimed.thread_ppm, THREAD_NUMBERS);
	}
	if (!unpack->failed)
		return 0;
	run_code__free_probe(out);
	return -EBADMSG;
}

void run_code__free_probe(struct probe *probe)
{
	free((char *)probe->library);
	free((char *)probe->mechanism);
	free((char *)probe->reason);
	*probe = (struct probe){ 0 };
}
