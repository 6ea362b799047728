/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the name that somebody has probably meant. */
#ifndef USER_BASE_NEAREST_H
#define USER_BASE_NEAREST_H

#include <stddef.h>

/* Longer names are not compared. */
#define NEAREST_MAX 128

struct nearest {
	const char *wanted;
	const char *name; /* the nearest so far; NULL: none is near */
	size_t distance;
};

/* Names that differ by more than a third of their letters are not near. The name is borrowed. */
struct nearest nearest__begin(const char *wanted);
void nearest__try(struct nearest *nearest, const char *name);

#endif
