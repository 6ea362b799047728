// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

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
	int rc = rung->try(context);

	if (rc < 0)
		return error__set(err, rc,
				  "--mechanism %s=%s: this kernel refuses it: %s; leave the "
				  "choice to tmtrace",
				  ladder->layer, rung->name, strerror(-rc));
	return forced;
}

int ladder__choose(enum kernel_layer layer, int forced, const struct rung_context *context,
		   struct error *err)
{
	const struct ladder *ladder = ladders[layer];
	int preferred = ladder->preferred ? ladder->preferred(context->options) : -1;
	int i, rc = -ENOTSUP;

	if (forced >= 0)
		return try_forced(ladder, forced, context, err);
	if (preferred >= 0 && !ladder->rungs[preferred].try(context))
		return preferred;
	for (i = 0; i < ladder->n; i++) {
		rc = ladder->rungs[i].try(context);
		if (!rc)
			return i;
	}
	return error__set(err, rc, "this kernel refuses every mechanism for them, the last one: %s",
			  strerror(-rc));
}
