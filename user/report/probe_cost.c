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
double probe_cost__library_ns(const struct report_run *run, const struct probe *probe,
			      const struct tm_ledger *ledger)
{
	const struct report_hit_cost *cost = probe_cost__of(run, probe);
	__u64 timed = probe->entry_only ? 0 : ledger->recorded, hits = ledger->hits;
	__u64 counted = hits > timed ? hits - timed : 0;

	if (!cost)
		return -1;
	return (double)timed * (double)cost->ns +
	       (double)counted * (double)(cost->counted_ns ? cost->counted_ns : cost->ns);
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
		if (i < TM_PROBE_USER)
			sum.kernel_hits += ledger->hits;
		if (i < TM_PROBE_USER || !ledger->hits)
			continue;
		ns = probe_cost__library_ns(run, probe, ledger);
		if (ns >= 0)
			sum.library_ns += ns;
		else
			sum.known = false;
	}
	return sum;
}
