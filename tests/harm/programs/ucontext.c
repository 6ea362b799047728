// SPDX-License-Identifier: GPL-2.0-only
/* swapcontext in the middle of calls; the stacks are a static array. */
#include <ucontext.h>

#include "harm.h"

enum { N = 4, ROUNDS = 100 };

static ucontext_t main_context, contexts[N];
static char stacks[N][64 << 10];
static int current, sum;

static int yield(void *arg)
{
	(void)arg;
	swapcontext(&contexts[current], &main_context);
	return current;
}

static void body(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		sum += HARM(hm_call)(yield, NULL);
}

int main(void)
{
	int i, k;

	for (k = 0; k < N; k++) {
		getcontext(&contexts[k]);
		contexts[k].uc_stack.ss_sp = stacks[k];
		contexts[k].uc_stack.ss_size = sizeof(stacks[k]);
		contexts[k].uc_link = &main_context;
		makecontext(&contexts[k], body, 0);
	}
	for (i = 0; i <= ROUNDS; i++) {
		for (k = 0; k < N; k++) {
			current = k;
			swapcontext(&main_context, &contexts[k]);
		}
	}
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
