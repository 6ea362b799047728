/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remembers which processes have mapped a traced library, also when they are gone. The memory has a
 * fixed size: what it has forgotten it answers with MAPPERS_UNKNOWN.
 */
#ifndef USER_DISCOVERY_MAPPERS_H
#define USER_DISCOVERY_MAPPERS_H

#include <sys/types.h>
#include <linux/types.h>

struct mappers;

struct mappers *mappers__new(void);	     /* NULL: no memory */
void mappers__free(struct mappers *mappers); /* NULL is fine */

/* A process has one mapped at that time, CLOCK_MONOTONIC in ns. */
void mappers__add(struct mappers *mappers, pid_t pid, __u64 time);

/* It is not known whether a process has. */
void mappers__add_unknown(struct mappers *mappers, pid_t pid);

enum mappers_answer {
	MAPPERS_NONE,	 /* it has mapped none that was told of */
	MAPPERS_MAPPED,	 /* it has, since it started */
	MAPPERS_UNKNOWN, /* that is forgotten, or was never known */
};

/* Of a process that has started at that time. */
enum mappers_answer mappers__ask(const struct mappers *mappers, pid_t pid, __u64 start);

#endif
