// SPDX-License-Identifier: GPL-2.0-only
/* How block I/O is seen. Every mechanism calls the same functions to count (bpf/block.bpf.h). */
#include <errno.h>
#include <string.h>

#include "kernel/kprobe.h"
#include "kernel/rung.h"
#include "kernel/try.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

static void load(struct bpf_program *prog, bool wanted)
{
	bpf_program__set_autoload(prog, wanted);
}

/* Without these, nothing can be counted. */
static const char *const needed[] = { "block_rq_issue", "block_rq_merge", "block_rq_complete" };

/* The programs of a mechanism that is given the kernel's own arguments. */
struct programs {
	struct bpf_program *start, *insert, *getrq, *issue, *merge, *complete, *done;
	struct bpf_program *bio_queue, *bio_complete, *file_start, *file_complete;
};

/* Those of a mechanism, as bpf/block_tracepoints.bpf.h names them. */
#define PROGRAMS(skel, kind)                                                 \
	{                                                                    \
		.start = (skel)->progs.block_##kind##_start,                 \
		.insert = (skel)->progs.block_##kind##_insert,               \
		.getrq = (skel)->progs.block_##kind##_getrq,                 \
		.issue = (skel)->progs.block_##kind##_issue,                 \
		.merge = (skel)->progs.block_##kind##_merge,                 \
		.complete = (skel)->progs.block_##kind##_complete,           \
		.done = (skel)->progs.block_##kind##_done,                   \
		.bio_queue = (skel)->progs.block_##kind##_bio_queue,         \
		.bio_complete = (skel)->progs.block_##kind##_bio_complete,   \
		.file_start = (skel)->progs.block_##kind##_file_start,       \
		.file_complete = (skel)->progs.block_##kind##_file_complete, \
	}

/* A request's result was an errno before it became a status of one byte. */
static bool result_is_errno(const struct btf *btf)
{
	return try__argument_size(btf, "block_rq_complete", 1) == (int)sizeof(int);
}

static void choose_tracepoints(const struct rung_context *context, const struct programs *programs)
{
	struct tm_config *config = &context->skel->rodata->tm_config;
	const struct btf *btf = context->btf;
	bool starts = try__arguments(btf, "block_io_start") == 1;
	bool bios = try__arguments(btf, "block_bio_queue") == 1 &&
		    try__arguments(btf, "block_bio_complete") == 2;
	bool files = try__arguments(btf, "writeback_single_inode_start") == 3 &&
		     try__arguments(btf, "writeback_single_inode") == 3;

	config->block_starts = starts;
	config->block_queue_first = try__arguments(btf, "block_rq_issue") == 2;
	config->block_errno = result_is_errno(btf);
	load(programs->start, starts);
	load(programs->insert, !starts);
	load(programs->getrq, !starts && try__arguments(btf, "block_getrq") == 1);
	load(programs->issue, true);
	load(programs->merge, true);
	load(programs->complete, true);
	load(programs->done, try__arguments(btf, "block_io_done") == 1);
	load(programs->bio_queue, bios);
	load(programs->bio_complete, bios);
	load(programs->file_start, files);
	load(programs->file_complete, files);
	if (!bios)
		note_list__add(context->notes,
			       "devices without requests (device-mapper, md) are not seen: this "
			       "kernel's tracepoints for them are not known");
	if (!files)
		note_list__add(context->notes,
			       "writeback to file systems without a device is not seen: this "
			       "kernel's tracepoints for it are not known");
}

static int try_tp_btf(const struct rung_context *context)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < N(needed); i++) {
		ret = try__tp_btf(context->btf, needed[i]);
		/* Up to 5.11, and in some kernels after it, the queue came first. */
		if (!ret && i < 2 && try__arguments(context->btf, needed[i]) != 1)
			ret = -EPROTO;
	}
	return ret;
}

static void choose_tp_btf(const struct rung_context *context)
{
	const struct programs programs = PROGRAMS(context->skel, btf);

	choose_tracepoints(context, &programs);
}

static int try_raw_tp(const struct rung_context *context)
{
	size_t i;
	int ret = 0;

	(void)context;
	for (i = 0; !ret && i < N(needed); i++)
		ret = try__raw_tp(needed[i]);
	return ret;
}

static void choose_raw_tp(const struct rung_context *context)
{
	const struct programs programs = PROGRAMS(context->skel, raw);

	choose_tracepoints(context, &programs);
}

static int try_tp(const struct rung_context *context)
{
	size_t i;
	int ret = 0;

	(void)context;
	for (i = 0; !ret && i < N(needed); i++)
		ret = try__tracepoint("block", needed[i]);
	return ret;
}

#define STARTS_MAX 16384

static void choose_tp(const struct rung_context *context)
{
	struct tmtrace_bpf *skel = context->skel;
	bool starts = !try__tracepoint("block", "block_io_start");

	/* What is met first at its issue is its own: nothing is remembered as foreign. */
	skel->rodata->tm_config.block_starts = true;
	bpf_map__set_max_entries(skel->maps.tm_starts, STARTS_MAX);
	load(skel->progs.block_tp_start, starts);
	load(skel->progs.block_tp_insert, !starts);
	load(skel->progs.block_tp_issue, true);
	load(skel->progs.block_tp_requeue, !try__tracepoint("block", "block_rq_requeue"));
	load(skel->progs.block_tp_merge, true);
	load(skel->progs.block_tp_complete, true);
	note_list__add(context->notes,
		       "block requests are known by their place, not by their address: devices "
		       "without requests (device-mapper, md), writeback to file systems without a "
		       "device, whose pages are written back, and metadata that carries no mark "
		       "are not seen");
}

/* A function of the kernel, and what is put on it. */
struct hook {
	const char *function;
	struct bpf_program *prog;
	bool optional;
};

#define HOOKS 7

static void hooks_of(const struct rung_context *context, struct hook hooks[HOOKS])
{
	const struct tmtrace_bpf *skel = context->skel;
	const struct hook all[HOOKS] = {
		{ "blk_mq_start_request", skel->progs.block_kprobe_issue, false },
		{ "blk_update_request", skel->progs.block_kprobe_complete, false },
		{ "blk_mq_free_request", skel->progs.block_kprobe_merge, false },
		{ "blk_mq_end_request_batch", skel->progs.block_kprobe_batch, true },
		{ "blk_account_io_start", skel->progs.block_kprobe_start, true },
		{ "submit_bio_noacct_nocheck", skel->progs.block_kprobe_bio_queue, true },
		{ "bio_endio", skel->progs.block_kprobe_bio_complete, true },
	};

	memcpy(hooks, all, sizeof(all));
}

static int try_kprobe(const struct rung_context *context)
{
	struct hook hooks[HOOKS];
	size_t i;
	int ret = 0;

	hooks_of(context, hooks);
	for (i = 0; !ret && i < HOOKS; i++)
		ret = hooks[i].optional ? 0 : try__kprobe(hooks[i].function, false);
	return ret;
}

static void choose_kprobe(const struct rung_context *context)
{
	struct hook hooks[HOOKS];
	size_t i;

	hooks_of(context, hooks);
	for (i = 0; i < HOOKS; i++)
		load(hooks[i].prog, !hooks[i].optional || !try__kprobe(hooks[i].function, false));
	if (!bpf_program__autoload(context->skel->progs.block_kprobe_start))
		note_list__add(context->notes,
			       "whose block requests are is asked when the device gets them, not "
			       "when they start: others may have queued them");
	note_list__add(context->notes,
		       "writeback to file systems without a device is not seen: kprobes on the "
		       "block layer do not tell it");
}

static int attach_kprobe(const struct rung_context *context, struct error *err)
{
	struct hook hooks[HOOKS];
	size_t i;

	hooks_of(context, hooks);
	for (i = 0; i < HOOKS; i++) {
		int perf_fd, link, ret;

		if (!bpf_program__autoload(hooks[i].prog))
			continue;
		link = kprobe__link_perf(bpf_program__fd(hooks[i].prog), hooks[i].function, false,
					 &perf_fd);
		if (link < 0)
			return error__set(err, link, "cannot attach to %s: %s", hooks[i].function,
					  strerror(-link));
		ret = links__add_fd(context->links, perf_fd);
		if (ret < 0)
			perf_fd = -1;
		ret = links__add_fd(context->links, link);
		if (ret < 0 || perf_fd < 0)
			return error__set(err, -ENOMEM, "no memory");
	}
	return 0;
}

static const struct rung rungs[] = {
	{ .name = "tp_btf", .try = try_tp_btf, .choose = choose_tp_btf },
	{ .name = "raw_tp", .try = try_raw_tp, .choose = choose_raw_tp },
	{ .name = "tp", .try = try_tp, .choose = choose_tp },
	{ .name = "kprobe", .try = try_kprobe, .choose = choose_kprobe, .attach = attach_kprobe },
};

const struct ladder block_ladder = {
	.layer = "block",
	.rungs = rungs,
	.n = N(rungs),
};
