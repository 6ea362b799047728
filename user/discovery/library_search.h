/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks for the libraries of the machine in a process of its own, which can be abandoned: the
 * folders of the dynamic linker (ld.so.conf, LD_LIBRARY_PATH) may be on file systems that do not
 * answer (host/reach.h).
 */
#ifndef USER_DISCOVERY_LIBRARY_SEARCH_H
#define USER_DISCOVERY_LIBRARY_SEARCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct library_search;

struct library_found {
	dev_t device;
	char path[PATH_MAX]; /* absolute, symbolic links resolved */
	char name[NAME_MAX + 1];
	char soname[NAME_MAX + 1]; /* empty: it has none */
	char note[1024];	   /* not empty: what somebody should know, and no library */
};

/* Begins it: of what loader__match() finds. patterns: n. 0 and *out, or a negative errno. */
int library_search__start(struct library_search **out, const char *const *patterns, size_t n,
			  struct error *err);
/* Ends it. NULL is fine. */
void library_search__close(struct library_search *search);

/* The next that was found, after ms at the most. False: there is none yet, or no further one. */
bool library_search__next(struct library_search *search, int ms, struct library_found *out);
/* Was all looked at? */
bool library_search__is_over(const struct library_search *search);

#endif
