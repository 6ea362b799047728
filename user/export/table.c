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

#define NO_COLUMN 0 /* parameters begin with 1 */

struct export_table {
	sqlite3_stmt *insert;
	struct lh_table *columns; /* by name, the number of the parameter, or NO_COLUMN */
	int run, file, other;	  /* parameters; NO_COLUMN: there is none */
};

static int add(struct export_table *table, const char *name, intptr_t parameter)
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
	int n = sqlite3_column_count(select), rc = SQLITE_OK;

	for (int i = 0; i < n && rc == SQLITE_OK; i++) {
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
			rc = add(table, name, i + 1);
	}
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out) && rc == SQLITE_OK; i++)
		rc = add(table, left_out[i], NO_COLUMN);
	return rc;
}

/* INSERT INTO "name" VALUES (?,?,...) */
static int prepare_insert(struct export_table *table, sqlite3 *db, const char *name, int n)
{
	char marks[2 * COLUMNS_MAX + 1];
	char *text;
	int rc;

	for (int i = 0; i < n; i++)
		memcpy(&marks[2 * i], "?,", 2);
	marks[2 * n - 1] = '\0';
	text = sqlite3_mprintf("INSERT INTO \"%w\" VALUES (%s)", name, marks);
	if (!text)
		return SQLITE_NOMEM;
	rc = sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &table->insert, NULL);
	sqlite3_free(text);
	return rc;
}

static int prepare(struct export_table *table, sqlite3 *db, const char *name)
{
	char *text = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
	sqlite3_stmt *select = NULL;
	int n, rc = text ? sqlite3_prepare_v2(db, text, -1, &select, NULL) : SQLITE_NOMEM;

	sqlite3_free(text);
	if (rc == SQLITE_OK)
		rc = add_columns(table, select);
	n = sqlite3_column_count(select);
	sqlite3_finalize(select);
	return rc == SQLITE_OK ? prepare_insert(table, db, name, n) : rc;
}

static void free_key(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
}

int export_table__open(struct export_table **out, sqlite3 *db, const char *name)
{
	struct export_table *table = calloc(1, sizeof(*table));
	int rc = SQLITE_NOMEM;

	*out = NULL;
	if (table)
		table->columns = lh_kchar_table_new(64, free_key);
	if (table && table->columns)
		rc = prepare(table, db, name);
	if (rc == SQLITE_OK)
		*out = table;
	else
		export_table__close(table);
	return rc;
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

/* SQLite has no integers above 2^63 - 1: such a one is a number with 16 digits. */
static int bind_integer(sqlite3_stmt *insert, int column, struct json_object *value)
{
	int64_t number = json_object_get_int64(value);

	if (number == INT64_MAX && json_object_get_uint64(value) > INT64_MAX)
		return sqlite3_bind_double(insert, column, (double)json_object_get_uint64(value));
	return sqlite3_bind_int64(insert, column, number);
}

/* The text lives as long as the value. */
static int bind_json(sqlite3_stmt *insert, int column, struct json_object *value)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	size_t length;
	const char *text = json_object_to_json_string_length(value, flags, &length);

	return text ? sqlite3_bind_text(insert, column, text, (int)length, SQLITE_STATIC)
		    : SQLITE_NOMEM;
}

static int bind(sqlite3_stmt *insert, int column, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		return sqlite3_bind_null(insert, column);
	case json_type_boolean:
		return sqlite3_bind_int(insert, column, json_object_get_boolean(value));
	case json_type_int:
		return bind_integer(insert, column, value);
	case json_type_double:
		return sqlite3_bind_double(insert, column, json_object_get_double(value));
	case json_type_string:
		return sqlite3_bind_text(insert, column, json_object_get_string(value),
					 json_object_get_string_len(value), SQLITE_STATIC);
	default:
		return bind_json(insert, column, value);
	}
}

/* A member without a column goes to the others, which are an object once there is one. */
static int add_other(struct json_object **others, const char *name, struct json_object *value)
{
	if (!*others)
		*others = json_object_new_object();
	if (!*others || json_object_object_add(*others, name, json_object_get(value)))
		return SQLITE_NOMEM;
	return SQLITE_OK;
}

static int bind_members(struct export_table *table, struct json_object *record,
			struct json_object **others)
{
	int rc = SQLITE_OK;

	json_object_object_foreach(record, name, value)
	{
		void *parameter;

		if (!lh_table_lookup_ex(table->columns, name, &parameter))
			rc = add_other(others, name, value);
		else if ((intptr_t)parameter != NO_COLUMN)
			rc = bind(table->insert, (int)(intptr_t)parameter, value);
		if (rc != SQLITE_OK)
			break;
	}
	return rc;
}

static int bind_row(struct export_table *table, struct json_object *record, int run,
		    const char *file, struct json_object **others)
{
	int rc = bind_members(table, record, others);

	if (rc == SQLITE_OK && table->run)
		rc = sqlite3_bind_int(table->insert, table->run, run);
	if (rc == SQLITE_OK && table->file)
		rc = sqlite3_bind_text(table->insert, table->file, file, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK && table->other && *others)
		rc = bind_json(table->insert, table->other, *others);
	return rc;
}

int export_table__put(struct export_table *table, struct json_object *record, int run,
		      const char *file)
{
	struct json_object *others = NULL;
	int rc;

	sqlite3_clear_bindings(table->insert);
	rc = bind_row(table, record, run, file, &others);
	if (rc == SQLITE_OK) {
		sqlite3_step(table->insert);
		rc = sqlite3_reset(table->insert); /* says how the step ended */
	}
	json_object_put(others);
	return rc;
}
