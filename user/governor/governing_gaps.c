// SPDX-License-Identifier: GPL-2.0-only
/* What is not seen of a library's calls, while its functions are parked (job/unseen.h). */
#include <errno.h>

#include "base/grown_map.h"
#include "governor/governing_state.h"
#include "report/names.h"

static struct tm_series *series(void *context, __u32 *n)
{
	const struct governing *governing = context;
	const struct grown_map *map = drain__map(governing->parts.drain);

	*n = map ? drain__end_of_slots(governing->parts.drain) : 0;
	return map ? (struct tm_series *)map->at : NULL;
}

static int make_series(void *context, const struct tm_key *key)
{
	const struct governing *governing = context;

	return kernel__make_series(governing->parts.kernel, key);
}

static void life(void *context, __u64 job, __u64 *start_ns, __u64 *end_ns)
{
	const struct governing *governing = context;
	const struct job_info *info = names__job(governing->run, job);

	*start_ns = info ? info->start_ns : 0;
	*end_ns = info ? info->end_ns : 0;
}

int governing__open_gaps(struct governing *governing)
{
	const struct unseen_source source = {
		.series = series,
		.make = make_series,
		.life = life,
		.context = governing,
		.since_ns = governing->run->start_ns,
	};

	if (governing->what != GOVERNING_PROBES)
		return 0;
	*governing->parts.unseen = unseen__new(&source);
	return *governing->parts.unseen ? 0 : -ENOMEM;
}

void governing__begin_gap(struct governing *governing, size_t i)
{
	const struct probe *probe = probe_table__at(governing->parts.probes, i);
	const struct tm_key key = { .layer = probe->layer_id, .function = probe->function_id };
	const struct unseen_cost cost = {
		.hit_ns = governing__price(governing, probe),
		.thread_share = governing->thread_share,
	};
	struct unseen *unseen = *governing->parts.unseen;

	/* Without memory, nothing is estimated of this gap; that there was one is known. */
	if (unseen)
		unseen__begin(unseen, i, &key, &cost, unseen__now_ns(unseen));
}

void governing__end_gap(struct governing *governing, size_t i)
{
	struct unseen *unseen = *governing->parts.unseen;

	if (unseen)
		unseen__end(unseen, i, unseen__now_ns(unseen));
}

void governing__tend_gaps(struct governing *governing)
{
	struct unseen *unseen = *governing->parts.unseen;

	if (unseen)
		unseen__tend(unseen, unseen__now_ns(unseen));
}
