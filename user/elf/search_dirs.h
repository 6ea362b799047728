/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of directories as the dynamic loader takes them: LD_LIBRARY_PATH, RPATH, RUNPATH. */
#ifndef USER_ELF_SEARCH_DIRS_H
#define USER_ELF_SEARCH_DIRS_H

#include <stddef.h>

struct search_dirs {
	char **items;
	size_t n;
	size_t room;
};

/* Adds a directory unless it is there. 0 or -ENOMEM. */
int search_dirs__add(struct search_dirs *dirs, const char *dir);

/*
 * Adds the elements of a list, split at any of the separators, with $ORIGIN, $LIB and $PLATFORM
 * filled in; where $LIB or $PLATFORM can have several values, there is an entry for each. An empty
 * element is the current directory. list NULL: nothing. 0 or -ENOMEM.
 */
int search_dirs__add_list(struct search_dirs *dirs, const char *list, const char *separators,
			  const char *origin);
void search_dirs__clear(struct search_dirs *dirs);

#endif
