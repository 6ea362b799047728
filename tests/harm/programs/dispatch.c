// SPDX-License-Identifier: GPL-2.0-only
/* System calls are dispatched to the program itself, as Wine does: none comes from a tracer. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harm.h"

enum {
	DISPATCH = 59,
	ON = 1,
	ALLOW = 0,
	BLOCK = 1
}; /* PR_SET_SYSCALL_USER_DISPATCH and its values */

static volatile char selector = ALLOW;
static volatile int dispatched, unexpected;

static void on_system_call(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	selector = ALLOW;
	if (info->si_syscall == SYS_getppid)
		dispatched++;
	else
		unexpected++;
}

static int nested(void *arg)
{
	return HARM(hm_plain)(*(int *)arg) + HARM(hm_nop5)(1);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO };
	int i, sum = 0;

	sigaction(SIGSYS, &action, NULL);
	if (prctl(DISPATCH, ON, 0, 0, &selector))
		return harm_skip("this kernel has no dispatch of system calls to the user");
	for (i = 0; i < 100; i++) {
		selector = BLOCK;
		sum += HARM(hm_call)(nested, &i);
		syscall(SYS_getppid);
	}
	printf("sum %d, dispatched %d, unexpected %d\n", sum, dispatched, unexpected);
	harm_report();
	return 0;
}
