// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "catalogue/function_index.h"

static int compare_by_name(const void *left, const void *right)
{
	const struct catalogue_function *const *a = left, *const *b = right;
	int order = strcmp((*a)->name, (*b)->name);

	return order ? order : (*a > *b) - (*a < *b);
}

int function_index__make(struct function_index *index, const struct catalogue_function *functions,
			 size_t n)
{
	*index = (struct function_index){ .names = calloc(n + 1, sizeof(*index->names)) };
	if (!index->names)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!functions[i].pattern)
			index->names[index->n_names++] = &functions[i];
	index->patterns = index->names + index->n_names;
	for (size_t i = 0; i < n; i++)
		if (functions[i].pattern)
			index->patterns[index->n_patterns++] = &functions[i];
	qsort((void *)index->names, index->n_names, sizeof(*index->names), compare_by_name);
	return 0;
}

void function_index__free(struct function_index *index)
{
	free((void *)index->names);
}

static bool is_for(const struct catalogue_function *function, const char *soname)
{
	return !function->only || !soname ||
	       catalogue__matches_one(function->only, function->n_only, soname);
}

/* The first that does not come before that name. */
static size_t position(const struct function_index *index, const char *name)
{
	return SEARCH_FIRST(index->n_names, i, strcmp(index->names[i]->name, name) < 0);
}

const struct catalogue_function *function_index__find(const struct function_index *index,
						      const char *soname, const char *symbol)
{
	for (size_t i = position(index, symbol); i < index->n_names; i++) {
		if (strcmp(index->names[i]->name, symbol) != 0)
			break;
		if (is_for(index->names[i], soname))
			return index->names[i];
	}
	for (size_t i = 0; i < index->n_patterns; i++)
		if (!fnmatch(index->patterns[i]->name, symbol, 0) &&
		    is_for(index->patterns[i], soname))
			return index->patterns[i];
	return NULL;
}
