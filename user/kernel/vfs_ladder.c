// SPDX-License-Identifier: GPL-2.0-only
/* How system calls are seen, and with them the operations on files. */
#include "kernel/rung.h"
#include "kernel/try.h"

/* Which programs see io_uring's requests depends on what the kernel's tracepoints give. */
static void choose_uring(const struct rung_context *context)
{
	bool seen = try__arguments(context->btf, "io_uring_submit_req") == 1 &&
		    try__arguments(context->btf, "io_uring_complete") == 3;

	bpf_program__set_autoload(context->skel->progs.uring_submit, seen);
	bpf_program__set_autoload(context->skel->progs.uring_complete, seen);
	if (!seen)
		note_list__add(context->notes,
			       "io_uring requests are not seen: this kernel's tracepoints for them "
			       "are not known");
}

static int try_tp_btf(const struct rung_context *context)
{
	int rc = try__tp_btf(context->btf, "sys_enter");

	return rc ? rc : try__tp_btf(context->btf, "sys_exit");
}

static void choose_tp_btf(const struct rung_context *context)
{
	bpf_program__set_autoload(context->skel->progs.syscall_enter, true);
	bpf_program__set_autoload(context->skel->progs.syscall_exit, true);
	bpf_program__set_autoload(context->skel->progs.syscall_switch, true);
	choose_uring(context);
}

static const struct rung rungs[] = {
	{ .name = "tp_btf", .try = try_tp_btf, .choose = choose_tp_btf },
};

const struct ladder vfs_ladder = {
	.layer = "vfs",
	.rungs = rungs,
	.n = sizeof(rungs) / sizeof(*rungs),
};
