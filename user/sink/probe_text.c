// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "sink/probe_text.h"

static void add_names(struct record *record, const struct probe *probe)
{
	record__string(record, "layer", probe->layer);
	record__string(record, "function", probe->function);
	record__string(record, "library", probe->library);
}

static void add_fates(struct record *record, const char *name, const struct tm_call_fates *fates,
		      bool are_calls)
{
	record__open(record, name);
	record__u64(record, "recorded", fates->recorded);
	record__u64(record, "too_short", fates->too_short);
	record__u64(record, "sampled_out", fates->sampled_out);
	record__u64(record, "full", fates->full);
	record__u64(record, "busy", fates->busy);
	if (are_calls)
		record__u64(record, "untimed", fates->untimed);
	record__close(record);
}

/* What became of the single calls, and of the operations that they launched: null where calls are
 * not recorded, or where no operation has ended. */
static void add_recorded(struct record *record, const struct tm_call_ledger *ledger)
{
	static const struct tm_call_fates none = { 0 };

	if (ledger)
		add_fates(record, "calls", &ledger->calls, true);
	else
		record__null(record, "calls");
	if (ledger && memcmp(&ledger->operations, &none, sizeof(none)) != 0)
		add_fates(record, "operations", &ledger->operations, false);
	else
		record__null(record, "operations");
}

/* Of one that never was parked there is nothing to say. */
static void add_parking(struct record *record, const struct probe *probe, __u64 now_ns)
{
	const struct probe_parking *parking = &probe->parking;

	record__u64(record, "parked_ns", probe__parked_ns(probe, now_ns));
	record__u64(record, "parked_count", parking->count);
	if (!parking->since_ns)
		return;
	record__u64(record, "parked_since_ns", parking->since_ns);
	/* Who leaves a layer out knows until when. */
	if (!parking->bound_ppm)
		return;
	record__u64(record, "parked_until_ns", parking->until_ns);
	record__u64(record, "parked_hits_per_s", parking->hits_per_s);
	record__u64(record, "parked_cost_ns", parking->cost_ns);
	if (parking->thread_ppm)
		record__u64(record, "parked_thread_ppm", parking->thread_ppm);
	if (parking->thread_pid)
		record__u64(record, "parked_thread_pid", parking->thread_pid);
}

/* The same of its exits, which most never had parked. */
static void add_untimed(struct record *record, const struct probe *probe, __u64 now_ns)
{
	const struct probe_parking *untimed = &probe->untimed;

	if (!untimed->count && !probe__untimed_ns(probe, now_ns))
		return;
	record__u64(record, "untimed_ns", probe__untimed_ns(probe, now_ns));
	record__u64(record, "untimed_count", untimed->count);
	if (!untimed->since_ns)
		return;
	record__u64(record, "untimed_since_ns", untimed->since_ns);
	record__u64(record, "untimed_until_ns", untimed->until_ns);
	record__u64(record, "untimed_calls_per_s", untimed->hits_per_s);
	record__u64(record, "untimed_cost_ns", untimed->cost_ns);
	if (untimed->thread_ppm)
		record__u64(record, "untimed_thread_ppm", untimed->thread_ppm);
	if (untimed->thread_pid)
		record__u64(record, "untimed_thread_pid", untimed->thread_pid);
}

void probe_text__add(struct record *record, const struct report_run *run,
		     const struct snapshot *snapshot, size_t i)
{
	const struct probe *probe = &run->probes[i];
	const struct tm_ledger *ledger = &snapshot->ledgers[i];
	char reason[PROBE_REASON];

	record__begin(record, run, "probe", snapshot->time_ns, run->hostname);
	add_names(record, probe);
	if (probe->library)
		record__hex(record, "site", probe->site);
	else
		record__null(record, "site");
	record__string(record, "mechanism", probe->mechanism);
	record__string(record, "state", probe_state__name(probe->state));
	record__string(record, "entry", entry__name(&probe->entry));
	record__u64(record, "moved_bytes", probe->entry.moved);
	record__u64(record, "hits", ledger->hits);
	record__u64(record, "recorded", ledger->recorded);
	record__u64(record, "filtered", ledger->filtered);
	record__u64(record, "lost", ledger__lost(ledger));
	record__u64(record, "in_flight", ledger->in_flight);
	record__u64(record, "unsized", ledger->unsized);
	add_recorded(record, snapshot->call_ledgers ? &snapshot->call_ledgers[i] : NULL);
	add_parking(record, probe, snapshot->time_ns);
	add_untimed(record, probe, snapshot->time_ns);
	record__string(record, "reason", probe__reason(probe, reason));
	record__bool(record, "final", true);
	record__end(record);
}

void probe_text__add_loss(struct record *record, const struct report_run *run,
			  const struct snapshot *snapshot, size_t probe, enum tm_loss loss)
{

	record__begin(record, run, "loss", snapshot->time_ns, run->hostname);
	add_names(record, &run->probes[probe]);
	record__string(record, "reason", probe_loss_names[loss]);
	record__u64(record, "count", snapshot->ledgers[probe].lost[loss]);
	record__bool(record, "final", true);
	record__end(record);
}
