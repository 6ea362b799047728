/* SPDX-License-Identifier: GPL-2.0-only */
/* Times: ns of one of the kernel's clocks; those of CLOCK_REALTIME, since 1970, also as text. */
#ifndef USER_BASE_CLOCK_H
#define USER_BASE_CLOCK_H

#include <stddef.h>
#include <time.h>
#include <linux/types.h>

#define NS_PER_S  1000000000ULL
#define NS_PER_MS 1000000ULL

/*
 * The time of a clock. CLOCK_MONOTONIC is the kernel's own, which BPF programs read, in a time
 * namespace too: take no time from clock_gettime() that is compared with theirs.
 */
__u64 clock__ns(clockid_t clock);

/* As strftime() has it, without the part of the second; "?" where it is no time. */
const char *clock__local(char *out, size_t room, __u64 realtime_ns, const char *format)
	__attribute__((format(strftime, 4, 0)));
const char *clock__utc(char *out, size_t room, __u64 realtime_ns, const char *format)
	__attribute__((format(strftime, 4, 0)));

#endif
