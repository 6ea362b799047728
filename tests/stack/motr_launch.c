// SPDX-License-Identifier: GPL-2.0-only
/* Starts and stops the server process. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "motr_client.h"

/* STACK_SERVER, or motr-server next to this library. */
static int server_path(char *path, size_t size)
{
	const char *named = getenv("STACK_SERVER");
	const char *slash;
	Dl_info info;

	if (named && *named)
		return snprintf(path, size, "%s", named) < (int)size ? 0 : -ENAMETOOLONG;
	if (!dladdr(&motr_server_start, &info) || !info.dli_fname)
		return -ENOENT;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return -ENOENT;
	if (snprintf(path, size, "%.*s/motr-server", (int)(slash - info.dli_fname),
		     info.dli_fname) >= (int)size)
		return -ENAMETOOLONG;
	return 0;
}

/* The kernel chooses an abstract name, so two clients never meet. */
static int listen_anywhere(struct m0_client *c)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	c->address_length = sizeof(c->address);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&any, sizeof(any.sun_family)) || listen(fd, 64) ||
	    getsockname(fd, (struct sockaddr *)&c->address, &c->address_length)) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	return fd;
}

static pid_t spawn(const char *path, int listener, int lifeline, const char *dir)
{
	char listener_text[16], lifeline_text[16];
	char *argv[] = { (char *)path,	"--listen", listener_text, "--lifeline",
			 lifeline_text, "--dir",    (char *)dir,   NULL };
	pid_t pid;

	snprintf(listener_text, sizeof(listener_text), "%d", listener);
	snprintf(lifeline_text, sizeof(lifeline_text), "%d", lifeline);
	pid = fork();
	if (pid)
		return pid;
	fcntl(listener, F_SETFD, 0);
	fcntl(lifeline, F_SETFD, 0);
	execv(path, argv);
	_exit(127);
}

int motr_server_start(struct m0_client *c, const char *dir)
{
	char path[4096];
	int ends[2];
	int rc = server_path(path, sizeof(path));
	int listener = rc ? rc : listen_anywhere(c);

	if (listener < 0)
		return listener;
	if (pipe2(ends, O_CLOEXEC)) {
		rc = -errno;
		close(listener);
		return rc;
	}
	c->server = spawn(path, listener, ends[0], dir);
	if (c->server < 0) {
		rc = -errno;
		c->server = 0;
	}
	close(listener);
	close(ends[0]);
	c->lifeline = ends[1];
	return rc;
}

void motr_server_stop(struct m0_client *c)
{
	if (c->lifeline >= 0)
		close(c->lifeline);
	if (c->server > 0)
		while (waitpid(c->server, NULL, 0) < 0 && errno == EINTR)
			;
}
