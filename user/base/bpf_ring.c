// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout is that of kernel/bpf/ringbuf.c: a page with the consumer's position, one with the
 * producers', then the data, twice in a row, so that no record is cut. A record is a header of 8
 * bytes, whose first word has the length and two flags, and the bytes, rounded up to 8.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/bpf_ring.h"
#include "base/window.h"

struct bpf_ring {
	int fd;
	bpf_ring_take take;
	void *context;
	size_t page, size;	 /* of the data */
	unsigned long *consumer; /* bytes that were taken, ever */
	const unsigned long *producer;
	struct window data;
};

static void *map(const struct bpf_ring *ring, size_t offset, size_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, ring->fd, (off_t)offset);

	return at == MAP_FAILED ? NULL : at;
}

static int map_positions(struct bpf_ring *ring, size_t size)
{
	ring->page = (size_t)sysconf(_SC_PAGESIZE);
	ring->size = size;
	ring->data = (struct window){
		.fd = ring->fd,
		.map_bytes = 2 * ring->page + 2 * ring->size,
	};
	ring->consumer = map(ring, 0, ring->page, PROT_READ | PROT_WRITE);
	ring->producer = ring->consumer ? map(ring, ring->page, ring->page, PROT_READ) : NULL;
	return ring->producer ? 0 : -errno;
}

int bpf_ring__open_file(struct bpf_ring **out, int fd, size_t size, bpf_ring_take take,
			void *context)
{
	struct bpf_ring *ring = calloc(1, sizeof(*ring));
	int ret;

	if (!ring)
		return -ENOMEM;
	*ring = (struct bpf_ring){ .fd = fd, .take = take, .context = context };
	ret = map_positions(ring, size);
	if (ret)
		bpf_ring__close(ring);
	else
		*out = ring;
	return ret;
}

int bpf_ring__open(struct bpf_ring **out, int fd, bpf_ring_take take, void *context)
{
	struct bpf_map_info info = { 0 };
	__u32 length = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &length) < 0)
		return -errno;
	return bpf_ring__open_file(out, fd, info.max_entries, take, context);
}

void bpf_ring__close(struct bpf_ring *ring)
{
	if (!ring)
		return;
	window__close(&ring->data);
	if (ring->consumer)
		munmap(ring->consumer, ring->page);
	if (ring->producer)
		munmap((void *)ring->producer, ring->page);
	free(ring);
}

int bpf_ring__fd(const struct bpf_ring *ring)
{
	return ring->fd;
}

/* So many bytes of the data from a position on. 0 or a negative errno. */
static int show_bytes(struct bpf_ring *ring, unsigned long position, size_t bytes, const char **out)
{
	size_t offset = 2 * ring->page + (position & (ring->size - 1));
	const void *at = NULL;
	int ret = window__show(&ring->data, offset, bytes, &at);

	*out = at;
	return ret;
}

/* Takes the record at the consumer's position. 1; 0: it is not complete; or a negative errno. */
static int take_one(struct bpf_ring *ring)
{
	unsigned long position = *ring->consumer;
	size_t length, bytes;
	const char *record;
	__u32 word;
	int ret = show_bytes(ring, position, BPF_RINGBUF_HDR_SZ, &record);

	if (ret)
		return ret;
	word = __atomic_load_n((const __u32 *)record, __ATOMIC_ACQUIRE);
	if (word & BPF_RINGBUF_BUSY_BIT)
		return 0;
	length = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	bytes = (length + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
	ret = show_bytes(ring, position, bytes, &record);
	if (ret)
		return ret;
	if (!(word & BPF_RINGBUF_DISCARD_BIT))
		ret = ring->take(ring->context, (void *)(record + BPF_RINGBUF_HDR_SZ), length);
	__atomic_store_n(ring->consumer, position + bytes, __ATOMIC_RELEASE);
	return ret < 0 ? ret : 1;
}

int bpf_ring__read(struct bpf_ring *ring)
{
	int ret = 1;

	while (ret > 0 && *ring->consumer < __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE))
		ret = take_one(ring);
	return ret < 0 ? ret : 0;
}
