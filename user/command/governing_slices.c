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

	if (!map || !governing->sampling || kernel__missing(session->kernel) == TM_MISSING_ALL)
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
	__u64 begin = clock__ns(CLOCK_THREAD_CPUTIME_ID);

	task_passes__run(governing->session->passes);
	end_slice(governing);
	governing->change_ns = begin;
}

void governing__end_change(struct governing *governing)
{
	kernel__tell_missing(governing->session->kernel);
	/* There and back. */
	governing->switch_ns =
		2 * (double)(clock__ns(CLOCK_THREAD_CPUTIME_ID) - governing->change_ns);
}
