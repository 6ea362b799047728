// SPDX-License-Identifier: GPL-2.0-only
/* Signals come all the time, on the thread's stack, while it makes calls; handlers make calls. */
#include <signal.h>
#include <sys/time.h>

#include "harm.h"

static int plain(void *arg)
{
	(void)arg;
	return HARM(hm_plain)(1);
}

static void on_tick(int number)
{
	(void)number;
	HARM(hm_call)(plain, NULL);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };
	int i, sum = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < 3000; i++)
		sum += HARM(hm_call)(plain, NULL) + HARM(hm_redzone)(i);
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
