// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "report/layer_sum.h"
#include "report/names.h"
#include "report/process_sums.h"
#include "report/rank_line.h"
#include "report/rank_table.h"

static struct rank_owner describe(void *context, const void *whose)
{
	const struct process_sum *sum = whose;
	const struct process_info *process = names__process(context, sum->number);

	return (struct rank_owner){ process ? process->jobid : NULL,
				    process ? process->node : NULL };
}

/* Two sums of the same rank are of different jobs. */
static bool of_several_jobs(const struct process_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		for (size_t j = i + 1; j < sums->n; j++)
			if (sums->at[i].rank == sums->at[j].rank)
				return true;
	return false;
}

static void print_layer(FILE *out, const struct report_run *run, const struct process_sums *sums,
			__u8 layer, struct rank_time *ranks)
{
	struct report_run names = *run; /* the context is not const */
	struct rank_line line = { .layer = names__layer(run, layer),
				  .several_jobs = of_several_jobs(sums),
				  .describe = describe,
				  .context = &names };
	struct layer_sum sum;
	size_t n = 0;

	for (size_t i = 0; i < sums->n; i++) {
		layer_sum__make(&sum, &sums->snapshot, sums->at[i].first, sums->at[i].end, layer);
		if (sum.n)
			ranks[n++] = (struct rank_time){
				.rank = sums->at[i].rank,
				.time_ns = sum.time_ns,
				.whose = &sums->at[i],
			};
	}
	rank_line__print(out, &line, ranks, n);
}

int rank_table__print(const struct table_options *options, const struct report_run *run,
		      const struct snapshot *snapshot)
{
	struct process_sums sums;
	struct rank_time *ranks = NULL;
	int ret = process_sums__make(&sums, run, snapshot, PROCESS_SUMS_BY_RANK, TABLE_BY_RANK);

	if (!ret)
		ranks = calloc(sums.n + 1, sizeof(*ranks));
	if (!ret && !ranks)
		ret = -ENOMEM;
	if (!ret && sums.n > 1) {
		fputc('\n', options->out);
		for (int layer = names__top_layer(run); layer >= 0;
		     layer = names__layer_below(run, layer))
			print_layer(options->out, run, &sums, (__u8)layer, ranks);
	}
	free(ranks);
	process_sums__free(&sums);
	return ret;
}
