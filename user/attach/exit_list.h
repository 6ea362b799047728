/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the functions of a file return: where calls are timed without return probes. That is at a
 * `ret`, or before it where a probe costs less. One entry for each place, whichever functions
 * return by it.
 */
#ifndef USER_ATTACH_EXIT_LIST_H
#define USER_ATTACH_EXIT_LIST_H

#include "attach/site_list.h"

struct exit_list;

/*
 * Looks in an open file for where its sites return that are to be timed. Of a site of which that
 * cannot be told, site->untimed says why from now on; site->tail_calls and site->exits are set.
 * on_ret: no place but a `ret`. 0 and *out, or a negative errno, with the text in err.
 */
int exit_list__find(struct exit_list **out, struct site_list *sites, int fd,
		    const struct elf_file *elf, const char *name, bool on_ret, struct error *err);
void exit_list__free(struct exit_list *list); /* NULL is fine */

size_t exit_list__n(const struct exit_list *list);	       /* NULL has none */
const __u64 *exit_list__offsets(const struct exit_list *list); /* in the file, ascending */
const __u64 *exit_list__cookies(const struct exit_list *list); /* tmtrace/exit.h; of each offset */

/*
 * Which site of the list returns by which exit: the i-th such pair of exit_list__n_uses(). Exits
 * are in ascending order.
 */
size_t exit_list__n_uses(const struct exit_list *list); /* NULL has none */
__u64 exit_list__use(const struct exit_list *list, size_t i, size_t *site, __u64 *cookie);

/* There is no probe at that exit: the sites that return by it cannot be timed, as above. */
void exit_list__drop(const struct exit_list *list, struct site_list *sites, size_t exit,
		     const char *why);

#endif
