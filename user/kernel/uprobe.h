/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The three ways to put a BPF program on functions of a file, and which of them this kernel has.
 * From best to last: a pair of multi links per file, for entries and exits (6.6), a perf event and
 * a link for each (5.15; the programs need 5.17). By choice only, before them, one session per file
 * (6.13): it has return probes, which replace return addresses on the program's stack.
 */
#ifndef USER_KERNEL_UPROBE_H
#define USER_KERNEL_UPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/error.h"

enum uprobe_mechanism {
	UPROBE_SESSION,
	UPROBE_MULTI,
	UPROBE_PERF,
	UPROBE_MECHANISMS,
};

/* As users write and read them: "session", "multi", "perf". */
extern const char *const uprobe_mechanism_names[UPROBE_MECHANISMS];

/*
 * Whether this kernel has the mechanism and this user may use it, by trying.
 * Returns 0, or the negative errno of the step that was refused.
 */
int uprobe__try(enum uprobe_mechanism mechanism);

/* The expected attach type that a program must be loaded with: enum bpf_attach_type. */
int uprobe__attach_type(enum uprobe_mechanism mechanism);

/* Where in its file a function of this program is; 0 where that cannot be told. */
__u64 uprobe__own_offset(const void *function);

/* How perf is asked for a uprobe: the number of its kind of events, the bit that asks for returns.
 */
struct uprobe_pmu {
	int type, return_bit;
};

/* 0, or a negative errno: this kernel has no such events. */
int uprobe__pmu(struct uprobe_pmu *pmu);

/* Functions of one file, all served by one program. */
struct uprobe_sites {
	struct uprobe_pmu pmu; /* perf: from uprobe__pmu(); all 0: looked up at each link */
	const char *path;
	const __u64 *offsets;
	const __u64 *cookies;
	__u32 n;
	pid_t pid; /* only hits of this process trap; 0: of every process */
};

/*
 * Attaches a program at the entry, or with returns at the return, of all sites (a session at
 * both). The link's file descriptor, or a negative errno. Multi and session only.
 */
int uprobe__link_multi(enum uprobe_mechanism mechanism, int program_fd,
		       const struct uprobe_sites *sites, bool returns);

/* One perf event and link for site i: the link's descriptor, *perf_fd the event's. */
int uprobe__link_perf(int program_fd, const struct uprobe_sites *sites, size_t i, bool returns,
		      int *perf_fd);

#endif
