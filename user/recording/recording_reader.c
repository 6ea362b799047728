// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "recording/account_code.h"
#include "recording/addb_code.h"
#include "recording/recorded_names.h"
#include "recording/recorded_objects.h"
#include "recording/recorded_series.h"
#include "recording/recorded_timelines.h"
#include "recording/recording_reader.h"
#include "recording/series_code.h"
#include "report/share.h"

/* More than this is no number of a probe. */
#define PROBES_MAX (TM_PROBE_USER + TM_PROBES_MAX)

struct recording {
	struct ring_reader *ring;
	struct ring_entry entry;
	struct run_code code;
	bool has_run;
	bool foreign; /* the run has another coding than this build's */
	struct recorded_names *names;
	struct recorded_series *series;
	struct recorded_objects *objects;
	struct recorded_timelines *timelines;
	struct probe *probes;	   /* PROBES_MAX of them */
	struct tm_ledger *ledgers; /* the same */
	struct tm_call_ledger *call_ledgers;
	bool has_calls; /* single calls were recorded */
	size_t n_probes;
	char **notes; /* RECORDING_NOTES_MAX of them */
	size_t n_notes;
	bool ended;
	__u64 snapshots, unreadable, other_version, addb_records, accounts;
	struct addb_counts addb;	/* time_ns 0: none */
	struct process_account account; /* the one that was shown last */
	struct snapshot snapshot;
};

/* Where a key that counts from 1 stands among limit places; -EBADMSG: not there. */
static int place_of(__u64 key, size_t limit, size_t *n)
{
	if (!key || key > limit)
		return -EBADMSG;
	if (key > *n)
		*n = key;
	return 0;
}

static int take_run(struct recording *recording, struct unpack *unpack)
{
	struct run_code code;
	int ret;

	/* It is written once; again only as a copy. */
	if (recording->has_run)
		return 0;
	ret = run_code__unpack(&code, unpack);
	if (ret < 0 && ret != -ENOTSUP) {
		run_code__free(&code);
		return ret;
	}
	run_code__free(&recording->code);
	recording->code = code;
	recording->has_run = ret == 0;
	recording->foreign = ret < 0;
	return 0;
}

static int take_probe(struct recording *recording, __u64 key, struct unpack *unpack)
{
	struct probe probe;
	int ret = place_of(key, PROBES_MAX, &recording->n_probes);

	if (!ret)
		ret = run_code__unpack_probe(&probe, unpack);
	if (ret < 0)
		return ret;
	run_code__free_probe(&recording->probes[key - 1]);
	recording->probes[key - 1] = probe;
	return 0;
}

static int take_ledger(struct recording *recording, __u64 key, struct unpack *unpack)
{
	struct tm_ledger ledger = series_code__unpack_ledger(unpack);

	if (unpack->failed || !key || key > PROBES_MAX)
		return -EBADMSG;
	recording->ledgers[key - 1] = ledger;
	if (series_code__unpack_calls(unpack, &recording->call_ledgers[key - 1]))
		recording->has_calls = true;
	return unpack->failed ? -EBADMSG : 0;
}

static int take_series(struct recording *recording, const struct ring_entry *entry,
		       struct unpack *unpack)
{
	__u64 flags;
	struct snapshot_series *series = series_code__unpack(unpack, &flags);

	if (!series)
		return unpack->failed ? -EBADMSG : -ENOMEM;
	return recorded_series__take(recording->series, entry->key, series, flags, entry->copy);
}

static int take_note(struct recording *recording, __u64 key, struct unpack *unpack)
{
	char *text = unpack__string(unpack);

	if (!text || place_of(key, RECORDING_NOTES_MAX, &recording->n_notes) < 0) {
		free(text);
		return -EBADMSG;
	}
	free(recording->notes[key - 1]);
	recording->notes[key - 1] = text;
	return 0;
}

static int take_addb_counts(struct recording *recording, struct unpack *unpack)
{
	struct addb_counts counts;
	int ret = addb_code__unpack(&counts, unpack);

	if (!ret)
		recording->addb = counts;
	return ret;
}

static int take_mark(struct recording *recording, struct unpack *unpack)
{
	__u64 flags = unpack__u64(unpack), time_ns = unpack__u64(unpack);
	__u64 monotonic_ns = unpack__u64(unpack), before_ns = unpack__u64(unpack);

	if (unpack->failed)
		return -EBADMSG;
	recording->snapshot.time_ns = time_ns;
	recording->snapshot.monotonic_ns = monotonic_ns;
	recording->snapshot.before_ns = before_ns;
	recording->ended = flags & RECORDING_MARK_FINAL;
	recording->snapshots++;
	return 0;
}

/* A name or a probe does no harm. */
static void forget(struct recording *recording, const struct ring_entry *entry)
{
	if (entry->type == RECORDING_SERIES)
		recorded_series__forget(recording->series, entry->key);
	else if (entry->type == RECORDING_OBJECT)
		recorded_objects__forget(recording->objects, entry->key);
	else if (entry->type == RECORDING_TIMELINE)
		recorded_timelines__forget(recording->timelines, entry->key);
}

/* Takes over an entry. 0, or -ENOMEM; what makes no sense is counted. */
static int take_entry(struct recording *recording, const struct ring_entry *entry)
{
	struct unpack unpack = { .at = entry->data,
				 .end = (const unsigned char *)entry->data + entry->size };
	int ret = 0;

	if (entry->forgotten) {
		forget(recording, entry);
		return 0;
	}
	switch (entry->type) {
	case RECORDING_RUN:
		ret = take_run(recording, &unpack);
		break;
	case RECORDING_PROBE:
		ret = take_probe(recording, entry->key, &unpack);
		break;
	case RECORDING_LEDGER:
		ret = take_ledger(recording, entry->key, &unpack);
		break;
	case RECORDING_SERIES:
		ret = take_series(recording, entry, &unpack);
		break;
	case RECORDING_OBJECT:
		ret = recorded_objects__take(recording->objects, entry->key, &unpack);
		break;
	case RECORDING_OBJECT_NAME:
		ret = recorded_objects__name(recording->objects, entry->key, &unpack);
		break;
	case RECORDING_TIMELINE:
		ret = recorded_timelines__take(recording->timelines, entry->key, &unpack);
		break;
	case RECORDING_ADDB:
		recording->addb_records += entry->n_events;
		break;
	case RECORDING_ACCOUNT:
		recording->accounts += entry->n_events;
		break;
	case RECORDING_ADDB_COUNTS:
		ret = take_addb_counts(recording, &unpack);
		break;
	case RECORDING_NOTE:
		ret = take_note(recording, entry->key, &unpack);
		break;
	case RECORDING_MARK:
		/* One that is only a copy has no time of its own in the history. */
		if (!entry->copy || !recording->snapshot.time_ns)
			ret = take_mark(recording, &unpack);
		break;
	default:
		if ((entry->type >= RECORDING_LAYER && entry->type <= RECORDING_DEVICE) ||
		    entry->type == RECORDING_PROCESS || entry->type == RECORDING_POOL)
			ret = recorded_names__take(recording->names, entry->type, entry->key,
						   &unpack);
		break;
	}
	if (ret == -ENOMEM)
		return ret;
	recording->unreadable += ret < 0;
	return 0;
}

/* What the report shows of a probe has to be there, whatever was in the file. */
static void complete_probes(struct recording *recording)
{
	const struct report_names names = recorded_names__table(recording->names);

	for (size_t i = 0; i < recording->n_probes; i++) {
		struct probe *probe = &recording->probes[i];

		probe->layer = names.layer(names.context, probe->layer_id);
		probe->function =
			names.function(names.context, probe->layer_id, probe->function_id);
		if (!probe->layer)
			probe->layer = "?";
		if (!probe->function)
			probe->function = "?";
	}
}

/* Makes the run and the snapshot of what was taken over. total: as if there had been none before.
 */
static int show_snapshot(struct recording *recording, bool total)
{
	struct report_run *run = &recording->code.run;
	struct snapshot *snapshot = &recording->snapshot;
	int ret = recorded_series__show(recording->series, snapshot, total);

	if (!ret)
		ret = recorded_objects__show(recording->objects, snapshot);
	if (ret < 0)
		return ret;
	recorded_timelines__show(recording->timelines, snapshot);
	if (total)
		snapshot->before_ns = 0;
	complete_probes(recording);
	for (size_t i = 0; i < recording->n_notes; i++) {
		if (!recording->notes[i])
			recording->notes[i] = strdup("?");
		if (!recording->notes[i])
			return -ENOMEM;
	}
	snapshot->ledgers = recording->ledgers;
	snapshot->n_ledgers = recording->n_probes;
	snapshot->call_ledgers = recording->has_calls ? recording->call_ledgers : NULL;
	run->names = recorded_names__table(recording->names);
	run->probes = recording->probes;
	run->n_probes = recording->n_probes;
	run->notes = (const char *const *)recording->notes;
	run->n_notes = recording->n_notes;
	if (run->n_start_notes > run->n_notes)
		run->n_start_notes = run->n_notes;
	run->probe_share = share__of_probes(run, snapshot);
	return 0;
}

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "reading a recording: no memory");
}

int recording__next(struct recording *recording, struct error *err)
{
	const struct ring_entry *entry = &recording->entry;

	recorded_series__settle(recording->series);
	while (ring_reader__next(recording->ring, &recording->entry) > 0) {
		if (entry->type == RECORDING_CALLS)
			return RECORDING_STEP_CALLS;
		if (take_entry(recording, entry) < 0)
			return no_memory(err);
		if (entry->type == RECORDING_ADDB)
			return RECORDING_STEP_ADDB;
		if (entry->type == RECORDING_ACCOUNT)
			return RECORDING_STEP_ACCOUNT;
		if (entry->type != RECORDING_MARK || entry->copy)
			continue;
		return show_snapshot(recording, false) < 0 ? no_memory(err)
							   : RECORDING_STEP_SNAPSHOT;
	}
	return RECORDING_STEP_END;
}

int recording__total(struct recording *recording, struct error *err)
{
	struct ring_info info;

	/* Killed before its first snapshot. */
	if (!recording->snapshot.time_ns) {
		ring_reader__info(recording->ring, &info);
		recording->snapshot.time_ns = info.last_ns;
	}
	return show_snapshot(recording, true) < 0 ? no_memory(err) : 0;
}

/* Reads to the end, and shows the totals. */
static int read_all(struct recording *recording, struct error *err)
{
	struct ring_entry entry = { 0 };

	while (!recording->foreign && ring_reader__next(recording->ring, &entry) > 0) {
		if (take_entry(recording, &entry) < 0)
			return no_memory(err);
		recorded_series__settle(recording->series);
	}
	return recording__total(recording, err);
}

static int refuse_coding(const struct run_code *code, const char *path, struct error *err)
{
	char *version = utf8__printable(code->run.version); /* it may be hostile */
	int ret = error__set(
		err, -ENOTSUP,
		"%s: written by another version of tmtrace (%.32s, recordings of version %llu); "
		"this one, %s, reads those of version %u: take that one, or record again",
		path, version ? version : "?", (unsigned long long)code->coding, TMTRACE_VERSION,
		RECORDING_VERSION);

	free(version);
	return ret;
}

static int check_run(const struct recording *recording, const char *path, struct error *err)
{
	struct ring_info info;

	if (recording->has_run)
		return 0;
	ring_reader__info(recording->ring, &info);
	if (recording->foreign)
		return refuse_coding(&recording->code, path, err);
	if (!info.n_blocks)
		return error__set(err, -ENODATA, "%s: nothing has been recorded in it%s", path,
				  info.cut ? " that was not cut off" : " yet");
	return error__set(err, -EBADMSG, "%s: what is intact does not say of which run it is",
			  path);
}

static int allocate(struct recording *recording)
{
	recording->names = recorded_names__new();
	recording->series = recorded_series__new();
	recording->objects = recorded_objects__new();
	recording->timelines = recorded_timelines__new();
	recording->probes = calloc(PROBES_MAX, sizeof(*recording->probes));
	recording->ledgers = aligned_alloc(__alignof__(struct tm_ledger),
					   PROBES_MAX * sizeof(*recording->ledgers));
	recording->call_ledgers = calloc(PROBES_MAX, sizeof(*recording->call_ledgers));
	recording->notes = calloc(RECORDING_NOTES_MAX, sizeof(*recording->notes));
	if (!recording->names || !recording->series || !recording->objects ||
	    !recording->timelines || !recording->probes || !recording->ledgers ||
	    !recording->call_ledgers || !recording->notes)
		return -ENOMEM;
	memset(recording->ledgers, 0, PROBES_MAX * sizeof(*recording->ledgers));
	return 0;
}

int recording__open(struct recording **out, const char *path, struct error *err)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	int ret;

	if (!recording)
		return no_memory(err);
	ret = ring_reader__open(&recording->ring, path, err);
	if (!ret && allocate(recording) < 0)
		ret = no_memory(err);
	if (!ret)
		ret = ring_reader__scan(recording->ring, err);
	if (!ret)
		ret = read_all(recording, err);
	if (!ret)
		ret = check_run(recording, path, err);
	if (ret < 0) {
		recording__close(recording);
		return ret;
	}
	*out = recording;
	return 0;
}

void recording__close(struct recording *recording)
{
	if (!recording)
		return;
	ring_reader__close(recording->ring);
	run_code__free(&recording->code);
	recorded_names__free(recording->names);
	recorded_series__free(recording->series);
	recorded_objects__free(recording->objects);
	recorded_timelines__free(recording->timelines);
	for (size_t i = 0; i < recording->n_probes; i++)
		run_code__free_probe(&recording->probes[i]);
	for (size_t i = 0; i < recording->n_notes; i++)
		free(recording->notes[i]);
	account_code__free(&recording->account);
	free(recording->probes);
	free(recording->ledgers);
	free(recording->call_ledgers);
	free((void *)recording->notes);
	free(recording);
}

const struct report_run *recording__run(const struct recording *recording)
{
	return &recording->code.run;
}

const struct recording_about *recording__about(const struct recording *recording)
{
	return &recording->code.about;
}

const struct snapshot *recording__snapshot(const struct recording *recording)
{
	return &recording->snapshot;
}

/* What does not make sense is counted; returns how opening a batch ended. */
static int opened(struct recording *recording, int ret)
{
	if (ret == -ENOTSUP)
		recording->other_version++;
	else if (ret < 0)
		recording->unreadable++;
	return ret;
}

int recording__calls(struct recording *recording, struct call_batch *out)
{
	const struct ring_entry *entry = &recording->entry;

	return opened(recording, call_batch__open(out, entry->data, entry->size));
}

int recording__addb(struct recording *recording, struct addb_batch *out)
{
	const struct ring_entry *entry = &recording->entry;

	return opened(recording, addb_batch__open(out, entry->data, entry->size));
}

const struct process_account *recording__account(struct recording *recording)
{
	const struct ring_entry *entry = &recording->entry;
	struct unpack unpack = { .at = entry->data,
				 .end = (const unsigned char *)entry->data + entry->size };

	account_code__free(&recording->account);
	return opened(recording, account_code__unpack(&recording->account, &unpack)) < 0
		       ? NULL
		       : &recording->account;
}

void recording__rewind(struct recording *recording)
{
	ring_reader__rewind(recording->ring);
	recorded_series__clear(recording->series);
	recorded_objects__clear(recording->objects);
	recorded_timelines__clear(recording->timelines);
	recording->snapshot = (struct snapshot){ 0 };
	recording->ended = false;
	recording->snapshots = recording->unreadable = recording->other_version = 0;
	recording->addb_records = recording->accounts = 0;
	recording->addb = (struct addb_counts){ 0 };
}

int recording__update(struct recording *recording, struct error *err)
{
	return ring_reader__scan(recording->ring, err);
}

void recording__state(const struct recording *recording, struct recording_state *out)
{
	*out = (struct recording_state){
		.ended = recording->ended,
		.snapshots = recording->snapshots,
		.unreadable = recording->unreadable,
		.other_version = recording->other_version,
		.addb_records = recording->addb_records,
		.accounts = recording->accounts,
	};
	ring_reader__losses(recording->ring, &out->losses);
	ring_reader__info(recording->ring, &out->info);
}

bool recording__addb_counts(const struct recording *recording, struct addb_counts *out)
{
	*out = recording->addb;
	return out->time_ns != 0;
}
