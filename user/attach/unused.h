/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that nobody maps any more lose their probes: links, numbers, watches, and with them the
 * hold on their file systems. What was counted stays. The kernel is asked who is mapped, so that no
 * process is looked at; whoever maps such a file later has it probed anew, as any other that is
 * mapped for the first time.
 */
#ifndef USER_ATTACH_UNUSED_H
#define USER_ATTACH_UNUSED_H

#include "attach/attach.h"

/* How often to look, in seconds: then a file goes 1 to 2 s after the last process. */
#define UNUSED_S 1.0

/* Who is told of each, with a file that is valid meanwhile. */
struct unused_gone {
	void (*call)(void *ctx, const struct seen_file *file);
	void *ctx;
};

/*
 * Gives files up, where attach_options.gives_up says so; now_ns: CLOCK_MONOTONIC. What
 * attach__file() numbers is another file then.
 */
void attach__give_up_unused(struct attach *attach, __u64 now_ns, const struct unused_gone *gone);

#endif
