/* SPDX-License-Identifier: GPL-2.0-only */
/* probe and loss records, as text. */
#ifndef USER_SINK_PROBE_TEXT_H
#define USER_SINK_PROBE_TEXT_H

#include "sink/record_text.h"

/* Adds what probe i of the run has seen until the snapshot. 0; -ENOMEM: nothing is added. */
int probe_text__add(struct json_text *text, const struct report_run *run,
		    const struct snapshot *snapshot, size_t i);
/* The same of what it has lost for that reason. */
int probe_text__add_loss(struct json_text *text, const struct report_run *run,
			 const struct snapshot *snapshot, size_t probe, enum tm_loss loss);

#endif
