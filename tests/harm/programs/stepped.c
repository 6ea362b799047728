// SPDX-License-Identifier: GPL-2.0-only
/* A tracer steps a child through calls, instruction by instruction, and stops it at system calls.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "harm.h"

static int nested(void *arg)
{
	return HARM(hm_plain)(*(int *)arg) + HARM(hm_nop5)(1) + HARM(hm_redzone)(2);
}

static int child(void)
{
	int i, sum = 0;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (i = 0; i < 20; i++)
		sum += HARM(hm_call)(nested, &i);
	_exit(sum % 100);
}

/* Lets it run to its end by this request; its exit status. stops: how often it stopped. */
static int run_child(enum __ptrace_request how, int *stops)
{
	int status, number, pid = fork();

	*stops = 0;

	if (!pid)
		child();
	for (;;) {
		harm_check(waitpid(pid, &status, 0) == pid, "a traced child");
		if (!WIFSTOPPED(status))
			return status;
		++*stops;
		number = WSTOPSIG(status);
		if (number == SIGTRAP || number == SIGSTOP)
			number = 0;
		ptrace(how, pid, NULL, (void *)(long)number);
	}
}

int main(void)
{
	int stops, status = run_child(PTRACE_SINGLESTEP, &stops);

	/* Each instruction is a stop: more than there are calls. */
	printf("stepped: status %#x, %s\n", status, stops > 1000 ? "often" : "seldom");
	status = run_child(PTRACE_SYSCALL, &stops);
	printf("stopped %d times at system calls: status %#x\n", stops, status);
	harm_report();
	return 0;
}
