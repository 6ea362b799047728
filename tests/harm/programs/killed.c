// SPDX-License-Identifier: GPL-2.0-only
/* Processes whose threads are in calls are killed; so are they by exec, and by a raw exit. */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harm.h"

enum { THREADS = 4 };

static int *inside; /* shared by parent and child */

static int block(void *arg)
{
	(void)arg;
	__atomic_add_fetch(inside, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	return 0;
}

static void *run(void *arg)
{
	HARM(hm_call)(block, arg);
	return NULL;
}

static void begin_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		harm_check(!pthread_create(&thread, NULL, run, NULL), "a thread");
	while (__atomic_load_n(inside, __ATOMIC_SEQ_CST) < THREADS)
		usleep(100);
}

static int become_true(void *arg)
{
	(void)arg;
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}

static int leave(void *arg)
{
	(void)arg;
	return syscall(SYS_exit_group, 5);
}

static void in_child(int how)
{
	begin_threads();
	if (how == 0)
		for (;;)
			pause();
	HARM(hm_call)(how == 1 ? become_true : leave, NULL);
	_exit(99);
}

int main(void)
{
	int how, status;

	inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (how = 0; how < 3; how++) {
		int pid;

		__atomic_store_n(inside, 0, __ATOMIC_SEQ_CST);
		pid = fork();
		if (!pid)
			in_child(how);
		while (__atomic_load_n(inside, __ATOMIC_SEQ_CST) < THREADS)
			usleep(100);
		if (how == 0)
			kill(pid, SIGKILL);
		harm_check(waitpid(pid, &status, 0) == pid, "a child");
		printf("status %#x\n", status);
	}
	harm_report();
	return 0;
}
