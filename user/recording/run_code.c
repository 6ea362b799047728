// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recording/archive.h"
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

/* What there is one of. */
static void archive_run(struct archive *archive, struct report_run *run,
			struct recording_about *about)
{
	archive__needed(archive, &run->kernel);
	archive__needed(archive, &run->hostname);
	archive__needed(archive, &run->scope);
	archive__needed(archive, &run->epoch);
	archive__string(archive, &about->user);
	archive__string(archive, &about->boot_id);
	archive__number(archive, about->cpus);
	archive__number(archive, run->start_ns);
	archive__number(archive, run->times_known);
	archive__number(archive, run->n_start_notes);
}

static void archive_argument(struct archive *archive, void *argument)
{
	archive__needed(archive, argument);
}

static void archive_mechanism(struct archive *archive, void *item)
{
	struct report_mechanism *mechanism = item;

	archive__needed(archive, &mechanism->layer);
	archive__needed(archive, &mechanism->mechanism);
}

static void archive_cost(struct archive *archive, void *item)
{
	struct report_hit_cost *cost = item;

	archive__needed(archive, &cost->site_class);
	archive__number(archive, cost->ns);
	archive__number(archive, cost->inside_ns);
	archive__number(archive, cost->counted_ns);
}

typedef void archive_item(struct archive *archive, void *item);

static void pack_array(struct pack *pack, const void *array, size_t n, size_t size,
		       archive_item *item)
{
	pack__u64(pack, n);
	for (size_t i = 0; i < n; i++)
		item(ARCHIVE_TO(pack), (char *)array + i * size);
}

void run_code__pack(struct pack *pack, const struct report_run *run,
		    const struct recording_about *about)
{
	pack__u64(pack, RECORDING_VERSION);
	pack__string(pack, run->version);
	archive_run(ARCHIVE_TO(pack), (struct report_run *)run, (struct recording_about *)about);
	pack_argv(pack, run->argv);
	pack_array(pack, run->mechanisms, run->n_mechanisms, sizeof(*run->mechanisms),
		   archive_mechanism);
	pack_array(pack, run->hit_costs, run->n_hit_costs, sizeof(*run->hit_costs), archive_cost);
}

/* As many items of size bytes as follow, and one of zeros; NULL for none. */
static void *unpack_array(struct unpack *unpack, size_t *n, __u64 most, size_t size,
			  archive_item *item)
{
	__u64 there = unpack__below(unpack, most);
	char *array = there ? calloc(there + 1, size) : NULL;

	*n = array ? there : 0;
	unpack->failed |= there && !array;
	for (size_t i = 0; i < *n && !unpack->failed; i++)
		item(ARCHIVE_FROM(unpack), array + i * size);
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
	archive__needed(ARCHIVE_FROM(unpack), &run->version);
	if (!unpack->failed && out->coding != RECORDING_VERSION)
		return -ENOTSUP;
	archive_run(ARCHIVE_FROM(unpack), run, &out->about);
	run->argv = unpack_array(unpack, &n_arguments, RECORDING_ARGUMENTS_MAX + 1,
				 sizeof(*run->argv), archive_argument);
	run->mechanisms = unpack_array(unpack, &run->n_mechanisms, MECHANISMS_MAX,
				       sizeof(*run->mechanisms), archive_mechanism);
	run->hit_costs = unpack_array(unpack, &run->n_hit_costs, MECHANISMS_MAX,
				      sizeof(*run->hit_costs), archive_cost);
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

static void archive_probe(struct archive *archive, struct probe *probe)
{
	archive__number(archive, probe->layer_id);
	archive__below(archive, probe->function_id, RECORDING_FUNCTIONS_MAX);
	archive__below(archive, probe->entry_only, 2);
	archive__below(archive, probe->state, PROBE_OFF + 1);
	archive__number(archive, probe->site);
	archive__below(archive, probe->entry.first, ENTRY_CLASSES);
	archive__below(archive, probe->entry.site, ENTRY_CLASSES);
	archive__number(archive, probe->entry.moved);
	archive__string(archive, &probe->library);
	archive__string(archive, &probe->mechanism);
	archive__string(archive, &probe->reason);
	if (archive__ends(archive))
		return;
	archive__numbers(archive, (__u64 *)&probe->parking, PARKING_NUMBERS);
	if (archive__ends(archive))
		return;
	archive__numbers(archive, (__u64 *)&probe->untimed, PARKING_NUMBERS);
	archive__number(archive, probe->counted);
	if (archive__ends(archive))
		return;
	archive__numbers(archive, &probe->parking.thread_ppm, THREAD_NUMBERS);
	archive__numbers(archive, &probe->untimed.thread_ppm, THREAD_NUMBERS);
}

void run_code__pack_probe(struct pack *pack, const struct probe *probe)
{
	archive_probe(ARCHIVE_TO(pack), (struct probe *)probe);
}

int run_code__unpack_probe(struct probe *out, struct unpack *unpack)
{
	*out = (struct probe){ 0 };
	archive_probe(ARCHIVE_FROM(unpack), out);
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
