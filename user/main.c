// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_limit.h"
#include "command/commands.h"
#include "daemon/service.h"
#include "options/command_line.h"

/*
 * A closed standard stream would give its number to the next file that is opened, and records to
 * that file. What is put in its place cannot be written, and is not passed on.
 */
static void fill_standard_streams(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			exit(EXIT_RUN);
}

/* Commands with a command line of their own; all others trace, or list what would be. */
static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "dump", dump__main },		{ "export", export__main },   { "report", report__main },
	{ "selftest", selftest__main }, { "service", service__main }, { "status", status__main },
	{ "story", story__main },	{ "set", set__main },	      { "top", top__main },
};

static bool is(const char *argument, const char *command)
{
	return argument && !strcmp(argument, command);
}

static int trace(int argc, char **argv)
{
	struct options options;
	bool list = is(argv[1], "list"), record = is(argv[1], "record");
	bool named = list || record;
	int status;

	command_line__read(&options, argc - named, argv + named,
			   list	    ? COMMAND_LINE_LIST
			   : record ? COMMAND_LINE_RECORD
				    : COMMAND_LINE_TRACE);
	status = list ? list__run(&options) : trace__run(&options, argv);
	options__free(&options);
	return status;
}

int main(int argc, char **argv)
{
	fill_standard_streams();
	file_limit__raise();
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (argc > 1 && is(argv[1], commands[i].name))
			return commands[i].main(argc - 1, argv + 1);
	}
	return trace(argc, argv);
}
