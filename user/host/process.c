// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/identity.h"
#include "base/path.h"
#include "host/files.h"
#include "host/mapping.h"
#include "host/process.h"

#define STATUS_MAX 65536
#define KTHREAD	   0x00200000UL /* PF_KTHREAD in the flags of /proc/PID/stat */
#define WAY_OUT	   "run as root, or with CAP_SYS_PTRACE and CAP_CHECKPOINT_RESTORE"

static int read_of(pid_t pid, const char *file, char **text)
{
	char path[PATH_MAX];
	int err;

	if (pid <= 0)
		return -ESRCH;
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	err = files__read(path, STATUS_MAX, text, NULL);
	return err == -ENOENT ? -ESRCH : err;
}

enum process_state process__state(pid_t pid)
{
	enum process_state state = PROCESS_LIVE;
	unsigned long flags = 0;
	long threads = 0;
	char *text, *end, letter = 'X';

	if (read_of(pid, "stat", &text) < 0)
		return PROCESS_GONE;
	end = strrchr(text, ')'); /* the name before it can hold anything */
	/* Fields 3, 9 and 20: state, flags, threads. */
	if (!end ||
	    sscanf(end + 1,
		   " %c %*d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
		   "%ld",
		   &letter, &flags, &threads) != 3 ||
	    letter == 'X' || (letter == 'Z' && threads <= 1))
		state = PROCESS_GONE;
	else if (flags & KTHREAD)
		state = PROCESS_KERNEL;
	free(text);
	return state;
}

pid_t process__tgid(pid_t tid)
{
	char *text, *line;
	int err, tgid = -ESRCH;

	err = read_of(tid, "status", &text);
	if (err)
		return err;
	line = strstr(text, "\nTgid:");
	if (line)
		tgid = (int)strtol(line + sizeof("\nTgid:") - 1, NULL, 10);
	free(text);
	return tgid;
}

/* Which file systems go by is the last of four. */
static bool last_id(const char *text, const char *heading, unsigned int *id)
{
	const char *line = strstr(text, heading);

	return line && sscanf(line + strlen(heading), " %*u %*u %*u %u", id) == 1;
}

int process__user(pid_t pid, uid_t *user)
{
	const char *line;
	char *text;
	int ret = read_of(pid, "status", &text);

	if (ret < 0)
		return -ESRCH;
	line = strstr(text, "\nUid:");
	ret = line && sscanf(line, "\nUid: %u", user) == 1 ? 0 : -ESRCH;
	free(text);
	return ret;
}

/* The numbers behind "Groups:". */
static size_t read_groups(const char *text, gid_t *groups, size_t room)
{
	const char *at = strstr(text, "\nGroups:");
	char *next;
	size_t n = 0, end;

	for (at = at ? at + strlen("\nGroups:") : "\n"; n < room; at = next) {
		end = strspn(at, " \t");
		if (at[end] < '0' || at[end] > '9')
			break;
		groups[n++] = (gid_t)strtoul(at + end, &next, 10);
	}
	return n;
}

#define GROUPS_MAX 1024 /* more than NFS servers ask for */

int process__enter_owner(pid_t pid)
{
	gid_t groups[GROUPS_MAX];
	unsigned int uid, gid;
	size_t n = 0;
	char *text;
	int ret = read_of(pid, "status", &text);

	if (ret < 0)
		return ret;
	if (last_id(text, "\nUid:", &uid) && last_id(text, "\nGid:", &gid))
		n = read_groups(text, groups, GROUPS_MAX);
	else
		ret = -ESRCH;
	free(text);
	if (ret < 0)
		return ret;
	return uid == 0 || uid == geteuid() ? -EALREADY
					    : identity__enter_numbers(uid, gid, groups, n, NULL);
}

bool process__runs(pid_t pid, const char *path)
{
	char link[64], program[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, program, sizeof(program) - 1);
	if (n < 0)
		return false;
	program[n] = '\0';
	mapping__strip_deleted(program);
	return !strcmp(path__base_name(program), path__base_name(path));
}

char *process__cgroup(pid_t pid, int hierarchy)
{
	char *text, *rest = NULL, *path, *found = NULL;

	if (read_of(pid, "cgroup", &text) < 0)
		return NULL;
	/* HIERARCHY:CONTROLLERS:PATH */
	for (char *line = strtok_r(text, "\n", &rest); line && !found;
	     line = strtok_r(NULL, "\n", &rest)) {
		path = strchr(line, ':');
		path = path ? strchr(path + 1, ':') : NULL;
		if (path && strtol(line, NULL, 10) == hierarchy)
			found = strdup(path + 1);
	}
	free(text);
	return found;
}

bool process__in_cgroup(pid_t pid, int hierarchy, const char *name)
{
	size_t length = strcmp(name, "/") ? strlen(name) : 0;
	char *path = process__cgroup(pid, hierarchy);
	bool inside =
		!path || (!strncmp(path, name, length) && (!path[length] || path[length] == '/'));

	free(path);
	return inside;
}

int process__comm(pid_t pid, char comm[PROCESS_COMM_LEN])
{
	char *text;
	int err;

	err = read_of(pid, "comm", &text);
	if (err)
		return err;
	text[strcspn(text, "\n")] = '\0';
	snprintf(comm, PROCESS_COMM_LEN, "%s", text);
	free(text);
	return 0;
}

/*
 * Is that path the file that is mapped? Where the mapping's own link can be followed it decides:
 * btrfs and overlayfs show other device numbers in maps than in stat.
 */
static bool same_file(const char *path, const struct process_mapping *mapping,
		      const struct stat *mapped)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (mapped)
		return st.st_ino == mapped->st_ino && st.st_dev == mapped->st_dev;
	return st.st_ino == mapping->ino;
}

static int cannot_open(pid_t pid, const struct process_mapping *mapping, int code,
		       struct error *err)
{
	if (process__state(pid) == PROCESS_GONE)
		return error__set(err, -ESRCH, "process %d: gone", pid);
	/* What only root may do is refused with EPERM. */
	if (code == -EACCES && geteuid() == 0)
		return error__set(err, code,
				  "%s, mapped by process %d: not even root may open it, its file "
				  "system lets in its own user alone (FUSE, NFS with root_squash); "
				  "--pid %d, or the command itself, is traced as that user",
				  mapping->path, pid, pid);
	if (code == -EPERM || code == -EACCES)
		return error__set(err, code, "%s, mapped by process %d: not allowed to open; %s",
				  mapping->path, pid, WAY_OUT);
	return error__set(err, code, "%s, mapped by process %d: %s", mapping->path, pid,
			  code == -ENOENT ? "not mapped any more" : strerror(-code));
}

int process__find_path(pid_t pid, const struct process_mapping *mapping, char *out, size_t room,
		       struct error *err)
{
	struct stat st, *mapped;
	char link[64];
	int code;

	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", pid, mapping->start,
		 mapping->end);
	mapped = stat(link, &st) == 0 ? &st : NULL;
	code = mapped ? 0 : -errno;
	if (!mapping->deleted) {
		if (files__path(out, room, "%s", mapping->path) == 0 &&
		    same_file(out, mapping, mapped))
			return 0;
		if (files__path(out, room, "/proc/%d/root%s", pid, mapping->path) == 0 &&
		    same_file(out, mapping, mapped))
			return 0;
	}
	if (code)
		return cannot_open(pid, mapping, code, err);
	code = files__path(out, room, "%s", link);
	return code ? error__set(err, code, "%s: the path is too long", link) : 0;
}
