// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"

/* Is this process in the time namespace that its children will be in? Only that one is told of. */
static bool is_children_namespace(void)
{
	struct stat own, children;

	return !stat("/proc/self/ns/time", &own) &&
	       !stat("/proc/self/ns/time_for_children", &children) && own.st_ino == children.st_ino;
}

/* What the time namespace adds to CLOCK_MONOTONIC, which BPF programs do not see. */
static __s64 read_offset_ns(void)
{
	long long s, ns;
	__s64 offset = 0;
	char name[32];
	FILE *file;

	if (!is_children_namespace())
		return 0;
	file = fopen("/proc/self/timens_offsets", "re");
	if (!file)
		return 0;
	while (fscanf(file, "%31s %lld %lld", name, &s, &ns) == 3)
		if (!strcmp(name, "monotonic"))
			offset = (__s64)s * (__s64)NS_PER_S + ns;
	fclose(file);
	return offset;
}

/* A process's time namespace does not change while it runs this program. */
static __s64 offset_ns(void)
{
	static _Atomic __s64 offset;
	static _Atomic bool known;

	if (!known) {
		offset = read_offset_ns();
		known = true;
	}
	return offset;
}

__u64 clock__ns(clockid_t clock)
{
	struct timespec now;
	__u64 ns;

	clock_gettime(clock, &now);
	ns = (__u64)now.tv_sec * NS_PER_S + (__u64)now.tv_nsec;
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)
		ns -= (__u64)offset_ns();
	return ns;
}

static const char *text_of(char *out, size_t room, __u64 ns, const char *format,
			   struct tm *(*calendar)(const time_t *, struct tm *))
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	struct tm day;

	if (!calendar(&seconds, &day) || !strftime(out, room, format, &day))
		snprintf(out, room, "?");
	return out;
}

const char *clock__local(char *out, size_t room, __u64 realtime_ns, const char *format)
{
	return text_of(out, room, realtime_ns, format, localtime_r);
}

const char *clock__utc(char *out, size_t room, __u64 realtime_ns, const char *format)
{
	return text_of(out, room, realtime_ns, format, gmtime_r);
}
