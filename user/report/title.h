/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines between tables. Names from elsewhere are made one line each that moves no cursor. */
#ifndef USER_REPORT_TITLE_H
#define USER_REPORT_TITLE_H

#include "report/report.h"
#include "report/table_options.h"

/* A text from elsewhere. */
void title__text(FILE *out, const char *text);

/* What is written between the two stands out, where there are colours. */
void title__begin(const struct table_options *options);
void title__end(const struct table_options *options);

/* An empty line, and a text of which parts are from elsewhere; the line goes on after it. */
void title__heading(const struct table_options *options, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Of which cgroup the tables are that follow. */
void title__job(const struct table_options *options, const struct report_run *run, __u64 job);

#endif
