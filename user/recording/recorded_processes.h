/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that a recording tells apart. */
#ifndef USER_RECORDING_RECORDED_PROCESSES_H
#define USER_RECORDING_RECORDED_PROCESSES_H

#include "base/pack.h"
#include "process/process_info.h"

struct recorded_processes;

struct recorded_processes *recorded_processes__new(void); /* NULL: no memory */
void recorded_processes__free(struct recorded_processes *processes);

/* Puts an entry's payload together. */
void recorded_processes__pack(struct pack *pack, const struct process_info *process);
/* Takes one over: 0; -EBADMSG where it makes no sense; -ENOMEM. */
int recorded_processes__take(struct recorded_processes *processes, __u64 number,
			     struct unpack *unpack);

/* NULL: there is none of that number. Valid until its number is taken over again. */
const struct process_info *recorded_processes__at(const struct recorded_processes *processes,
						  __u32 number);
__u32 recorded_processes__n(const struct recorded_processes *processes); /* the highest number */

#endif
