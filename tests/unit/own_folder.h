/* SPDX-License-Identifier: GPL-2.0-only */
/* A folder of the test's own, with a, b and c in it. To be included once, after cmocka.h. */
#ifndef TESTS_UNIT_OWN_FOLDER_H
#define TESTS_UNIT_OWN_FOLDER_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/tmtrace-test.XXXXXX";

/* The path of a name in the folder; eight of them live at once. */
static inline const char *in_folder(const char *name)
{
	static char paths[8][PATH_MAX];
	static int next;

	next = (next + 1) % 8;
	snprintf(paths[next], PATH_MAX, "%s/%s", folder, name);
	return paths[next];
}

static inline void write_file(const char *name, const void *bytes, size_t n, mode_t mode)
{
	int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static inline int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (const char *const *dir = (const char *const[]){ "a", "b", "c", NULL }; *dir; dir++) {
		if (mkdir(in_folder(*dir), 0755) < 0)
			return -1;
	}
	return 0;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
