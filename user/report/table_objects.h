/* SPDX-License-Identifier: GPL-2.0-only */
/* The files, or the objects of a library, in which a job spent most time. */
#ifndef USER_REPORT_TABLE_OBJECTS_H
#define USER_REPORT_TABLE_OBJECTS_H

#include "report/report.h"
#include "report/table_options.h"

/*
 * Those of a job and layer: as many lines as the options say, one for all the others together, and
 * for what is known by path alone or not told apart. The sums of the lines are the layer's own.
 * Nothing where none are counted. 0 or -ENOMEM.
 */
int table_objects__print(const struct table_options *options, const struct report_run *run,
			 const struct snapshot *snapshot, __u64 job, __u8 layer);

#endif
