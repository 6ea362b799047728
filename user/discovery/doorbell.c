// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bpf_ring.h"
#include "discovery/doorbell.h"
#include "tmtrace/doorbell.h"

/* That wait to be settled: more ring again. */
#define RINGS 128

struct rings {
	struct tm_ring at[RINGS];
	size_t n;
};

struct doorbell {
	struct bpf_ring *ring;
	__u64 *files;
	struct rings fresh; /* have come now */
	struct rings ripe;  /* had come the last time */
	unsigned int next;  /* place that is given to another file */
};

static int on_ring(void *context, void *data, size_t size)
{
	struct doorbell *doorbell = context;
	struct rings *fresh = &doorbell->fresh;

	if (size >= sizeof(*fresh->at) && fresh->n < RINGS)
		memcpy(&fresh->at[fresh->n++], data, sizeof(*fresh->at));
	return 0;
}

int doorbell__open(struct doorbell **out, const struct kernel_doorbell *kernel)
{
	struct doorbell *doorbell = calloc(1, sizeof(*doorbell));
	int ret;

	if (!doorbell)
		return -ENOMEM;
	ret = bpf_ring__open(&doorbell->ring, kernel->ring, on_ring, doorbell);
	if (ret < 0) {
		free(doorbell);
		return ret;
	}
	doorbell->files = kernel->files;
	doorbell__forget(doorbell);
	*out = doorbell;
	return 0;
}

void doorbell__close(struct doorbell *doorbell)
{
	if (!doorbell)
		return;
	bpf_ring__close(doorbell->ring);
	free(doorbell);
}

int doorbell__fd(const struct doorbell *doorbell)
{
	return bpf_ring__fd(doorbell->ring);
}

void doorbell__begin(struct doorbell *doorbell)
{
	bpf_ring__read(doorbell->ring);
}

/* It may have rung twice meanwhile. */
static void settle(struct doorbell *doorbell, const struct tm_ring *ring)
{
	__u64 *tags = &doorbell->files[ring->bucket % TM_FILE_BUCKETS * TM_FILE_WAYS];
	unsigned int place = doorbell->next++ % TM_FILE_WAYS;

	for (unsigned int i = 0; i < TM_FILE_WAYS; i++) {
		if (tags[i] == ring->tag)
			return;
		if (!tags[i])
			place = i;
	}
	__atomic_store_n(&tags[place], ring->tag, __ATOMIC_RELAXED);
}

void doorbell__end(struct doorbell *doorbell, bool settled)
{
	for (size_t i = 0; settled && i < doorbell->ripe.n; i++)
		settle(doorbell, &doorbell->ripe.at[i]);
	doorbell->ripe = doorbell->fresh;
	doorbell->fresh.n = 0;
}

void doorbell__forget(struct doorbell *doorbell)
{
	memset(doorbell->files, 0, TM_FILE_PLACES * sizeof(*doorbell->files));
	doorbell->ripe.n = doorbell->fresh.n = 0;
}
