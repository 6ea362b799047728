/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of the ADDB2 records of a run, as bytes and back. */
#ifndef USER_RECORDING_ADDB_CODE_H
#define USER_RECORDING_ADDB_CODE_H

#include "addb/record.h"
#include "base/pack.h"

void addb_code__pack(struct pack *pack, const struct addb_counts *counts);
/* 0, or -EBADMSG. */
int addb_code__unpack(struct addb_counts *counts, struct unpack *unpack);

#endif
