// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/account_code.h"
#include "recording/addb_code.h"
#include "recording/job_code.h"
#include "recording/name_writer.h"
#include "recording/object_writer.h"
#include "recording/process_writer.h"
#include "recording/recorded_pools.h"
#include "recording/recording_format.h"
#include "recording/recording_writer.h"
#include "recording/series_code.h"
#include "recording/series_numbers.h"
#include "recording/timeline_writer.h"
#include "report/jobs.h"
#include "report/names.h"
#include "ring/ring_writer.h"
#include "timeline/timeline.h"

/* A probe's ledger as it is in the file. */
struct written_ledger {
	struct tm_ledger ledger;
	struct tm_call_ledger calls;
};

struct recording_writer {
	struct ring_writer *ring;
	char *path;
	struct pack pack;
	struct series_numbers *series;
	struct name_writer *names;
	/* As they are in the file: */
	struct probe *probes;
	size_t n_probes, probes_room;
	struct written_ledger *ledgers;
	size_t n_ledgers, ledgers_room;
	size_t n_notes;
	struct object_writer *objects;
	struct process_writer *processes;
	struct timeline_writer *timelines;
};

static void free_writer(struct recording_writer *writer)
{
	if (!writer)
		return;
	series_numbers__free(writer->series);
	name_writer__free(writer->names);
	object_writer__free(writer->objects);
	process_writer__free(writer->processes);
	timeline_writer__free(writer->timelines);
	pack__free(&writer->pack);
	free(writer->probes);
	free(writer->ledgers);
	free(writer->path);
	free(writer);
}

int recording_writer__create(struct recording_writer **out, int fd, const char *path, __u64 size,
			     struct error *err)
{
	struct recording_writer *writer = calloc(1, sizeof(*writer));
	int ret;

	if (writer) {
		writer->path = strdup(path);
		writer->series = series_numbers__new();
		writer->names = name_writer__new();
		writer->objects = object_writer__new();
		writer->processes = process_writer__new();
		writer->timelines = timeline_writer__new();
	}
	if (writer && writer->path && writer->series && writer->names && writer->objects &&
	    writer->processes && writer->timelines)
		ret = ring_writer__create(&writer->ring, fd, path, size, err);
	else
		ret = error__set(err, -ENOMEM, "%s: no memory", path);
	if (ret < 0)
		free_writer(writer);
	else
		*out = writer;
	return ret < 0 ? ret : 0;
}

static int no_memory(const struct recording_writer *writer, struct error *err)
{
	return error__set(err, -ENOMEM, "%s: no memory", writer->path);
}

/* Writes what was packed as the state of (type, key). */
static int put_entry(struct recording_writer *writer, enum recording_entry type, __u64 key,
		     struct error *err)
{
	if (writer->pack.failed)
		return no_memory(writer, err);
	return ring_writer__state(writer->ring, type, key, writer->pack.bytes, writer->pack.n, err);
}

static int put_mark(struct recording_writer *writer, const struct snapshot *snapshot, bool final,
		    struct error *err)
{
	pack__start(&writer->pack);
	pack__u64(&writer->pack, final ? RECORDING_MARK_FINAL : 0);
	pack__u64(&writer->pack, snapshot->time_ns);
	pack__u64(&writer->pack, snapshot->monotonic_ns);
	pack__u64(&writer->pack, snapshot->before_ns);
	return put_entry(writer, RECORDING_MARK, 1, err);
}

/* Writes what was packed, which is a name, unless it is in the file already. */
static int put_name(struct recording_writer *writer, enum recording_entry type, __u64 key,
		    struct error *err)
{
	int ret = name_writer__put(writer->names, writer->ring, &writer->pack, type, key, err);

	return ret == -ENOMEM ? no_memory(writer, err) : ret;
}

static int put_layers(struct recording_writer *writer, const struct report_run *run,
		      struct error *err)
{
	const struct report_names *names = &run->names;
	int ret = 0;

	for (unsigned int layer = 0; layer < 1 << 8 && ret >= 0; layer++) {
		const char *name = names->layer(names->context, (__u8)layer);

		if (!name)
			break;
		pack__start(&writer->pack);
		pack__string(&writer->pack, name);
		ret = put_name(writer, RECORDING_LAYER, layer + 1, err);
		for (__u32 id = 0; id < RECORDING_FUNCTIONS_MAX && ret >= 0; id++) {
			name = names->function(names->context, (__u8)layer, id);
			if (!name)
				break;
			pack__start(&writer->pack);
			pack__string(&writer->pack, name);
			pack__u64(&writer->pack, names->reading(names->context, (__u8)layer, id));
			ret = put_name(writer, RECORDING_FUNCTION, ((__u64)layer << 32 | id) + 1,
				       err);
		}
	}
	return ret;
}

/* Of two of one table: where a text may be another one, texts is. */
static bool same_probe(const struct probe *a, const struct probe *b)
{
	return a->layer_id == b->layer_id && a->function_id == b->function_id &&
	       a->entry_only == b->entry_only && a->state == b->state && a->site == b->site &&
	       a->entry.first == b->entry.first && a->entry.site == b->entry.site &&
	       a->entry.moved == b->entry.moved && a->texts == b->texts &&
	       a->library == b->library && a->mechanism == b->mechanism && a->reason == b->reason &&
	       !memcmp(&a->parking, &b->parking, sizeof(a->parking)) &&
	       !memcmp(&a->untimed, &b->untimed, sizeof(a->untimed)) && a->counted == b->counted;
}

static int put_probes(struct recording_writer *writer, const struct report_run *run,
		      struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < run->n_probes && ret >= 0; i++) {
		bool known = i < writer->n_probes;

		if (known && same_probe(&run->probes[i], &writer->probes[i]))
			continue;
		if (!known && array__grow((void **)&writer->probes, &writer->probes_room,
					  writer->n_probes, sizeof(struct probe)) < 0)
			return no_memory(writer, err);
		writer->probes[i] = run->probes[i];
		writer->n_probes += !known;
		pack__start(&writer->pack);
		run_code__pack_probe(&writer->pack, &run->probes[i]);
		ret = put_entry(writer, RECORDING_PROBE, i + 1, err);
	}
	return ret;
}

/* Of the probes that there are; one that is not in the file is 0. */
static int put_ledgers(struct recording_writer *writer, const struct snapshot *snapshot,
		       struct error *err)
{
	size_t n = snapshot->n_ledgers < writer->n_probes ? snapshot->n_ledgers : writer->n_probes;
	const struct tm_call_ledger *calls = snapshot->call_ledgers;
	int ret = 0;

	for (; writer->n_ledgers < n; writer->n_ledgers++) {
		if (array__grow((void **)&writer->ledgers, &writer->ledgers_room, writer->n_ledgers,
				sizeof(*writer->ledgers)) < 0)
			return no_memory(writer, err);
		memset(&writer->ledgers[writer->n_ledgers], 0, sizeof(*writer->ledgers));
	}
	for (size_t i = 0; i < n && ret >= 0; i++) {
		struct written_ledger now = { .ledger = snapshot->ledgers[i] };

		if (calls)
			now.calls = calls[i];
		if (memcmp(&now, &writer->ledgers[i], sizeof(now)) == 0)
			continue;
		writer->ledgers[i] = now;
		pack__start(&writer->pack);
		series_code__pack_ledger(&writer->pack, &now.ledger, calls ? &now.calls : NULL);
		ret = put_entry(writer, RECORDING_LEDGER, i + 1, err);
	}
	return ret;
}

/* false: nothing is known of it. */
static bool pack_cgroup(struct recording_writer *writer, const struct report_run *run, __u64 job)
{
	const char *path = names__cgroup(run, job);
	const struct job_info *info;

	if (!path)
		return false;
	pack__start(&writer->pack);
	pack__string(&writer->pack, path);
	info = names__job(run, job);
	if (info)
		job_code__pack(&writer->pack, info);
	return true;
}

/* Of a job that has series. */
static int put_cgroup(struct recording_writer *writer, const struct report_run *run, __u64 job,
		      struct error *err)
{
	return pack_cgroup(writer, run, job) ? put_name(writer, RECORDING_CGROUP, job, err) : 0;
}

/* Of one that a single record is of. */
static int put_passing(struct recording_writer *writer, const struct report_run *run, __u64 job,
		       struct error *err)
{
	int ret = 0;

	if (pack_cgroup(writer, run, job))
		ret = name_writer__put_passing(writer->names, writer->ring, &writer->pack,
					       RECORDING_CGROUP, job, err);
	return ret == -ENOMEM ? no_memory(writer, err) : ret;
}

static int put_where(struct recording_writer *writer, const struct report_run *run,
		     const struct tm_series *total, struct error *err)
{
	const struct report_names *names = &run->names;
	bool disk = total->key.layer == TM_LAYER_BLOCK && !(total->key.flags & TM_KEY_NO_DISK);
	const char *device = disk ? names->device(names->context, total->key.where) : NULL;
	struct report_mount mount;

	pack__start(&writer->pack);
	if (disk) {
		if (!device)
			return 0;
		pack__string(&writer->pack, device);
		return put_name(writer, RECORDING_DEVICE, total->key.where, err);
	}
	if (!names->mount(names->context, total, &mount))
		return 0;
	pack__string(&writer->pack, mount.point);
	pack__string(&writer->pack, mount.type);
	return put_name(writer, RECORDING_MOUNT, total->key.where, err);
}

static int put_names(struct recording_writer *writer, const struct report_run *run,
		     const struct tm_series *total, struct error *err)
{
	bool placed = total->key.layer < TM_LAYER_USER && total->key.where;

	return placed ? put_where(writer, run, total, err) : 0;
}

static int forget_series(struct recording_writer *writer, const struct snapshot *snapshot,
			 struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < snapshot->n_gone && ret >= 0; i++) {
		__u64 number;

		if (series_numbers__forget(writer->series, &snapshot->gone[i], &number) < 0)
			return no_memory(writer, err);
		if (!number)
			continue;
		ret = ring_writer__forget(writer->ring, RECORDING_SERIES, number, err);
		if (ret >= 0)
			ret = name_writer__pass(writer->names, writer->ring, RECORDING_CGROUP,
						snapshot->gone[i].job, err);
	}
	return ret;
}

/* Those that have moved since the read before. */
static int put_series(struct recording_writer *writer, const struct report_run *run,
		      const struct snapshot *snapshot, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < snapshot->n_series && ret >= 0; i++) {
		const struct snapshot_series *series = snapshot->series[i];
		bool is_new = false;
		__u64 number;

		if (series == snapshot->before[i])
			continue;
		number = series_numbers__of(writer->series, &series->total.key, &is_new);
		if (!number)
			return no_memory(writer, err);
		ret = put_names(writer, run, &series->total, err);
		if (ret < 0)
			break;
		pack__start(&writer->pack);
		series_code__pack(&writer->pack, series, is_new ? RECORDING_SERIES_NEW : 0);
		ret = put_entry(writer, RECORDING_SERIES, number, err);
	}
	return ret;
}

/* What is known of them changes, also of those that rest. */
static int put_jobs(struct recording_writer *writer, const struct report_run *run,
		    const struct snapshot *snapshot, struct error *err)
{
	struct jobs jobs;
	int ret = 0;

	jobs__start(&jobs, snapshot);
	while (ret >= 0 && jobs__next(&jobs))
		ret = put_cgroup(writer, run, jobs__id(&jobs), err);
	return ret;
}

/* Of those, too; and of those that are among others now. */
static int put_objects(struct recording_writer *writer, const struct report_run *run,
		       const struct snapshot *snapshot, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < snapshot->n_objects && ret >= 0; i++)
		ret = put_cgroup(writer, run, snapshot->objects[i]->total.key.job, err);
	if (ret < 0)
		return ret;
	ret = object_writer__put(writer->objects, writer->ring, &writer->pack, snapshot, err);
	return ret == -ENOMEM ? no_memory(writer, err) : ret;
}

static int put_processes(struct recording_writer *writer, const struct report_run *run,
			 const struct snapshot *snapshot, struct error *err)
{
	int ret = process_writer__put(writer->processes, writer->ring, &writer->pack, &run->names,
				      snapshot->time_ns, err);

	return ret == -ENOMEM ? no_memory(writer, err) : ret;
}

static int put_timelines(struct recording_writer *writer, const struct report_run *run,
			 const struct snapshot *snapshot, bool final, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < snapshot->n_timelines && ret >= 0; i++)
		ret = put_cgroup(writer, run, timeline__about(snapshot->timelines[i]).job, err);
	if (ret < 0)
		return ret;
	ret = timeline_writer__put(writer->timelines, writer->ring, &writer->pack, snapshot, final,
				   err);
	return ret == -ENOMEM ? no_memory(writer, err) : ret;
}

static int put_pools(struct recording_writer *writer, const struct report_run *run,
		     struct error *err)
{
	const struct pool_info *pool;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && (pool = names__pool(run, i)); i++) {
		pack__start(&writer->pack);
		recorded_pools__pack(&writer->pack, pool);
		ret = put_name(writer, RECORDING_POOL, i + 1, err);
	}
	return ret;
}

static int put_notes(struct recording_writer *writer, const struct report_run *run,
		     struct error *err)
{
	int ret = 0;

	for (; writer->n_notes < run->n_notes && writer->n_notes < RECORDING_NOTES_MAX;
	     writer->n_notes++) {
		pack__start(&writer->pack);
		pack__string(&writer->pack, run->notes[writer->n_notes]);
		ret = put_entry(writer, RECORDING_NOTE, writer->n_notes + 1, err);
		if (ret < 0)
			break;
	}
	return ret;
}

int recording_writer__start(struct recording_writer *writer, const struct report_run *run,
			    const struct recording_about *about, struct error *err)
{
	int ret;

	pack__start(&writer->pack);
	run_code__pack(&writer->pack, run, about);
	ret = put_entry(writer, RECORDING_RUN, 1, err);
	if (ret >= 0)
		ret = put_notes(writer, run, err);
	return ret < 0 ? ret : ring_writer__flush(writer->ring, err);
}

int recording_writer__snapshot(struct recording_writer *writer, const struct report_run *run,
			       const struct snapshot *snapshot, bool final, struct error *err)
{
	struct error later;
	int ret = 0, marked;

	/* There is no function without a probe. */
	if (run->n_probes != writer->n_probes)
		ret = put_layers(writer, run, err);
	if (ret >= 0)
		ret = put_probes(writer, run, err);
	if (ret >= 0)
		ret = put_ledgers(writer, snapshot, err);
	if (ret >= 0)
		ret = put_processes(writer, run, snapshot, err);
	if (ret >= 0)
		ret = put_pools(writer, run, err);
	if (ret >= 0)
		ret = put_jobs(writer, run, snapshot, err);
	if (ret >= 0)
		ret = forget_series(writer, snapshot, err);
	if (ret >= 0)
		ret = put_series(writer, run, snapshot, err);
	if (ret >= 0)
		ret = put_objects(writer, run, snapshot, err);
	if (ret >= 0)
		ret = put_timelines(writer, run, snapshot, final, err);
	if (ret >= 0)
		ret = put_notes(writer, run, err);
	/* What there was room for is to be read also where that was not all. */
	marked = put_mark(writer, snapshot, final, ret < 0 ? &later : err);
	if (marked >= 0)
		marked = final ? ring_writer__flush(writer->ring, ret < 0 ? &later : err)
			       : ring_writer__commit(writer->ring, ret < 0 ? &later : err);
	return ret < 0 ? ret : marked;
}

int recording_writer__calls(struct recording_writer *writer, const struct report_run *run,
			    const struct call_batch *batch, struct error *err)
{
	int ret = process_writer__put_callers(writer->processes, writer->ring, &writer->pack, run,
					      batch, err);

	if (ret < 0)
		return ret == -ENOMEM ? no_memory(writer, err) : ret;
	return ring_writer__events(writer->ring, RECORDING_CALLS, batch->data, batch->size,
				   (__u32)(batch->n_calls + batch->n_operations), err);
}

int recording_writer__addb(struct recording_writer *writer, const struct addb_batch *batch,
			   struct error *err)
{
	return ring_writer__events(writer->ring, RECORDING_ADDB, batch->data, batch->size,
				   (__u32)batch->n_records, err);
}

int recording_writer__addb_counts(struct recording_writer *writer, const struct addb_counts *counts,
				  struct error *err)
{
	pack__start(&writer->pack);
	addb_code__pack(&writer->pack, counts);
	return put_entry(writer, RECORDING_ADDB_COUNTS, 1, err);
}

int recording_writer__account(struct recording_writer *writer, const struct report_run *run,
			      const struct process_account *account, struct error *err)
{
	int ret = put_passing(writer, run, account->job, err);

	if (ret < 0)
		return ret;
	pack__start(&writer->pack);
	account_code__pack(&writer->pack, account);
	if (writer->pack.failed)
		return no_memory(writer, err);
	return ring_writer__events(writer->ring, RECORDING_ACCOUNT, writer->pack.bytes,
				   writer->pack.n, 1, err);
}

size_t recording_writer__batch_max_of(__u64 size)
{
	return ring_writer__entry_max_of(size);
}

int recording_writer__flush(struct recording_writer *writer, struct error *err)
{
	return ring_writer__flush(writer->ring, err);
}

int recording_writer__close(struct recording_writer *writer, struct error *err)
{
	int ret;

	if (!writer)
		return 0;
	ret = ring_writer__close(writer->ring, err);
	free_writer(writer);
	return ret;
}
