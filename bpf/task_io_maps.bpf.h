/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps of what the kernel itself counts of tasks; bpf/maps.bpf.c defines them. */
#ifndef BPF_TASK_IO_MAPS_BPF_H
#define BPF_TASK_IO_MAPS_BPF_H

#include "maps.bpf.h"

struct tm_task_io_marks_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_task_io_mark);
};

/* Until their threads are met again, which takes a pass at most. */
struct tm_task_io_moves_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u32); /* number of the thread, as the kernel has it */
	__type(value, struct tm_task_io_move);
};

extern struct tm_task_io_marks_map tm_task_io_marks SEC(".maps");
extern struct tm_task_io_moves_map tm_task_io_moves SEC(".maps");

/* since_ns is set by the loader. */
extern struct tm_task_io_state tm_task_io;

#endif
