/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes that an answer tells of. */
#ifndef USER_SERVICE_PROBE_VIEW_H
#define USER_SERVICE_PROBE_VIEW_H

#include "report/report.h"

/* All NULL: those of the run. */
struct probe_view {
	struct probe *probes;
	struct tm_ledger *ledgers;
	struct tm_call_ledger *call_ledgers;
};

/*
 * Probes, what they saw, and notes are of the node. What stays for a user is what functions are
 * called, and how often those of the snapshot were. Changes run and snapshot, which use the view
 * until probe_view__clear(). 0 or -ENOMEM.
 */
int probe_view__hide_node(struct probe_view *view, struct report_run *run,
			  struct snapshot *snapshot);
/*
 * For root: of libraries' functions those that the snapshot has calls of, or whose calls may be
 * missing in it because they were parked. The same.
 */
int probe_view__choose_called(struct probe_view *view, struct report_run *run,
			      struct snapshot *snapshot);
void probe_view__clear(struct probe_view *view);

#endif
