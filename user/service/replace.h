/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that others read at any time: a new one takes the old one's place at once, and whole. */
#ifndef USER_SERVICE_REPLACE_H
#define USER_SERVICE_REPLACE_H

#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Has write() put what belongs there into a new file with that mode, and gives it the path's name.
 * 0, or a negative errno: then what was there is there still.
 */
int replace__file(const char *path, mode_t mode, void (*write)(void *context, FILE *out),
		  void *context, struct error *err);

/* Could it be made now? Leaves nothing behind. 0, or a negative errno as above. */
int replace__try(const char *path, struct error *err);

#endif
