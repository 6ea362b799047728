// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel/preempt.h"

#define PREEMPT_MASK 0xff /* linux/preempt.h: how often preemption is disabled */

/* What the program saw. */
struct seen {
	__u32 count;
	__u32 ran;
};

/* Notes the CPU's preemption count: a variable of the kernel, which its types name. */
static int load(int map, __u32 variable, __u32 tracepoint)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_BTF_ID,
		  .imm = variable },
		{ 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_this_cpu_ptr },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_0 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = map },
		{ 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_1, .off = 4, .imm = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = tracepoint);

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "tm_try_preempt", "GPL", program,
			     sizeof(program) / sizeof(*program), &opts);
}

bool preempt__at_tracepoints(const struct btf *btf)
{
	int variable = btf__find_by_name_kind(btf, "__preempt_count", BTF_KIND_VAR);
	int tracepoint = btf__find_by_name_kind(btf, "btf_trace_sys_enter", BTF_KIND_TYPEDEF);
	int map, program = -1, link = -1;
	struct seen seen = { 0 };
	__u32 zero = 0;

	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tm_try_preempt", sizeof(zero), sizeof(seen), 1,
			     NULL);
	if (map >= 0 && variable > 0 && tracepoint > 0)
		program = load(map, variable, tracepoint);
	if (program >= 0)
		link = bpf_raw_tracepoint_open(NULL, program);
	if (link >= 0) {
		getppid(); /* any system call */
		bpf_map_lookup_elem(map, &zero, &seen);
		close(link);
	}
	if (program >= 0)
		close(program);
	if (map >= 0)
		close(map);
	return seen.ran && !(seen.count & PREEMPT_MASK);
}

bool preempt__anywhere(void)
{
	FILE *f = fopen("/sys/kernel/debug/sched/preempt", "re");
	char models[64] = "";

	if (!f)
		return false;
	if (!fgets(models, sizeof(models), f))
		*models = '\0';
	fclose(f);
	/* The model in use is in brackets. */
	return strstr(models, "(full)") || strstr(models, "(lazy)");
}
