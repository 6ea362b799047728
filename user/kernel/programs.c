// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/file_limit.h"
#include "kernel/env_hooks.h"
#include "kernel/ladder.h"
#include "kernel/programs.h"
#include "kernel/uprobe.h"

/* May a program write to the traced program's memory? Not on a kernel that is locked down. */
static bool can_write_user(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X,
		  .dst_reg = BPF_REG_2,
		  .src_reg = BPF_REG_10 },
		/* NOLINTNEXTLINE(misc-redundant-expression): BPF_ADD is 0 */
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_write_user },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "tm_try_write", "GPL", program,
			       sizeof(program) / sizeof(*program), NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* offsetof(struct pt_regs, ip) of the kernel: of user space's headers, it is called rip. */
#define REGISTER_IP 128

/* May a program at a uprobe change where the traced program goes on? Since 7.2. */
static bool can_write_registers(int attach_type)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_2,
		  .src_reg = BPF_REG_1,
		  .off = REGISTER_IP },
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_2,
		  .off = REGISTER_IP },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "tm_try_jump", "GPL", program,
			       sizeof(program) / sizeof(*program), &opts);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void programs__choose_calls(struct tmtrace_bpf *skel, enum uprobe_mechanism mechanism, bool loaded)
{
	bool session = loaded && mechanism == UPROBE_SESSION;
	bool pair = loaded && !session;
	int type = uprobe__attach_type(mechanism);
	bool jump = pair && mechanism == UPROBE_MULTI && can_write_registers(type);

	bpf_program__set_autoload(skel->progs.call_session, session);
	bpf_program__set_autoload(skel->progs.call_entry, pair && !jump);
	bpf_program__set_autoload(skel->progs.call_entry_jump, jump);
	bpf_program__set_autoload(skel->progs.call_return, pair && !jump);
	bpf_program__set_autoload(skel->progs.call_return_jump, jump);
	bpf_program__set_expected_attach_type(skel->progs.call_session, type);
	bpf_program__set_expected_attach_type(skel->progs.call_entry, type);
	bpf_program__set_expected_attach_type(skel->progs.call_return, type);
	bpf_program__set_expected_attach_type(skel->progs.call_return_jump, type);
	bpf_program__set_expected_attach_type(skel->progs.call_entry_jump, type);
	/* The guards are entry probes: what serves a session are multi links. */
	if (session)
		type = uprobe__attach_type(UPROBE_MULTI);
	bpf_program__set_expected_attach_type(skel->progs.unwind_begin, type);
	bpf_program__set_expected_attach_type(skel->progs.stack_switch, type);
	bpf_program__set_autoload(skel->progs.stack_switch, loaded);
	bpf_program__set_autoload(skel->progs.unwind_begin, session && can_write_user());
}

void programs__choose_user(struct tmtrace_bpf *skel, const struct kernel_options *options)
{
	bool arrivals = options->user && options->config.scope == TM_SCOPE_CGROUP;

	programs__choose_calls(skel, options->mechanism, options->user && !options->later);
	bpf_program__set_autoload(skel->progs.mapped_inode, options->user);
	bpf_program__set_autoload(skel->progs.file_uses, options->user);
	bpf_program__set_autoload(skel->progs.loader_level, options->config.pid_namespace);
	bpf_program__set_autoload(skel->progs.cgroup_moved, arrivals);
	bpf_program__set_autoload(skel->progs.cgroup_forked, arrivals);
}

static void choose_errands(struct tmtrace_bpf *skel, const struct tm_config *config)
{
	bpf_program__set_autoload(skel->progs.errand_job_cgroup, true);
	bpf_program__set_autoload(skel->progs.errand_forget_key, true);
	bpf_program__set_autoload(skel->progs.errand_free_slot, true);
	bpf_program__set_autoload(skel->progs.errand_make_series, true);
	bpf_program__set_autoload(skel->progs.errand_forget_object, config->objects);
	bpf_program__set_autoload(skel->progs.errand_free_object, config->objects);
	bpf_program__set_autoload(skel->progs.errand_free_accounts, config->accounts);
	bpf_program__set_autoload(skel->progs.errand_forget_machines, config->addb.sums);
}

static bool is_traced(const struct kernel_options *options, enum kernel_layer layer)
{
	return layer == KERNEL_VFS ? options->vfs : options->block;
}

int programs__choose_kernel(const struct rung_context *context, int rungs[KERNEL_LAYERS],
			    struct error *err)
{
	const struct kernel_options *options = context->options;
	struct tmtrace_bpf *skel = context->skel;
	enum kernel_layer layer;

	for (layer = 0; layer < KERNEL_LAYERS; layer++) {
		int forced = options->forced[layer], rung;

		if (!is_traced(options, layer))
			continue;
		rung = ladder__choose(layer, forced, context, err);
		if (rung < 0 && (forced >= 0 || file_limit__is_shortage(rung)))
			return rung;
		rungs[layer] = rung < 0 ? -1 : rung;
		if (rung >= 0)
			ladder__at(layer)->rungs[rung].choose(context);
		else
			note_list__add(context->notes, "%s operations are not seen: %s",
				       ladder__at(layer)->layer, err->text);
	}
	bpf_program__set_autoload(skel->progs.process_fork, true);
	bpf_program__set_autoload(skel->progs.process_fork_again, true);
	bpf_program__set_autoload(skel->progs.process_exec, true);
	bpf_program__set_autoload(skel->progs.process_exec_again, true);
	bpf_program__set_autoload(skel->progs.process_exit, true);
	bpf_program__set_autoload(skel->progs.env_exit_again, !options->config.accounts);
	bpf_program__set_autoload(skel->progs.env_gone, true);
	env_hooks__choose(skel);
	bpf_program__set_autoload(skel->progs.env_before, options->before);
	bpf_program__set_autoload(skel->progs.env_usage, true);
	bpf_program__set_autoload(skel->progs.cgroup_made, true);
	bpf_program__set_autoload(skel->progs.cgroup_renamed, true);
	bpf_program__set_autoload(skel->progs.cgroup_gone, true);
	bpf_program__set_autoload(skel->progs.account_fork, options->config.accounts);
	bpf_program__set_autoload(skel->progs.account_exec, options->config.accounts);
	bpf_program__set_autoload(skel->progs.account_exec_again, options->config.accounts);
	bpf_program__set_autoload(skel->progs.account_exit, options->config.accounts);
	bpf_program__set_autoload(skel->progs.account_exit_again, options->config.accounts);
	bpf_program__set_autoload(skel->progs.account_rest, options->config.accounts);
	choose_errands(skel, &options->config);
	/* The time that library calls spend in system calls. */
	if (options->user && options->inside) {
		bpf_program__set_autoload(skel->progs.syscall_enter, true);
		bpf_program__set_autoload(skel->progs.syscall_exit, true);
		bpf_program__set_autoload(skel->progs.syscall_switch, true);
	}
	/* Where every mapping is seen. */
	skel->rodata->tm_config.doorbell = options->user && options->config.scope == TM_SCOPE_ALL &&
					   bpf_program__autoload(skel->progs.syscall_enter);
	return 0;
}
