// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/linkhash.h>

#include "export/database.h"
#include "export/sql.h"
#include "export/table.h"

/* So many rows are written together. */
#define ROWS_TOGETHER 10000

struct database {
	sqlite3 *db;
	char *name;
	struct lh_table *tables; /* struct export_table by type, those that were needed */
	char *file;		 /* of the run */
	int run;
	unsigned int rows; /* since the last transaction began */
	struct error failure;
};

/* What is wrong where SQLite says rc, in the words of the system where that said so. */
static int fail(struct database *database, int rc, struct error *err)
{
	struct error *failure = &database->failure;
	int number = 0;

	if (rc == SQLITE_NOMEM)
		number = ENOMEM;
	else if (rc == SQLITE_FULL)
		number = ENOSPC;
	else if ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN)
		number = sqlite3_system_errno(database->db);
	error__set(failure, number ? -number : -EIO, "%s: cannot be written: %s", database->name,
		   number ? strerror(number) : sqlite3_errmsg(database->db));
	*err = *failure;
	return err->code;
}

static int execute(struct database *database, const char *sql, struct error *err)
{
	int rc = sqlite3_exec(database->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : fail(database, sqlite3_extended_errcode(database->db), err);
}

static void free_table(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
	export_table__close((struct export_table *)lh_entry_v(entry));
}

static int open_file(struct database *database, const char *path, struct error *err)
{
	int rc = sqlite3_open_v2(path, &database->db, SQLITE_OPEN_READWRITE, NULL);

	if (rc != SQLITE_OK)
		return fail(database, rc, err);
	return execute(database,
		       "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		       "PRAGMA locking_mode = EXCLUSIVE; BEGIN;",
		       err);
}

int database__open(struct database **out, const char *path, const char *name, struct error *err)
{
	struct database *database = calloc(1, sizeof(*database));
	int rc;

	if (database) {
		database->name = strdup(name);
		database->tables = lh_kchar_table_new(32, free_table);
	}
	if (!database || !database->name || !database->tables) {
		database__close(database);
		return error__set(err, -ENOMEM, "%s: no memory", name);
	}
	rc = open_file(database, path, err);
	if (rc == 0)
		rc = execute(database, export_sql_tables, err);
	if (rc < 0)
		database__close(database);
	else
		*out = database;
	return rc;
}

void database__use(struct database *database, const char *file)
{
	free(database->file);
	database->file = strdup(file); /* without memory the column is NULL */
	database->run++;
}

void database__use_again(struct database *database, int run)
{
	database->run = run;
}

static int add_table(struct database *database, const char *type, struct export_table **out,
		     struct error *err)
{
	char *key = strdup(type);
	int rc = key ? export_table__open(out, database->db, type) : SQLITE_NOMEM;

	if (rc == SQLITE_OK && lh_table_insert(database->tables, key, *out)) {
		export_table__close(*out);
		rc = SQLITE_NOMEM;
	}
	if (rc == SQLITE_OK)
		return 0;
	*out = NULL;
	free(key);
	return fail(database, rc, err);
}

static int find_table(struct database *database, struct json_object *record,
		      struct export_table **out, struct error *err)
{
	struct json_object *type;
	const char *name;
	void *found;

	if (!json_object_object_get_ex(record, "type", &type))
		return error__set(err, -EPROTO, "%s: a record without a type", database->name);
	name = json_object_get_string(type);
	if (!lh_table_lookup_ex(database->tables, name, &found))
		return add_table(database, name, out, err);
	*out = found;
	return 0;
}

int database__put(struct database *database, struct json_object *record, struct error *err)
{
	struct export_table *table = NULL;
	int rc;

	if (database->failure.code) {
		*err = database->failure;
		return err->code;
	}
	rc = find_table(database, record, &table, err);
	if (!table)
		return rc;
	rc = export_table__put(table, record, database->run, database->file);
	if (rc != SQLITE_OK)
		return fail(database, rc, err);
	if (++database->rows < ROWS_TOGETHER)
		return 0;
	database->rows = 0;
	return execute(database, "COMMIT; BEGIN", err);
}

int database__finish(struct database *database, struct error *err)
{
	int rc;

	if (database->failure.code) {
		*err = database->failure;
		return err->code;
	}
	rc = execute(database, export_sql_views, err);
	return rc < 0 ? rc : execute(database, "COMMIT", err);
}

void database__close(struct database *database)
{
	if (!database)
		return;
	if (database->tables)
		lh_table_free(database->tables);
	sqlite3_close(database->db);
	free(database->file);
	free(database->name);
	free(database);
}
