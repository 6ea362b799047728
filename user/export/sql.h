/* SPDX-License-Identifier: GPL-2.0-only */
/* What a database is made with: tables first, views and indexes once the rows are there. */
#ifndef USER_EXPORT_SQL_H
#define USER_EXPORT_SQL_H

extern const char export_sql_tables[], export_sql_views[];

#endif
