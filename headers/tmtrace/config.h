/* SPDX-License-Identifier: GPL-2.0-only */
/* What the loader tells the kernel side before load (rodata), and its switches after. */
#ifndef TMTRACE_CONFIG_H
#define TMTRACE_CONFIG_H

#include "tmtrace/addb_sums.h"
#include "tmtrace/detail.h"
#include "tmtrace/key.h"
#include "tmtrace/spec.h"
#include "tmtrace/task_io.h"
#include "tmtrace/toll.h"

enum tm_scope {
	TM_SCOPE_ALL,
	TM_SCOPE_PROCESSES, /* those in tm_targets, and their children */
	TM_SCOPE_CGROUP,    /* those below one cgroup */
};

/* The kernel's numbers of types, for bpf_rdonly_cast(). */
struct tm_type_ids {
	__u32 file, inode, mount, super_block, regs, task;
	__u32 request, bio, queue, disk, device, group, blkcg;
};

struct tm_config {
	__u32 scope;		/* enum tm_scope */
	__u32 layers;		/* bits: 1 << enum tm_layer, TM_LAYER_USER for all user libraries */
	__u32 slots;		/* elements of tm_series */
	__u32 processes;	/* elements of tm_processes */
	__u32 accounts;		/* elements of tm_accounts; 0: none are kept */
	__u32 shards;		/* a power of two */
	__s32 cgroup_v1;	/* index of the v1 controller whose cgroups are the jobs; -1: v2 */
	__s32 cgroup_hierarchy; /* its number, 0 for v2 */
	__u64 cgroup_id;	/* TM_SCOPE_CGROUP */
	__u32 typed_reads;	/* the kernel has bpf_rdonly_cast(), and all of these types: */
	struct tm_type_ids types;
	__s32 cgroup_io; /* index of the io controller, if its cgroups are jobs; -1: they are not */
	/* What this kernel's block tracepoints tell: */
	__u8 block_starts;	/* who starts a request is told, not only what is queued */
	__u8 block_queue_first; /* the queue is the first argument, the request the second */
	__u8 block_errno;	/* a request's result is an errno, not a blk_status_t */
	__u8 spare_confined;	/* no return probe in a thread under seccomp */
	__u8 hooks;		/* operations on files are seen at the functions of system calls */
	__u8 per_process;	/* processes are told apart */
	__u8 calls;		/* single calls are recorded: */
	__u8 stacks;		/* with the stacks of those who made them */
	__u8 keep_names;	/* names of cgroups outlive the loader (tmtrace/cgroup_name.h) */
	__u8 doorbell;		/* who maps a file that is not known rings (tmtrace/doorbell.h) */
	__u32 objects;		/* slots of the table of files and objects; 0: none are counted */
	__u32 call_wakeup; /* bytes, a power of two: the loader is woken each time so many came */
	__u32 handles;	   /* objects are known by handle: elements of tm_handles; 0: none are */
	__u32 pools;	   /* calls tell of storage pools: elements of tm_pools; 0: none do */
	/* The loader's PID namespace, as its inode; 0: the first one, whose numbers are global. */
	__u32 pid_namespace;
	struct tm_addb_config addb;
};

/* Probes of the kernel layers come first, one per function; then those of libraries. */
#define TM_PROBE_VFS   0
#define TM_PROBE_BLOCK (TM_PROBE_VFS + TM_VFS_FUNCTIONS)
#define TM_PROBE_USER  (TM_PROBE_BLOCK + TM_BLOCK_FUNCTIONS)
#define TM_PROBES_MAX  8192
_Static_assert(TM_PROBE_USER <= 32, "the kernel's probes are bits of tm_off");

/*
 * A probe on a library's function; the BPF cookie is its index, counted from TM_PROBE_USER, and
 * from TM_COOKIE_BITS on its generation.
 */
#define TM_COOKIE_BITS 16
/* In the cookie of one that is on an endbr64, which a program can skip (call_entry_jump). */
#define TM_COOKIE_ENDBR (1ULL << 63)
/*
 * In that cookie, and in that of a probe on a `ret` (tmtrace/exit.h): where in its page the
 * instruction is. Where programs may write registers, one before may have done it already, as the
 * kernel shows each the registers as the one before left them.
 */
#define TM_COOKIE_PLACE_SHIFT 32
#define TM_COOKIE_PLACE_MASK  0xfffULL

/* That part of the cookie, of an instruction's offset in its file. */
static inline __u64 tm_cookie_place(__u64 offset)
{
	return (offset & TM_COOKIE_PLACE_MASK) << TM_COOKIE_PLACE_SHIFT;
}

/* Is the instruction at ip another one? By chance, another one may be at the same place. */
static inline int tm_is_elsewhere(__u64 ip, __u64 cookie)
{
	return (ip & TM_COOKIE_PLACE_MASK) !=
	       (cookie >> TM_COOKIE_PLACE_SHIFT & TM_COOKIE_PLACE_MASK);
}
_Static_assert(TM_PROBES_MAX <= 1 << TM_COOKIE_BITS, "the indices of probes do not fit");

/* Calls are counted, not timed. */
enum tm_entry_only {
	TM_ENTRY_ONLY_NO,
	TM_ENTRY_ONLY,	       /* there are no probes where the function returns */
	TM_ENTRY_ONLY_FOR_NOW, /* those are parked, and come back; calls that are open are timed */
};

#define TM_OWN_SPAN_MAX 0x7fff

struct tm_probe {
	__u32 function; /* the key's */
	/*
	 * All instructions at which its return is seen are so many bytes behind its own probe, at
	 * most TM_OWN_SPAN_MAX, in the function itself, and it ends by no jump to another; 0: they
	 * are not, or not known.
	 */
	__u16 own_span;
	__u8 layer;
	__u8 entry_only; /* enum tm_entry_only; may change at any time */
	__u8 tail_calls; /* may end by jumping to another function, which returns in its place */
	/*
	 * Goes up when the probe is parked, which is when it is odd, and when it comes back; at any
	 * time. Hits with another one count nothing, not even as hits: links that were closed may
	 * still be there for a while.
	 */
	__u8 generation;
	__u32 toll_ns; /* what a hit takes from its thread, as the loader sees it; may change, too
			*/
	struct tm_spec spec;
};

/* Calls open in one thread: the kernel keeps no more return probes (MAX_URETPROBE_DEPTH). */
#define TM_FRAMES 64

#endif
