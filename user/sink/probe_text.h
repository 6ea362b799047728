/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of probes and of losses. */
#ifndef USER_SINK_PROBE_TEXT_H
#define USER_SINK_PROBE_TEXT_H

#include "sink/record.h"

/* Adds what probe i of the run has seen until the snapshot. */
void probe_text__add(struct record *record, const struct report_run *run,
		     const struct snapshot *snapshot, size_t i);
/* The same of what it has lost for that reason. */
void probe_text__add_loss(struct record *record, const struct report_run *run,
			  const struct snapshot *snapshot, size_t probe, enum tm_loss loss);

#endif
