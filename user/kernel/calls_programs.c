// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <bpf/btf.h>

#include "kernel/calls_programs.h"
#include "kernel/load_log.h"
#include "kernel/pins.h"
#include "kernel/programs.h"
#include "kernel/skeleton.h"
#include "tmtrace.skel.h"

bool calls_programs__jump_back(const struct tmtrace_bpf *skel)
{
	return bpf_program__autoload(skel->progs.call_return_jump);
}

static const struct bpf_program *find_program(const struct tmtrace_bpf *skel,
					      enum kernel_program program)
{
	switch (program) {
	case KERNEL_SESSION:
		return skel->progs.call_session;
	case KERNEL_ENTRY:
		return bpf_program__autoload(skel->progs.call_entry_jump)
			       ? skel->progs.call_entry_jump
			       : skel->progs.call_entry;
	case KERNEL_RETURN:
		return calls_programs__jump_back(skel) ? skel->progs.call_return_jump
						       : skel->progs.call_return;
	case KERNEL_UNWIND:
		return skel->progs.unwind_begin;
	case KERNEL_STACK_SWITCH:
		return skel->progs.stack_switch;
	default:
		return NULL;
	}
}

int calls_programs__fd(const struct tmtrace_bpf *skel, struct pins *pins,
		       enum kernel_program program)
{
	const struct bpf_program *prog = find_program(skel, program);

	return prog ? pins__program_fd(pins, prog) : -EINVAL;
}

/* Copies of the descriptors, which outlive the object. 0, or a negative errno. */
static int keep(struct calls_programs *out, const struct tmtrace_bpf *skel)
{
	out->jumps_back = calls_programs__jump_back(skel);
	for (enum kernel_program i = 0; i < KERNEL_PROGRAMS; i++) {
		int fd = calls_programs__fd(skel, NULL, i);

		if (fd < 0)
			continue;
		out->fds[i] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (out->fds[i] < 0)
			return -errno;
	}
	return 0;
}

int calls_programs__load(struct calls_programs *out, const struct tmtrace_bpf *loaded,
			 const struct kernel_options *options, struct error *err)
{
	struct kernel_options same = *options;
	struct small_types *types = NULL;
	struct tmtrace_bpf *skel = NULL;
	struct btf *btf;
	int ret;

	*out = CALLS_PROGRAMS_NONE;
	load_log__begin();
	btf = btf__load_vmlinux_btf();
	if (!btf)
		return error__set(err, -errno, "cannot read this kernel's types: %s",
				  strerror(errno));
	ret = skeleton__types(&types, btf, &same.config, err);
	if (!ret)
		ret = skeleton__open(&skel, &same, btf, types, err);
	if (!ret) {
		programs__choose_calls(skel, options->mechanism, true);
		ret = skeleton__share(skel, loaded, err);
	}
	if (!ret)
		ret = skeleton__load(skel, -1, err);
	if (!ret) {
		ret = keep(out, skel);
		if (ret < 0)
			error__set(err, ret, "cannot keep BPF programs: %s", strerror(-ret));
	}
	if (ret < 0)
		calls_programs__close(out);
	tmtrace_bpf__destroy(skel);
	small_types__free(types);
	btf__free(btf);
	return ret;
}

void calls_programs__close(struct calls_programs *programs)
{
	for (size_t i = 0; i < KERNEL_PROGRAMS; i++)
		if (programs->fds[i] >= 0)
			close(programs->fds[i]);
	*programs = CALLS_PROGRAMS_NONE;
}
