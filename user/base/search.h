/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binary search: of n elements in order, the first for which a condition does not hold, which holds
 * for all before it and for none behind; n: there is none.
 *
 *	size_t at = SEARCH_FIRST(n, i, items[i].id < id);
 */
#ifndef USER_BASE_SEARCH_H
#define USER_BASE_SEARCH_H

#include <stddef.h>

#define SEARCH_FIRST(n, i, is_below)                                            \
	({                                                                      \
		size_t search_low = 0, search_high = (n);                       \
                                                                                \
		while (search_low < search_high) {                              \
			size_t i = search_low + (search_high - search_low) / 2; \
                                                                                \
			if (is_below)                                           \
				search_low = (i) + 1;                           \
			else                                                    \
				search_high = (i);                              \
		}                                                               \
		search_low;                                                     \
	})

#endif
