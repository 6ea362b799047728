// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/nearest.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * How many letters must be changed, put in, left out, or exchanged with the next one, to make one
 * of the other: Damerau's distance of aligned strings, with three rows of its table at a time.
 */
static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t rows[3][NEAREST_MAX + 1];
	size_t *two = rows[0], *one = rows[1], *row = rows[2], *free_row;

	for (size_t k = 0; k <= n_b; k++)
		one[k] = k;
	for (size_t i = 1; i <= n_a; i++) {
		row[0] = i;
		for (size_t k = 1; k <= n_b; k++) {
			row[k] = least(least(one[k], row[k - 1]) + 1,
				       one[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], two[k - 2] + 1);
		}
		free_row = two;
		two = one;
		one = row;
		row = free_row;
	}
	return one[n_b];
}

struct nearest nearest__begin(const char *wanted)
{
	return (struct nearest){ .wanted = wanted, .distance = strlen(wanted) / 3 + 1 };
}

void nearest__try(struct nearest *nearest, const char *name)
{
	size_t n_wanted = strlen(nearest->wanted), n = strlen(name), d;

	/* What differs in length differs by that much at least. */
	if (n_wanted > NEAREST_MAX || n > NEAREST_MAX || n + nearest->distance <= n_wanted ||
	    n_wanted + nearest->distance <= n)
		return;
	d = distance(nearest->wanted, n_wanted, name, n);
	if (d >= nearest->distance)
		return;
	nearest->distance = d;
	nearest->name = name;
}
