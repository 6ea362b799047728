/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number of a process in the first PID namespace, by which programs know processes, of its
 * number in the loader's: asked by the loader, answered by bpf/number.bpf.c.
 */
#ifndef TMTRACE_NUMBER_H
#define TMTRACE_NUMBER_H

struct tm_number {
	__u32 pid;    /* the question: a process in the namespace of who asks; 0: who asks itself */
	__u32 global; /* 0: there is no such process */
};

#endif
