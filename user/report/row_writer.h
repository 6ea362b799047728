/* SPDX-License-Identifier: GPL-2.0-only */
/* Fills a row of a grid, cell by cell. The first failure stays, what comes after it does nothing.
 */
#ifndef USER_REPORT_ROW_WRITER_H
#define USER_REPORT_ROW_WRITER_H

#include <stdbool.h>
#include <linux/types.h>

#include "report/grid.h"

struct row_writer {
	struct grid *grid;
	size_t column; /* the next one */
	int ret;       /* 0 or -ENOMEM */
	bool about;    /* the next number, time or size is an estimate: "~12.3 k" */
};

/* In a new row. */
struct row_writer row_writer__begin(struct grid *grid);

/* Each fills the next cell, or leaves it empty: a column without anything is left out. */
void row_writer__text(struct row_writer *writer, const char *text); /* NULL and "": empty */
void row_writer__count(struct row_writer *writer, __u64 count);	    /* 0: empty */
void row_writer__number(struct row_writer *writer, __u64 count);    /* "0", too */
void row_writer__time(struct row_writer *writer, __u64 ns, bool is_known);
void row_writer__bytes(struct row_writer *writer, __u64 bytes, bool is_known);
void row_writer__share(struct row_writer *writer, __u64 part, __u64 whole);

#endif
