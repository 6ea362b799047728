/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_EXPORT_EXPORT_SQLITE_H
#define USER_EXPORT_EXPORT_SQLITE_H

#include <stdio.h>

#include "inputs/report_parts.h"

/*
 * Writes a database of all records of the recordings into the file, which is empty: those that
 * tmtrace report --json writes of each, and of single calls, operations, ADDB2 records and
 * processes all that are there. name: what it is called in errors. 0, or a negative errno.
 */
int export_sqlite__write(FILE *file, const char *name, const struct report_parts *parts,
			 struct error *err);

#endif
