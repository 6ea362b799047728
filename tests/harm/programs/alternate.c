// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers on an alternate stack make calls while calls are open, one inside another. The stack is
 * a part of the main one, above the calls that are open. DISARM: it is one that the kernel disarms
 * meanwhile, so that the handler may switch away from it.
 */
#include <signal.h>
#include <ucontext.h>

#include "harm.h"

enum { SIZE = 64 << 10 };

static char other_room[SIZE];
static ucontext_t handler_context, other_context;
static int sum, depth;

static int raise_signal(void *arg)
{
	(void)arg;
	return raise(depth % 2 ? SIGUSR2 : SIGUSR1);
}

static void other(void)
{
	for (;;) {
		sum += HARM(hm_call)(raise_signal, NULL);
		swapcontext(&other_context, &handler_context);
	}
}

static void on_signal(int number)
{
	(void)number;
	sum += HARM(hm_plain)(0);
	if (++depth < 4)
		sum += HARM(hm_call)(raise_signal, NULL);
	depth--;
}

/* Goes on elsewhere, where signals come on this very stack again, and comes back. */
static void switch_away(int number)
{
	(void)number;
	if (depth)
		return;
	depth = 1;
	sum += HARM(hm_plain)(0);
	swapcontext(&handler_context, &other_context);
	depth = 0;
}

int main(void)
{
	char room[SIZE];
	stack_t stack = { .ss_sp = room, .ss_size = SIZE };
	struct sigaction action = { .sa_flags = SA_ONSTACK | SA_NODEFER };
	int i;

#ifdef DISARM
	stack.ss_flags = 1U << 31; /* SS_AUTODISARM */
	action.sa_handler = switch_away;
#else
	action.sa_handler = on_signal;
#endif
	(void)on_signal, (void)switch_away;
	harm_check(!sigaltstack(&stack, NULL), "sigaltstack");
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = other_room;
	other_context.uc_stack.ss_size = SIZE;
	makecontext(&other_context, other, 0);
	for (i = 0; i < 100; i++)
		sum += HARM(hm_call)(raise_signal, NULL);
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
