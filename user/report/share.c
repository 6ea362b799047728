// SPDX-License-Identifier: GPL-2.0-only
#include "report/layer_sum.h"
#include "report/probe_cost.h"
#include "report/share.h"

double share__of_probes(const struct report_run *run, const struct snapshot *snapshot)
{
	double caused = 0, traced = 0;
	struct outermost_sum outermost;

	for (size_t i = TM_PROBE_USER; i < run->n_probes && i < snapshot->n_ledgers; i++) {
		const struct probe *probe = &run->probes[i];
		const struct report_hit_cost *cost = probe_cost__of(run, probe);
		const struct tm_ledger *ledger = &snapshot->ledgers[i];
		__u64 timed = probe_cost__timed(probe, ledger);

		if (!cost || probe->entry_only || ledger->nested > timed)
			continue;
		caused += (double)timed * (double)cost->ns;
		traced += (double)(timed - ledger->nested) * (double)(cost->ns - cost->inside_ns);
	}
	outermost_sum__make(&outermost, snapshot, 0, snapshot->n_series);
	traced += (double)outermost.total_ns;
	if (caused <= 0 || traced <= 0)
		return -1;
	return caused < traced ? caused / traced : 1;
}
