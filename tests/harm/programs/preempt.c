// SPDX-License-Identifier: GPL-2.0-only
/* Two user threads on stacks inside the main stack, switched by SIGALRM in the middle of calls. */
#include <alloca.h>
#include <signal.h>
#include <sys/time.h>

#include "harm.h"
#include "switch.h"

enum { STACK = 200 << 10, CALLS = 3000 };

static void *at[2], *main_at;
static volatile int now = -1;
static volatile long done[2];

static void on_tick(int number)
{
	int old = now;

	(void)number;
	if (old < 0)
		return;
	now = !old;
	switch_to(&at[old], at[!old]);
}

static void body(void)
{
	sigset_t none;
	void *lost;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (;;) {
		int me = now;

		HARM(hm_plain)(me);
		done[me == 1]++;
		if (done[0] + done[1] >= CALLS) {
			now = -1;
			switch_to(&lost, main_at);
		}
	}
}

int main(void)
{
	char *room = alloca(2 * STACK + 4096);
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_NODEFER | SA_RESTART };
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };

	at[0] = new_stack(room, STACK, body);
	at[1] = new_stack(room + STACK, STACK, body);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	now = 0;
	switch_to(&main_at, at[0]);
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("done\n");
	harm_report();
	return 0;
}
