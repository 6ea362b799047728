/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures of tmtrace top from a session of its own. */
#ifndef USER_COMMAND_TOP_LIVE_H
#define USER_COMMAND_TOP_LIVE_H

#include "base/loop.h"
#include "options/options.h"
#include "top/top_source.h"

struct top_live;

/*
 * Probes what the options say, and begins to count. On an error *out is to be closed all the same,
 * and *usage tells whether the command line is wrong.
 */
int top_live__open(struct top_live **out, const struct options *options, char **argv, bool *usage,
		   struct error *err);
/* Has what comes into view probed from the loop. 0, or -ENOMEM. */
int top_live__watch(struct top_live *live, struct loop *loop);
/* What came since the read before; the first one has no length. 0, or a negative errno. */
int top_live__read(struct top_live *live, struct top_source *out, struct error *err);
/* Ends it, and says what was degraded; NULL is fine. */
void top_live__close(struct top_live *live);

#endif
