// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command, and prints on standard error, last, "NS BYTES STATUS": how long it took, and the
 * largest resident memory of it and of what it ran. Small itself, because a process counts what
 * it was before exec, too.
 *
 *   bench-time COMMAND [ARG...]
 */
#include <err.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv)
{
	long long start = now_ns();
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2)
		errx(2, "no command");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		err(1, "wait4");
	fprintf(stderr, "%lld %lld %d\n", now_ns() - start, 1024LL * usage.ru_maxrss,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
