// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "endpoint/accept.h"

#define BLANKS " \t"

/* Part of the header: not ended by a NUL. */
struct part {
	const char *at;
	size_t n;
};

static struct part trim(const char *at, const char *end)
{
	while (at < end && strchr(BLANKS, *at))
		at++;
	while (end > at && strchr(BLANKS, end[-1]))
		end--;
	return (struct part){ at, (size_t)(end - at) };
}

/* What comes before the next separator, which *from is put behind; false: nothing is left. */
static bool next(const char **from, const char *end, char separator, struct part *out)
{
	const char *stop;

	if (*from >= end)
		return false;
	stop = memchr(*from, separator, (size_t)(end - *from));
	*out = trim(*from, stop ? stop : end);
	*from = stop ? stop + 1 : end;
	return true;
}

static bool is(const struct part *part, const char *text)
{
	return part->n == strlen(text) && !strncasecmp(part->at, text, part->n);
}

/* The value of a parameter NAME=VALUE, without quotes; n is 0 where it is another one. */
static struct part value_of(const struct part *parameter, const char *name)
{
	size_t n = strlen(name);
	struct part value = { parameter->at + n + 1, 0 };

	if (parameter->n <= n || strncasecmp(parameter->at, name, n) != 0 ||
	    parameter->at[n] != '=')
		return value;
	value.n = parameter->n - n - 1;
	if (value.n >= 2 && value.at[0] == '"' && value.at[value.n - 1] == '"') {
		value.at++;
		value.n -= 2;
	}
	return value;
}

/* From 0 to 1; what is no number is 0. */
static double weight_of(const struct part *value)
{
	char text[8] = "";
	double weight;

	if (value->n < sizeof(text))
		memcpy(text, value->at, value->n);
	weight = strtod(text, NULL);
	return weight > 0 && weight <= 1 ? weight : 0;
}

/* How much each format is wanted. */
struct wish {
	double openmetrics, text;
};

static void note(double *out, double weight)
{
	if (weight > *out)
		*out = weight;
}

/* A range: a type with parameters. */
static void read_range(struct wish *wish, const struct part *range)
{
	const char *from = range->at, *end = range->at + range->n;
	struct part type, parameter, value;
	bool other_version = false;
	double weight = 1;

	if (!next(&from, end, ';', &type))
		return;
	while (next(&from, end, ';', &parameter)) {
		value = value_of(&parameter, "q");
		if (value.n)
			weight = weight_of(&value);
		value = value_of(&parameter, "version");
		if (value.n)
			other_version = !is(&value, "1.0.0");
	}
	if (is(&type, "application/openmetrics-text") && !other_version)
		note(&wish->openmetrics, weight);
	else if (is(&type, "text/plain") || is(&type, "text/*"))
		note(&wish->text, weight);
}

bool accept__openmetrics(const char *header)
{
	const char *end = header ? header + strlen(header) : NULL;
	struct wish wish = { 0 };
	struct part range;

	while (header && next(&header, end, ',', &range))
		read_range(&wish, &range);
	return wish.openmetrics > 0 && wish.openmetrics >= wish.text;
}
