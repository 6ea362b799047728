// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "base/lock_soon.h"

#define TRIES	10
#define WAIT_NS 50000000

int lock_soon(int fd)
{
	const struct timespec wait = { .tv_nsec = WAIT_NS };

	for (int tries = TRIES; flock(fd, LOCK_EX | LOCK_NB) < 0; tries--) {
		if (errno != EWOULDBLOCK || !tries)
			return -errno;
		nanosleep(&wait, NULL);
	}
	return 0;
}
