/* SPDX-License-Identifier: GPL-2.0-only */
/* How tables are to look, and what rows are sorted by. */
#ifndef USER_REPORT_TABLE_OPTIONS_H
#define USER_REPORT_TABLE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* What rows of a layer are sorted by: the largest first, names by the alphabet. */
enum table_sort {
	TABLE_BY_TOTAL, /* time */
	TABLE_BY_SELF,
	TABLE_BY_COUNT,
	TABLE_BY_BYTES,
	TABLE_BY_P99,
	TABLE_BY_MAX,
	TABLE_BY_ERRORS,
	TABLE_BY_NAME,
	TABLE_BY_PID,  /* the table of processes; others by time */
	TABLE_BY_RANK, /* the same */
	TABLE_SORTS,
};

/* Lines of files that are shown unless more are wanted, and where they are. */
#define TABLE_FILES_FEW 5
#define TABLE_FILES	10

/* "total", "self", ... */
extern const char *const table_sort_names[TABLE_SORTS];

struct table_options {
	FILE *out;
	unsigned int width; /* characters of a line, table__width(); 0: nothing is cut */
	bool histograms;    /* with bars for each line */
	bool colour;	    /* of a terminal */
	enum table_sort sort;
	unsigned int files; /* lines of files, and of each library's objects; 0: none */
	bool timelines;	    /* when it was, too */
	bool accesses;	    /* all about sizes, order and the slowest, not only in short */
};

#endif
