// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

struct unit {
	const char *name;
	__u64 factor;
};

static const struct unit times[] = {
	{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 },
};

static const struct unit sizes[] = {
	{ "", 1 },
	{ "K", 1ULL << 10 },
	{ "M", 1ULL << 20 },
	{ "G", 1ULL << 30 },
	{ "T", 1ULL << 40 },
	{ "KiB", 1ULL << 10 },
	{ "MiB", 1ULL << 20 },
	{ "GiB", 1ULL << 30 },
	{ "TiB", 1ULL << 40 },
	{ NULL, 0 },
};

/* A share's parts in 1e9, of percents. */
static const struct unit shares[] = { { "%", 10000000 }, { " %", 10000000 }, { NULL, 0 } };

/* As far as a double counts every one of them; more is no sensible time or size. */
#define MOST (1ULL << 53)

static int parse(const char *text, const struct unit *units, __u64 *out)
{
	double value;
	char *end;

	/* What strtod() takes beside: signs, blanks, nan, 0x10. */
	if (!isdigit((unsigned char)*text) || text[strspn(text, "0123456789.")] == 'x')
		return -EINVAL;
	value = strtod(text, &end);
	while (units->name && strcmp(end, units->name) != 0)
		units++;
	if (!units->name)
		return -EINVAL;
	value *= (double)units->factor;
	if (value > (double)MOST)
		return -ERANGE;
	*out = (__u64)value;
	return 0;
}

int quantity__ns(const char *text, __u64 *out)
{
	return parse(text, times, out);
}

int quantity__bytes(const char *text, __u64 *out)
{
	return parse(text, sizes, out);
}

int quantity__share(const char *text, double *out)
{
	__u64 parts;
	int ret = parse(text, shares, &parts);

	if (ret < 0)
		return ret;
	if (!parts || parts > 1000000000)
		return -ERANGE;
	*out = (double)parts / 1e9;
	return 0;
}
