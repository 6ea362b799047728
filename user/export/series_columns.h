/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Columns of the tables of series: tables.sql has "$TYPE$" where those of report/series_fields.h
 * come, e.g. "$function$".
 */
#ifndef USER_EXPORT_SERIES_COLUMNS_H
#define USER_EXPORT_SERIES_COLUMNS_H

/* The SQL with all columns, to be freed with free(); NULL without memory. */
char *series_columns__expand(const char *sql);

#endif
