// SPDX-License-Identifier: GPL-2.0-only
/* Signal handlers leave a call by setcontext, and by changing what they will return to. */
#include <signal.h>
#include <ucontext.h>

#include "harm.h"

static ucontext_t top;
static volatile int left;

static void leave_by_context(int number)
{
	(void)number;
	setcontext(&top);
}

/* As if the call, made by the register's owner, had returned 77. */
static void leave_by_registers(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number, (void)info;
	registers[REG_RIP] = *(greg_t *)registers[REG_RSP];
	registers[REG_RSP] += 8;
	registers[REG_RAX] = 77;
}

static int raise_signal(void *number)
{
	return raise(*(int *)number);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = leave_by_registers, .sa_flags = SA_SIGINFO };
	int usr1 = SIGUSR1, skipped = 0, k;
	volatile int i = 0;

	signal(SIGUSR1, leave_by_context);
	getcontext(&top);
	if (i < 50) {
		i++;
		left++;
		HARM(hm_call)(raise_signal, &usr1);
	}
	sigaction(SIGSEGV, &action, NULL);
	for (k = 0; k < 50; k++)
		skipped += HARM(hm_load)(NULL) == 77;
	printf("left %d, skipped %d\n", left, skipped);
	harm_report();
	return 0;
}
