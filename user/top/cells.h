/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in the cells of a terminal: of the locale's characters, wide ones take two. */
#ifndef USER_TOP_CELLS_H
#define USER_TOP_CELLS_H

#include <stdbool.h>

/*
 * A copy of valid UTF-8 in which every character takes one or two cells: what takes none (accents
 * that combine, marks of direction) is "?", and without wide, which is where the terminal shows no
 * UTF-8, all that is not ASCII. NULL without memory; free it with free().
 */
char *cells__visible(const char *text, bool wide);

/* How many cells such a text takes. */
unsigned int cells__width(const char *text);

/* The end of such a text that takes at most so many cells. */
const char *cells__end_of(const char *text, unsigned int width);

#endif
