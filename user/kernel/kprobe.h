/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways to put a BPF program on functions of the kernel by their names: one link for many of
 * them (5.18), also for entry and return together (6.10), or a perf event and a link for each.
 */
#ifndef USER_KERNEL_KPROBE_H
#define USER_KERNEL_KPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>

/* Since 0dcac2725406 (5.18). */
#define KPROBE_MULTI BPF_TRACE_KPROBE_MULTI
/* Newer than Debian 12's linux/bpf.h; the value is the kernel's ABI: BPF_TRACE_KPROBE_SESSION. */
#define KPROBE_SESSION ((enum bpf_attach_type)56)

/*
 * One link of a program that was loaded with that expected attach type, on the entry of n
 * functions, or with returns on their return (a session: on both). The link's descriptor, or a
 * negative errno.
 */
int kprobe__link_multi(int type, int program_fd, const char *const *functions, size_t n,
		       bool returns);

/* A perf event on one function and a link: the link's descriptor, *perf_fd the event's. */
int kprobe__link_perf(int program_fd, const char *function, bool returns, int *perf_fd);

#endif
