/* SPDX-License-Identifier: GPL-2.0-only */
/* A series and a probe's ledger as bytes. */
#ifndef USER_RECORDING_SERIES_CODE_H
#define USER_RECORDING_SERIES_CODE_H

#include <stdbool.h>

#include "base/pack.h"
#include "drain/drain.h"

/* flags: enum recording_series_flag */
void series_code__pack(struct pack *pack, const struct snapshot_series *series, __u64 flags);
/* To be freed with free(); NULL where the bytes are of no series, or without memory. */
struct snapshot_series *series_code__unpack(struct unpack *unpack, __u64 *flags);

/* calls: NULL where single calls are not recorded. */
void series_code__pack_ledger(struct pack *pack, const struct tm_ledger *ledger,
			      const struct tm_call_ledger *calls);
struct tm_ledger series_code__unpack_ledger(struct unpack *unpack);
/* What comes after it; false: nothing. */
bool series_code__unpack_calls(struct unpack *unpack, struct tm_call_ledger *out);

#endif
