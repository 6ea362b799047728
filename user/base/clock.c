// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/clock.h"

__u64 clock__ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (__u64)now.tv_sec * NS_PER_S + (__u64)now.tv_nsec;
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
