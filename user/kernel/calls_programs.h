/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs of library calls. They are more than half of what the verifier has to look at; a run
 * that hardly needs them loads them apart, with the maps of the others, while it is under way. Only
 * for user/kernel, and for who takes them from one process to another.
 */
#ifndef USER_KERNEL_CALLS_PROGRAMS_H
#define USER_KERNEL_CALLS_PROGRAMS_H

#include <stdbool.h>

#include "base/error.h"
#include "kernel/kernel_options.h"

struct tmtrace_bpf;

struct calls_programs {
	int fds[KERNEL_PROGRAMS]; /* negative: there is none */
	bool jumps_back;	  /* as kernel__jumps_back() */
};

#define CALLS_PROGRAMS_NONE ((struct calls_programs){ .fds = { -1, -1, -1, -1, -1 } })

/* Of an object that has them: the descriptor, which stays its own, and kernel__jumps_back(). */
int calls_programs__fd(const struct tmtrace_bpf *skel, struct pins *pins,
		       enum kernel_program program);
bool calls_programs__jump_back(const struct tmtrace_bpf *skel);

/*
 * Loads those for options->mechanism, with the maps of an object that was loaded with the same
 * options. 0 and *out, to be closed; errors as of kernel__load().
 */
int calls_programs__load(struct calls_programs *out, const struct tmtrace_bpf *loaded,
			 const struct kernel_options *options, struct error *err);
void calls_programs__close(struct calls_programs *programs);

#endif
