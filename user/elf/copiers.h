/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs and libraries that are known to copy code while they run: into huge pages, to hook
 * functions, or to translate it. A probe's breakpoint that is copied along ends the program. They
 * are recognised by the names of their files and by the symbols that these define.
 */
#ifndef USER_ELF_COPIERS_H
#define USER_ELF_COPIERS_H

#include <stdbool.h>
#include <stddef.h>

/* Whose code is copied. */
enum copier_reach {
	COPIER_EVERYTHING, /* that its process maps, as far as is known */
	COPIER_OWN,	   /* its own file's */
	COPIER_NAMED,	   /* that of the files that `named` says */
};

struct copier {
	const char *name; /* as people know it */
	enum copier_reach reach;
	const char *const
		*files; /* patterns (fnmatch) of file names; NULL: none; NULL at the end */
	const char *const *symbols; /* that it defines; the same */
	const char *const *named;   /* patterns of file names; the same */
	/*
	 * Code is not copied where this variable of the environment is set and has none of these
	 * letters; NULL: there is no such variable.
	 */
	const char *variable, *letters;
};

/* The one with a file of that name, or DT_SONAME; NULL: none. */
const struct copier *copiers__by_file(const char *name);

/*
 * The symbol of a copier that is the same as this one: a string that stays valid; NULL: none.
 * Quick to say no: for whole symbol tables.
 */
const char *copiers__find_symbol(const char *symbol);
/* Which copier has a symbol that copiers__find_symbol() or copiers__symbol() has returned. */
const struct copier *copiers__by_symbol(const char *symbol);
/* All symbols, by number: NULL after the last one. */
const char *copiers__symbol(size_t i);

/* Does it copy nothing of a file of that name? */
bool copiers__spares(const struct copier *copier, const char *name);
/* Does it copy nothing, as a variable has that value? NULL: it is not set. */
bool copiers__is_off(const struct copier *copier, const char *value);

#endif
