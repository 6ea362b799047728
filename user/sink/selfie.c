// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/account_figures.h"
#include "report/names.h"
#include "sink/record_text.h"
#include "sink/selfie.h"
#include "tmtrace/number.h"

static void add_string(struct record *record, const char *name, const char *text)
{
	record__string(record, name, text ? text : "");
}

static void add_decimal(struct record *record, const char *name, __u64 value, __u64 units)
{
	record__fixed(record, name, (double)value / (double)units, 2);
}

/* What was not traced is left out, as of a module that selFIe was built without. */
static void add_figure(struct record *record, const char *name, struct account_figure figure)
{
	char key[64];

	if (!figure.is_known)
		return;
	snprintf(key, sizeof(key), "%s_time", name);
	add_decimal(record, key, figure.ns, NS_PER_S);
	snprintf(key, sizeof(key), "%s_count", name);
	record__u64(record, key, figure.count);
}

static void add_number(struct record *record, const char *name, long long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", number);
	record__string(record, name, text);
}

/* The job's number; that of the process where it has none. */
static void add_job(struct record *record, const struct report_run *run,
		    const struct process_account *account)
{
	const struct process_info *info = &account->info;
	const char *jobid = names__jobid_of(run, account->job, info);
	unsigned long long number = jobid ? strtoull(jobid, NULL, 10) : 0;
	char text[24];

	snprintf(text, sizeof(text), "%llu", number);
	if (number)
		record__string(record, "jobid", text);
	else
		add_number(record, "jobid", tm_number(info->pid));
}

/* Those that are asked for, and who the process runs as: by its environment, if that is asked for.
 */
static void add_variables(struct record *record, const struct process_account *account)
{
	bool has_user = false;

	for (size_t i = 0; i < account->n_variables; i++) {
		add_string(record, account->variables[i].name, account->variables[i].value);
		has_user |= !strcmp(account->variables[i].name, "USER");
	}
	if (!has_user)
		add_string(record, "USER", account_figures__user(account->info.uid));
}

/* To be freed with free(); NULL: no memory. */
static char *make_line(const struct report_run *run, const struct process_account *account,
		       bool is_full)
{
	struct record_text text = record_text__new(NULL);
	const struct process_info *info = &account->info;
	struct record *record = &text.record;
	__u64 end_ns = account->time_ns;

	text.is_spaced = true;
	record__open(record, NULL);
	add_job(record, run, account);
	add_string(record, "hostname", run->hostname);
	add_number(record, "pid", tm_number(info->pid));
	add_decimal(record, "utime", account->user_ns, NS_PER_S);
	add_decimal(record, "stime", account->system_ns, NS_PER_S);
	add_decimal(record, "maxmem", account->max_rss_bytes, 1ULL << 30);
	/* Its documents have the first name, its present version prints the second. */
	add_figure(record, "posixio", account_figures__files(run, account));
	add_figure(record, "pio", account_figures__files(run, account));
	add_figure(record, "mpi", account_figures__layer(run, account, "mpi"));
	add_figure(record, "mio", account_figures__layer(run, account, "mio"));
	add_figure(record, "maestro", account_figures__layer(run, account, "mstro"));
	if (is_full)
		add_variables(record, account);
	record__u64(record, "timestamp", end_ns / NS_PER_S);
	add_decimal(record, "wtime", end_ns - info->start_ns, NS_PER_S);
	add_string(record, "command", is_full ? account->program : NULL);
	record__close(record);
	if (!record->failure && !record_text__add_bytes(&text, "", 1))
		return text.bytes;
	free(text.bytes);
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
