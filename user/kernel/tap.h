/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs that see every system call of every process, begin and end. They can be taken away
 * while all else stays, and put back; a system call that was open meanwhile is not counted.
 */
#ifndef USER_KERNEL_TAP_H
#define USER_KERNEL_TAP_H

#include <stdbool.h>

#include "kernel/pins.h"

struct tmtrace_bpf;
struct bpf_program;

struct tap {
	struct tmtrace_bpf *skel;
	struct pins *pins; /* where the links are kept, too; NULL: nowhere */
	int enter, exit;   /* links; -1: not attached */
	double look_ns;	   /* see tap__look_ns(); 0: not measured yet */
};

/* Nothing is attached yet. The skeleton and the pins must outlive it. */
void tap__init(struct tap *tap, struct tmtrace_bpf *skel, struct pins *pins);

/* Is it one of the two programs? */
bool tap__is(const struct tap *tap, const struct bpf_program *prog);

/* Attaches what is not, or takes over the links that are kept. 0, or a negative errno. */
int tap__attach(struct tap *tap);
bool tap__is_attached(const struct tap *tap);

/* Takes both away, also where they are kept. */
void tap__detach(struct tap *tap);

/*
 * What it costs a system call, in ns of CPU time, that it is looked at and not counted: measured
 * where both are attached, and whenever they are taken away. A guess where they were taken over.
 */
double tap__look_ns(const struct tap *tap);

/*
 * The part of it that is not in the run time of the two programs: the kernel's longer way to them.
 * It comes on top of what they run for where they count a call, too.
 */
double tap__beside_ns(const struct tap *tap);

/* Closes the links: what is kept stays attached. */
void tap__release(struct tap *tap);

#endif
