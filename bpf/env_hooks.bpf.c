// SPDX-License-Identifier: GPL-2.0-only
/*
 * For kernels that preempt programs at tracepoints (7.x), and do not run them for another task
 * meanwhile: what is to be known of processes is seen at functions, too, where programs are not
 * preempted. Whoever comes first does it.
 */
#include "env_job.bpf.h"

/* The new program's environment is in place. */
SEC("kprobe/finalize_exec")
int env_exec_hook(struct pt_regs *regs)
{
	env_job__exec();
	return 0;
}

/* The child has not begun to run. */
SEC("kprobe/wake_up_new_task")
int BPF_KPROBE(env_fork_hook, struct task_struct *child)
{
	u32 tgid = BPF_CORE_READ(child, tgid);

	if (tgid != bpf_get_current_pid_tgid() >> 32)
		env_job__fork((u64)BPF_CORE_READ(child, group_leader));
	return 0;
}
