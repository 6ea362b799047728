/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_DRAIN_KEY_ORDER_H
#define USER_DRAIN_KEY_ORDER_H

#include <linux/types.h>

#include "tmtrace/key.h"

/* The order of a snapshot: by job, layer, function, where, flags, process. As of qsort(3) and
 * tsearch(3). */
int key_order(const struct tm_key *a, const struct tm_key *b);

#endif
