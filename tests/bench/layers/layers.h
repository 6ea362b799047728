/* SPDX-License-Identifier: GPL-2.0-only */
/* Two libraries, one over the other, over files: what tests/bench/diff compares. */
#ifndef TESTS_BENCH_LAYERS_LAYERS_H
#define TESTS_BENCH_LAYERS_LAYERS_H

#include <stddef.h>

/* How much each layer does of a call: turns of a loop, and bytes that are read. */
struct layers_work {
	long upper, lower;
	size_t bytes;
	int fd;
	char *buffer;
};

/* 0 or 1; -1: the file could not be read. */
long layers_upper(const struct layers_work *work);
long layers_lower(const struct layers_work *work);

/* Takes a processor as long as it has turns; 0 or 1. */
static inline long layers_turn(long turns)
{
	unsigned long x = 88172645463325252UL;

	while (turns-- > 0)
		x = x * 6364136223846793005UL + 1442695040888963407UL;
	return (long)(x >> 63);
}

#endif
