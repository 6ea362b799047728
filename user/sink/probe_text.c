// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "sink/probe_text.h"

static void add_names(struct record_text *record, const struct probe *probe)
{
	record_text__string(record, "layer", probe->layer);
	record_text__string(record, "function", probe->function);
	record_text__string(record, "library", probe->library);
}

static void add_fates(struct record_text *record, const char *name,
		      const struct tm_call_fates *fates, bool are_calls)
{
	record_text__open(record, name);
	record_text__u64(record, "recorded", fates->recorded);
	record_text__u64(record, "too_short", fates->too_short);
	record_text__u64(record, "sampled_out", fates->sampled_out);
	record_text__u64(record, "full", fates->full);
	record_text__u64(record, "busy", fates->busy);
	if (are_calls)
		record_text__u64(record, "untimed", fates->untimed);
	record_text__close(record);
}

/* What became of the single calls, and of the operations that they launched: null where calls are
 * not recorded, or where no operation has ended. */
static void add_recorded(struct record_text *record, const struct tm_call_ledger *ledger)
{
	static const struct tm_call_fates none = { 0 };

	if (ledger)
		add_fates(record, "calls", &ledger->calls, true);
	else
		record_text__null(record, "calls");
	if (ledger && memcmp(&ledger->operations, &none, sizeof(none)) != 0)
		add_fates(record, "operations", &ledger->operations, false);
	else
		record_text__null(record, "operations");
}

/* Of one that never was parked there is nothing to say. */
static void add_parking(struct record_text *record, const struct probe *probe, __u64 now_ns)
{
	const struct probe_parking *parking = &probe->parking;

	record_text__u64(record, "parked_ns", probe__parked_ns(probe, now_ns));
	record_text__u64(record, "parked_count", parking->count);
	if (!parking->since_ns)
		return;
	record_text__u64(record, "parked_since_ns", parking->since_ns);
	/* Who leaves a layer out knows until when. */
	if (!parking->bound_ppm)
		return;
	record_text__u64(record, "parked_until_ns", parking->until_ns);
	record_text__u64(record, "parked_hits_per_s", parking->hits_per_s);
	record_text__u64(record, "parked_cost_ns", parking->cost_ns);
	if (parking->thread_ppm)
		record_text__u64(record, "parked_thread_ppm", parking->thread_ppm);
	if (parking->thread_pid)
		record_text__u64(record, "parked_thread_pid", parking->thread_pid);
}

/* The same of its exits, which most never had parked. */
static void add_untimed(struct record_text *record, const struct probe *probe, __u64 now_ns)
{
	const struct probe_parking *untimed = &probe->untimed;

	if (!untimed->count && !probe__untimed_ns(probe, now_ns))
		return;
	record_text__u64(record, "untimed_ns", probe__untimed_ns(probe, now_ns));
	record_text__u64(record, "untimed_count", untimed->count);
	if (!untimed->since_ns)
		return;
	record_text__u64(record, "untimed_since_ns", untimed->since_ns);
	record_text__u64(record, "untimed_until_ns", untimed->until_ns);
	record_text__u64(record, "untimed_calls_per_s", untimed->hits_per_s);
	record_text__u64(record, "untimed_cost_ns", untimed->cost_ns);
	if (untimed->thread_ppm)
		record_text__u64(record, "untimed_thread_ppm", untimed->thread_ppm);
	if (untimed->thread_pid)
		record_text__u64(record, "untimed_thread_pid", untimed->thread_pid);
}

int probe_text__add(struct json_text *text, const struct report_run *run,
		    const struct snapshot *snapshot, size_t i)
{
	const struct probe *probe = &run->probes[i];
	const struct tm_ledger *ledger = &snapshot->ledgers[i];
	struct record_text record = record_text__begin(text);
	char reason[PROBE_REASON];

	record_text__head(&record, run, "probe", snapshot->time_ns, run->hostname);
	add_names(&record, probe);
	if (probe->library)
		record_text__hex(&record, "site", probe->site);
	else
		record_text__null(&record, "site");
	record_text__string(&record, "mechanism", probe->mechanism);
	record_text__string(&record, "state", probe_state__name(probe->state));
	record_text__string(&record, "entry", entry__name(&probe->entry));
	record_text__u64(&record, "moved_bytes", probe->entry.moved);
	record_text__u64(&record, "hits", ledger->hits);
	record_text__u64(&record, "recorded", ledger->recorded);
	record_text__u64(&record, "filtered", ledger->filtered);
	record_text__u64(&record, "lost", ledger__lost(ledger));
	record_text__u64(&record, "in_flight", ledger->in_flight);
	record_text__u64(&record, "unsized", ledger->unsized);
	add_recorded(&record, snapshot->call_ledgers ? &snapshot->call_ledgers[i] : NULL);
	add_parking(&record, probe, snapshot->time_ns);
	add_untimed(&record, probe, snapshot->time_ns);
	record_text__string(&record, "reason", probe__reason(probe, reason));
	record_text__bool(&record, "final", true);
	return record_text__end(&record);
}

int probe_text__add_loss(struct json_text *text, const struct report_run *run,
			 const struct snapshot *snapshot, size_t probe, enum tm_loss loss)
{
	struct record_text record = record_text__begin(text);

	record_text__head(&record, run, "loss", snapshot->time_ns, run->hostname);
	add_names(&record, &run->probes[probe]);
	record_text__string(&record, "reason", probe_loss_names[loss]);
	record_text__u64(&record, "count", snapshot->ledgers[probe].lost[loss]);
	record_text__bool(&record, "final", true);
	return record_text__end(&record);
}
