/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of a layer by their names: every symbol of a file that is looked at is looked up.
 */
#ifndef USER_CATALOGUE_FUNCTION_INDEX_H
#define USER_CATALOGUE_FUNCTION_INDEX_H

#include <stddef.h>

#include "catalogue/layer.h"

/* Of n functions, which must stay where they are. 0 or -ENOMEM. */
int function_index__make(struct function_index *index, const struct catalogue_function *functions,
			 size_t n);
void function_index__free(struct function_index *index);

/* As catalogue__find_function(). */
const struct catalogue_function *function_index__find(const struct function_index *index,
						      const char *soname, const char *symbol);

#endif
