/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions made to be probed: their first instructions are known, and they notice what a probe
 * must not change. They lie in a file of their own in memory, which nobody else maps, so that a
 * trial disturbs no other process.
 */
#ifndef USER_SELFTEST_SUBJECT_H
#define USER_SELFTEST_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* One function and one probe each, in the order in which subject_code.c has them. */
enum subject_site {
	SITE_PUSH,	  /* push, which the kernel emulates */
	SITE_NOP1,	  /* a nop of one byte */
	SITE_ENDBR,	  /* endbr64, which is stepped */
	SITE_SUB,	  /* sub, which is stepped */
	SITE_AFTER_ENDBR, /* on the push behind an endbr64 */
	SITE_AFTER_MOV,	  /* on the push behind a mov */
	SITE_NOP5,	  /* a nop of five bytes, which the kernel may turn into a call */
	SITE_LEAF_PUSH,	  /* on a push, with data in the red zone */
	SITE_LEAF_NOP1,	  /* on a nop of one byte, with data in the red zone */
	SITE_LEAF_NOP5,	  /* on a nop of five bytes, with data in the red zone */
	SITE_OUTER,	  /* calls back */
	SITE_INNER,	  /* is called from the other stack */
	SITE_STRICT_PUSH, /* called under seccomp */
	SITE_STRICT_NOP5, /* the same */
	SITE_COUNT_PUSH,  /* counted, not timed */
	SITE_COUNT_NOP5,
	SITE_COUNT_ENDBR,
	SITE_INSTRUCTION, /* counted: all those of subject__instruction() */
	SITE_BARE,	  /* never probed */
	SUBJECT_SITES,
};

/* All but SITE_OUTER: returns x + 1, or -1 where its data has been changed. */
typedef long (*subject_function)(long x);
/* SITE_OUTER: calls back(argument), and returns x + 1. */
typedef long (*subject_outer)(long x, void (*back)(void *), void *argument);

struct subject;

/* Makes the file and maps it. 0 and *out (subject__free()), or a negative errno. */
int subject__new(struct subject **out);
void subject__free(struct subject *subject); /* NULL is fine */

/* The file, as a path that this process can open. */
const char *subject__path(const struct subject *subject);
/* Where in the file a site's probe belongs. */
__u64 subject__offset(enum subject_site site);
/* Where in the file its function returns. */
__u64 subject__exit(enum subject_site site);
/* A site's function; to be called in a process that has the mapping from this one. */
subject_function subject__function(const struct subject *subject, enum subject_site site);
subject_outer subject__outer(const struct subject *subject);

/* Instructions of all kinds that are safe to probe, each in code of its own: how many. */
size_t subject__n_instructions(void);
const char *subject__instruction_name(size_t i);
__u64 subject__instruction_offset(size_t i); /* in the file: where its probe belongs */
/* Its code, for machine__run(). */
const void *subject__instruction_code(const struct subject *subject, size_t i);

/*
 * Calls a function with a pattern in every register. Returns false if one that the function does
 * not write (all but rax) is not as it was. Not for those with data in the red zone.
 */
bool subject__keeps_registers(subject_function function);

#endif
