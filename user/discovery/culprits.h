/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognises programs and libraries that copy code (elf/copiers.h), and files that the user names
 * in --leave-alone. Opens each file once.
 */
#ifndef USER_DISCOVERY_CULPRITS_H
#define USER_DISCOVERY_CULPRITS_H

#include <stdbool.h>
#include <stddef.h>

#include "elf/copiers.h"
#include "elf/libraries.h"
#include "host/process.h"

struct culprits;

/* Why a file is taken for one that copies code. */
struct culprit {
	const struct copier *copier; /* NULL: the user has named it */
	const char *symbol;	     /* that it defines; NULL: its name tells */
	const char *pattern;	     /* of the user that its name matches; NULL: none */
};

/* patterns: of the user; known: those of elf/copiers.h, too. 0 and *out, or -ENOMEM. */
int culprits__new(struct culprits **out, const char *const *patterns, size_t n, bool known);
void culprits__free(struct culprits *culprits); /* NULL is fine */

/* By its path alone. */
bool culprits__has_name(const struct culprits *culprits, const char *path, struct culprit *out);
bool culprits__has_library(const struct culprits *culprits, const struct library *library,
			   struct culprit *out);
/*
 * A file that a process maps: by its name; look: by what is in it, too, which is read once. What
 * cannot be read is none.
 */
bool culprits__has_mapping(struct culprits *culprits, pid_t pid,
			   const struct process_mapping *mapping, bool look, struct culprit *out);

/* As in "libx.so, which copies code (funchook)". Returns text. */
const char *culprit__describe(const struct culprit *culprit, const char *path, char *text,
			      size_t room);

#endif
