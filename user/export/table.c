// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/linkhash.h>

#include "export/table.h"

/* SQLite has the most columns of a table at 2000. */
#define COLUMNS_MAX 2000

/* What is in another place for all rows: docs/records.md, "Fields of every record". */
static const char *const left_out[] = { "v", "type", "time", "hostname", "epoch" };

struct export_table {
	sqlite3_stmt *insert;
	struct lh_table *columns; /* by name, the number of the parameter, or EXPORT_LEFT_OUT */
	int run, file, other;	  /* parameters, which begin with 1; 0: there is none */
};

static int add_column(struct export_table *table, const char *name, intptr_t parameter)
{
	char *key;

	if (lh_table_lookup_entry(table->columns, name))
		return SQLITE_OK;
	key = strdup(name);
	if (key && !lh_table_insert(table->columns, key, (void *)parameter))
		return SQLITE_OK;
	free(key);
	return SQLITE_NOMEM;
}

static int add_columns(struct export_table *table, sqlite3_stmt *select)
{
	int n = sqlite3_column_count(select), ret = SQLITE_OK;

	for (int i = 0; i < n && ret == SQLITE_OK; i++) {
		const char *name = sqlite3_column_name(select, i);

		if (!name)
			return SQLITE_NOMEM;
		if (!strcmp(name, "run"))
			table->run = i + 1;
		else if (!strcmp(name, "file"))
			table->file = i + 1;
		else if (!strcmp(name, "other"))
			table->other = i + 1;
		else
			ret = add_column(table, name, i + 1);
	}
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out) && ret == SQLITE_OK; i++)
		ret = add_column(table, left_out[i], EXPORT_LEFT_OUT);
	return ret;
}

/* INSERT INTO "name" VALUES (?,?,...) */
static int prepare_insert(struct export_table *table, sqlite3 *db, const char *name, int n)
{
	char marks[2 * COLUMNS_MAX + 1];
	char *text;
	int ret;

	for (int i = 0; i < n; i++)
		memcpy(&marks[2 * i], "?,", 2);
	marks[2 * n - 1] = '\0';
	text = sqlite3_mprintf("INSERT INTO \"%w\" VALUES (%s)", name, marks);
	if (!text)
		return SQLITE_NOMEM;
	ret = sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &table->insert, NULL);
	sqlite3_free(text);
	return ret;
}

static int prepare(struct export_table *table, sqlite3 *db, const char *name)
{
	char *text = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
	sqlite3_stmt *select = NULL;
	int n, ret = text ? sqlite3_prepare_v2(db, text, -1, &select, NULL) : SQLITE_NOMEM;

	sqlite3_free(text);
	if (ret == SQLITE_OK)
		ret = add_columns(table, select);
	n = sqlite3_column_count(select);
	sqlite3_finalize(select);
	return ret == SQLITE_OK ? prepare_insert(table, db, name, n) : ret;
}

static void free_key(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
}

int export_table__open(struct export_table **out, sqlite3 *db, const char *name)
{
	struct export_table *table = calloc(1, sizeof(*table));
	int ret = SQLITE_NOMEM;

	*out = NULL;
	if (table)
		table->columns = lh_kchar_table_new(64, free_key);
	if (table && table->columns)
		ret = prepare(table, db, name);
	if (ret == SQLITE_OK)
		*out = table;
	else
		export_table__close(table);
	return ret;
}

void export_table__close(struct export_table *table)
{
	if (!table)
		return;
	if (table->columns)
		lh_table_free(table->columns);
	sqlite3_finalize(table->insert);
	free(table);
}

void export_table__begin(struct export_table *table)
{
	sqlite3_clear_bindings(table->insert);
}

int export_table__column(const struct export_table *table, const char *name)
{
	void *parameter;

	if (!lh_table_lookup_ex(table->columns, name, &parameter))
		return EXPORT_OTHER;
	return (int)(intptr_t)parameter;
}

int export_table__bind(struct export_table *table, int column, const struct record_value *value)
{
	switch (value->kind) {
	case RECORD_BOOL:
		return sqlite3_bind_int(table->insert, column, value->yes);
	case RECORD_U64:
		/* SQLite has no integers above 2^63 - 1: such a one is a number of 16 digits. */
		if (value->u64 > INT64_MAX)
			return sqlite3_bind_double(table->insert, column, (double)value->u64);
		return sqlite3_bind_int64(table->insert, column, (sqlite3_int64)value->u64);
	case RECORD_I64:
		return sqlite3_bind_int64(table->insert, column, value->i64);
	case RECORD_DOUBLE:
		return sqlite3_bind_double(table->insert, column, strtod(value->text, NULL));
	case RECORD_STRING:
		return export_table__bind_text(table, column, value->text, strlen(value->text));
	default:
		return sqlite3_bind_null(table->insert, column);
	}
}

int export_table__bind_text(struct export_table *table, int column, const char *text, size_t n)
{
	return sqlite3_bind_text64(table->insert, column, text, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int export_table__add(struct export_table *table, int run, const char *file, const char *others,
		      size_t n)
{
	int ret = SQLITE_OK;

	if (table->run)
		ret = sqlite3_bind_int(table->insert, table->run, run);
	if (ret == SQLITE_OK && table->file)
		ret = sqlite3_bind_text(table->insert, table->file, file, -1, SQLITE_STATIC);
	if (ret == SQLITE_OK && table->other && n)
		ret = export_table__bind_text(table, table->other, others, n);
	if (ret != SQLITE_OK)
		return ret;
	sqlite3_step(table->insert);
	return sqlite3_reset(table->insert); /* says how the step ended */
}
