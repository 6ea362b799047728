/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables for people. */
#ifndef USER_REPORT_TABLE_H
#define USER_REPORT_TABLE_H

#include "report/report.h"

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

/* The terminal's width in characters; 0 where out is none. */
unsigned int table__width(FILE *out);

/* Has what was printed written: 0, or what writing says. */
int table__flush(FILE *out, struct error *err);

/*
 * What was recorded in all, with the notes; and what came since the read before. 0, -ENOMEM, or
 * what writing says.
 */
int table__print(const struct table_options *options, const struct report_run *run,
		 const struct snapshot *snapshot, struct error *err);
int table__print_interval(const struct table_options *options, const struct report_run *run,
			  const struct snapshot *snapshot, struct error *err);

#endif
