/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a probe can stand in for one on a `ret`, at a fraction of its cost: on instructions before
 * it that the kernel emulates, where every way to the `ret` passes one of them, and from there
 * nothing happens on the way but that registers are restored and the result is placed. x86-64; for
 * exits alone.
 */
#ifndef USER_ELF_EXIT_SITES_H
#define USER_ELF_EXIT_SITES_H

#include <stddef.h>
#include <linux/types.h>

struct exits;
struct exit_sites;
struct exits_way;

/* 0 or -ENOMEM. */
int exit_sites__new(struct exit_sites **out);
void exit_sites__free(struct exit_sites *sites); /* NULL is fine */

/* Takes note of the exits of the function that has been looked at just now. 0 or -ENOMEM. */
int exit_sites__add(struct exit_sites *sites, struct exits *exits);

/* These two as exits.h has them. */
int exit_sites__choose(struct exit_sites *sites, const struct exits *exits, const __u64 *entries,
		       size_t n_entries);
const struct exits_way *exit_sites__ways(const struct exit_sites *sites, __u64 ret, size_t *n);

#endif
