// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"
#include "truth.h"

#define TRUTH_LAYER "sample"

long sample_leaf(long n)
{
	TRUTH();
	return n + 1;
}

long sample_call(sample_callback cb, void *arg)
{
	TRUTH();
	return cb(arg);
}

long sample_call_cxx(sample_callback cb, void *arg)
{
	TRUTH();
	return cb(arg);
}

long sample_recurse(int depth)
{
	TRUTH();
	return depth > 0 ? sample_recurse(depth - 1) + 1 : 0;
}

int sample_sleep(uint64_t ns)
{
	TRUTH();
	struct timespec left = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
	return 0;
}

int sample_spin(uint64_t ns)
{
	TRUTH();
	struct timespec ts;
	uint64_t now, end = 0;

	do {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
		if (!end)
			end = now + ns;
	} while (now < end);
	return 0;
}

ssize_t sample_write(int fd, const void *buf, size_t len)
{
	TRUTH();
	ssize_t n = write(fd, buf, len);

	if (n >= 0)
		TRUTH_SIZE((uint64_t)n);
	return TRUTH_NEGATIVE(n);
}

int sample_fail(int rc)
{
	TRUTH();
	return TRUTH_ERRNO(rc);
}

uint64_t sample_sum(const struct sample_iov *iov, int n)
{
	TRUTH();
	uint64_t total = 0;

	for (int i = 0; i < n; i++)
		total += iov[i].length;
	TRUTH_SIZE(total);
	return total;
}

void sample_block(void)
{
	TRUTH();
	for (;;)
		pause();
}
