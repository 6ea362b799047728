/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of jobs, layers and functions, each kept once, for as long as an interval has it. */
#ifndef USER_TOP_NAMES_H
#define USER_TOP_NAMES_H

struct top_names;

/* NULL without memory. To be freed when all names were given back. */
struct top_names *top_names__new(void);
void top_names__free(struct top_names *names); /* NULL is fine */

/* The same text, to be given back; NULL: no memory, or no text. */
const char *top_names__take(struct top_names *names, const char *text);
/* A name that was taken, once more. */
const char *top_names__share(const char *name);
void top_names__give(struct top_names *names, const char *name); /* NULL is fine */

#endif
