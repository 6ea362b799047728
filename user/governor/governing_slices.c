// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel counts of each job all the time is the measure of what operations on files are a
 * sample of, where these are counted for a part of the time.
 */
#include "base/grown_map.h"
#include "governor/governing_state.h"

/* What is counted ends: what came of it is a slice. */
static void end_slice(const struct governing *governing)
{
	const struct drain *drain = governing->parts.drain;
	struct grown_map *map = drain__map(drain);

	if (!map || !governing->sampling)
		return;
	/* Without memory, errors are those of the other slices. */
	sampling__end(governing->sampling, (struct tm_series *)map->at, drain__end_of_slots(drain));
}

void governing__begin_change(struct governing *governing)
{
	governing->missing = kernel__missing(governing->parts.kernel);
	task_passes__run(governing->parts.passes);
}

void governing__end_change(struct governing *governing)
{
	struct kernel *kernel = governing->parts.kernel;

	kernel__tell_missing(kernel);
	if (kernel__missing(kernel) & ~governing->missing)
		end_slice(governing);
}
