// SPDX-License-Identifier: GPL-2.0-only
/* Reading a BPF ring buffer, on a file in memory that is laid out as one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/bpf.h>

#include "base/bpf_ring.h"

/* Larger than what is mapped at a time, some records, too. */
enum { SIZE = 256 << 10, LARGE = 100 << 10, RECORDS = 5000 };

struct world {
	int fd;
	size_t page;
	struct bpf_ring *ring;
	unsigned long *consumer, *producer;
	char *data; /* once: the second copy is written by put() */
	uint64_t taken, sum;
	int error; /* what taking returns */
};

static int take(void *context, void *data, size_t size)
{
	struct world *world = context;
	const unsigned char *bytes = data;

	assert_int_equal((uintptr_t)data % 8, 0);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], (unsigned char)(world->taken + i));
	world->taken++;
	world->sum += size;
	return world->error;
}

static void start(struct world *world)
{
	size_t bytes;

	*world = (struct world){ .fd = memfd_create("ring", MFD_CLOEXEC) };
	world->page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = 2 * world->page + 2 * SIZE;
	assert_int_equal(ftruncate(world->fd, (off_t)bytes), 0);
	world->consumer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, world->fd, 0);
	assert_ptr_not_equal(world->consumer, MAP_FAILED);
	world->producer = (unsigned long *)((char *)world->consumer + world->page);
	world->data = (char *)world->consumer + 2 * world->page;
	assert_int_equal(bpf_ring__open_file(&world->ring, world->fd, SIZE, take, world), 0);
}

static void end(struct world *world)
{
	bpf_ring__close(world->ring);
	munmap(world->consumer, 2 * world->page + 2 * SIZE);
	close(world->fd);
}

/* The data is there twice, as the kernel maps the same pages. */
static void store(struct world *world, unsigned long position, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = (position + i) % SIZE;

		world->data[at] = world->data[at + SIZE] = ((const char *)bytes)[i];
	}
}

/* A record whose bytes count up from number on; flags as in its header. */
static void put(struct world *world, uint64_t number, size_t size, uint32_t flags)
{
	static unsigned char bytes[LARGE];
	unsigned long position = *world->producer;
	uint32_t header[2] = { (uint32_t)size | flags, 0 };

	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(number + i);
	store(world, position, header, sizeof(header));
	store(world, position + sizeof(header), bytes, size);
	*world->producer = position + (sizeof(header) + size + 7) / 8 * 8;
}

static void test_all(void **state)
{
	struct world world;
	uint64_t sum = 0;

	(void)state;
	start(&world);
	assert_int_equal(bpf_ring__read(world.ring), 0);
	for (uint64_t i = 0; i < RECORDS; i++) {
		size_t size = i % 997 ? i * 7919 % 1500 : LARGE - i % 13;

		put(&world, i, size, 0);
		sum += size;
		if (i % 3 && i % 997)
			continue;
		assert_int_equal(bpf_ring__read(world.ring), 0);
		assert_int_equal(world.taken, i + 1);
		assert_int_equal(*world.consumer, *world.producer);
	}
	assert_int_equal(bpf_ring__read(world.ring), 0);
	assert_int_equal(world.taken, RECORDS);
	assert_int_equal(world.sum, sum);
	end(&world);
}

/* What is not complete waits, with all behind it; what was discarded is left out. */
static void test_flags(void **state)
{
	struct world world;
	unsigned long busy;

	(void)state;
	start(&world);
	put(&world, 0, 100, 0);
	put(&world, 99, 50, BPF_RINGBUF_DISCARD_BIT);
	busy = *world.producer;
	put(&world, 1, 30, BPF_RINGBUF_BUSY_BIT);
	put(&world, 2, 10, 0);
	assert_int_equal(bpf_ring__read(world.ring), 0);
	assert_int_equal(world.taken, 1);
	assert_int_equal(*world.consumer, busy);
	store(&world, busy, &(uint32_t){ 30 }, sizeof(uint32_t));
	assert_int_equal(bpf_ring__read(world.ring), 0);
	assert_int_equal(world.taken, 3);
	end(&world);
}

/* An error ends the reading; that record is taken. */
static void test_errors(void **state)
{
	struct bpf_ring *none = NULL;
	struct world world;

	(void)state;
	start(&world);
	put(&world, 0, 100, 0);
	put(&world, 1, 100, 0);
	world.error = -EAGAIN;
	assert_int_equal(bpf_ring__read(world.ring), -EAGAIN);
	assert_int_equal(world.taken, 1);
	world.error = 0;
	assert_int_equal(bpf_ring__read(world.ring), 0);
	assert_int_equal(world.taken, 2);
	end(&world);
	assert_int_equal(bpf_ring__open_file(&none, -1, SIZE, take, NULL), -EBADF);
	assert_int_equal(bpf_ring__open(&none, -1, take, NULL), -EBADFD); /* says the kernel */
	assert_null(none);
	bpf_ring__close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
