// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "base/quantity.h"
#include "options/option_values.h"
#include "options/options.h"

void option_values__refuse(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tmtrace: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; tmtrace --help shows the options\n");
	exit(EXIT_USAGE);
}

void option_values__no_memory(void)
{
	fprintf(stderr, "tmtrace: no memory for the command line\n");
	exit(EXIT_RUN);
}

double option_values__seconds(const char *option, const char *arg)
{
	char *end;
	double s = strtod(arg, &end);

	if (end == arg || *end || !(s >= 0.01) || s > 1e9)
		option_values__refuse("%s %s: not a number of seconds of at least 0.01", option,
				      arg);
	return s;
}

long option_values__number(const char *option, const char *arg, long least, long most)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(arg, &end, 10);
	if (end == arg || *end || errno || n < least || n > most)
		option_values__refuse("%s %s: not a number from %ld to %ld", option, arg, least,
				      most);
	return n;
}

__u64 option_values__bytes(const char *option, const char *arg, __u64 least)
{
	__u64 n;

	if (quantity__bytes(arg, &n) < 0)
		option_values__refuse("%s %s: not a number of bytes, as in 500K, 64M or 2G", option,
				      arg);
	if (n < least)
		option_values__refuse("%s %s: at least %llu bytes", option, arg, least);
	return n;
}

#define BUFFER_MIN 4096U
#define BUFFER_MAX (1U << 30)

__u32 option_values__buffer(const char *option, const char *arg)
{
	__u64 bytes = option_values__bytes(option, arg, BUFFER_MIN);
	__u32 size = BUFFER_MIN;

	if (bytes > BUFFER_MAX)
		option_values__refuse("%s %s: at most 1G", option, arg);
	while (size < bytes)
		size *= 2;
	return size;
}

void option_values__add(void *list, size_t *n, const void *item)
{
	void **items = reallocarray(*(void **)list, *n + 1, sizeof(*items));

	if (!items)
		option_values__no_memory();
	items[(*n)++] = (void *)item;
	*(void **)list = items;
}

/* getopt tells what is wrong with an option: argp's second line is not wanted. */
void option_values__silence(struct argp_state *state)
{
	FILE *nowhere = fopen("/dev/null", "we");

	if (nowhere)
		state->err_stream = nowhere;
}

/* Is somebody asking for the options, before the command? */
static bool asks_for_help(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--help") || !strcmp(*argv, "-?") || !strcmp(*argv, "--usage"))
			return true;
	return false;
}

void option_values__parse(const struct argp *argp, int argc, char **argv, const char *name,
			  void *input)
{
	char see[64], *own = argv[0];

	argp_err_exit_status = EXIT_USAGE;
	/* getopt's complaints begin with this: in one line, with the way out. */
	snprintf(see, sizeof(see), asks_for_help(argv) ? "%s" : "tmtrace: see %s --help", name);
	argv[0] = see;
	argp_parse(argp, argc, argv, ARGP_IN_ORDER, NULL, input);
	argv[0] = own;
}
