// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of two libraries over files, for so many seconds; a layer does by so many percent more than
 * usual.
 *
 *   bench-layers SECONDS FILE UPPER LOWER FILES
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "layers.h"

static long more(long usual, const char *percent)
{
	return usual * (100 + atol(percent)) / 100;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct layers_work work = { 0 };
	double end;

	if (argc != 6)
		errx(2, "usage: bench-layers SECONDS FILE UPPER LOWER FILES");
	work.upper = more(20000, argv[3]);
	work.lower = more(15000, argv[4]);
	work.bytes = (size_t)more(32 << 10, argv[5]);
	work.buffer = calloc(1, 64 << 10);
	work.fd = open(argv[2], O_RDWR | O_CREAT, 0600);
	if (!work.buffer || work.fd < 0 || ftruncate(work.fd, 64 << 10) < 0)
		err(1, "%s", argv[2]);
	/* So that all is there, and nothing is a hole. */
	if (pwrite(work.fd, work.buffer, 64 << 10, 0) != 64 << 10)
		err(1, "%s", argv[2]);
	for (end = now() + atof(argv[1]); now() < end;)
		if (layers_upper(&work) < 0)
			err(1, "%s", argv[2]);
	return 0;
}
