/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel itself has counted of a job (tmtrace/task_io.h). It stands beside the figures of
 * files, and is no part of any sum of them: it has all descriptors, and no errors or times.
 */
#ifndef USER_REPORT_KERNEL_IO_H
#define USER_REPORT_KERNEL_IO_H

#include <stdbool.h>

#include "drain/drain.h"
#include "tmtrace/task_io.h"

/* As /proc/PID/io calls them: "rchar". */
extern const char *const kernel_io_names[TM_TASK_IO_COUNTS];

/* Of the series first to end - 1; false: there is nothing of it. */
bool kernel_io__sum(struct tm_task_io *out, const struct snapshot *snapshot, size_t first,
		    size_t end);
/* Of one series: false: it is another one. */
bool kernel_io__of(struct tm_task_io *out, const struct tm_series *series);

/* Is there anything? */
bool kernel_io__any(const struct tm_task_io *io);

#endif
