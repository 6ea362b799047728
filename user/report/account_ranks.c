// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/account_figures.h"
#include "report/account_ranks.h"
#include "report/name_list.h"
#include "report/names.h"
#include "report/rank_line.h"

/* A rank, and where its names are. */
struct told {
	const struct report_part *part;
	const struct process_account *account;
};

struct printer {
	FILE *out;
	struct told *told;
	size_t n;
	const struct report_part *part; /* whose ranks are taken */
	bool several_nodes, several_jobs;
	struct rank_time *ranks; /* room for all */
};

static bool is_told_by_series(const struct report_part *part)
{
	return part->run->names.n_processes(part->run->names.context) > 0;
}

static int take_rank(void *context, const struct process_account *account)
{
	struct printer *printer = context;

	printer->told[printer->n++] = (struct told){ printer->part, account };
	return 0;
}

static int compare_ranks(const void *left, const void *right)
{
	const struct told *a = left, *b = right;
	__s64 first = a->account->info.rank, second = b->account->info.rank;

	return first < second ? -1 : first > second;
}

static int take_all(struct printer *printer, const struct report_part *parts, size_t n)
{
	size_t room = 1;

	for (size_t i = 0; i < n; i++)
		room += parts[i].ranks ? rank_sums__n(parts[i].ranks) : 0;
	printer->told = calloc(room, sizeof(*printer->told));
	printer->ranks = calloc(room, sizeof(*printer->ranks));
	if (!printer->told || !printer->ranks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		printer->part = &parts[i];
		if (parts[i].ranks && !is_told_by_series(&parts[i]))
			rank_sums__each(parts[i].ranks, take_rank, printer);
	}
	qsort(printer->told, printer->n, sizeof(*printer->told), compare_ranks);
	for (size_t i = 1; i < printer->n; i++)
		printer->several_jobs |=
			compare_ranks(&printer->told[i - 1], &printer->told[i]) == 0;
	printer->several_nodes = n > 1;
	return 0;
}

static struct rank_owner describe(void *context, const void *whose)
{
	const struct printer *printer = context;
	const struct told *told = whose;
	const struct process_account *account = told->account;

	return (struct rank_owner){
		names__jobid_of(told->part->run, account->job, &account->info),
		printer->several_nodes ? told->part->name : NULL,
	};
}

/* A line about the layer of that name, which may have another number in each part. */
static void print_layer(struct printer *printer, const char *layer)
{
	const struct rank_line line = { .layer = layer,
					.several_jobs = printer->several_jobs,
					.describe = describe,
					.context = printer };
	size_t n = 0;

	for (size_t i = 0; i < printer->n; i++) {
		const struct told *told = &printer->told[i];
		const struct report_run *run = told->part->run;
		struct account_figure figure =
			!strcmp(layer, "vfs") ? account_figures__files(run, told->account)
					      : account_figures__layer(run, told->account, layer);

		if (figure.is_known && figure.count)
			printer->ranks[n++] = (struct rank_time){
				.rank = told->account->info.rank,
				.time_ns = figure.ns,
				.whose = told,
			};
	}
	rank_line__print(printer->out, &line, printer->ranks, n);
}

/* The libraries of all parts. */
static int list_layers(struct name_list *layers, const struct report_part *parts, size_t n)
{
	int ret = 0;

	for (size_t i = 0; i < n && ret >= 0; i++) {
		for (__u8 layer = 0; layer < TM_ACCOUNT_LAYERS && ret >= 0; layer++) {
			const char *name = names__layer(parts[i].run, TM_LAYER_USER + layer);

			if (!name)
				break;
			ret = name_list__number(layers, name, NULL);
		}
	}
	return ret < 0 ? ret : 0;
}

int account_ranks__print(const struct table_options *options, const struct report_part *parts,
			 size_t n)
{
	struct printer printer = { .out = options->out };
	struct name_list layers = { 0 };
	int ret = take_all(&printer, parts, n);

	if (!ret)
		ret = list_layers(&layers, parts, n);
	if (!ret && printer.n > 1) {
		fputc('\n', options->out);
		for (size_t i = 0; i < layers.n; i++)
			print_layer(&printer, name_list__name(&layers, i));
		print_layer(&printer, "vfs");
	}
	name_list__free(&layers);
	free(printer.told);
	free(printer.ranks);
	return ret;
}
