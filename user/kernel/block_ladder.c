// SPDX-License-Identifier: GPL-2.0-only
/* How block requests are seen. */
#include <errno.h>

#include "kernel/rung.h"
#include "kernel/try.h"

static int try_tp_btf(const struct rung_context *context)
{
	static const char *const tracepoints[] = { "block_io_start", "block_rq_issue",
						   "block_rq_merge", "block_rq_complete" };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < sizeof(tracepoints) / sizeof(*tracepoints); i++)
		rc = try__tp_btf(context->btf, tracepoints[i]);
	if (!rc && try__arguments(context->btf, "block_rq_issue") != 1)
		rc = -EPROTO;
	return rc;
}

static void choose_tp_btf(const struct rung_context *context)
{
	bpf_program__set_autoload(context->skel->progs.block_start, true);
	bpf_program__set_autoload(context->skel->progs.block_issue, true);
	bpf_program__set_autoload(context->skel->progs.block_merge, true);
	bpf_program__set_autoload(context->skel->progs.block_complete, true);
}

static const struct rung rungs[] = {
	{ .name = "tp_btf", .try = try_tp_btf, .choose = choose_tp_btf },
};

const struct ladder block_ladder = {
	.layer = "block",
	.rungs = rungs,
	.n = sizeof(rungs) / sizeof(*rungs),
};
