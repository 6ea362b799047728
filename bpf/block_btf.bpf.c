// SPDX-License-Identifier: GPL-2.0-only
/* Block I/O by the BTF tracepoints, whose arguments are typed. */
#define BLOCK_TYPED
#define BLOCK_SECTION	 "tp_btf"
#define BLOCK_NAME(name) block_btf_##name
#include "block_tracepoints.bpf.h"
