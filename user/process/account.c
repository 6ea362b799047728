// SPDX-License-Identifier: GPL-2.0-only
#include "process/account.h"

void process_account__scale(__u64 *user_ns, __u64 *system_ns, __u64 run_ns)
{
	__u64 ticks = *user_ns + *system_ns;

	/* Where the kernel measures both, there is nothing to divide. */
	if (!*system_ns) {
		*user_ns = run_ns;
	} else if (!*user_ns) {
		*system_ns = run_ns;
	} else {
		*system_ns = (__u64)((unsigned __int128)*system_ns * run_ns / ticks);
		*user_ns = run_ns - *system_ns;
	}
}
