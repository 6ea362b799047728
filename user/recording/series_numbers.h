/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers under which series are kept in a recording. */
#ifndef USER_RECORDING_SERIES_NUMBERS_H
#define USER_RECORDING_SERIES_NUMBERS_H

#include <stdbool.h>
#include <linux/types.h>

#include "tmtrace/key.h"

struct series_numbers;

struct series_numbers *series_numbers__new(void);	   /* NULL: no memory */
void series_numbers__free(struct series_numbers *numbers); /* NULL is fine */

/* From 1; 0 without memory. *is_new: it got one just now, maybe one that another had. */
__u64 series_numbers__of(struct series_numbers *numbers, const struct tm_key *key, bool *is_new);

/* The series is not kept any more. 0 and its number, 0 where it had none; or -ENOMEM. */
int series_numbers__forget(struct series_numbers *numbers, const struct tm_key *key, __u64 *number);

#endif
