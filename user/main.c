// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "command/list.h"
#include "command/options.h"
#include "command/selftest.h"
#include "command/top.h"
#include "command/trace.h"

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

int main(int argc, char **argv)
{
	struct options options;
	bool list = argc > 1 && !strcmp(argv[1], "list");
	int status;

	fill_standard_streams();
	if (argc > 1 && !strcmp(argv[1], "selftest"))
		return selftest__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "top"))
		return top__main(argc - 1, argv + 1);
	options__parse(&options, argc - list, argv + list, list);
	status = list ? list__run(&options) : trace__run(&options, argv);
	options__free(&options);
	return status;
}
