// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "page/layers.h"
#include "page/processes.h"
#include "page/room.h"
#include "report/names.h"
#include "report/process_sums.h"
#include "sink/json_process.h"
#include "sink/json_value.h"
#include "sink/series_text.h"

struct writer {
	struct page_document *document;
	const struct page_jobs *jobs;
	const struct report_part *whole;
	struct process_sums sums;
};

/* whole: those from this one to the last are one row. */
static struct json_object *row_of(const struct writer *writer, size_t i)
{
	static const char *const kinds[] = { "process", "others", "none" };
	const struct process_sum *sum = &writer->sums.at[i];
	const struct report_run *run = writer->whole->run;
	const struct process_info *process = names__process(run, sum->number);
	const struct tm_key *key = &writer->sums.snapshot.series[sum->first]->total.key;
	int job = page_jobs__number(writer->jobs, key->job);
	struct json_text text = { 0 };
	struct record_text who = record_text__begin(&text);
	struct json_object *row;

	series_text__add_who(&who, process, names__jobid_of(run, key->job, process));
	if (process && process->node)
		record_text__string(&who, "hostname", process->node);
	record_text__end(&who);
	row = json_text__take_object(&text);
	if (!row)
		return NULL;
	/* The next names take the place of these. */
	process = names__process(run, sum->number);
	json_value__add_string(row, "command", process ? process->command : NULL);
	json_value__add_string(row, "kind", kinds[process_sum__kind(sum)]);
	json_object_object_add(row, "job", job < 0 ? NULL : json_object_new_int(job));
	json_value__add_u64(row, "busy_ns", sum->busy_ns);
	json_object_object_add(
		row, "layers",
		page_layers__brief(run, &writer->sums.snapshot, sum->first, sum->end));
	return row;
}

/* Those from this one on together. */
static struct json_object *rest_of(const struct writer *writer, size_t first)
{
	const struct process_sums *sums = &writer->sums;
	struct json_object *rest = first < sums->n ? json_object_new_object() : NULL;

	if (!rest)
		return NULL;
	json_value__add_u64(rest, "n", sums->n - first);
	json_object_object_add(rest, "layers",
			       page_layers__brief(writer->whole->run, &sums->snapshot,
						  sums->at[first].first,
						  sums->at[sums->n - 1].end));
	return rest;
}

static int write_sums(struct writer *writer, const char *name, size_t room, enum process_sums_by by)
{
	struct page_list list = page_list__new(writer->document, room);
	const struct report_run *run = writer->whole->run;
	struct json_object *rest = NULL;
	size_t i = 0;
	int ret = 0;

	if (run->names.n_processes(run->names.context)) {
		ret = process_sums__make(&writer->sums, run, writer->whole->snapshot, by,
					 TABLE_BY_TOTAL);
		while (!ret && i < writer->sums.n && page_list__add(&list, row_of(writer, i)))
			i++;
		if (!ret)
			rest = rest_of(writer, i);
		process_sums__free(&writer->sums);
	}
	page_document__put_list(writer->document, name, &list, rest);
	return ret;
}

struct accounts {
	const struct report_run *run;
	struct page_list list;
};

static int put_account(void *context, const struct process_account *account)
{
	struct accounts *accounts = context;

	page_list__add(&accounts->list, json_process__record(accounts->run, account));
	return 0;
}

static void write_accounts(struct page_document *document, const struct report_part *parts,
			   size_t n)
{
	struct accounts accounts = { .list = page_list__new(document, ROOM_ACCOUNTS) };

	for (size_t i = 0; i < n; i++) {
		accounts.run = parts[i].run;
		if (parts[i].ranks)
			rank_sums__each(parts[i].ranks, put_account, &accounts);
	}
	page_document__put_list(document, "accounts", &accounts.list, NULL);
}

int page_processes__write(struct page_document *document, const struct page_jobs *jobs,
			  const struct report_part *whole, const struct report_part *parts,
			  size_t n)
{
	struct writer writer = { .document = document, .jobs = jobs, .whole = whole };
	int ret = write_sums(&writer, "processes", ROOM_PROCESSES, PROCESS_SUMS_BY_PROCESS);

	if (!ret)
		ret = write_sums(&writer, "ranks", ROOM_RANKS, PROCESS_SUMS_BY_RANK);
	write_accounts(document, parts, n);
	return ret;
}
