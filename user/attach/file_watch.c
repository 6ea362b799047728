// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "attach/file_watch.h"
#include "base/path.h"

struct file_watcher {
	int signals; /* of leases */
	int marks;   /* inotify */
};

int file_watcher__new(struct file_watcher **out)
{
	struct file_watcher *watcher = calloc(1, sizeof(*watcher));
	sigset_t signals;

	if (!watcher)
		return -ENOMEM;
	sigemptyset(&signals);
	sigaddset(&signals, SIGIO);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	watcher->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	watcher->marks = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	*out = watcher;
	return 0;
}

void file_watcher__free(struct file_watcher *watcher)
{
	if (!watcher)
		return;
	if (watcher->signals >= 0)
		close(watcher->signals);
	if (watcher->marks >= 0)
		close(watcher->marks);
	free(watcher);
}

void file_watcher__fds(const struct file_watcher *watcher, int fds[FILE_WATCHER_FDS])
{
	fds[0] = watcher->signals;
	fds[1] = watcher->marks;
}

int file_watcher__marks(const struct file_watcher *watcher)
{
	return watcher->marks;
}

/* -1: somebody has it open for writing, it is another user's (CAP_LEASE), or it knows no leases. */
static int new_lease(const struct file_watcher *watcher, int fd)
{
	int lease = watcher->signals < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (lease >= 0 && fcntl(lease, F_SETLEASE, F_RDLCK) < 0) {
		close(lease);
		lease = -1;
	}
	return lease;
}

struct file_watch file_watcher__add(const struct file_watcher *watcher, int fd)
{
	struct file_watch watch = { .lease = new_lease(watcher, fd), .mark = -1 };
	char path[PATH_OF_FD];

	if (watch.lease < 0)
		watch.mark = inotify_add_watch(watcher->marks, path__of_fd(path, fd), IN_MODIFY);
	return watch;
}

int file_watch__take_lease(struct file_watch *watch)
{
	int lease = watch->lease;

	watch->lease = -1;
	return lease;
}

void file_watcher__remove(const struct file_watcher *watcher, struct file_watch *watch)
{
	if (watch->lease >= 0) {
		/* Others may have the same open file: closing it is not enough. */
		fcntl(watch->lease, F_SETLEASE, F_UNLCK);
		close(watch->lease);
	}
	if (watch->mark >= 0)
		inotify_rm_watch(watcher->marks, watch->mark);
	*watch = FILE_WATCH_NONE;
}

bool file_watch__is_set(const struct file_watch *watch)
{
	return watch->lease >= 0 || watch->mark >= 0;
}

bool file_watch__is_wanted(const struct file_watch *watch)
{
	return watch->lease >= 0 && fcntl(watch->lease, F_GETLEASE) != F_RDLCK;
}

bool file_watcher__asked(const struct file_watcher *watcher)
{
	struct signalfd_siginfo info;
	bool asked = false;

	while (read(watcher->signals, &info, sizeof(info)) == sizeof(info))
		asked = true;
	return asked;
}

void file_watcher__read(const struct file_watcher *watcher, void (*written)(void *ctx, int mark),
			void *ctx)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(watcher->marks, buffer, sizeof(buffer))) > 0) {
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *event = (const void *)at;

			at += sizeof(*event) + event->len;
			if (event->mask & IN_MODIFY)
				written(ctx, event->wd);
		}
	}
}
