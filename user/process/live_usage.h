/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_PROCESS_LIVE_USAGE_H
#define USER_PROCESS_LIVE_USAGE_H

#include "process/account.h"

/*
 * CPU time and memory of a process that lives, as /proc tells them; where it has ended meanwhile,
 * they stay as they are.
 */
void live_usage__read(struct process_account *account);

#endif
