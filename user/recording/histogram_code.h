/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of buckets as bytes: of those that are not empty. */
#ifndef USER_RECORDING_HISTOGRAM_CODE_H
#define USER_RECORDING_HISTOGRAM_CODE_H

#include "base/pack.h"
#include "drain/histogram.h"

void histogram_code__pack(struct pack *pack, const struct histogram *histogram);
/* Sets those that are not empty. */
void histogram_code__unpack(struct unpack *unpack, __u64 count[TM_BUCKETS]);

#endif
