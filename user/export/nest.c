// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "export/nest.h"

struct nest {
	const struct tm_call **calls;
	size_t n, room;
	const struct tm_call **open; /* the innermost last */
	size_t n_open, room_open;
	__u64 track; /* of the thread */
};

struct nest *nest__new(void)
{
	return calloc(1, sizeof(struct nest));
}

void nest__free(struct nest *nest)
{
	if (!nest)
		return;
	free((void *)nest->calls);
	free((void *)nest->open);
	free(nest);
}

int nest__add(struct nest *nest, const struct tm_call *call)
{
	if (array__grow((void **)&nest->calls, &nest->room, nest->n, sizeof(*nest->calls)) < 0)
		return -ENOMEM;
	nest->calls[nest->n++] = call;
	return 0;
}

static __u64 end_of(const struct tm_call *call)
{
	return call->start_ns + call->duration_ns;
}

static int order(__u64 a, __u64 b)
{
	return (a > b) - (a < b);
}

/* By thread, and in it by begin; of those that begin together the outer one is the longer one. */
static int compare_calls(const void *left, const void *right)
{
	const struct tm_call *a = *(const struct tm_call *const *)left;
	const struct tm_call *b = *(const struct tm_call *const *)right;
	int by;

	by = order(a->pid, b->pid);
	if (!by)
		by = order(a->tid, b->tid);
	if (!by)
		by = order(a->start_ns, b->start_ns);
	if (!by)
		by = order(end_of(b), end_of(a));
	return by ? by : order(a->depth, b->depth);
}

static void end_one(struct nest *nest, const struct nest_target *target)
{
	target->end(target->context, nest->open[--nest->n_open], nest->track);
}

static void end_all(struct nest *nest, const struct nest_target *target)
{
	while (nest->n_open)
		end_one(nest, target);
}

/* Is the open call over when the other one begins? One that takes no time can be inside. */
static bool is_before(const struct tm_call *open, const struct tm_call *call)
{
	if (end_of(open) > call->start_ns)
		return false;
	return call->depth <= open->depth || end_of(call) > end_of(open);
}

static int put_beside(const struct nest_target *target, const struct tm_call *call)
{
	__u64 track = target->beside(target->context, call);

	if (!track)
		return -ENOMEM;
	target->begin(target->context, call, track);
	target->end(target->context, call, track);
	return 0;
}

static int put_one(struct nest *nest, const struct nest_target *target, const struct tm_call *call)
{
	while (nest->n_open && is_before(nest->open[nest->n_open - 1], call))
		end_one(nest, target);
	if (nest->n_open && end_of(call) > end_of(nest->open[nest->n_open - 1]))
		return put_beside(target, call);
	if (array__grow((void **)&nest->open, &nest->room_open, nest->n_open, sizeof(*nest->open)) <
	    0)
		return -ENOMEM;
	nest->open[nest->n_open++] = call;
	target->begin(target->context, call, nest->track);
	return 0;
}

static int put_all(struct nest *nest, const struct nest_target *target)
{
	const struct tm_call *before = NULL;
	int ret = 0;

	for (size_t i = 0; i < nest->n && !ret; i++) {
		const struct tm_call *call = nest->calls[i];

		if (!before || call->pid != before->pid || call->tid != before->tid) {
			end_all(nest, target);
			nest->track = target->track(target->context, call);
			ret = nest->track ? 0 : -ENOMEM;
		}
		if (!ret)
			ret = put_one(nest, target, call);
		before = call;
	}
	return ret;
}

int nest__put(struct nest *nest, const struct nest_target *target)
{
	int ret;

	if (nest->n)
		qsort((void *)nest->calls, nest->n, sizeof(*nest->calls), compare_calls);
	ret = put_all(nest, target);
	end_all(nest, target);
	nest->n = 0;
	return ret;
}
