/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running processes: what they map, and how to open those very files although a process may live
 * in another mount namespace or its files may have been replaced. Processes come and go while they
 * are looked at: -ESRCH is an ordinary answer everywhere here.
 */
#ifndef USER_HOST_PROCESS_H
#define USER_HOST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/error.h"

#define PROCESS_COMM_LEN 16

enum process_state {
	PROCESS_GONE,	/* there is none, or it has only not been waited for */
	PROCESS_LIVE,	/* at least one of its threads runs */
	PROCESS_KERNEL, /* a kernel thread: maps nothing */
};

enum process_state process__state(pid_t pid);
/* The process of a thread, from any thread id; or -ESRCH, -EACCES. */
pid_t process__tgid(pid_t tid);
/* Who runs it, whoever it acts as. 0, or -ESRCH. */
int process__user(pid_t pid, uid_t *user);

/* Is that the name (its last part) of the program that the process runs? */
bool process__runs(pid_t pid, const char *path);
/*
 * The path of a process's cgroup in a hierarchy: its number as in /proc/PID/cgroup, 0 for
 * version 2. To be freed; NULL: it is gone, or in none.
 */
char *process__cgroup(pid_t pid, int hierarchy);
/* Is a process in the cgroup of that path, or below it? True where it cannot be told. */
bool process__in_cgroup(pid_t pid, int hierarchy, const char *name);
/*
 * The calling thread becomes the user of a process: as identity__enter_numbers(), until
 * identity__leave(). Errors: -ESRCH: it is gone; -EPERM; -EALREADY: we are that user, or it is
 * root's.
 */
int process__enter_owner(pid_t pid);
/* The name as in ps; 0, or -ESRCH. */
int process__comm(pid_t pid, char comm[PROCESS_COMM_LEN]);

struct process_maps;

/* A file that is mapped executable. */
struct process_mapping {
	__u64 start; /* addresses in the process */
	__u64 end;
	__u64 offset; /* in the file, of start */
	unsigned int major;
	unsigned int minor;
	__u64 ino;
	bool deleted;	  /* or replaced */
	const char *path; /* as the process sees it, without " (deleted)" */
};

/*
 * Reads the mappings of a process, one entry for each file, of its first such mapping; or all
 * of them. *out is the caller's to free. A kernel thread has none. Errors:
 * -ESRCH: it is gone; -EACCES, -EPERM: not allowed, and err says the way out; -ENOMEM.
 */
int process_maps__read(struct process_maps **out, pid_t pid, struct error *err);
int process_maps__read_all(struct process_maps **out, pid_t pid, struct error *err);
void process_maps__free(struct process_maps *maps); /* NULL is fine */
size_t process_maps__n(const struct process_maps *maps);
const struct process_mapping *process_maps__at(const struct process_maps *maps, size_t i);

/*
 * A path by which this process opens the very file that is mapped: its own path where that is the
 * same file, else through /proc/PID/root, else through /proc/PID/map_files, which needs root and
 * lasts as long as the mapping. It waits for as long as the file system takes to answer: who must
 * not wait calls reach__open_path(). Errors: -ESRCH; -ENOENT: unmapped, or replaced and not allowed
 * to look; -EACCES, -EPERM; -ENAMETOOLONG.
 */
int process__find_path(pid_t pid, const struct process_mapping *mapping, char *out, size_t room,
		       struct error *err);

#endif
