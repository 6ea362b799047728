/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts processes into a ring file, each time only those of which something has changed. */
#ifndef USER_RECORDING_PROCESS_WRITER_H
#define USER_RECORDING_PROCESS_WRITER_H

#include "base/pack.h"
#include "calls/call_batch.h"
#include "report/report.h"
#include "ring/ring_writer.h"

struct process_writer;

struct process_writer *process_writer__new(void);	  /* NULL: no memory */
void process_writer__free(struct process_writer *writer); /* NULL is fine */

/*
 * What has changed by now (CLOCK_REALTIME) since the time before. pack is for its use. 0; -ENOMEM,
 * without a text; or what writing says.
 */
int process_writer__put(struct process_writer *writer, struct ring_writer *ring, struct pack *pack,
			const struct report_names *names, __u64 now_ns, struct error *err);

/*
 * The same of those that made the calls of a batch, to be written before it: a reader then tells of
 * each call what was known of its process when it was written, as others told who were given the
 * batch.
 */
int process_writer__put_callers(struct process_writer *writer, struct ring_writer *ring,
				struct pack *pack, const struct report_run *run,
				const struct call_batch *batch, struct error *err);

#endif
