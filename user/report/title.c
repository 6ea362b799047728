// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "report/names.h"
#include "report/title.h"

/* ECMA-48: bold, and back. */
#define BOLD  "\33[1m"
#define PLAIN "\33[0m"

void title__text(FILE *out, const char *text)
{
	char *printable = utf8__printable(text);

	fputs(printable ? printable : "?", out);
	free(printable);
}

void title__begin(const struct table_options *options)
{
	if (options->colour)
		fputs(BOLD, options->out);
}

void title__end(const struct table_options *options)
{
	if (options->colour)
		fputs(PLAIN, options->out);
}

void title__heading(const struct table_options *options, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	fputc('\n', options->out);
	title__begin(options);
	title__text(options->out, n < 0 ? "?" : text);
	title__end(options);
	if (n >= 0)
		free(text);
}

void title__job(const struct table_options *options, const struct report_run *run, __u64 job)
{
	const char *path = names__cgroup(run, job);
	const struct job_info *info = names__job(run, job);
	FILE *out = options->out;

	fputc('\n', out);
	title__begin(options);
	if (job_info__is_others(info)) {
		fprintf(out, "== other jobs: over for long, or without room of their own");
	} else if (job_info__is_job(info)) {
		fprintf(out, "== %s job ", info->kind);
		title__text(out, info->jobid);
		if (info->step)
			fprintf(out, ", step ");
		if (info->step)
			title__text(out, info->step);
	} else if (path) {
		fprintf(out, "== cgroup ");
		title__text(out, path);
	} else if (job) {
		fprintf(out, "== cgroup %llu, whose path is not known", job);
	} else {
		fprintf(out, "== not of one cgroup");
	}
	title__end(options);
	fputc('\n', out);
}
