/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches files that are not to be written to unnoticed.
 *
 * By a lease (fcntl(2), F_SETLEASE) where it can be had: who opens the file for writing, or cuts it
 * short, waits in the kernel until the lease is given back, 45 s at most
 * (/proc/sys/fs/lease-break-time). Else by inotify, which tells of it afterwards. inotify is the
 * second choice for another reason, too: while one file of a file system is watched so, the kernel
 * looks for watchers at every read and write of all its files (fsnotify_parent()), some 12 ns, 3 %
 * of a cached read.
 *
 * The kernel tells of leases by SIGIO, which stays blocked in who uses this: at its default it
 * would end the process.
 */
#ifndef USER_ATTACH_FILE_WATCH_H
#define USER_ATTACH_FILE_WATCH_H

#include <stdbool.h>

/* Of one file. */
struct file_watch {
	int lease; /* a descriptor that holds it; -1: none */
	int mark;  /* inotify's number; -1: none */
};

#define FILE_WATCH_NONE ((struct file_watch){ .lease = -1, .mark = -1 })

struct file_watcher;

/*
 * To be called before threads are started. 0 and *out (file_watcher__free()), or -ENOMEM. Without
 * one of the kernel's two means it watches by the other.
 */
int file_watcher__new(struct file_watcher **out);
/* Leases stay until they are given back. NULL is fine. */
void file_watcher__free(struct file_watcher *watcher);

#define FILE_WATCHER_FDS 2
/* Descriptors to be polled, which stay the watcher's: of leases, and of marks; -1: none. */
void file_watcher__fds(const struct file_watcher *watcher, int fds[FILE_WATCHER_FDS]);

/*
 * Watches a file that is open as fd, which stays the caller's. FILE_WATCH_NONE: it cannot be.
 */
struct file_watch file_watcher__add(const struct file_watcher *watcher, int fd);
/* The descriptor of its marks (inotify), which stays the watcher's; -1: it has none. */
int file_watcher__marks(const struct file_watcher *watcher);
/*
 * The descriptor, now the caller's, by which a lease ends once nobody has it or a copy of it open;
 * -1: there is none.
 */
int file_watch__take_lease(struct file_watch *watch);
/* Gives it back: who waits to write goes on. It is FILE_WATCH_NONE then. */
void file_watcher__remove(const struct file_watcher *watcher, struct file_watch *watch);

bool file_watch__is_set(const struct file_watch *watch);
/* Does somebody wait to write to it, or has waited too long? */
bool file_watch__is_wanted(const struct file_watch *watch);

/* Has one been asked for since the last time? file_watch__is_wanted() tells of each file. */
bool file_watcher__asked(const struct file_watcher *watcher);
/* Calls written(ctx, mark) for each mark whose file has been written to. */
void file_watcher__read(const struct file_watcher *watcher, void (*written)(void *ctx, int mark),
			void *ctx);

#endif
