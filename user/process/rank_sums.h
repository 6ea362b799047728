/* SPDX-License-Identifier: GPL-2.0-only */
/* What the ranks of jobs did: the accounts of the processes of each, added up. */
#ifndef USER_PROCESS_RANK_SUMS_H
#define USER_PROCESS_RANK_SUMS_H

#include "process/account.h"

struct rank_sums;

/* Room for so many ranks: then the one goes that was added to least recently. NULL: no memory. */
struct rank_sums *rank_sums__new(size_t max);
void rank_sums__free(struct rank_sums *sums); /* NULL is fine */

/*
 * Adds a process, or several together, to its rank of the job of that number; one without a rank is
 * left out. Nothing stays the caller's to keep. 0 or -ENOMEM.
 */
int rank_sums__add(struct rank_sums *sums, __u64 job, const struct process_account *account);

/* Forgets the ranks of a job. */
void rank_sums__forget(struct rank_sums *sums, __u64 job);

/*
 * Calls take for each rank, in no order: an account of pid 0, whose job is the number that it was
 * added with. It is valid until the sums change. 0, or what take said when it was not 0; then the
 * rest is left out.
 */
int rank_sums__each(const struct rank_sums *sums,
		    int (*take)(void *context, const struct process_account *account),
		    void *context);

size_t rank_sums__n(const struct rank_sums *sums);

#endif
