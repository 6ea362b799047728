/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_BASE_CLOSE_ALL_H
#define USER_BASE_CLOSE_ALL_H

#include <stddef.h>

/*
 * Closes n descriptors, several at a time, and returns when all are closed. For those at each of
 * which the kernel waits for grace periods: waits at the same time are one.
 */
void close_all(const int *fds, size_t n);

/* The same, one after the other, the last one first. */
void close_each(const int *fds, size_t n);

/*
 * For a child: closes all descriptors but those, of which negative ones are none. Who waits for the
 * end of our output must not wait for it.
 */
void close_others(const int *fds, size_t n);

#endif
