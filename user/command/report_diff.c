// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "command/report_diff.h"
#include "recording/recording_heading.h"
#include "report/compare_table.h"

static int add_step(struct compare *compare, enum compare_side side,
		    const struct recording *recording, const struct filter *filter)
{
	const struct report_run *run = recording__run(recording);
	struct snapshot filtered;
	int ret = filter__apply(filter, run, recording__snapshot(recording), &filtered);

	if (ret < 0)
		return ret;
	ret = compare__add(compare, side, run, &filtered);
	filter__release(&filtered);
	return ret;
}

/* All that the file has of a run's history. */
static int add_recording(struct compare *compare, enum compare_side side,
			 struct recording *recording, const struct filter *filter,
			 struct error *err)
{
	int ret = 0, step = 1;

	recording__rewind(recording);
	while (ret >= 0 && step > 0) {
		step = recording__next(recording, err);
		if (step == RECORDING_STEP_SNAPSHOT)
			ret = add_step(compare, side, recording, filter);
	}
	return ret < 0 ? error__set(err, ret, "comparing recordings: no memory") : step;
}

static int print_rows(struct compare *compare, const struct table_options *options,
		      struct error *err)
{
	const struct compare_row *rows;
	size_t n;

	if (compare__finish(compare, &rows, &n) < 0)
		return error__set(err, -ENOMEM, "comparing recordings: no memory");
	return compare_table__print(options, rows, n, err);
}

int report_diff__print(const char *const paths[COMPARE_SIDES], const struct filter *filter,
		       const struct table_options *options, struct error *err)
{
	struct recording *recordings[COMPARE_SIDES] = { NULL };
	struct compare *compare = compare__new();
	int side, ret = compare ? 0 : error__set(err, -ENOMEM, "no memory");

	for (side = 0; side < COMPARE_SIDES && !ret; side++)
		ret = recording__open(&recordings[side], paths[side], err);
	for (side = 0; side < COMPARE_SIDES && !ret; side++) {
		recording_heading__print(options->out, paths[side], recordings[side]);
		ret = add_recording(compare, side, recordings[side], filter, err);
	}
	if (!ret)
		ret = print_rows(compare, options, err);
	for (side = 0; side < COMPARE_SIDES; side++)
		recording__close(recordings[side]);
	compare__free(compare);
	return ret;
}
