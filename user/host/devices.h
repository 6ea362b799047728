/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of block devices by their numbers. */
#ifndef USER_HOST_DEVICES_H
#define USER_HOST_DEVICES_H

struct devices;

struct devices *devices__new(void);	     /* NULL: out of memory */
void devices__free(struct devices *devices); /* NULL is fine */

/*
 * As "vda1", without /dev/; "MAJOR:MINOR" where there is no such block device. A name once found
 * is remembered. Valid until the next call; never NULL.
 */
const char *devices__name(struct devices *devices, unsigned int major, unsigned int minor);

#endif
