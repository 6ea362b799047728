// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/files.h"
#include "job/cgroup_usage.h"

#define FILE_MAX   4096
#define NS_PER_US  1000
#define WHOLE_FILE ""

/* The number behind a word at a line's begin; WHOLE_FILE: the file is but a number. Is it there? */
static bool take_word(const char *text, const char *word, __u64 factor, __u64 *out)
{
	size_t length = strlen(word);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		char *end;
		__u64 value;

		line += *line == '\n';
		if (strncmp(line, word, length) != 0 || (length && line[length] != ' '))
			continue;
		errno = 0;
		value = strtoull(line + length, &end, 10);
		if (errno || end == line + length)
			return false;
		*out = value * factor;
		return true;
	}
	return false;
}

/* The text of a small file, NUL-terminated. Is it there? */
static bool read_file(int directory, const char *name, char text[FILE_MAX])
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, FILE_MAX - 1);
	close(fd);
	if (n > 0)
		text[n] = '\0';
	return n > 0;
}

static void take_number(int directory, const char *name, __u64 *out)
{
	char text[FILE_MAX];

	if (read_file(directory, name, text))
		take_word(text, WHOLE_FILE, 1, out);
}

/* Version 2. Is it of that one? */
static bool read_unified(int directory, struct job_usage *usage)
{
	char text[FILE_MAX];

	if (!read_file(directory, "cpu.stat", text) ||
	    !take_word(text, "usage_usec", NS_PER_US, &usage->cpu_ns))
		return false;
	take_word(text, "user_usec", NS_PER_US, &usage->user_ns);
	take_word(text, "system_usec", NS_PER_US, &usage->system_ns);
	take_number(directory, "memory.peak", &usage->memory_peak_bytes);
	return true;
}

/* Version 1, where the jobs are of these controllers. */
static void read_controllers(int directory, struct job_usage *usage)
{
	take_number(directory, "cpuacct.usage", &usage->cpu_ns);
	take_number(directory, "cpuacct.usage_user", &usage->user_ns);
	take_number(directory, "cpuacct.usage_sys", &usage->system_ns);
	take_number(directory, "memory.max_usage_in_bytes", &usage->memory_peak_bytes);
}

void cgroup_usage__read(const char *mount, const char *path, struct job_usage *usage)
{
	char text[PATH_MAX];
	int directory;

	if (files__path(text, sizeof(text), "%s%s", mount, path) < 0)
		return;
	directory = open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return;
	if (!read_unified(directory, usage))
		read_controllers(directory, usage);
	close(directory);
}
