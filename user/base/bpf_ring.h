/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a BPF ring buffer through a window that moves over it. libbpf's own reader maps all of it,
 * twice, which is resident memory: of 2 MiB for bursts of environments that is 4 MiB for ever.
 */
#ifndef USER_BASE_BPF_RING_H
#define USER_BASE_BPF_RING_H

#include <stddef.h>

struct bpf_ring;

/*
 * Takes a record, whose bytes are there until it returns, aligned to 8. An error ends the reading,
 * with that record taken.
 */
typedef int (*bpf_ring_take)(void *context, void *data, size_t size);

/* fd: of the map, which stays the caller's. 0 and *out, or a negative errno. */
int bpf_ring__open(struct bpf_ring **out, int fd, bpf_ring_take take, void *context);
/* The same of a file that is laid out as one with so many bytes of data; nothing wakes its reader.
 */
int bpf_ring__open_file(struct bpf_ring **out, int fd, size_t size, bpf_ring_take take,
			void *context);
void bpf_ring__close(struct bpf_ring *ring); /* NULL is fine */

/*
 * To be watched for edges, as loop__watch_ring() does: one comes each time that the kernel side
 * wakes its reader. It can be read as soon as there is anything, whether somebody is to be woken or
 * not.
 */
int bpf_ring__fd(const struct bpf_ring *ring);

/* Hands over what is there. 0, or a negative errno: the first that a record was taken with. */
int bpf_ring__read(struct bpf_ring *ring);

#endif
