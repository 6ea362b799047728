// SPDX-License-Identifier: GPL-2.0-only
/* Accounts that are read from the kernel's maps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "process/account_source.h"

/* The kernel rounds an element up to 8 bytes: then an array of ours has its layout. */
_Static_assert(sizeof(struct tm_account) % 8 == 0, "elements of tm_accounts are not contiguous");

struct maps {
	struct account_maps fds;
	void *accounts; /* NULL: not mapped */
	size_t bytes;
	struct account_env *env;
	struct ring_buffer *ring;
};

/* The entry of the pid, unless the pid is another process's meanwhile; then the number. */
static int give_back(void *context, __u32 number, __u32 pid)
{
	const struct maps *maps = context;
	__u32 found;

	if (!bpf_map_lookup_and_delete_elem(maps->fds.numbers, &pid, &found) && found != number)
		bpf_map_update_elem(maps->fds.numbers, &pid, &found, BPF_NOEXIST);
	return bpf_map_update_elem(maps->fds.free, NULL, &number, BPF_ANY) < 0 ? -errno : 0;
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
	ring_buffer__consume(maps->ring);
}

static void close_maps(void *context)
{
	struct maps *maps = context;

	ring_buffer__free(maps->ring);
	account_env__free(maps->env);
	if (maps->accounts)
		munmap(maps->accounts, maps->bytes);
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
static void read_environments(const struct maps *maps)
{
	const struct tm_account *accounts = maps->accounts;
	char *block = malloc(ENVIRONMENT_MAX);

	for (__u32 i = TM_ACCOUNT_FIRST; block && i < maps->fds.n && i < *maps->fds.next; i++) {
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
	void *accounts =
		mmap(NULL, maps->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, maps->fds.accounts, 0);

	if (accounts == MAP_FAILED)
		return -errno;
	maps->accounts = accounts;
	maps->env = account_env__new(variables->at, variables->n);
	if (!maps->env)
		return -ENOMEM;
	read_environments(maps);
	maps->ring = ring_buffer__new(maps->fds.environments, on_piece, maps, NULL);
	return maps->ring ? 0 : -errno;
}

int accounts__open(struct accounts **out, const struct account_maps *fds,
		   const struct account_names *variables, struct error *err)
{
	struct maps *maps = calloc(1, sizeof(*maps));
	struct account_source source;
	int rc = -ENOMEM;

	if (maps) {
		maps->fds = *fds;
		maps->bytes = fds->n * sizeof(struct tm_account);
		rc = open_maps(maps, variables);
		source = (struct account_source){
			.accounts = maps->accounts,
			.n = fds->n,
			.next = fds->next,
			.ended = fds->ended,
			.folded = fds->folded,
			.give_back = give_back,
			.env = maps->env,
			.follow = follow,
			.close = close_maps,
			.context = maps,
		};
	}
	if (!rc)
		rc = accounts__open_from(out, &source);
	if (!rc)
		return 0;
	if (maps)
		close_maps(maps);
	return error__set(err, rc, "accounts of processes cannot be read: %s", strerror(-rc));
}
