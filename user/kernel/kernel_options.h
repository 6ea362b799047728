/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs of the kernel side are loaded, and how they are configured. */
#ifndef USER_KERNEL_KERNEL_OPTIONS_H
#define USER_KERNEL_KERNEL_OPTIONS_H

#include <stdbool.h>
#include <linux/types.h>

#include "kernel/uprobe.h"
#include "tmtrace/call.h"
#include "tmtrace/config.h"
#include "tmtrace/detail.h"
#include "tmtrace/file.h"
#include "tmtrace/handle.h"
#include "tmtrace/process.h"
#include "tmtrace/series.h"

enum kernel_layer {
	KERNEL_VFS,
	KERNEL_BLOCK,
	KERNEL_LAYERS,
};

struct pins;

struct kernel_options {
	struct tm_config config; /* slots 0: the default; shards are set here */
	bool user, vfs, block;	 /* which layers */
	bool inside;		 /* follow system calls for the time inside library calls, too */
	bool later;		 /* of user, the programs come by kernel__add_calls() */
	enum uprobe_mechanism mechanism;
	int forced[KERNEL_LAYERS]; /* numbers of mechanisms as in ladder.h; -1: the best */
	int cgroup_fd;		   /* of the v2 cgroup to trace; -1: none */
	enum tm_level level;	   /* at the start, of all layers */
	struct tm_choice choice;   /* the first one */
	bool by_job;		   /* jobs may have levels of their own */
	bool before;		   /* the job of processes that run already is looked for */
	/* Where config.calls is set: bytes of the ring buffer, a power of two, at least a page. */
	__u32 call_buffer;
	__u32 addb_buffer; /* the same where config.addb.on is set */
	/* Where all that is loaded and attached is kept, too; NULL: nowhere. They stay the
	 * caller's. */
	struct pins *pins;
	__u64 adopt; /* what is kept there is taken over, if it has this layout; 0: begin anew */
	bool any_layout; /* only to be read: the configuration above is then that of what is kept */
};

/* Which program of a library probe. */
enum kernel_program {
	KERNEL_SESSION,
	KERNEL_ENTRY,
	KERNEL_RETURN,
	KERNEL_UNWIND,	     /* on the unwinder's entry; -1 where the kernel does not allow it */
	KERNEL_STACK_SWITCH, /* on makecontext() */
	KERNEL_PROGRAMS,
};

#endif
