/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environments that processes with accounts were started with, by their ids: what they say of
 * rank and job, and the variables that are asked for.
 */
#ifndef USER_PROCESS_ACCOUNT_ENV_H
#define USER_PROCESS_ACCOUNT_ENV_H

#include <stddef.h>

#include "job/start_env.h"
#include "process/account.h"
#include "tmtrace/process.h"

struct account_env;

/* names: of the variables, n of them; they stay the caller's. NULL without memory. */
struct account_env *account_env__new(const char *const *names, size_t n);
void account_env__free(struct account_env *env); /* NULL is fine */

/* A piece, as the kernel side sends it; those of several environments may be mixed. */
void account_env__take(struct account_env *env, const struct tm_environment *piece);

/* A whole one: a block of VAR=VALUE, each ended by NUL. */
void account_env__add(struct account_env *env, __u64 id, const char *block, size_t bytes);

/* Adds to an account what the environment of that id says; valid until account_env__keep(). */
void account_env__describe(const struct account_env *env, __u64 id,
			   struct process_account *account);

size_t account_env__n(const struct account_env *env);
/* Forgets all but those with these ids, which it sorts. */
void account_env__keep(struct account_env *env, __u64 *ids, size_t n);

#endif
