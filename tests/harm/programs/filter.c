// SPDX-License-Identifier: GPL-2.0-only
/* A filter of seccomp that kills the process for all but a few system calls. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harm.h"

#define ALLOW(number)                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter rules[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(SYS_write),
	ALLOW(SYS_exit_group),
	ALLOW(SYS_rt_sigreturn),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static int none(void *arg)
{
	return *(int *)arg;
}

static int call(void *arg)
{
	return HARM(hm_plain)(*(int *)arg) + HARM(hm_nop5)(1) + HARM(hm_tail)(none, arg);
}

/* The filter comes into force inside a call. */
static int confine(void *arg)
{
	struct sock_fprog program = { sizeof(rules) / sizeof(*rules), rules };

	(void)arg;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 100; i++)
		sum += HARM(hm_call)(call, &i);
	printf("sum %d\n", sum);
	fflush(stdout);
	harm_check(HARM(hm_call)(confine, NULL) == 1, "the filter");
	for (i = 0; i < 100; i++)
		sum += HARM(hm_call)(call, &i);
	HARM(hm_write)(1, "confined\n", 9);
	printf("sum %d\n", sum);
	harm_report();
	_exit(0);
}
