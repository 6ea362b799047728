/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF object, opened and loaded on this kernel. Only for user/kernel. */
#ifndef USER_KERNEL_SKELETON_H
#define USER_KERNEL_SKELETON_H

#include <bpf/btf.h>

#include "base/error.h"
#include "kernel/kernel_options.h"
#include "kernel/pins.h"
#include "kernel/small_types.h"

struct tmtrace_bpf;

/*
 * Those of the kernel's types that the object names: *out (small_types__free()). In
 * config->types and typed_reads is noted what they say.
 */
int skeleton__types(struct small_types **out, const struct btf *kernel_btf,
		    struct tm_config *config, struct error *err);

/*
 * Opens it, configured and sized, with no program to be loaded. types: as above, needed until it is
 * loaded; kernel_btf: all the kernel's. It is the caller's to destroy.
 */
int skeleton__open(struct tmtrace_bpf **out, const struct kernel_options *options,
		   const struct btf *kernel_btf, const struct small_types *types,
		   struct error *err);

/* Loads the programs that were chosen. cgroup_fd: as in the options. */
int skeleton__load(struct tmtrace_bpf *skel, int cgroup_fd, struct error *err);

/* Before it is loaded: it gets the maps of the same object, opened with the same options. */
int skeleton__share(struct tmtrace_bpf *skel, const struct tmtrace_bpf *loaded, struct error *err);

/* Of the object as it was built. */
__u64 skeleton__version(void);
/*
 * Which programs, maps, sizes and configuration were chosen, as one number, not 0; before load.
 * Where it is the same, so are counters and what they mean.
 */
__u64 skeleton__layout(const struct tmtrace_bpf *skel);

/* Keeps what was loaded: maps and programs. NULL: nowhere. */
int skeleton__keep(const struct tmtrace_bpf *skel, struct pins *pins, struct error *err);

/* In place of loading: takes over the maps that are kept; programs are asked of the pins. */
int skeleton__adopt(struct tmtrace_bpf *skel, struct pins *pins, struct error *err);

#endif
