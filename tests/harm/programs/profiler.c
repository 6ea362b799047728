// SPDX-License-Identifier: GPL-2.0-only
/* A profiler in the program: a timer's handler unwinds the stack, wherever it is, up to main. */
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "harm.h"

enum { MOST = 64, OUTER = 3 };

static void *outermost[OUTER]; /* the frames of main and of what calls it */
static volatile int samples, complete;

static void on_tick(int number)
{
	void *frames[MOST];
	int n = backtrace(frames, MOST);

	(void)number;
	samples++;
	complete += n > OUTER &&
		    !memcmp(frames + n - OUTER + 1, outermost + 1, (OUTER - 1) * sizeof(*frames));
}

static int plain(void *arg)
{
	return HARM(hm_plain)(*(int *)arg) + HARM(hm_redzone)(1) + HARM(hm_dispatch)(1);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 500 }, { 0, 500 } };
	void *frames[MOST];
	int n = backtrace(frames, MOST), i;

	harm_check(n >= OUTER, "few frames");
	memcpy(outermost, frames + n - OUTER, sizeof(outermost));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < 5000 || samples < 20; i++)
		HARM(hm_call)(plain, &i);
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("%s\n", complete == samples ? "all samples reach main" : "samples end too early");
	harm_report();
	return 0;
}
