/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A database of SQLite that is made of records: what tables.sql and views.sql say. Rows are written
 * as they come, many in one transaction; a database that is not complete is of no use, so that
 * nothing is done for one that is cut off.
 */
#ifndef USER_EXPORT_DATABASE_H
#define USER_EXPORT_DATABASE_H

#include "sink/record_sink.h"

struct database;

/*
 * In the empty file at path. name: what it is called in errors, copied. 0 and *out, or a negative
 * errno; end it with database__close() in any case but the latter.
 */
int database__open(struct database **out, const char *path, const char *name, struct error *err);

/* What comes now is of another run, which was read from that file. */
void database__use(struct database *database, const struct report_run *run, const char *file);
/* It is of one that was there before: number 1 is the first. */
void database__use_again(struct database *database, const struct report_run *run, int number);

/*
 * The records go there; its callback close is not called.
 * After an error all further records have the same one.
 */
struct record_sink *database__sink(struct database *database);

/* Views and indexes, and all that is not yet in the file. 0, or a negative errno. */
int database__finish(struct database *database, struct error *err);

void database__close(struct database *database); /* NULL is fine */

#endif
