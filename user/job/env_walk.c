// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/clock.h"
#include "job/env_walk.h"

int env_walk__run(int program)
{
	int link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL), iterator, ret = 0;
	char nothing[64];
	ssize_t n;

	if (link < 0)
		return -errno;
	iterator = bpf_iter_create(link);
	if (iterator < 0)
		ret = -errno;
	close(link);
	if (ret)
		return ret;
	/* It prints nothing; the kernel stops for a moment after very many tasks. */
	do {
		n = read(iterator, nothing, sizeof(nothing));
	} while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	if (n < 0)
		ret = -errno;
	close(iterator);
	return ret;
}

/* A process gets its start time a while before it is among the tasks. */
#define SLACK_NS (100 * NS_PER_MS)

/*
 * What was started before a pass was looked at by it, but for what called exec right then. What is
 * started by one that was found already is followed from its begin. So it is over when a pass finds
 * none.
 */
int env_walk__find(const struct env_walk *walk)
{
	__u64 until = clock__ns(CLOCK_MONOTONIC) + (__u64)(ENV_WALK_S * NS_PER_S);
	__u64 since = 0, begin;
	__u32 found, changed;
	int ret;

	do {
		begin = clock__ns(CLOCK_MONOTONIC);
		if (begin > until)
			return -EAGAIN;
		found = *walk->found;
		changed = *walk->changed;
		*walk->since = since;
		*walk->until = until;
		ret = env_walk__run(walk->program);
		if (ret < 0)
			return ret;
		since = *walk->changed == changed ? begin - SLACK_NS : 0;
	} while (*walk->found != found || *walk->changed != changed);
	return clock__ns(CLOCK_MONOTONIC) > until ? -EAGAIN : 0;
}
