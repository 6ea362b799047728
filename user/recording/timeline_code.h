/* SPDX-License-Identifier: GPL-2.0-only */
/* A timeline as bytes. */
#ifndef USER_RECORDING_TIMELINE_CODE_H
#define USER_RECORDING_TIMELINE_CODE_H

#include "base/pack.h"
#include "timeline/timeline.h"

void timeline_code__pack(struct pack *pack, const struct timeline *timeline);
/*
 * *out, with this number, is to be freed with timeline__free(). 0, -EBADMSG where the bytes are
 * none, -ENOMEM.
 */
int timeline_code__unpack(struct timeline **out, __u64 number, struct unpack *unpack);

#endif
