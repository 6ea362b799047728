/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finished blocks on their way to the file: a thread writes them, another syncs, so that neither
 * the maker of blocks nor the writing waits for the disk.
 *
 * Nothing is overwritten before all that is needed of it is on the disk elsewhere. For that a
 * block comes with `oldest`, the offset of the oldest block that has a live state once this one is
 * there. When this block and all before it are synced, what is older than `oldest` may go.
 */
#ifndef USER_RING_RING_QUEUE_H
#define USER_RING_RING_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "ring/ring_block.h"

/* Blocks that can wait. At full rate (20 MB/s) they bridge 0.4 s in which the disk does nothing. */
#define RING_QUEUE_BLOCKS 32
/* What was written is synced after so many seconds, or when it is an eighth of the ring. */
#define RING_SYNC_SECONDS 10

struct ring_queue;

/* Starts the threads. fd and path stay the caller's. -ENOMEM, -EAGAIN (no more threads). */
int ring_queue__start(struct ring_queue **out, int fd, const char *path,
		      const struct ring_layout *layout, struct error *err);

/*
 * Memory for the next block, block_max bytes, the same until it is pushed. NULL where all is in
 * use: waits for some if it may. After an error of writing blocks are taken and thrown away.
 */
unsigned char *ring_queue__room(struct ring_queue *queue, bool wait);

/* Hands that memory over, with a finished block of size bytes; it is sealed on the way. */
void ring_queue__push(struct ring_queue *queue, size_t size, __u64 offset, __u64 oldest);

/* Waits until all that was pushed is written. 0, or the error of writing, as below. */
int ring_queue__wait(struct ring_queue *queue, struct error *err);
/* What went wrong with writing so far, 0: nothing. */
int ring_queue__check(struct ring_queue *queue, struct error *err);

/* Waits until all is written and synced, and frees the queue. 0, or the error of writing. */
int ring_queue__stop(struct ring_queue *queue, struct error *err);

#endif
