// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/cgroup_usage.h"
#include "target/files.h"

#define FILE_MAX   4096
#define NS_PER_US  1000
#define WHOLE_FILE ""

struct directory {
	const char *mount, *path;
};

/* The number behind a word at a line's begin; WHOLE_FILE: the file is but a number. */
static void take(const char *text, const char *word, __u64 factor, __u64 *out)
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
		if (!errno && end != line + length)
			*out = value * factor;
		return;
	}
}

/* NULL: it is not there. To be freed. */
static char *read_file(const struct directory *directory, const char *name)
{
	char path[PATH_MAX], *text;

	if (files__path(path, sizeof(path), "%s%s/%s", directory->mount, directory->path, name) < 0)
		return NULL;
	return files__read(path, FILE_MAX, &text, NULL) < 0 ? NULL : text;
}

static void take_number(const struct directory *directory, const char *name, __u64 *out)
{
	char *text = read_file(directory, name);

	if (text)
		take(text, WHOLE_FILE, 1, out);
	free(text);
}

void cgroup_usage__read(const char *mount, const char *path, struct job_usage *usage)
{
	const struct directory directory = { mount, path };
	char *text = read_file(&directory, "cpu.stat");

	if (text) {
		take(text, "usage_usec", NS_PER_US, &usage->cpu_ns);
		take(text, "user_usec", NS_PER_US, &usage->user_ns);
		take(text, "system_usec", NS_PER_US, &usage->system_ns);
	}
	free(text);
	take_number(&directory, "memory.peak", &usage->memory_peak_bytes);
	/* Version 1, where the jobs are of these controllers. */
	take_number(&directory, "cpuacct.usage", &usage->cpu_ns);
	take_number(&directory, "cpuacct.usage_user", &usage->user_ns);
	take_number(&directory, "cpuacct.usage_sys", &usage->system_ns);
	take_number(&directory, "memory.max_usage_in_bytes", &usage->memory_peak_bytes);
}
