// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring_queue.h"

struct slot {
	unsigned char *bytes;
	size_t size;
	__u64 offset;
	__u64 oldest;
};

struct ring_queue {
	struct slot slots[RING_QUEUE_BLOCKS];
	unsigned char *memory;
	struct ring_layout layout;
	const char *path;
	int fd;

	pthread_t writer, syncer;
	pthread_mutex_t lock; /* of all that follows */
	/* One each, so that nobody wakes up who has nothing to do: each second there is a block. */
	pthread_cond_t to_write; /* for the writer */
	pthread_cond_t to_sync;	 /* for the syncer */
	pthread_cond_t done;	 /* for those who wait for one of them */
	__u64 pushed, written;	 /* blocks; what is between them waits */
	bool stopping, writer_done;
	bool sync_wanted; /* the writer waits for it */

	__u64 written_end;    /* offset at which the last written block ends */
	__u64 written_oldest; /* its `oldest` */
	__u64 synced_end;     /* the same as of the last sync */
	__u64 synced_oldest;
	struct error error; /* the first one */
};

static void fail(struct ring_queue *queue, const char *what)
{
	int code = -errno;

	if (!queue->error.code)
		error__set(&queue->error, code, "%s: cannot be %s, %s: the recording ends here",
			   queue->path, what, strerror(-code));
}

/* Would this block overwrite what is needed, as far as it is known to be on the disk? */
static bool must_wait(const struct ring_queue *queue, const struct slot *slot)
{
	__u64 end = slot->offset + slot->size;

	return end > queue->layout.ring_size &&
	       end - queue->layout.ring_size > queue->synced_oldest;
}

static bool write_all(int fd, const unsigned char *bytes, size_t size, off_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, bytes, size, at);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
			at += n;
		}
	}
	return true;
}

/* Of what is written and not known to be on the disk, so much is synced at once. */
static bool is_much(const struct ring_queue *queue)
{
	return queue->written_end - queue->synced_end >= queue->layout.ring_size / 8;
}

/* Writes the next block, with the lock held but for the writing itself. */
static void write_next(struct ring_queue *queue)
{
	const struct slot *slot = &queue->slots[queue->written % RING_QUEUE_BLOCKS];
	off_t at = (off_t)(RING_HEADER_SIZE + slot->offset % queue->layout.ring_size);
	bool written, was_synced;

	while (must_wait(queue, slot) && !queue->error.code) {
		queue->sync_wanted = true;
		pthread_cond_signal(&queue->to_sync);
		pthread_cond_wait(&queue->done, &queue->lock);
	}
	if (!queue->error.code) {
		pthread_mutex_unlock(&queue->lock);
		ring_block__seal(slot->bytes);
		written = write_all(queue->fd, slot->bytes, slot->size, at);
		pthread_mutex_lock(&queue->lock);
		if (!written)
			fail(queue, "written");
		was_synced = queue->written_end == queue->synced_end;
		queue->written_end = slot->offset + slot->size;
		queue->written_oldest = slot->oldest;
		/* From the first one on its time runs. */
		if (was_synced || is_much(queue))
			pthread_cond_signal(&queue->to_sync);
	}
	queue->written++;
	pthread_cond_broadcast(&queue->done);
}

static void *write_blocks(void *argument)
{
	struct ring_queue *queue = argument;

	pthread_mutex_lock(&queue->lock);
	while (queue->written < queue->pushed || !queue->stopping) {
		if (queue->written < queue->pushed)
			write_next(queue);
		else
			pthread_cond_wait(&queue->to_write, &queue->lock);
	}
	queue->writer_done = true;
	pthread_cond_signal(&queue->to_sync);
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

static struct timespec next_sync(void)
{
	struct timespec due;

	clock_gettime(CLOCK_MONOTONIC, &due);
	due.tv_sec += RING_SYNC_SECONDS;
	return due;
}

/* Waits until a sync is due. False: all is synced, and nothing comes any more. */
static bool await_sync(struct ring_queue *queue)
{
	struct timespec due = next_sync();
	int ret = 0;

	for (;;) {
		if (queue->error.code || queue->written_end == queue->synced_end) {
			if (queue->writer_done)
				return false;
			pthread_cond_wait(&queue->to_sync, &queue->lock);
			due = next_sync();
			continue;
		}
		if (queue->writer_done || queue->sync_wanted || ret == ETIMEDOUT || is_much(queue))
			return true;
		ret = pthread_cond_timedwait(&queue->to_sync, &queue->lock, &due);
	}
}

static void *sync_blocks(void *argument)
{
	struct ring_queue *queue = argument;
	__u64 end, oldest;
	int ret;

	pthread_mutex_lock(&queue->lock);
	while (await_sync(queue)) {
		end = queue->written_end;
		oldest = queue->written_oldest;
		queue->sync_wanted = false;
		pthread_mutex_unlock(&queue->lock);
		ret = fdatasync(queue->fd);
		pthread_mutex_lock(&queue->lock);
		if (ret < 0)
			fail(queue, "brought to the disk");
		queue->synced_end = end;
		queue->synced_oldest = oldest;
		pthread_cond_broadcast(&queue->done);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

/* Threads that no signal interrupts: those are the main thread's. */
static int start_thread(pthread_t *thread, void *(*run)(void *), struct ring_queue *queue)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(thread, NULL, run, queue);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret == 0)
		pthread_setname_np(*thread, "tmtrace-ring");
	return -ret;
}

static void init_locks(struct ring_queue *queue)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->to_write, NULL);
	pthread_cond_init(&queue->to_sync, &attributes);
	pthread_cond_init(&queue->done, NULL);
	pthread_condattr_destroy(&attributes);
}

static void free_queue(struct ring_queue *queue)
{
	pthread_cond_destroy(&queue->to_write);
	pthread_cond_destroy(&queue->to_sync);
	pthread_cond_destroy(&queue->done);
	pthread_mutex_destroy(&queue->lock);
	free(queue->memory);
	free(queue);
}

/* Lets a thread come to its end. */
static void end_thread(struct ring_queue *queue, pthread_t thread)
{
	pthread_mutex_lock(&queue->lock);
	queue->stopping = true;
	pthread_cond_signal(&queue->to_write);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(thread, NULL);
}

int ring_queue__start(struct ring_queue **out, int fd, const char *path,
		      const struct ring_layout *layout, struct error *err)
{
	struct ring_queue *queue = calloc(1, sizeof(*queue));
	int ret;

	if (!queue)
		return error__set(err, -ENOMEM, "%s: out of memory", path);
	init_locks(queue);
	queue->layout = *layout;
	queue->path = path;
	queue->fd = fd;
	queue->memory = malloc((size_t)RING_QUEUE_BLOCKS * layout->block_max);
	if (!queue->memory) {
		ret = error__set(err, -ENOMEM, "%s: out of memory", path);
		goto out;
	}
	for (size_t i = 0; i < RING_QUEUE_BLOCKS; i++)
		queue->slots[i].bytes = queue->memory + i * layout->block_max;
	ret = start_thread(&queue->writer, write_blocks, queue);
	if (ret == 0) {
		ret = start_thread(&queue->syncer, sync_blocks, queue);
		if (ret < 0)
			end_thread(queue, queue->writer);
	}
	if (ret < 0)
		error__set(err, ret, "%s: the thread that writes cannot be started, %s", path,
			   strerror(-ret));
out:
	if (ret < 0)
		free_queue(queue);
	else
		*out = queue;
	return ret;
}

/* Of the free blocks the first one: memory that is seldom needed is seldom touched. */
static unsigned char *choose_block(struct ring_queue *queue)
{
	struct slot *slot = &queue->slots[queue->pushed % RING_QUEUE_BLOCKS];

	for (__u64 i = queue->pushed + 1; i < queue->written + RING_QUEUE_BLOCKS; i++) {
		struct slot *other = &queue->slots[i % RING_QUEUE_BLOCKS];
		unsigned char *bytes = slot->bytes;

		if (other->bytes < bytes) {
			slot->bytes = other->bytes;
			other->bytes = bytes;
		}
	}
	return slot->bytes;
}

unsigned char *ring_queue__room(struct ring_queue *queue, bool wait)
{
	unsigned char *bytes = NULL;

	pthread_mutex_lock(&queue->lock);
	while (wait && queue->pushed - queue->written == RING_QUEUE_BLOCKS)
		pthread_cond_wait(&queue->done, &queue->lock);
	if (queue->pushed - queue->written < RING_QUEUE_BLOCKS)
		bytes = choose_block(queue);
	pthread_mutex_unlock(&queue->lock);
	return bytes;
}

void ring_queue__push(struct ring_queue *queue, size_t size, __u64 offset, __u64 oldest)
{
	struct slot *slot;

	pthread_mutex_lock(&queue->lock);
	slot = &queue->slots[queue->pushed % RING_QUEUE_BLOCKS];
	slot->size = size;
	slot->offset = offset;
	slot->oldest = oldest;
	queue->pushed++;
	pthread_cond_signal(&queue->to_write);
	pthread_mutex_unlock(&queue->lock);
}

static int tell(const struct ring_queue *queue, struct error *err)
{
	if (queue->error.code && err)
		*err = queue->error;
	return queue->error.code;
}

int ring_queue__wait(struct ring_queue *queue, struct error *err)
{
	int ret;

	pthread_mutex_lock(&queue->lock);
	while (queue->written < queue->pushed)
		pthread_cond_wait(&queue->done, &queue->lock);
	ret = tell(queue, err);
	pthread_mutex_unlock(&queue->lock);
	return ret;
}

int ring_queue__check(struct ring_queue *queue, struct error *err)
{
	int ret;

	pthread_mutex_lock(&queue->lock);
	ret = tell(queue, err);
	pthread_mutex_unlock(&queue->lock);
	return ret;
}

int ring_queue__stop(struct ring_queue *queue, struct error *err)
{
	int ret;

	end_thread(queue, queue->writer);
	pthread_join(queue->syncer, NULL);
	ret = tell(queue, err);
	free_queue(queue);
	return ret;
}
