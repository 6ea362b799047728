/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a file is to be written: its folder, which is open, and its name there. */
#ifndef USER_BASE_PLACE_H
#define USER_BASE_PLACE_H

#include <stdbool.h>

#include "base/error.h"

struct place {
	int dir;
	char *name;	 /* in the folder */
	bool is_special; /* the name is a link that only the kernel can follow (/proc/self/fd/1) */
};

/*
 * Finds the place of a path. As root, symbolic links are followed only if they are root's, in the
 * whole path: else whoever may put a link somewhere says where root writes. For others the kernel
 * follows them, also the last one. 0, or a negative errno: -EPERM for a link of somebody else,
 * -EISDIR for a path that ends in a slash, and what opening the folders says. To be closed also
 * after an error.
 */
int place__open(struct place *place, const char *path, struct error *err);
void place__close(struct place *place);

/* The flag for openat() of the name: what is found there now is no link, or may be followed. */
int place__no_follow(const struct place *place);

#endif
