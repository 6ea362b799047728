// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/files.h"

/* Reads on until the end or until there are more than limit bytes. */
static int read_all(int fd, size_t limit, char **text, size_t *n)
{
	size_t room = 4096;

	for (;;) {
		ssize_t got;

		if (*n + 1 >= room || !*text) {
			char *more = realloc(*text, room *= 2);

			if (!more)
				return -ENOMEM;
			*text = more;
		}
		got = read(fd, *text + *n, room - *n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		*n += (size_t)got;
		if (*n > limit)
			return -EFBIG;
	}
	(*text)[*n] = '\0';
	return 0;
}

int files__read(const char *path, size_t limit, char **text, size_t *n)
{
	char *read_text = NULL;
	size_t length = 0;
	int fd, err;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	err = read_all(fd, limit, &read_text, &length);
	close(fd);
	if (err) {
		free(read_text);
		return err;
	}
	*text = read_text;
	if (n)
		*n = length;
	return 0;
}

int files__path(char *out, size_t room, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(out, room, format, args);
	va_end(args);
	return n < 0 || (size_t)n >= room ? -ENAMETOOLONG : 0;
}

static int octal(const char *digits)
{
	int value = 0;

	for (int i = 0; i < 3; i++) {
		if (digits[i] < '0' || digits[i] > '7')
			return -1;
		value = value * 8 + (digits[i] - '0');
	}
	return value;
}

void files__unescape(char *text, const char *which)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		int c = *from == '\\' ? octal(from + 1) : -1;

		if (c > 0 && c < 128 && strchr(which, c)) {
			*to++ = (char)c;
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}
