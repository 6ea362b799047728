/* SPDX-License-Identifier: GPL-2.0-only */
/* libsample.so.1: small functions for the situations in which a tracer goes wrong. */
#ifndef STACK_SAMPLE_H
#define STACK_SAMPLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The layout of mio_iovec: 24 bytes, the length at 16. */
struct sample_iov {
	void *base;
	uint64_t offset;
	uint64_t length;
};

typedef long (*sample_callback)(void *arg);

long sample_leaf(long n);				   /* n + 1 */
long sample_call(sample_callback cb, void *arg);	   /* what cb(arg) returns */
long sample_call_cxx(sample_callback cb, void *arg);	   /* the same; cb may throw */
long sample_recurse(int depth);				   /* calls itself depth times more */
long sample_tail(long n);				   /* jumps to sample_leaf */
int sample_sleep(uint64_t ns);				   /* off the CPU */
int sample_spin(uint64_t ns);				   /* on the CPU */
ssize_t sample_write(int fd, const void *buf, size_t len); /* what write returns */
int sample_fail(int rc);				   /* rc */
uint64_t sample_sum(const struct sample_iov *iov, int n);
void sample_block(void); /* never returns */

#endif
