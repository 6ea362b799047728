// SPDX-License-Identifier: GPL-2.0-only
/* Where in the tree of PID namespaces the loader's is: number.bpf.h looks there. */
#include "number.bpf.h"

/* Run by the loader for itself. */
SEC("syscall")
int loader_level(void *ctx)
{
	struct task_struct *self = bpf_get_current_task_btf();

	tm_pid_level = BPF_CORE_READ(self, thread_pid, level);
	return 0;
}
