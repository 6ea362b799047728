// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/file_limit.h"
#include "kernel/ladder.h"
#include "kernel/rung.h"

static const struct ladder *const ladders[KERNEL_LAYERS] = {
	[KERNEL_VFS] = &vfs_ladder,
	[KERNEL_BLOCK] = &block_ladder,
};

const struct ladder *ladder__at(enum kernel_layer layer)
{
	return ladders[layer];
}

const char *ladder__layer(enum kernel_layer layer)
{
	return ladders[layer]->layer;
}

const char *ladder__name(enum kernel_layer layer, int rung)
{
	return rung >= 0 && rung < ladders[layer]->n ? ladders[layer]->rungs[rung].name : NULL;
}

static int try_forced(const struct ladder *ladder, int forced, const struct rung_context *context,
		      struct error *err)
{
	const struct rung *rung = &ladder->rungs[forced];
	int ret = rung->try(context);

	if (file_limit__is_shortage(ret))
		return error__set(err, ret, "--mechanism %s=%s: it could not be tried: %s",
				  ladder->layer, rung->name, file_limit__explain(ret));
	if (ret < 0)
		return error__set(err, ret,
				  "--mechanism %s=%s: this kernel refuses it: %s; leave the "
				  "choice to tmtrace",
				  ladder->layer, rung->name, strerror(-ret));
	return forced;
}

/* 0 where it can be used; surely: and loses nothing. */
static int try_rung(const struct rung *rung, const struct rung_context *context, bool surely)
{
	int ret = rung->try(context);

	return !ret && surely && rung->preempted && rung->preempted(context) ? -EAGAIN : ret;
}

/* The best that can be used, or a negative errno: that of the last one. */
static int choose_rung(const struct ladder *ladder, const struct rung_context *context, bool surely)
{
	int preferred = ladder->preferred ? ladder->preferred(context->options) : -1;
	int i, ret = -ENOTSUP;

	if (preferred >= 0 && !try_rung(&ladder->rungs[preferred], context, surely))
		return preferred;
	for (i = 0; i < ladder->n; i++) {
		ret = try_rung(&ladder->rungs[i], context, surely);
		if (!ret)
			return i;
		/* That is no answer of the kernel's, and a lesser one is not to be taken for it. */
		if (file_limit__is_shortage(ret))
			break;
	}
	return ret;
}

int ladder__choose(enum kernel_layer layer, int forced, const struct rung_context *context,
		   struct error *err)
{
	const struct ladder *ladder = ladders[layer];
	int rung;

	if (forced >= 0)
		return try_forced(ladder, forced, context, err);
	rung = choose_rung(ladder, context, true);
	if (rung < 0 && !file_limit__is_shortage(rung))
		rung = choose_rung(ladder, context, false);
	if (file_limit__is_shortage(rung))
		return error__set(err, rung, "no mechanism could be tried: %s",
				  file_limit__explain(rung));
	if (rung < 0)
		return error__set(err, rung,
				  "this kernel refuses every mechanism for them, the last one: %s",
				  strerror(-rung));
	return rung;
}
