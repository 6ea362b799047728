/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the kernel side as it was when it was loaded. */
#ifndef USER_KERNEL_FORGET_H
#define USER_KERNEL_FORGET_H

struct tmtrace_bpf;

/*
 * Empties series, histograms, ledgers and targets. Nothing may be counting. 0 or a negative errno:
 * then some of it is still there.
 */
int forget__counts(struct tmtrace_bpf *skel);

#endif
