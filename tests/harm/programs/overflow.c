// SPDX-License-Identifier: GPL-2.0-only
/* A stack overflows inside calls; the handler, on an alternate stack, leaves all of them. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "harm.h"

enum { FRAME = 16 << 10, STACK = 512 << 10, GUARD = 1 << 20 };

static sigjmp_buf top;

static int deeper(void *arg)
{
	volatile char room[FRAME];

	room[0] = 1; /* this faults, not the call below: the frame is many times larger */
	return HARM(hm_call)(deeper, arg) + room[0];
}

static void on_fault(int number)
{
	(void)number;
	HARM(hm_plain)(0);
	siglongjmp(top, 1);
}

static void *run(void *result)
{
	static char room[64 << 10];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	volatile int i, overflows = 0;

	sigaltstack(&stack, NULL);
	for (i = 0; i < 10; i++) {
		if (!sigsetjmp(top, 1))
			HARM(hm_call)(deeper, NULL);
		else
			overflows++;
	}
	*(int *)result = overflows;
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };
	pthread_attr_t attributes;
	pthread_t thread;
	int overflows = 0;

	sigaction(SIGSEGV, &action, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK + GUARD);
	pthread_attr_setguardsize(&attributes, GUARD);
	pthread_create(&thread, &attributes, run, &overflows);
	pthread_join(thread, NULL);
	printf("%d overflows\n", overflows);
	harm_report();
	return 0;
}
