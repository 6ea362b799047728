/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the structs of a library's operations say, and whether that can be: the catalogue's offsets
 * are those of one version of the library, and another one may have other things there. A field
 * that does not fit in one of a library's first operations is left out from then on.
 */
#ifndef USER_CALLS_OPERATION_FIELDS_H
#define USER_CALLS_OPERATION_FIELDS_H

#include "base/note_list.h"
#include "catalogue/catalogue.h"
#include "probe/probe_table.h"
#include "tmtrace/operation.h"

struct operation_fields;

/* All must outlive it; a field that is left out is told in the notes. NULL without memory. */
struct operation_fields *operation_fields__new(const struct catalogue *cat,
					       const struct probe_table *probes,
					       struct note_list *notes);
void operation_fields__free(struct operation_fields *fields); /* NULL is fine */

/* A field must fit in so many operations of a library; then it is believed. */
#define OPERATION_FIELDS_TRIED 16

/*
 * An operation as the kernel side tells it: what does not fit is left out of it. Returns the name
 * of its kind, which lives as long as the catalogue; NULL where it is not known.
 */
const char *operation_fields__check(struct operation_fields *fields,
				    struct tm_operation_record *record);

#endif
