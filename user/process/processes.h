/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes that the kernel side tells apart (headers/tmtrace/process.h), with the environments
 * that they were started with.
 */
#ifndef USER_PROCESS_PROCESSES_H
#define USER_PROCESS_PROCESSES_H

#include "drain/drain.h"
#include "process/process_info.h"

struct processes;

/* maps stay the caller's. 0 and *out, or -ENOMEM, or why a map cannot be read. */
int processes__open(struct processes **out, const struct drain_maps *maps, struct error *err);
void processes__close(struct processes *processes); /* NULL is fine */

/* As bpf_ring__fd(): environments are to be read with processes__read(). */
int processes__fd(const struct processes *processes);
/*
 * Reads what has come: processes__at() tells the same names of workflow and component until the
 * next time. 0, or a negative errno: environments that come later are still read.
 */
int processes__read(struct processes *processes);

/* Of a number; NULL: there is none, or it is not known yet. Until the next call. */
const struct process_info *processes__at(struct processes *processes, __u32 number);
/* Numbers that were given so far, from 1. */
__u32 processes__n(const struct processes *processes);

#endif
