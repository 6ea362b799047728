/* SPDX-License-Identifier: GPL-2.0-only */
/* Which ADDB2 records are asked for, as in "fom-state,0xa001,label:pid=1574". */
#ifndef USER_ADDB_FILTER_H
#define USER_ADDB_FILTER_H

#include <stdbool.h>

#include "addb/record.h"
#include "base/error.h"

struct addb_filter;

/*
 * Commas separate names as in the dump, identifiers (decimal, or hex with 0x), ranges FIRST-LAST,
 * and label:NAME or label:NAME=VALUE, where the value is that of the label's first word. A record
 * is wanted if it is of one of the identifiers, or none is given, and has all the labels. text
 * NULL: all records. 0 and *out; -EINVAL names what is not understood; -ENOMEM.
 */
int addb_filter__parse(struct addb_filter **out, const char *text, struct error *err);
void addb_filter__free(struct addb_filter *filter);

/* What the kernel side can tell by itself: which identifiers. */
void addb_filter__configure(const struct addb_filter *filter, struct tm_addb_config *config);
/* Is a record that the kernel side told wanted for its labels as well? */
bool addb_filter__wants(const struct addb_filter *filter, const struct addb_record *record);

#endif
