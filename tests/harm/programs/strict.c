// SPDX-License-Identifier: GPL-2.0-only
/* A child under strict seccomp, which may read, write and exit, and makes calls until it ends. */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harm.h"

static int nested(void *arg)
{
	return HARM(hm_plain)(*(int *)arg) + HARM(hm_nop5)(1);
}

static void confined(int end)
{
	int i, sum = 0;

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		syscall(SYS_exit, 99);
	for (i = 0; i < 100; i++)
		sum += HARM(hm_call)(nested, &i);
	HARM(hm_write)(end, &sum, sizeof(sum));
	syscall(SYS_exit, 0);
}

/* seccomp comes into force inside a call, which is timed already. */
static int confine(void *arg)
{
	confined(*(int *)arg);
	return 0;
}

int main(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		int ends[2], status, sum = 0, pid;

		harm_check(!pipe(ends), "pipe");
		pid = fork();
		if (!pid && i % 2)
			confined(ends[1]);
		if (!pid)
			HARM(hm_call)(confine, &ends[1]);
		harm_check(waitpid(pid, &status, 0) == pid, "a child");
		harm_check(read(ends[0], &sum, sizeof(sum)) == sizeof(sum),
			   "a confined child's sum");
		close(ends[0]);
		close(ends[1]);
		printf("status %#x, sum %d\n", status, sum);
	}
	harm_report();
	return 0;
}
