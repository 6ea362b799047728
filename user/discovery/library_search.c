// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/close_all.h"
#include "discovery/library_search.h"
#include "elf/loader.h"

struct library_search {
	pid_t pid;
	int socket;
	bool is_over;
};

static bool tell(int socket, const struct library_found *found)
{
	return send(socket, found, sizeof(*found), MSG_NOSIGNAL) == (ssize_t)sizeof(*found);
}

static void tell_all(int socket, const struct libraries *list)
{
	static struct library_found found;
	bool goes_on = true;

	for (size_t i = 0; goes_on && i < libraries__n(list); i++) {
		const struct library *library = libraries__at(list, i);

		found = (struct library_found){ .device = library->dev };
		snprintf(found.path, sizeof(found.path), "%s", library->path);
		snprintf(found.name, sizeof(found.name), "%s", library->name);
		snprintf(found.soname, sizeof(found.soname), "%s", library->soname ?: "");
		goes_on = tell(socket, &found);
	}
	for (size_t i = 0; goes_on && i < libraries__n_notes(list); i++) {
		found = (struct library_found){ 0 };
		snprintf(found.note, sizeof(found.note), "%s", libraries__note(list, i));
		goes_on = tell(socket, &found);
	}
}

static void __attribute__((noreturn))
search_on(int socket, const char *const *patterns, size_t n_patterns)
{
	struct loader_env env = { .library_path = getenv("LD_LIBRARY_PATH") };
	struct library_found failed = { 0 };
	struct libraries *list = NULL;
	struct loader *loader;
	struct error err;

	prctl(PR_SET_NAME, "tmtrace-search");
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	close_others(&socket, 1);
	if (loader__new(&loader, &env, &err) == 0 &&
	    loader__match(loader, NULL, patterns, n_patterns, &list, &err) == 0) {
		tell_all(socket, list);
	} else {
		snprintf(failed.note, sizeof(failed.note), "%s", err.text);
		tell(socket, &failed);
	}
	_exit(0);
}

int library_search__start(struct library_search **out, const char *const *patterns, size_t n,
			  struct error *err)
{
	struct library_search *search = calloc(1, sizeof(*search));
	int pair[2];

	if (!search || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		free(search);
		return error__set(err, -ENOMEM, "libraries cannot be looked for: no memory");
	}
	search->socket = pair[0];
	search->pid = fork();
	if (!search->pid)
		search_on(pair[1], patterns, n);
	close(pair[1]);
	*out = search;
	if (search->pid > 0)
		return 0;
	close(pair[0]);
	free(search);
	return error__set(err, -EAGAIN, "libraries cannot be looked for: no process can be made");
}

void library_search__close(struct library_search *search)
{
	if (!search)
		return;
	close(search->socket);
	/* One that waits for a file system is waited for by nobody. */
	if (!search->is_over)
		kill(search->pid, SIGKILL);
	waitpid(search->pid, NULL, search->is_over ? 0 : WNOHANG);
	free(search);
}

bool library_search__next(struct library_search *search, int ms, struct library_found *out)
{
	struct pollfd wait = { .fd = search->socket, .events = POLLIN };

	if (search->is_over || poll(&wait, 1, ms) <= 0)
		return false;
	if (recv(search->socket, out, sizeof(*out), MSG_DONTWAIT) == (ssize_t)sizeof(*out))
		return true;
	search->is_over = true;
	return false;
}

bool library_search__is_over(const struct library_search *search)
{
	return search->is_over;
}
