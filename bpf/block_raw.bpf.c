// SPDX-License-Identifier: GPL-2.0-only
/* Block I/O by the raw tracepoints: the same arguments, as numbers. */
#define BLOCK_SECTION	 "raw_tp"
#define BLOCK_NAME(name) block_raw_##name
#include "block_tracepoints.bpf.h"
