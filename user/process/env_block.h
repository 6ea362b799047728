/* SPDX-License-Identifier: GPL-2.0-only */
/* An environment that comes in pieces, as the kernel side sends it. */
#ifndef USER_PROCESS_ENV_BLOCK_H
#define USER_PROCESS_ENV_BLOCK_H

#include <stdbool.h>
#include <linux/types.h>

#include "tmtrace/process.h"

struct env_block {
	char *text;	    /* NULL: none is on its way */
	__u32 bytes, total; /* so far, in all */
};

/*
 * Adds a piece, which may say anything; one that begins another environment gives up the one
 * before. true: text is whole, total bytes, until env_block__drop(). Of one with a gap nothing is
 * kept.
 */
bool env_block__add(struct env_block *block, const struct tm_environment *piece);
void env_block__drop(struct env_block *block);

#endif
