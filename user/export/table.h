/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of a database, and how a record becomes a row of it: each member goes into the column of
 * its name, others as JSON into the column "other".
 */
#ifndef USER_EXPORT_TABLE_H
#define USER_EXPORT_TABLE_H

#include <sqlite3.h>
#include <json-c/json.h>

struct export_table;

/* The table of that name, which must be there. SQLite's code; NULL in *out where it is not OK. */
int export_table__open(struct export_table **out, sqlite3 *db, const char *name);
void export_table__close(struct export_table *table); /* NULL is fine */

/* Adds a row, of run number run. file: of the column of that name, if there is one. */
int export_table__put(struct export_table *table, struct json_object *record, int run,
		      const char *file);

#endif
