/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of a database, into which a record goes as a row: each member into the column of its
 * name, others together as JSON into the column "other".
 */
#ifndef USER_EXPORT_TABLE_H
#define USER_EXPORT_TABLE_H

#include <sqlite3.h>

#include "sink/record.h"

struct export_table;

/* The table of that name, which must be there. SQLite's code; NULL in *out where it is not OK. */
int export_table__open(struct export_table **out, sqlite3 *db, const char *name);
void export_table__close(struct export_table *table); /* NULL is fine */

/* Begins a row. */
void export_table__begin(struct export_table *table);

/* The number of a member's column; or what of it is in none. */
#define EXPORT_LEFT_OUT 0 /* in another place for all rows */
#define EXPORT_OTHER	(-1)
int export_table__column(const struct export_table *table, const char *name);

/* Puts a value that is no object or array into a column; n bytes of UTF-8. SQLite's code. */
int export_table__bind(struct export_table *table, int column, const struct record_value *value);
int export_table__bind_text(struct export_table *table, int column, const char *text, size_t n);

/*
 * Adds the row, of run number run. file: of the column of that name, if there is one. others: JSON
 * of n bytes, 0: none. SQLite's code.
 */
int export_table__add(struct export_table *table, int run, const char *file, const char *others,
		      size_t n);

#endif
