// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_limit.h"
#include "command/pager.h"
#include "elf/loader.h"

/* Ends itself where all fits on the screen, shows colours, leaves the text there. */
#define LESS_OPTIONS "FRX"

static const char *program(void)
{
	const char *pager = getenv("PAGER");

	if (!pager)
		pager = "less";
	return *pager && strcmp(pager, "cat") ? pager : NULL;
}

_Noreturn static void run(const char *pager, int input)
{
	dup2(input, STDIN_FILENO);
	setenv("LESS", LESS_OPTIONS, 0);
	file_limit__restore();
	execlp("sh", "sh", "-c", pager, NULL);
	_exit(127);
}

/* Is there such a program? Else all that is written would be lost. */
static bool can_run(const char *pager)
{
	char *name = strndup(pager, strcspn(pager, " ")), *path = NULL;
	struct error ignored;
	bool found = name && !loader__find_program(name, getenv("PATH"), &path, &ignored);

	free(path);
	free(name);
	return found;
}

pid_t pager__start(void)
{
	const char *pager = isatty(STDOUT_FILENO) ? program() : NULL;
	int fds[2];
	pid_t pid;

	if (!pager || !can_run(pager) || pipe2(fds, O_CLOEXEC) < 0)
		return 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		run(pager, fds[0]);
	close(fds[0]);
	if (pid > 0 && dup2(fds[1], STDOUT_FILENO) < 0)
		pid = 0;
	close(fds[1]);
	if (pid <= 0)
		return 0;
	/* Who leaves the pager early has seen enough: no error. */
	signal(SIGPIPE, SIG_IGN);
	/* Ctrl-C is the pager's, and no reason to leave it alone with the terminal. */
	signal(SIGINT, SIG_IGN);
	return pid;
}

int pager__end(pid_t pager, int ret)
{
	if (!pager)
		return ret;
	fflush(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	return ret == -EPIPE ? 0 : ret;
}

bool pager__colour(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!none || !*none) && term && strcmp(term, "dumb") != 0;
}
