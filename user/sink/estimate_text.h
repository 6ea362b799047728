/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of all there was figures of a record are of, and what all of it comes to. */
#ifndef USER_SINK_ESTIMATE_TEXT_H
#define USER_SINK_ESTIMATE_TEXT_H

#include "report/estimate.h"
#include "sink/record.h"

/* Members "coverage" and "estimated"; sized, timed: there are bytes, and times. */
void estimate_text__add(struct record *record, const struct estimate *estimate, bool sized,
			bool timed);
/* The same where neither is known. */
void estimate_text__add_unknown(struct record *record);

#endif
