// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/account_figures.h"
#include "report/names.h"
#include "sink/json_value.h"
#include "sink/selfie.h"
#include "tmtrace/number.h"

/* A string as JSON, behind its name. */
static void put_string(FILE *out, const char *name, const char *text)
{
	char *quoted = json_value__quoted(text ? text : "");

	fprintf(out, "\"%s\": %s, ", name, quoted ? quoted : "\"\"");
	free(quoted);
}

static void put_decimal(FILE *out, const char *name, __u64 value, __u64 units)
{
	fprintf(out, "\"%s\": %.2f, ", name, (double)value / (double)units);
}

/* What was not traced is left out, as of a module that selFIe was built without. */
static void put_figure(FILE *out, const char *name, struct account_figure figure)
{
	char key[64];

	if (!figure.is_known)
		return;
	snprintf(key, sizeof(key), "%s_time", name);
	put_decimal(out, key, figure.ns, NS_PER_S);
	fprintf(out, "\"%s_count\": %llu, ", name, figure.count);
}

/* The job's number; that of the process where it has none. */
static void put_job(FILE *out, const struct report_run *run, const struct process_account *account)
{
	const struct process_info *info = &account->info;
	const char *jobid = names__jobid_of(run, account->job, info);
	unsigned long long number = jobid ? strtoull(jobid, NULL, 10) : 0;

	if (number)
		fprintf(out, "\"jobid\": \"%llu\", ", number);
	else
		fprintf(out, "\"jobid\": \"%d\", ", tm_number(info->pid));
}

/* Those that are asked for, and who the process runs as: by its environment, if that is asked for.
 */
static void put_variables(FILE *out, const struct process_account *account)
{
	bool has_user = false;

	for (size_t i = 0; i < account->n_variables; i++) {
		put_string(out, account->variables[i].name, account->variables[i].value);
		has_user |= !strcmp(account->variables[i].name, "USER");
	}
	if (!has_user)
		put_string(out, "USER", account_figures__user(account->info.uid));
}

static void put_line(FILE *out, const struct report_run *run, const struct process_account *account,
		     bool is_full)
{
	const struct process_info *info = &account->info;
	__u64 end_ns = account->time_ns;

	fputs("{ ", out);
	put_job(out, run, account);
	put_string(out, "hostname", run->hostname);
	fprintf(out, "\"pid\": \"%d\", ", tm_number(info->pid));
	put_decimal(out, "utime", account->user_ns, NS_PER_S);
	put_decimal(out, "stime", account->system_ns, NS_PER_S);
	put_decimal(out, "maxmem", account->max_rss_bytes, 1ULL << 30);
	/* Its documents have the first name, its present version prints the second. */
	put_figure(out, "posixio", account_figures__files(run, account));
	put_figure(out, "pio", account_figures__files(run, account));
	put_figure(out, "mpi", account_figures__layer(run, account, "mpi"));
	put_figure(out, "mio", account_figures__layer(run, account, "mio"));
	put_figure(out, "maestro", account_figures__layer(run, account, "mstro"));
	if (is_full)
		put_variables(out, account);
	fprintf(out, "\"timestamp\": %llu, ", end_ns / NS_PER_S);
	put_decimal(out, "wtime", end_ns - info->start_ns, NS_PER_S);
	put_string(out, "command", is_full ? account->program : NULL);
	/* In place of the last comma. */
	fseeko(out, -2, SEEK_CUR);
	fputs(" }", out);
}

static char *make_line(const struct report_run *run, const struct process_account *account,
		       bool is_full)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	put_line(out, run, account, is_full);
	if (!fclose(out))
		return line;
	free(line);
	return NULL;
}

char *selfie__line(const struct report_run *run, const struct process_account *account, size_t most)
{
	char *line = make_line(run, account, true);

	if (line && strlen(line) > most) {
		free(line);
		line = make_line(run, account, false);
	}
	return line;
}
