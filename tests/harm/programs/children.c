// SPDX-License-Identifier: GPL-2.0-only
/* Children are made inside calls, in every way, and come back through them or end there. */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harm.h"

enum { ROUNDS = 10, STACK = 64 << 10 };

static char child_stack[STACK] __attribute__((aligned(16)));
static int parent;

/* The child returns from the call, too, and ends in forked(). */
static int fork_inside(void *arg)
{
	*(int *)arg = fork();
	return 1;
}

static int forked(void)
{
	int pid, status, sum = HARM(hm_call)(fork_inside, &pid);

	sum += HARM(hm_plain)(1);
	if (!pid)
		_exit(sum);
	harm_check(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a forked child");
	return sum + WEXITSTATUS(status);
}

/* The child uses the parent's stack, and ends by a raw exit, in a further call. */
static int leave(void *arg)
{
	return syscall(SYS_exit_group, *(int *)arg);
}

static int vfork_inside(void *arg)
{
	static int three = 3;
	int status, pid = vfork();

	(void)arg;
	if (!pid) {
		HARM(hm_plain)(1);
		HARM(hm_call)(leave, &three);
		_exit(99);
	}
	harm_check(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a vforked child");
	return WEXITSTATUS(status);
}

/* A child with a stack of its own in the memory of both. */
static int child_of_clone(void *arg)
{
	(void)arg;
	return HARM(hm_plain)(5);
}

static int clone_inside(void *arg)
{
	int status, pid = clone(child_of_clone, child_stack + STACK, CLONE_VM | SIGCHLD, NULL);

	(void)arg;
	HARM(hm_plain)(2);
	harm_check(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a cloned child");
	return WEXITSTATUS(status);
}

/* The parent goes on beside it, on the same stack as the child: it is a copy. */
static int killed_inside(void *arg)
{
	int status, pid = fork();

	(void)arg;
	if (!pid) {
		for (;;)
			pause();
	}
	kill(pid, SIGKILL);
	harm_check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "a killed child");
	return WTERMSIG(status);
}

int main(void)
{
	int i, sum = 0;

	parent = getpid();
	for (i = 0; i < ROUNDS; i++) {
		sum += forked();
		sum += HARM(hm_call)(vfork_inside, NULL);
		sum += HARM(hm_call)(clone_inside, NULL);
		sum += HARM(hm_call)(killed_inside, NULL);
	}
	harm_check(getpid() == parent, "a child came back");
	printf("sum %d\n", sum);
	harm_report();
	return 0;
}
