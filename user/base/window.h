/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moving mappings of parts of a map. A system call on a map keeps the kernel from running programs
 * at kprobes on that processor (bpf_disable_instrumentation()), also for who preempts the caller;
 * what is mapped is resident memory at once. So neither the one nor the whole.
 */
#ifndef USER_BASE_WINDOW_H
#define USER_BASE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#define WINDOW_PARTS 4

struct window_part {
	size_t begin, bytes; /* what is mapped */
	char *at;	     /* NULL: nothing is */
	unsigned long used;  /* the window's count when it was shown last */
};

struct window {
	int fd; /* of an array with BPF_F_MMAPABLE, or of a ring buffer */
	size_t map_bytes;
	bool writable;
	unsigned int more; /* parts beside the first, for who asks for the same again and again */
	struct window_part parts[WINDOW_PARTS];
	unsigned long shown; /* how often so far */
};

/*
 * *out: what lies at an offset of what can be mapped, of so many bytes. It stays until the next
 * call. 0 or a negative errno.
 */
int window__show(struct window *window, size_t offset, size_t bytes, const void **out);
void window__close(struct window *window);

#endif
