/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_KERNEL_GRACE_H
#define USER_KERNEL_GRACE_H

/* Waits until every BPF program that runs now has ended. */
void grace__wait(void);

#endif
