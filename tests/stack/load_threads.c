// SPDX-License-Identifier: GPL-2.0-only
/* Many calls: in threads, in depth, in a row. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "sample.h"

static void *hammer(void *arg)
{
	const struct load *l = *(struct load **)arg;
	struct sample_iov iov[] = { { .length = 10 }, { .length = l->size } };

	for (int i = 0; i < load_count(l, 10000); i++) {
		CHECK(sample_leaf(i) == i + 1);
		CHECK(sample_sum(iov, 2) == l->size + 10);
		if (i % 10 == 0)
			CHECK(sample_fail(-EIO) == -EIO);
	}
	return NULL;
}

int load_threads(struct load *l)
{
	int threads = l->threads > 0 ? l->threads : 64;
	struct load **same = calloc((size_t)threads, sizeof(struct load *));

	CHECK(same);
	for (int i = 0; i < threads; i++)
		same[i] = l;
	load_in_threads(threads, hammer, same, sizeof(*same));
	free(same);
	return 0;
}

/* --how gives the depth. */
int load_recurse(struct load *l)
{
	int depth = l->how ? atoi(l->how) : 100;

	for (int i = 0; i < load_count(l, 10); i++)
		CHECK(sample_recurse(depth - 1) == depth - 1);
	load_extra(l, ",\"depth\":%d", depth);
	return 0;
}

static long tail_in_call(void *arg)
{
	return sample_tail((long)(intptr_t)arg);
}

int load_tail(struct load *l)
{
	for (int i = 0; i < load_count(l, 1000); i++) {
		CHECK(sample_tail(i) == i + 1);
		CHECK(sample_call(tail_in_call, (void *)(intptr_t)i) == i + 1);
		CHECK(sample_leaf(i) == i + 1);
	}
	return 0;
}

/* The clock is read every thousand calls only. */
int load_spin(struct load *l)
{
	uint64_t start = load_now_ns(), now = start;
	double duration = l->duration > 0 ? l->duration : 1;
	uint64_t n = 0;

	while (l->count > 0 ? n < (uint64_t)l->count : (double)(now - start) < duration * 1e9) {
		sample_leaf((long)n++);
		if (n % 1000 == 0)
			now = load_now_ns();
	}
	now = load_now_ns();
	load_extra(l, ",\"spin_calls\":%llu,\"calls_per_s\":%.0f", (unsigned long long)n,
		   (double)n * 1e9 / (double)(now - start + 1));
	return 0;
}

static volatile sig_atomic_t burst_ends;

static void end_burst(int signal)
{
	(void)signal;
	burst_ends = 1;
}

struct burst {
	const struct load *load;
	uint64_t calls; /* of sample_leaf, per process */
	bool over;
};

static void *burst(void *arg)
{
	struct burst *b = arg;
	uint64_t end = load_now_ns() + (uint64_t)(b->load->duration * 1e9);
	bool paced = b->load->how && !strcmp(b->load->how, "paced");

	while (!burst_ends && load_now_ns() < end) {
		for (int i = 0; i < (paced ? 20 : 1000); i++)
			sample_leaf((long)b->calls++);
		if (paced)
			load_sleep(0.001);
	}
	__atomic_store_n(&b->over, true, __ATOMIC_RELEASE);
	return NULL;
}

static long beside(void *arg)
{
	const struct burst *b = arg;
	struct sample_iov iov = { .length = 10 };

	while (!__atomic_load_n(&b->over, __ATOMIC_ACQUIRE)) {
		CHECK(sample_sum(&iov, 1) == 10);
		CHECK(sample_fail(-EIO) == -EIO);
		load_sleep(0.01);
	}
	return 0;
}

/*
 * One thread in sample_leaf for --duration, or until SIGTERM, with --how paced no more than 20,000
 * times a second; the other, within one sample_call, calls now and then.
 */
int load_burst(struct load *l)
{
	struct burst b = { .load = l };
	pthread_t thread;

	CHECK(signal(SIGTERM, end_burst) != SIG_ERR);
	CHECK(!pthread_create(&thread, NULL, burst, &b));
	CHECK(sample_call(beside, &b) == 0);
	CHECK(!pthread_join(thread, NULL));
	load_extra(l, ",\"burst_calls\":%llu", (unsigned long long)b.calls);
	return 0;
}
