// SPDX-License-Identifier: GPL-2.0-only
/* Accounts that are read from the kernel's maps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bpf_ring.h"
#include "base/errand.h"
#include "base/grown_map.h"
#include "process/account_source.h"

/* The kernel rounds an element up to 8 bytes: then an array of ours has its layout. */
_Static_assert(sizeof(struct tm_account) % 8 == 0, "elements of tm_accounts are not contiguous");

struct maps {
	struct account_maps fds;
	struct grown_map accounts;
	struct account_env *env;
	struct bpf_ring *ring;
	__u64 freed[TM_FREED_MAX];
	size_t n_freed;
};

/* Else the numbers are lost: that is all. */
static void flush(void *context)
{
	struct maps *maps = context;

	if (!maps->n_freed)
		return;
	errand__run(maps->fds.free_accounts, maps->freed, sizeof(maps->freed));
	memset(maps->freed, 0, sizeof(maps->freed));
	maps->n_freed = 0;
}

static void give_back(void *context, __u32 number, __u32 pid)
{
	struct maps *maps = context;

	maps->freed[maps->n_freed++] = TM_FREED(number, pid);
	if (maps->n_freed == TM_FREED_MAX)
		flush(maps);
}

static int on_piece(void *context, void *data, size_t size)
{
	struct maps *maps = context;

	if (size >= sizeof(struct tm_environment))
		account_env__take(maps->env, data);
	return 0;
}

static void follow(void *context)
{
	const struct maps *maps = context;

	/* What fails now is read the next time. */
	bpf_ring__read(maps->ring);
}

static void close_maps(void *context)
{
	struct maps *maps = context;

	bpf_ring__close(maps->ring);
	account_env__free(maps->env);
	grown_map__close(&maps->accounts);
	free(maps);
}

/* As much of an environment as is looked at, in bytes. */
#define ENVIRONMENT_MAX (256U << 10)

static size_t read_environment(__u32 pid, char *block)
{
	char path[32];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	n = fread(block, 1, ENVIRONMENT_MAX, file);
	fclose(file);
	return n;
}

/* Of processes that live on the kernel has told another process, which is gone. */
static void read_environments(struct maps *maps)
{
	const struct tm_account *accounts = (const struct tm_account *)maps->accounts.at;
	__u32 end = *maps->fds.next < maps->fds.n ? *maps->fds.next : maps->fds.n;
	char *block = malloc(ENVIRONMENT_MAX);

	end = grown_map__show(&maps->accounts, end, sizeof(*accounts));
	for (__u32 i = TM_ACCOUNT_FIRST; block && i < end; i++) {
		size_t n = 0;

		if (accounts[i].state == TM_ACCOUNT_LIVE && accounts[i].environment)
			n = read_environment(accounts[i].pid, block);
		if (n)
			account_env__add(maps->env, accounts[i].environment, block, n);
	}
	free(block);
}

static int open_maps(struct maps *maps, const struct account_names *variables)
{
	int ret = grown_map__open(&maps->accounts, maps->fds.accounts,
				  maps->fds.n * sizeof(struct tm_account), PROT_READ | PROT_WRITE);

	if (ret < 0)
		return ret;
	maps->env = account_env__new(variables->at, variables->n);
	if (!maps->env)
		return -ENOMEM;
	read_environments(maps);
	return bpf_ring__open(&maps->ring, maps->fds.environments, on_piece, maps);
}

int accounts__open(struct accounts **out, const struct account_maps *fds,
		   const struct account_names *variables, struct error *err)
{
	struct maps *maps = calloc(1, sizeof(*maps));
	struct account_source source;
	int ret = -ENOMEM;

	if (maps) {
		maps->fds = *fds;
		ret = open_maps(maps, variables);
		source = (struct account_source){
			.accounts = (struct tm_account *)maps->accounts.at,
			.map = &maps->accounts,
			.n = fds->n,
			.next = fds->next,
			.ended = fds->ended,
			.folded = fds->folded,
			.give_back = give_back,
			.flush = flush,
			.fd = bpf_ring__fd(maps->ring),
			.env = maps->env,
			.follow = follow,
			.close = close_maps,
			.context = maps,
		};
	}
	if (!ret)
		ret = accounts__open_from(out, &source);
	if (!ret)
		return 0;
	if (maps)
		close_maps(maps);
	return error__set(err, ret, "accounts of processes cannot be read: %s", strerror(-ret));
}
