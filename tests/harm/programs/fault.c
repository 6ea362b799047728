// SPDX-License-Identifier: GPL-2.0-only
/* The first instruction of a function faults, and the handler jumps away. */
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include "harm.h"

static sigjmp_buf top;
static volatile int at_begin;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	at_begin += ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] == (greg_t)hm_load &&
		    !info->si_addr;
	siglongjmp(top, 1);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	volatile int i, sum = 0;
	int three = 3;

	sigaction(SIGSEGV, &action, NULL);
	for (i = 0; i < 100; i++) {
		if (!sigsetjmp(top, 1))
			sum += HARM(hm_load)(i % 2 ? &three : NULL);
	}
	printf("%d faults at the function's begin, sum %d\n", at_begin, sum);
	harm_report();
	return 0;
}
