/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU time that the whole node has spent. */
#ifndef USER_GOVERNOR_NODE_TIME_H
#define USER_GOVERNOR_NODE_TIME_H

#include <linux/types.h>

/*
 * Of all processors since the machine was started, in ns: programs and kernel, interrupts too,
 * neither idle nor stolen. 0 where /proc/stat does not tell.
 */
__u64 node_time__spent(void);

/* The same from the first line of that file; hertz: its ticks in a second. */
__u64 node_time__parse(const char *line, long hertz);

#endif
