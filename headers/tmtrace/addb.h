/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of ADDB2, as the kernel side tells them through a ring buffer (tm_addb). Include
 * <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_ADDB_H
#define TMTRACE_ADDB_H

#define TM_ADDB_WORDS  15 /* of a payload, at most (VALUE_MAX_NR) */
#define TM_ADDB_LABELS 64 /* that hold at a time, at most (M0_ADDB2_LABEL_MAX) */

#endif
