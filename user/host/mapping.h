/* SPDX-License-Identifier: GPL-2.0-only */
/* What the names of mappings mean, in /proc/PID/maps and in perf's records alike. */
#ifndef USER_HOST_MAPPING_H
#define USER_HOST_MAPPING_H

#include <stdbool.h>

/*
 * Is a mapping of that name one of a file that can hold functions to probe? True for memfds; false
 * for [vdso], //anon, /dev/zero, System V memory, anonymous huge pages and inodes without a name.
 */
bool mapping__is_file(const char *name);

/* Takes " (deleted)" off the end of a name; true when it was there. */
bool mapping__strip_deleted(char *name);

#endif
