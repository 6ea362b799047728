/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system calls by which a ring reaches the disk, in place of the C library's: they can be held,
 * can fail, and are noted. To be included once, after cmocka.h.
 */
#ifndef TESTS_UNIT_RING_DISK_H
#define TESTS_UNIT_RING_DISK_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* A write or a sync, and when it began and ended, in ticks of this disk. */
struct disk_step {
	bool sync;
	unsigned char *bytes; /* of a write */
	size_t size;
	off_t at;
	size_t begin, end;
};

struct disk {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool noting;
	bool holding_writes, holding_syncs;	     /* they wait until released */
	int write_error, sync_error, allocate_error; /* errno */
	size_t write_most;			     /* bytes of one write; 0: all */
	size_t writes, syncs;			     /* that have begun */
	size_t ticks;
	struct disk_step *steps;
	size_t n, room;
};

static struct disk disk = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static inline void disk__reset(void)
{
	for (size_t i = 0; i < disk.n; i++)
		free(disk.steps[i].bytes);
	disk.n = disk.ticks = disk.writes = disk.syncs = disk.write_most = 0;
	disk.write_error = disk.sync_error = disk.allocate_error = 0;
	disk.noting = disk.holding_writes = disk.holding_syncs = false;
}

/* Changes one of the settings above while threads use the disk. */
static inline void disk__set(bool *setting, bool value)
{
	pthread_mutex_lock(&disk.lock);
	*setting = value;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

/* Waits until so many of them have begun. */
static inline void disk__await(const size_t *count, size_t least)
{
	pthread_mutex_lock(&disk.lock);
	while (*count < least)
		pthread_cond_wait(&disk.changed, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
}

/* A step begins, with the lock held; its number. */
static inline size_t disk__begin(bool sync, const void *bytes, size_t size, off_t at)
{
	struct disk_step step = { .sync = sync, .size = size, .at = at, .begin = disk.ticks++ };

	if (!disk.noting)
		return 0;
	if (disk.n == disk.room) {
		disk.room = disk.room ? 2 * disk.room : 1024;
		disk.steps = realloc(disk.steps, disk.room * sizeof(*disk.steps));
		if (!disk.steps)
			abort();
	}
	if (size) {
		step.bytes = malloc(size);
		if (!step.bytes)
			abort();
		memcpy(step.bytes, bytes, size);
	}
	step.end = SIZE_MAX;
	disk.steps[disk.n] = step;
	return disk.n++;
}

static inline void disk__end(size_t step)
{
	if (disk.noting)
		disk.steps[step].end = disk.ticks++;
}

static inline void disk__count(size_t *count, const bool *hold)
{
	(*count)++;
	pthread_cond_broadcast(&disk.changed);
	while (*hold)
		pthread_cond_wait(&disk.changed, &disk.lock);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): of the C library's headers */
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	size_t step;
	ssize_t n;
	int error;

	pthread_mutex_lock(&disk.lock);
	disk__count(&disk.writes, &disk.holding_writes);
	if (disk.write_most && size > disk.write_most)
		size = disk.write_most;
	error = disk.write_error;
	step = disk__begin(false, bytes, size, at);
	pthread_mutex_unlock(&disk.lock);
	n = error ? -1 : syscall(SYS_pwrite64, fd, bytes, size, at);
	pthread_mutex_lock(&disk.lock);
	disk__end(step);
	pthread_mutex_unlock(&disk.lock);
	if (error)
		errno = error;
	return n;
}

/* Takes long, so that writes go on meanwhile. */
int fdatasync(int fd)
{
	size_t step;
	int error;

	(void)fd;
	pthread_mutex_lock(&disk.lock);
	step = disk__begin(true, NULL, 0, 0);
	disk__count(&disk.syncs, &disk.holding_syncs);
	error = disk.sync_error;
	pthread_mutex_unlock(&disk.lock);
	for (size_t i = 0; disk.noting && i < step % 64; i++)
		sched_yield();
	pthread_mutex_lock(&disk.lock);
	disk__end(step);
	pthread_mutex_unlock(&disk.lock);
	errno = error;
	return error ? -1 : 0;
}

int fallocate(int fd, int mode, off_t at, off_t size)
{
	errno = disk.allocate_error;
	return errno ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, size);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

#endif
