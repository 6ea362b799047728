/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The accounts of processes that the kernel side keeps (headers/tmtrace/account.h): those that are
 * closed are told once, and their numbers given back.
 */
#ifndef USER_PROCESS_ACCOUNTS_H
#define USER_PROCESS_ACCOUNTS_H

#include "base/error.h"
#include "process/account.h"

/* Descriptors of the maps (they stay the caller's), and the counters beside them. */
struct account_maps {
	int accounts, environments;
	int free_accounts; /* program, see bpf/errands.bpf.c */
	__u32 n;
	const __u32 *next;
	const __u64 *ended, *folded;
};

struct accounts;

/* Variables that records are to have; the names stay the caller's. */
struct account_names {
	const char *const *at;
	size_t n;
};

/* 0 and *out, or -ENOMEM, or why a map cannot be mapped. */
int accounts__open(struct accounts **out, const struct account_maps *fds,
		   const struct account_names *variables, struct error *err);
void accounts__close(struct accounts *accounts); /* NULL is fine */

/*
 * How often ended ones are to be taken, in seconds, and when the descriptor can be read (it stays
 * its own): their room is used again then.
 */
#define ACCOUNTS_PERIOD_S 1.0
int accounts__fd(const struct accounts *accounts);

/*
 * Calls take for each process that has ended since, in the order of their ends; the account is
 * valid for the call. Threads that are late may still add to it: unless the counting is over, it is
 * left to the next time at first.
 */
void accounts__take_ended(struct accounts *accounts, bool over,
			  void (*take)(void *context, const struct process_account *account),
			  void *context);

/*
 * The same of each process that lives on and has done something since the last time; what its
 * threads that live have used is of now.
 */
void accounts__each_live(struct accounts *accounts,
			 void (*take)(void *context, const struct process_account *account),
			 void *context);

/*
 * The same of each process that lives on, whatever was told of it, and of those that have ended and
 * are to be told yet; live ones without what their threads that live have used.
 */
void accounts__each_untold(struct accounts *accounts,
			   void (*take)(void *context, const struct process_account *account),
			   void *context);

/*
 * How many accounts a loader that was killed was telling right then: whether it had done so is not
 * known. They are not told again.
 */
__u64 accounts__interrupted(const struct accounts *accounts);

/* What the processes did together that there was no room for; false: there were none. */
bool accounts__others(struct accounts *accounts, struct process_account *out);

#endif
