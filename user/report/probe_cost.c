// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "report/probe_cost.h"

const struct report_hit_cost *probe_cost__of(const struct report_run *run,
					     const struct probe *probe)
{
	const char *class = entry_class_names[probe->entry.site];

	for (size_t i = 0; class && i < run->n_hit_costs; i++)
		if (!strcmp(run->hit_costs[i].site_class, class))
			return &run->hit_costs[i];
	return NULL;
}

/* A call that is not timed costs less, where that was measured. */
static __u64 counted_ns(const struct report_hit_cost *cost)
{
	return cost->counted_ns && cost->counted_ns < cost->ns ? cost->counted_ns : cost->ns;
}

double probe_cost__hits_ns(const struct report_run *run, const struct probe *probe, __u64 hits)
{
	const struct report_hit_cost *cost = probe_cost__of(run, probe);

	return cost ? (double)hits * (double)counted_ns(cost) : -1;
}

double probe_cost__timing_ns(const struct report_run *run, const struct probe *probe, __u64 timed)
{
	const struct report_hit_cost *cost = probe_cost__of(run, probe);

	return cost ? (double)timed * (double)(cost->ns - counted_ns(cost)) : -1;
}

__u64 probe_cost__timed(const struct probe *probe, const struct tm_ledger *ledger)
{
	if (probe->entry_only || probe->counted >= ledger->recorded)
		return 0;
	return ledger->recorded - probe->counted;
}

/* All of a ledger; negative: not known. */
static double library_ns(const struct report_run *run, const struct probe *probe,
			 const struct tm_ledger *ledger)
{
	__u64 timed = probe_cost__timed(probe, ledger);
	double hits = probe_cost__hits_ns(run, probe, ledger->hits > timed ? ledger->hits : timed);

	return hits < 0 ? -1 : hits + probe_cost__timing_ns(run, probe, timed);
}

struct probe_cost probe_cost__sum(const struct report_run *run, const struct snapshot *snapshot)
{
	struct probe_cost sum = { .known = true };

	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers; i++) {
		const struct tm_ledger *ledger = &snapshot->ledgers[i];
		const struct probe *probe = &run->probes[i];
		double ns;

		sum.armed += probe->state == PROBE_ARMED;
		sum.hits += ledger->hits;
		sum.lost += ledger__lost(ledger);
		if (i < TM_PROBE_BLOCK) {
			sum.vfs_hits += ledger->hits - ledger->filtered;
			sum.other_hits += ledger->filtered;
		} else if (i < TM_PROBE_USER) {
			sum.block_hits += ledger->hits;
		}
		if (i < TM_PROBE_USER || !ledger->hits)
			continue;
		ns = library_ns(run, probe, ledger);
		if (ns >= 0)
			sum.library_ns += ns;
		else
			sum.known = false;
	}
	return sum;
}
