// SPDX-License-Identifier: GPL-2.0-only
/* Accounts that are read from the kernel's maps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "process/account_source.h"

/* The kernel rounds an element up to 8 bytes: then an array of ours has its layout. */
_Static_assert(sizeof(struct tm_account) % 8 == 0, "elements of tm_accounts are not contiguous");

struct maps {
	struct account_maps fds;
	void *accounts;
	size_t bytes;
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

static void close_maps(void *context)
{
	struct maps *maps = context;

	munmap(maps->accounts, maps->bytes);
	free(maps);
}

int accounts__open(struct accounts **out, const struct account_maps *fds, struct error *err)
{
	struct maps *maps = calloc(1, sizeof(*maps));
	struct account_source source;
	int rc = -ENOMEM;

	if (!maps)
		goto fail;
	maps->fds = *fds;
	maps->bytes = fds->n * sizeof(struct tm_account);
	maps->accounts =
		mmap(NULL, maps->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds->accounts, 0);
	if (maps->accounts == MAP_FAILED) {
		rc = -errno;
		goto fail;
	}
	source = (struct account_source){
		.accounts = maps->accounts,
		.n = fds->n,
		.next = fds->next,
		.ended = fds->ended,
		.folded = fds->folded,
		.give_back = give_back,
		.close = close_maps,
		.context = maps,
	};
	rc = accounts__open_from(out, &source);
	if (!rc)
		return 0;
	munmap(maps->accounts, maps->bytes);
fail:
	free(maps);
	return error__set(err, rc, "accounts of processes cannot be read: %s", strerror(-rc));
}
