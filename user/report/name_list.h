/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that get numbers, from 0 on, in the order in which they come. */
#ifndef USER_REPORT_NAME_LIST_H
#define USER_REPORT_NAME_LIST_H

#include <stddef.h>
#include <linux/types.h>

/* All 0 is an empty one. */
struct name_list {
	struct name_entry **at; /* by number */
	size_t n, room;
	void *tree; /* of struct name_entry, tsearch(3) */
};

/*
 * The number of a name, which consists of two texts; it is added where it is new. Texts are copied;
 * NULL is "". Negative: -ENOMEM.
 */
int name_list__number(struct name_list *list, const char *name, const char *second);

/* The texts of a number; NULL where the list has it not. */
const char *name_list__name(const struct name_list *list, __u64 number);
const char *name_list__second(const struct name_list *list, __u64 number);

void name_list__free(struct name_list *list);

#endif
