/* SPDX-License-Identifier: GPL-2.0-only */
/* The names that a recording has. */
#ifndef USER_RECORDING_RECORDED_NAMES_H
#define USER_RECORDING_RECORDED_NAMES_H

#include "base/pack.h"
#include "recording/recording_format.h"
#include "report/report.h"

struct recorded_names;

struct recorded_names *recorded_names__new(void); /* NULL: no memory */
void recorded_names__free(struct recorded_names *names);

/*
 * Takes over an entry of the types LAYER to DEVICE, or PROCESS. 0; -EBADMSG for what is none of
 * these, or makes no sense; -ENOMEM. Of a name that changes, the one before stays valid until names
 * are freed.
 */
int recorded_names__take(struct recorded_names *names, enum recording_entry type, __u64 key,
			 struct unpack *unpack);

/* For a report's run; names must outlive it. */
struct report_names recorded_names__table(struct recorded_names *names);

#endif
