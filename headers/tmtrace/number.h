/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of processes and threads: those of the loader's PID namespace (bpf/number.bpf.h). A
 * process outside of that namespace has no number there. It is told by the one that it has in the
 * first namespace, below 0, so that nobody takes it for a process of the loader's namespace.
 */
#ifndef TMTRACE_NUMBER_H
#define TMTRACE_NUMBER_H

/* Namespaces are nested less deeply (MAX_PID_NS_LEVEL). */
#define TM_PID_LEVEL_MASK 63

/* What a process outside is called, of its number in the first namespace. */
static inline __u32 tm_outside(__u32 global)
{
	return -global;
}

/* A number as people read it: below 0, one of a process outside. */
static inline __s32 tm_number(__u32 number)
{
	return (__s32)number;
}

#endif
