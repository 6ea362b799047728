/* SPDX-License-Identifier: GPL-2.0-only */
/* What a struct kernel has, for the files that are about one. */
#ifndef USER_KERNEL_KERNEL_STATE_H
#define USER_KERNEL_KERNEL_STATE_H

#include <bpf/btf.h>

#include "kernel/calls_programs.h"
#include "kernel/kernel.h"
#include "kernel/links.h"
#include "kernel/tap.h"
#include "kernel/task_io.h"
#include "kernel/tolls.h"
#include "tmtrace.skel.h"

struct kernel {
	struct tmtrace_bpf *skel;
	struct kernel_options options;
	struct tm_probe *probes; /* mmapped */
	size_t probes_size;
	int rungs[KERNEL_LAYERS]; /* the mechanisms in use; -1: the layer is not seen */
	struct btf *btf;	  /* the kernel's types; until all is attached */
	struct links links;
	struct tap tap; /* what is in none of the links */
	struct tolls tolls;
	struct calls_programs calls; /* of options.later, once they are there */
	struct note_list notes;
	__u64 missed_before[MISSED_KINDS]; /* the start: see misses.h */
	int measuring;			   /* of run_time.h; -1: not */
	enum task_io_support task_io;
	__u64 layout;
};

/* The descriptor of a program of the object, whoever has loaded it. */
static inline int kernel_state__fd(const struct kernel *kernel, const struct bpf_program *prog)
{
	return pins__program_fd(kernel->options.pins, prog);
}

/* Are system calls seen at all by the programs that see every one? */
static inline bool kernel_state__is_tapped(const struct kernel *kernel)
{
	return kernel_state__fd(kernel, kernel->skel->progs.syscall_enter) >= 0;
}

#endif
