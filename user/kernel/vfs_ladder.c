// SPDX-License-Identifier: GPL-2.0-only
/*
 * How system calls are seen, and with them the operations on files. Hooks on the functions of those
 * calls cost the machine's other system calls nothing; the tracepoints see every call of every
 * process, and are needed where calls of libraries are traced: they ask for the time in all.
 *
 * fentry costs a call least, but each function is a patch of the kernel of its own, which takes
 * long to make and longer to undo; of kprobes one link serves all. So the best is the one for the
 * functions that are called often, and the other for the rest. Both fentry alone and single kprobes
 * come after the tracepoints: a run would begin seconds later.
 */
#include "kernel/hooks.h"
#include "kernel/kprobe.h"
#include "kernel/preempt.h"
#include "kernel/rung.h"
#include "kernel/try.h"
#include "kernel/vfs_fentry.h"
#include "kernel/vfs_kprobe.h"

/* What a mechanism is tried on: every kernel has it, and it is hardly ever called. */
#define TRIED "__x64_sys_reboot"

/* Which programs see io_uring's requests depends on what the kernel's tracepoints give. */
static void choose_uring(const struct rung_context *context)
{
	struct tmtrace_bpf *skel = context->skel;
	struct bpf_program *submit = NULL, *complete = NULL;
	int fields = try__arguments(context->btf, "io_uring_complete");

	if (try__arguments(context->btf, "io_uring_submit_req") == 1)
		submit = skel->progs.uring_submit;
	else if (try__arguments(context->btf, "io_uring_submit_sqe") == 2)
		submit = skel->progs.uring_submit_sqe;
	if (fields == 3)
		complete = skel->progs.uring_complete;
	else if (fields == 5 || fields == 7)
		complete = skel->progs.uring_complete_fields;
	if (submit && complete) {
		bpf_program__set_autoload(submit, true);
		bpf_program__set_autoload(complete, true);
	} else {
		note_list__add(context->notes,
			       "io_uring requests are not seen: this kernel's tracepoints for them "
			       "are not known");
	}
}

static void choose_hooks(const struct rung_context *context)
{
	context->skel->rodata->tm_config.hooks = true;
	bpf_program__set_autoload(context->skel->progs.syscall_switch, true);
	choose_uring(context);
}

static int try_fentry(const struct rung_context *context)
{
	return try__fentry(context->btf, TRIED, context->links);
}

static void choose_fentry(const struct rung_context *context)
{
	vfs_fentry__choose(context, false);
	choose_hooks(context);
}

static int attach_fentry(const struct rung_context *context, struct hooks *hooks, struct error *err)
{
	return vfs_fentry__hook(context, hooks, false, err);
}

static int try_session(const struct rung_context *context)
{
	return try__kprobe_multi(KPROBE_SESSION, TRIED, context->links);
}

static void choose_session(const struct rung_context *context)
{
	struct bpf_program *prog = context->skel->progs.syscall_session;

	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog, KPROBE_SESSION);
	choose_hooks(context);
}

static int try_multi(const struct rung_context *context)
{
	return try__kprobe_multi(KPROBE_MULTI, TRIED, context->links);
}

static void choose_pair(const struct rung_context *context, int type)
{
	struct bpf_program *entry = context->skel->progs.syscall_kprobe;
	struct bpf_program *exit = context->skel->progs.syscall_kretprobe;

	bpf_program__set_autoload(entry, true);
	bpf_program__set_autoload(exit, true);
	bpf_program__set_expected_attach_type(entry, type);
	bpf_program__set_expected_attach_type(exit, type);
	choose_hooks(context);
}

static void choose_multi(const struct rung_context *context)
{
	choose_pair(context, KPROBE_MULTI);
}

static int try_kprobe(const struct rung_context *context)
{
	(void)context;
	return try__kprobe(TRIED, true);
}

static void choose_kprobe(const struct rung_context *context)
{
	choose_pair(context, 0);
}

static int try_fentry_session(const struct rung_context *context)
{
	int ret = try_session(context);

	return ret ? ret : try_fentry(context);
}

static void choose_fentry_session(const struct rung_context *context)
{
	vfs_fentry__choose(context, true);
	choose_session(context);
}

static int try_fentry_multi(const struct rung_context *context)
{
	int ret = try_multi(context);

	return ret ? ret : try_fentry(context);
}

static void choose_fentry_multi(const struct rung_context *context)
{
	vfs_fentry__choose(context, true);
	choose_multi(context);
}

/* The hooks by one mechanism, or those on what is called often by fentry and the rest by another.
 */
static int attach(const struct rung_context *context, bool fentry_often,
		  int (*hook)(const struct rung_context *, struct hooks *, struct error *),
		  struct error *err)
{
	struct hooks hooks;
	int ret = 0;

	hooks__find(&hooks, context->btf);
	if (fentry_often)
		ret = vfs_fentry__hook(context, &hooks, true, err);
	if (!ret)
		ret = hook(context, &hooks, err);
	if (!ret)
		hooks__report(&hooks, context->notes);
	return ret;
}

#define ATTACH(name, fentry_often, hook)                                       \
	static int name(const struct rung_context *context, struct error *err) \
	{                                                                      \
		return attach(context, fentry_often, hook, err);               \
	}
ATTACH(hook_by_fentry_session, true, vfs_kprobe__hook_session)
ATTACH(hook_by_fentry_multi, true, vfs_kprobe__hook_multi)
ATTACH(hook_by_fentry, false, attach_fentry)
ATTACH(hook_by_session, false, vfs_kprobe__hook_session)
ATTACH(hook_by_multi, false, vfs_kprobe__hook_multi)
ATTACH(hook_by_kprobe, false, vfs_kprobe__hook)

static int try_tp_btf(const struct rung_context *context)
{
	int ret = try__tp_btf(context->btf, "sys_enter");

	return ret ? ret : try__tp_btf(context->btf, "sys_exit");
}

static void choose_tp_btf(const struct rung_context *context)
{
	bpf_program__set_autoload(context->skel->progs.syscall_enter, true);
	bpf_program__set_autoload(context->skel->progs.syscall_exit, true);
	bpf_program__set_autoload(context->skel->progs.syscall_switch, true);
	choose_uring(context);
}

static bool is_preempted_in_function(const struct rung_context *context)
{
	(void)context;
	return preempt__anywhere();
}

static bool is_preempted_in_tracepoint(const struct rung_context *context)
{
	return preempt__at_tracepoints(context->btf);
}

enum {
	FENTRY_SESSION,
	FENTRY_MULTI,
	SESSION,
	MULTI,
	TP_BTF,
	FENTRY,
	KPROBE,
	RUNGS,
};

static const struct rung rungs[RUNGS] = {
	[FENTRY_SESSION] = { "fentry+kprobe.session", try_fentry_session, choose_fentry_session,
			     hook_by_fentry_session, is_preempted_in_function },
	[FENTRY_MULTI] = { "fentry+kprobe.multi", try_fentry_multi, choose_fentry_multi,
			   hook_by_fentry_multi, is_preempted_in_function },
	[SESSION] = { "kprobe.session", try_session, choose_session, hook_by_session },
	[MULTI] = { "kprobe.multi", try_multi, choose_multi, hook_by_multi },
	[TP_BTF] = { "tp_btf", try_tp_btf, choose_tp_btf, NULL, is_preempted_in_tracepoint },
	[FENTRY] = { "fentry", try_fentry, choose_fentry, hook_by_fentry,
		     is_preempted_in_function },
	[KPROBE] = { "kprobe", try_kprobe, choose_kprobe, hook_by_kprobe },
};

/* The tracepoints are there anyway, for calls of libraries: what is hooked besides pays twice. */
static int prefer(const struct kernel_options *options)
{
	return options->user ? TP_BTF : -1;
}

const struct ladder vfs_ladder = {
	.layer = "vfs",
	.rungs = rungs,
	.n = RUNGS,
	.preferred = prefer,
};
