// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/kprobe.h"
#include "kernel/try.h"

/* r0 = 0; exit */
static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* Loads a program that does nothing; its descriptor or a negative errno. */
static int load(enum bpf_prog_type type, enum bpf_attach_type attach_type, __u32 btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type,
		    .attach_btf_id = btf_id);

	return bpf_prog_load(type, "tm_try", "GPL", nothing, 2, &opts);
}

/* Releases what an attempt made: 0, or the errno of the step that failed. */
static int release_try(int program, int link)
{
	if (link >= 0)
		close(link);
	close(program);
	return link < 0 ? link : 0;
}

static int tracepoint_id(const struct btf *btf, const char *tracepoint)
{
	char symbol[96];
	int id;

	snprintf(symbol, sizeof(symbol), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, symbol, BTF_KIND_TYPEDEF);
	return id < 0 ? -ENOENT : id;
}

int try__tp_btf(const struct btf *btf, const char *tracepoint)
{
	int id = tracepoint_id(btf, tracepoint);
	int program = id < 0 ? id : load(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, id);

	if (program < 0)
		return program;
	close(program);
	return 0;
}

/* r0 = context->args[11]; exit */
static const struct bpf_insn last_argument[] = {
	{ .code = BPF_LDX | BPF_MEM | BPF_DW,
	  .dst_reg = BPF_REG_0,
	  .src_reg = BPF_REG_1,
	  .off = 8 * 11 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/*
 * Asks for an argument more than any tracepoint has: a kernel that would attach the program to this
 * one says EINVAL, one that has not got it ENOENT.
 */
int try__raw_tp(const char *tracepoint)
{
	int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "tm_try", "GPL", last_argument, 2,
				    NULL);
	int ret;

	if (program < 0)
		return program;
	ret = release_try(program, bpf_raw_tracepoint_open(tracepoint, program));
	return ret == -EINVAL ? 0 : ret;
}

/* The number that perf knows a tracepoint by. */
static int tracepoint_number(const char *category, const char *tracepoint)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[256];
	int ret = -ENOENT, number;
	FILE *f;

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", places[i], category, tracepoint);
		f = fopen(path, "re");
		if (!f) {
			ret = errno == ENOENT ? ret : -errno;
			continue;
		}
		ret = fscanf(f, "%d", &number) == 1 ? number : -EINVAL;
		fclose(f);
		break;
	}
	return ret;
}

int try__kprobe(const char *function, bool returns)
{
	int program = load(BPF_PROG_TYPE_KPROBE, 0, 0), perf_fd = -1, link;

	if (program < 0)
		return program;
	link = kprobe__link_perf(program, function, returns, &perf_fd);
	if (perf_fd >= 0)
		close(perf_fd);
	return release_try(program, link);
}

/* The same, but what was attached stays so. */
static int keep(int program, int link, struct links *links)
{
	close(program);
	return link < 0 ? link : links__add_fd(links, link);
}

int try__kprobe_multi(int type, const char *function, struct links *links)
{
	int program = load(BPF_PROG_TYPE_KPROBE, type, 0);

	return program < 0 ? program
			   : keep(program, kprobe__link_multi(type, program, &function, 1, true),
				  links);
}

int try__fentry(const struct btf *btf, const char *function, struct links *links)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC), program;

	if (id < 0)
		return -ENOENT;
	program = load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, id);
	return program < 0 ? program : keep(program, bpf_raw_tracepoint_open(NULL, program), links);
}

int try__tracepoint(const char *category, const char *tracepoint)
{
	int number = tracepoint_number(category, tracepoint);

	return number < 0 ? number : 0;
}

/* The prototype of a BTF tracepoint: NULL where there is none. */
static const struct btf_type *prototype(const struct btf *btf, const char *tracepoint)
{
	const struct btf_type *type;
	int id = tracepoint_id(btf, tracepoint);

	if (id < 0)
		return NULL;
	type = btf__type_by_id(btf, btf__type_by_id(btf, id)->type); /* typedef -> pointer */
	type = type ? btf__type_by_id(btf, type->type) : NULL;
	return type && btf_is_func_proto(type) ? type : NULL;
}

int try__arguments(const struct btf *btf, const char *tracepoint)
{
	const struct btf_type *type = prototype(btf, tracepoint);

	return type ? btf_vlen(type) - 1 : -ENOENT;
}

int try__argument_size(const struct btf *btf, const char *tracepoint, int i)
{
	const struct btf_type *type = prototype(btf, tracepoint);

	if (!type || i + 1 >= btf_vlen(type))
		return -ENOENT;
	return (int)btf__resolve_size(btf, btf_params(type)[i + 1].type);
}
