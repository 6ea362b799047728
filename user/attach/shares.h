/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of what all users share each of them has taken: there is room for so many probes, and
 * whoever maps one library after the other is not to leave the others without any.
 */
#ifndef USER_ATTACH_SHARES_H
#define USER_ATTACH_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct shares;

/* most: of one user; root has no bound. 0: nobody has. NULL: no memory. */
struct shares *shares__new(size_t most);
void shares__free(struct shares *shares); /* NULL is fine */

/*
 * Takes so much for a user. -EDQUOT: it would be more than the share, then nothing is taken; or
 * -ENOMEM.
 */
int shares__take(struct shares *shares, uid_t user, size_t n);
/* Takes it although it may be more than the share. */
void shares__force(struct shares *shares, uid_t user, size_t n);
/* Gives it back. */
void shares__give(struct shares *shares, uid_t user, size_t n);

/* Was something refused since the user gave anything back? */
bool shares__is_full(const struct shares *shares, uid_t user);
size_t shares__of(const struct shares *shares, uid_t user);

#endif
