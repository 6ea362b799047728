// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "base/array.h"
#include "drain/key_order.h"
#include "recording/series_numbers.h"

struct numbered {
	struct tm_key key; /* first: the tree compares it */
	__u64 number;
};

struct series_numbers {
	void *tree; /* of struct numbered, tsearch(3) */
	__u64 n;
	__u64 *spare; /* that were given up */
	size_t n_spare, room;
};

struct series_numbers *series_numbers__new(void)
{
	return calloc(1, sizeof(struct series_numbers));
}

void series_numbers__free(struct series_numbers *numbers)
{
	if (!numbers)
		return;
	tdestroy(numbers->tree, free);
	free(numbers->spare);
	free(numbers);
}

static int compare_keys(const void *left, const void *right)
{
	return key_order(left, right);
}

__u64 series_numbers__of(struct series_numbers *numbers, const struct tm_key *key, bool *is_new)
{
	struct numbered wanted = { .key = *key };
	struct numbered **node = tsearch(&wanted, &numbers->tree, compare_keys);

	if (!node)
		return 0;
	*is_new = *node == &wanted;
	if (!*is_new)
		return (*node)->number;
	*node = malloc(sizeof(wanted));
	if (!*node) {
		*node = &wanted;
		tdelete(&wanted, &numbers->tree, compare_keys);
		return 0;
	}
	wanted.number = numbers->n_spare ? numbers->spare[--numbers->n_spare] : ++numbers->n;
	**node = wanted;
	return wanted.number;
}

int series_numbers__forget(struct series_numbers *numbers, const struct tm_key *key, __u64 *number)
{
	struct numbered **node = tfind(key, &numbers->tree, compare_keys);
	struct numbered *numbered = node ? *node : NULL;

	*number = 0;
	if (!numbered)
		return 0;
	if (array__grow((void **)&numbers->spare, &numbers->room, numbers->n_spare,
			sizeof(*numbers->spare)) < 0)
		return -ENOMEM;
	*number = numbered->number;
	numbers->spare[numbers->n_spare++] = numbered->number;
	tdelete(numbered, &numbers->tree, compare_keys);
	free(numbered);
	return 0;
}
