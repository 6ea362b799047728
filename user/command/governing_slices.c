// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel counts of each job all the time is the measure of what operations on files are a
 * sample of, where these are counted for a part of the time.
 */
#include "base/grown_map.h"
#include "command/governing_state.h"

/* What is counted ends: what came of it is a slice. */
static void end_slice(const struct governing *governing)
{
	const struct session *session = governing->session;
	struct grown_map *map = drain__map(session->drain);
	struct drain_maps maps;
	__u32 n;

	if (!map || !governing->sampling)
		return;
	kernel__maps(session->kernel, &maps);
	n = __atomic_load_n(maps.next_slot, __ATOMIC_RELAXED);
	if (n > maps.slots)
		n = maps.slots;
	n = (__u32)grown_map__show(map, n, sizeof(struct tm_series));
	/* Without memory, errors are those of the other slices. */
	sampling__end(governing->sampling, (struct tm_series *)map->at, n);
}

void governing__begin_change(struct governing *governing)
{
	governing->missing = kernel__missing(governing->session->kernel);
	task_passes__run(governing->session->passes);
}

void governing__end_change(struct governing *governing)
{
	struct kernel *kernel = governing->session->kernel;

	kernel__tell_missing(kernel);
	if (kernel__missing(kernel) & ~governing->missing)
		end_slice(governing);
}
