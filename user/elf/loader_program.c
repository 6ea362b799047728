// SPDX-License-Identifier: GPL-2.0-only
/* From the name of a command to the ELF file that runs it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "elf/loader.h"
#include "host/files.h"

#define DEFAULT_PATH "/bin:/usr/bin"
#define FIRST_LINE   256 /* as much of a script as the kernel looks at */
#define SCRIPTS_MAX  5	 /* interpreters that are scripts themselves */

/* 0: can be executed; -EACCES: is there but cannot; -ENOENT. */
static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == EACCES ? -EACCES : -ENOENT;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : -EACCES;
}

/* Looks through the directories of a PATH; an empty one is the current directory. */
static int search(char *path, size_t room, const char *name, const char *search_path)
{
	int best = -ENOENT;

	for (;;) {
		size_t n = strcspn(search_path, ":");

		if (files__path(path, room, "%.*s%s%s", (int)n, search_path, n ? "/" : "./",
				name) == 0) {
			int err = check_executable(path);

			if (err == 0)
				return 0;
			if (err == -EACCES)
				best = -EACCES;
		}
		if (!search_path[n])
			return best;
		search_path += n + 1;
	}
}

int loader__find_program(const char *name, const char *search_path, char **out, struct error *err)
{
	char path[PATH_MAX];
	int ret;

	if (strchr(name, '/')) {
		ret = files__path(path, sizeof(path), "%s", name);
		if (!ret)
			ret = check_executable(path);
	} else if (*name) {
		ret = search(path, sizeof(path), name, search_path ? search_path : DEFAULT_PATH);
	} else {
		ret = -ENOENT;
	}
	if (ret == -EACCES)
		return error__set(err, ret, "%s: permission denied: not an executable file", name);
	if (ret)
		return error__set(err, ret, "%s: command not found%s", name,
				  strchr(name, '/') ? "" : " in PATH; give its path");
	*out = strdup(path);
	return *out ? 0 : error__set(err, -ENOMEM, "%s: out of memory", name);
}

/* The next word of a script's first line, ended in place; NULL at its end. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t");
	size_t n = strcspn(word, " \t");

	if (n == 0)
		return NULL;
	*line = word + n + (word[n] != '\0');
	word[n] = '\0';
	return word;
}

/* The first line of a script without its #!, or an empty string when it is none. */
static int read_first_line(const char *path, char line[FIRST_LINE + 1])
{
	ssize_t n;
	int fd;

	line[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	n = read(fd, line, FIRST_LINE);
	close(fd);
	if (n < 2 || line[0] != '#' || line[1] != '!')
		n = 2;
	line[n] = '\0';
	memmove(line, line + 2, (size_t)n - 1);
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

/* What env would run: its first argument that is neither an option nor NAME=VALUE. */
static char *env_command(char *interpreter, char **line)
{
	char *word;

	if (strcmp(path__base_name(interpreter), "env") != 0)
		return NULL;
	do {
		word = next_word(line);
	} while (word && (word[0] == '-' || strchr(word, '=')));
	return word;
}

/* One step from a script to its interpreter in next (free()); NULL there: it is no script. */
static int step(const char *program, const char *search_path, char **next, struct error *err)
{
	char line[FIRST_LINE + 1], *rest = line, *interpreter, *command;
	int ret;

	*next = NULL;
	ret = check_executable(program);
	if (!ret)
		ret = read_first_line(program, line);
	if (ret)
		return error__set(err, ret, "%s: %s", program, strerror(-ret));
	interpreter = next_word(&rest);
	if (!interpreter)
		return 0;
	command = env_command(interpreter, &rest);
	if (command && loader__find_program(command, search_path, next, NULL) == 0)
		return 0;
	ret = loader__find_program(interpreter, search_path, next, err);
	return ret ? error__prefix(err, "%s: its interpreter", program) : 0;
}

int loader__find_interpreter(const char *program, const char *search_path, char **out,
			     struct error *err)
{
	char *at = strdup(program), *next;

	for (int i = 0; at && i < SCRIPTS_MAX; i++) {
		int ret = step(at, search_path, &next, err);
		if (!ret && !next) {
			*out = at;
			return 0;
		}
		free(at);
		at = next;
		if (ret)
			return ret;
	}
	if (!at)
		return error__set(err, -ENOMEM, "%s: out of memory", program);
	free(at);
	return error__set(err, -ELOOP, "%s: too many scripts that interpret scripts", program);
}
