/* SPDX-License-Identifier: GPL-2.0-only */
/* Intervals of a made-up run for the tests of tmtrace top. To be included after sample_run.h. */
#ifndef TESTS_UNIT_TOP_SAMPLE_H
#define TESTS_UNIT_TOP_SAMPLE_H

#include "top/history.h"
#include "top/intake.h"
#include "top/rows.h"

/* What intervals are made with. */
struct top_sample {
	struct top_names *names;
	struct top_usage *usage;
	struct top_interval *interval; /* the last one */
	bool (*is_chosen)(void *context, const struct report_run *run, __u64 job);
};

static inline void top_sample__open(struct top_sample *top)
{
	*top = (struct top_sample){ top_names__new(), top_usage__new() };
	assert_non_null(top->names);
	assert_non_null(top->usage);
}

static inline void top_sample__close(struct top_sample *top)
{
	top_interval__give(top->interval);
	top_usage__free(top->usage);
	top_names__free(top->names);
}

/* The interval of a sample's snapshot, of a second, which goes with the next one. */
static inline struct top_interval *top_sample__take(struct top_sample *top,
						    const struct sample *sample)
{
	const struct top_intake intake = { .names = top->names,
					   .usage = top->usage,
					   .run = &sample->run,
					   .snapshot = &sample->snapshot,
					   .seconds = 1,
					   .is_chosen = top->is_chosen };
	struct top_interval *interval;

	assert_int_equal(top_intake__take(&intake, top->interval, &interval), 0);
	top_interval__give(top->interval);
	top->interval = interval;
	return interval;
}

static inline void top_sample__rows(struct top_sample *top, const struct sample *sample,
				    const struct top_view *view, struct top_rows *rows)
{
	assert_int_equal(top_rows__collect(rows, view, top_sample__take(top, sample)), 0);
}

/* The row of that name. */
static inline const struct top_row *top_sample__row(const struct top_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++)
		if (!strcmp(rows->rows[i].name, name))
			return &rows->rows[i];
	fail_msg("there is no row %s", name);
	return NULL;
}

#endif
