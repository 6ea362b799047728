/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single calls, block requests and operations as slices of a trace: each is one, on the track of
 * its thread, or where they overlap on one of its process or device. Arrows go from what caused
 * something to it.
 */
#ifndef USER_EXPORT_SLICES_H
#define USER_EXPORT_SLICES_H

#include "calls/call_batch.h"
#include "export/flows.h"
#include "export/perfetto.h"
#include "report/report.h"

struct slices;

/* trace must outlive it. NULL without memory. */
struct slices *slices__new(struct perfetto *trace);
void slices__free(struct slices *slices); /* NULL is fine */

/* What comes now is of that run, with its arrows; host: is told with names, NULL: not. */
void slices__use(struct slices *slices, const struct report_run *run, struct flows *flows,
		 const char *host);

/* The arrows that end at something in a batch. 0 or -ENOMEM. */
int slices__find_flows(struct flows *flows, const struct call_batch *batch);
/* Which arrows begin at something in a batch, once all are known. */
void slices__match_flows(struct flows *flows, const struct call_batch *batch);

/* Writes a batch: 0, -ENOMEM, or why the trace cannot be written. */
int slices__put(struct slices *slices, const struct call_batch *batch);

#endif
