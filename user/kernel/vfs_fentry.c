// SPDX-License-Identifier: GPL-2.0-only
/*
 * fentry wants a program of its own for each function. The one that does the work takes the
 * verifier up to 60 ms: it is loaded once, and what is put on the functions are programs of five
 * instructions that continue with it (a tail call). The kernel allows that between functions of one
 * prototype, which those of system calls have.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/vfs_fentry.h"

/* What all stubs of a kind continue with, in an array of one element. */
struct continuation {
	enum bpf_attach_type type;
	int array; /* of the links: the kernel empties it when nobody has it open any more */
};

/* The pair for functions of one prototype. */
struct pair {
	__u32 prototype; /* 0: there is none */
	struct continuation entry, exit;
};

/* The first function that is to be hooked and has not the prototype of the others; NULL: all have.
 */
static const struct hook *find_other(const struct hooks *hooks, bool often)
{
	size_t i;

	for (i = 0; i < hooks->n; i++) {
		const struct hook *hook = &hooks->at[i];

		if (hook->btf_id && hook->prototype != hooks->at[0].prototype &&
		    (hook->often || !often))
			return hook;
	}
	return NULL;
}

void vfs_fentry__choose(const struct rung_context *context, bool often)
{
	struct tmtrace_bpf *skel = context->skel;
	const struct hook *other;
	struct hooks hooks;

	bpf_program__set_autoload(skel->progs.syscall_fentry, true);
	bpf_program__set_autoload(skel->progs.syscall_fexit, true);
	hooks__find(&hooks, context->btf);
	other = find_other(&hooks, often);
	if (!other ||
	    bpf_program__set_attach_target(skel->progs.syscall_fentry_other, 0, other->function) ||
	    bpf_program__set_attach_target(skel->progs.syscall_fexit_other, 0, other->function))
		return;
	bpf_program__set_autoload(skel->progs.syscall_fentry_other, true);
	bpf_program__set_autoload(skel->progs.syscall_fexit_other, true);
}

static int continuation__open(struct continuation *c, const struct rung_context *context,
			      enum bpf_attach_type type, const struct bpf_program *prog)
{
	int program = bpf_program__fd(prog), ret;
	__u32 zero = 0;

	c->type = type;
	c->array = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "tm_continue", sizeof(zero),
				  sizeof(program), 1, NULL);
	if (c->array < 0)
		return c->array;
	ret = links__add_fd(context->links, c->array);
	return ret ? ret : bpf_map_update_elem(c->array, &zero, &program, BPF_ANY);
}

static int pair__open(struct pair *pair, const struct rung_context *context,
		      const struct hook *hook, const struct bpf_program *entry,
		      const struct bpf_program *exit)
{
	int ret = continuation__open(&pair->entry, context, BPF_TRACE_FENTRY, entry);

	pair->prototype = hook->prototype;
	return ret ? ret : continuation__open(&pair->exit, context, BPF_TRACE_FEXIT, exit);
}

static int load_stub(const struct continuation *c, const struct hook *hook)
{
	const struct bpf_insn stub[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = BPF_REG_2,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = c->array },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = c->type,
		    .attach_btf_id = hook->btf_id);

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "tm_stub", "GPL", stub,
			     sizeof(stub) / sizeof(*stub), &opts);
}

static int attach_stub(const struct rung_context *context, const struct continuation *c,
		       const struct hook *hook)
{
	int program = load_stub(c, hook), link, ret;

	if (program < 0)
		return program;
	link = bpf_raw_tracepoint_open(NULL, program);
	if (link < 0) {
		close(program);
		return link;
	}
	ret = links__add_program(context->links, program);
	if (ret < 0) {
		close(link);
		return ret;
	}
	return links__add_fd(context->links, link);
}

/* What began must be seen to end: the return is hooked before the entry. */
static int attach_hook(const struct rung_context *context, const struct pair *pairs,
		       struct hook *hook)
{
	const struct pair *pair = &pairs[hook->prototype != pairs[0].prototype];
	int ret = 0;

	if (!hook->btf_id || hook->prototype != pair->prototype)
		return -ENOENT;
	if (hook->returns)
		ret = attach_stub(context, &pair->exit, hook);
	if (!ret)
		ret = attach_stub(context, &pair->entry, hook);
	hook->hooked = !ret;
	return ret;
}

/* pairs[0] is for most functions, [1] for those of another prototype. */
static int open_pairs(const struct rung_context *context, const struct hooks *hooks, bool often,
		      struct pair *pairs)
{
	const struct tmtrace_bpf *skel = context->skel;
	const struct hook *other = find_other(hooks, often);
	int ret = pair__open(&pairs[0], context, &hooks->at[0], skel->progs.syscall_fentry,
			     skel->progs.syscall_fexit);

	if (!ret && other)
		ret = pair__open(&pairs[1], context, other, skel->progs.syscall_fentry_other,
				 skel->progs.syscall_fexit_other);
	return ret;
}

int vfs_fentry__hook(const struct rung_context *context, struct hooks *hooks, bool often,
		     struct error *err)
{
	struct pair pairs[2] = { 0 };
	int ret = open_pairs(context, hooks, often, pairs), one = -ENOENT;
	size_t i, n = 0;

	for (i = 0; !ret && i < hooks->n; i++) {
		if (often && !hooks->at[i].often)
			continue;
		one = attach_hook(context, pairs, &hooks->at[i]);
		n += !one;
	}
	if (!ret && !n)
		ret = one;
	return ret < 0 ? error__set(err, ret, "cannot hook system calls by fentry: %s",
				    strerror(-ret))
		       : 0;
}
