/* SPDX-License-Identifier: GPL-2.0-only */
/* Where accounts are read from: the maps, or an array of a test. */
#ifndef USER_PROCESS_ACCOUNT_SOURCE_H
#define USER_PROCESS_ACCOUNT_SOURCE_H

#include "base/grown_map.h"
#include "process/account_env.h"
#include "process/accounts.h"

struct account_source {
	struct tm_account *accounts; /* n of them, by number */
	struct grown_map *map;	     /* which they are in; NULL: all are there */
	__u32 n;
	const __u32 *next;   /* numbers from here on were never used */
	const __u64 *ended;  /* how many accounts were closed */
	const __u64 *folded; /* how many processes had no room for one */
	/* The account of that number is empty: the process with that pid has it no more. */
	void (*give_back)(void *context, __u32 number, __u32 pid);
	void (*flush)(void *context);  /* those that were given back are free now; NULL: at once */
	int fd;			       /* can be read when much waits in env; -1: none */
	struct account_env *env;       /* NULL: no environments are known */
	void (*follow)(void *context); /* reads those that have come into env; NULL: none do */
	void (*close)(void *context);  /* NULL: nothing to close */
	void *context;
};

/* 0 and *out, which closes the source when it is closed; or -ENOMEM, with the source left open. */
int accounts__open_from(struct accounts **out, const struct account_source *source);

#endif
