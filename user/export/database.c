// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/linkhash.h>

#include "export/database.h"
#include "export/series_columns.h"
#include "export/sql.h"
#include "export/table.h"
#include "sink/record_text.h"

/* So many rows are written together. */
#define ROWS_TOGETHER 10000

struct database {
	struct record_sink base;
	struct record row;	  /* what becomes of a record */
	struct export_table *of;  /* its table; NULL: its type is not known yet */
	struct record_text value; /* an object or array in it, as JSON */
	int column;		  /* of that */
	struct record_text other; /* its members without a column, as an object; empty: none */
	struct record_text *into; /* the one of these that an open object or array goes to */
	sqlite3 *db;
	char *name;
	struct lh_table *tables; /* struct export_table by type, those that were needed */
	char *file;		 /* of the run */
	int run, runs;		 /* the number of this one, and of all */
	unsigned int rows;	 /* since the last transaction began */
	struct error failure;
};

/* What is wrong where SQLite says ret, in the words of the system where that said so. */
static int fail(struct database *database, int ret)
{
	struct error *failure = &database->failure;
	int number = 0;

	if (ret == SQLITE_NOMEM)
		number = ENOMEM;
	else if (ret == SQLITE_FULL)
		number = ENOSPC;
	else if ((ret & 0xff) == SQLITE_IOERR || (ret & 0xff) == SQLITE_CANTOPEN)
		number = sqlite3_system_errno(database->db);
	return error__set(failure, number ? -number : -EIO, "%s: cannot be written: %s",
			  database->name, number ? strerror(number) : sqlite3_errmsg(database->db));
}

static int execute(struct database *database, const char *sql)
{
	int ret = sqlite3_exec(database->db, sql, NULL, NULL, NULL);

	return ret == SQLITE_OK ? 0 : fail(database, sqlite3_extended_errcode(database->db));
}

/* The first failure. */
static int report(struct record_sink *base, struct error *err)
{
	const struct database *database = (struct database *)base;

	if (database->failure.code)
		*err = database->failure;
	return database->failure.code;
}

static int make_tables(struct database *database)
{
	char *sql = series_columns__expand(export_sql_tables);
	int ret = sql ? execute(database, sql) : fail(database, SQLITE_NOMEM);

	free(sql);
	return ret;
}

static void free_table(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
	export_table__close((struct export_table *)lh_entry_v(entry));
}

static int open_file(struct database *database, const char *path)
{
	int ret = sqlite3_open_v2(path, &database->db, SQLITE_OPEN_READWRITE, NULL);

	if (ret != SQLITE_OK)
		return fail(database, ret);
	return execute(database, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				 "PRAGMA locking_mode = EXCLUSIVE; BEGIN;");
}

void database__use(struct database *database, const struct report_run *run, const char *file)
{
	free(database->file);
	database->file = strdup(file); /* without memory the column is NULL */
	database->run = ++database->runs;
	record_sink__use(&database->base, run);
}

void database__use_again(struct database *database, const struct report_run *run, int number)
{
	database->run = number;
	record_sink__use(&database->base, run);
}

struct record_sink *database__sink(struct database *database)
{
	return &database->base;
}

static int add_table(struct database *database, const char *type)
{
	char *key = strdup(type);
	struct export_table *table = NULL;
	int ret = key ? export_table__open(&table, database->db, type) : SQLITE_NOMEM;

	if (ret == SQLITE_OK && lh_table_insert(database->tables, key, table)) {
		export_table__close(table);
		ret = SQLITE_NOMEM;
	}
	if (ret == SQLITE_OK)
		database->of = table;
	else
		free(key);
	return ret;
}

static int find_table(struct database *database, const char *type)
{
	int ret = SQLITE_OK;
	void *found;

	if (lh_table_lookup_ex(database->tables, type, &found))
		database->of = found;
	else
		ret = add_table(database, type);
	if (ret == SQLITE_OK)
		export_table__begin(database->of);
	return ret;
}

/* Has what is open in the row go to a text, where it is that deep. */
static int put_into(struct record_text *text, unsigned int depth, const char *name,
		    const struct record_value *value)
{
	text->record.depth = depth;
	text->record.put(&text->record, name, value);
	return text->record.failure ? SQLITE_NOMEM : SQLITE_OK;
}

static int put_other(struct database *database, const char *name, const struct record_value *value)
{
	static const struct record_value begin = { RECORD_OBJECT };

	database->into = &database->other;
	if (!database->other.n)
		put_into(&database->other, 0, NULL, &begin);
	return put_into(&database->other, 1, name, value);
}

static int put_member(struct database *database, const char *name, const struct record_value *value)
{
	int column;

	database->into = NULL;
	if (!strcmp(name, "type"))
		return find_table(database, value->text);
	if (!database->of)
		return SQLITE_OK;
	column = export_table__column(database->of, name);
	if (column == EXPORT_LEFT_OUT)
		return SQLITE_OK;
	if (column == EXPORT_OTHER)
		return put_other(database, name, value);
	if (value->kind != RECORD_OBJECT && value->kind != RECORD_ARRAY)
		return export_table__bind(database->of, column, value);
	database->into = &database->value;
	database->column = column;
	database->value.n = 0;
	return put_into(&database->value, 0, NULL, value);
}

/* What is in a member; depth: of the row. */
static int put_inside(struct database *database, const char *name, const struct record_value *value)
{
	struct record_text *text = database->into;
	unsigned int depth = database->row.depth;
	int ret;

	if (!text)
		return SQLITE_OK;
	ret = put_into(text, text == &database->value ? depth - 1 : depth, name, value);
	/* The member ends. */
	if (ret == SQLITE_OK && depth == 1 && text == &database->value)
		ret = export_table__bind_text(database->of, database->column, text->bytes, text->n);
	return ret;
}

static int end_row(struct database *database)
{
	static const struct record_value end = { RECORD_OBJECT_END };
	struct record_text *other = &database->other;
	int ret = other->n ? put_into(other, 0, NULL, &end) : SQLITE_OK;

	if (ret == SQLITE_OK && !database->of)
		ret = SQLITE_MISUSE;
	if (ret == SQLITE_OK)
		ret = export_table__add(database->of, database->run, database->file, other->bytes,
					other->n);
	if (ret != SQLITE_OK || ++database->rows < ROWS_TOGETHER)
		return ret;
	database->rows = 0;
	execute(database, "COMMIT; BEGIN");
	return SQLITE_OK;
}

/* A row has a depth of 1, and what is in an object or array of it a larger one. */
static void put(struct record *row, const char *name, const struct record_value *value)
{
	struct database *database = (void *)((char *)row - offsetof(struct database, row));
	bool ends = value->kind == RECORD_OBJECT_END || value->kind == RECORD_ARRAY_END;
	int ret = SQLITE_OK;

	if (database->failure.code)
		return;
	if (row->depth > 1 || (row->depth == 1 && ends)) {
		ret = put_inside(database, name, value);
	} else if (row->depth == 1) {
		ret = put_member(database, name, value);
	} else if (ends) {
		ret = row->failure ? SQLITE_NOMEM : end_row(database);
	} else {
		database->of = NULL;
		database->other.n = 0;
	}
	if (ret != SQLITE_OK)
		fail(database, ret);
}

static const struct sink_ops ops = {
	.start = record_sink__start,
	.snapshot = record_sink__snapshot,
	.calls = record_sink__calls,
	.addb = record_sink__addb,
	.addb_counts = record_sink__addb_counts,
	.process = record_sink__process,
	.end = record_sink__end,
};

int database__open(struct database **out, const char *path, const char *name, struct error *err)
{
	struct database *database = calloc(1, sizeof(*database));
	int ret;

	if (database) {
		database->name = strdup(name);
		database->tables = lh_kchar_table_new(32, free_table);
	}
	if (!database || !database->name || !database->tables) {
		database__close(database);
		return error__set(err, -ENOMEM, "%s: no memory", name);
	}
	database->base = (struct record_sink){
		.sink = { &ops },
		.to = &database->row,
		.report = report,
	};
	database->row.put = put;
	database->value = database->other = record_text__new(NULL);
	if (!open_file(database, path))
		make_tables(database);
	ret = report(&database->base, err);
	if (ret < 0)
		database__close(database);
	else
		*out = database;
	return ret;
}

int database__finish(struct database *database, struct error *err)
{
	if (!database->failure.code && !execute(database, export_sql_views))
		execute(database, "COMMIT");
	return report(&database->base, err);
}

void database__close(struct database *database)
{
	if (!database)
		return;
	if (database->tables)
		lh_table_free(database->tables);
	sqlite3_close(database->db);
	record_sink__clear(&database->base);
	free(database->value.bytes);
	free(database->other.bytes);
	free(database->file);
	free(database->name);
	free(database);
}
