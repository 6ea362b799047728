// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/file_limit.h"

#define FILES_MAX (1UL << 20) /* /proc/sys/fs/nr_open, as kernels come */
#define FILES_MIN 256	      /* all layers of a command on two processors have 146 open */

static struct rlimit before;
static bool is_raised;

void file_limit__raise(void)
{
	const struct rlimit most = { .rlim_cur = FILES_MAX, .rlim_max = FILES_MAX };
	struct rlimit files;

	if (is_raised || getrlimit(RLIMIT_NOFILE, &before) < 0)
		return;
	is_raised = true;
	files = before;
	files.rlim_cur = files.rlim_max;
	/* The hard limit is raised by whoever has CAP_SYS_RESOURCE; what is higher stays. */
	if (before.rlim_max >= FILES_MAX || setrlimit(RLIMIT_NOFILE, &most) < 0)
		setrlimit(RLIMIT_NOFILE, &files);
}

void file_limit__restore(void)
{
	if (is_raised)
		setrlimit(RLIMIT_NOFILE, &before);
}

int file_limit__check(struct error *err)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= FILES_MIN)
		return 0;
	return error__set(err, -EMFILE, "cannot trace: %s", file_limit__explain(-EMFILE));
}

bool file_limit__is_shortage(int code)
{
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM;
}

const char *file_limit__explain(int code)
{
	static _Thread_local char text[160];
	struct rlimit files = { 0 };

	if (code == -ENFILE)
		return "the machine has as many open files as it allows; raise the limit with "
		       "\"sysctl fs.file-max=N\"";
	if (code != -EMFILE)
		return "no memory; trace fewer layers with --layer, or raise the limit on locked "
		       "memory (ulimit -l) or that of the cgroup";
	getrlimit(RLIMIT_NOFILE, &files);
	snprintf(text, sizeof(text),
		 "too many open files: this process may have %llu; raise the limit with "
		 "\"ulimit -n 1024\"",
		 (unsigned long long)files.rlim_cur);
	return text;
}
