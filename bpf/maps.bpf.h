/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every map and the configuration, declared; bpf/maps.bpf.c defines them. Sizes marked "loader"
 * are set by the loader before load.
 */
#ifndef BPF_MAPS_BPF_H
#define BPF_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tmtrace/account.h"
#include "tmtrace/addb_sums.h"
#include "tmtrace/call.h"
#include "tmtrace/cgroup_event.h"
#include "tmtrace/cgroup_name.h"
#include "tmtrace/config.h"
#include "tmtrace/detail.h"
#include "tmtrace/doorbell.h"
#include "tmtrace/handle.h"
#include "tmtrace/object.h"
#include "tmtrace/pool.h"
#include "tmtrace/process.h"
#include "tmtrace/operation.h"
#include "tmtrace/request.h"
#include "tmtrace/series.h"
#include "tmtrace/thread.h"

struct tm_buckets {
	u64 count[TM_BUCKETS];
};

struct tm_slots_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, struct tm_key);
	__type(value, u32);
};

/* What is told of jobs that have a detail of their own, by their cgroups. */
struct tm_job_details_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, u64);
	__type(value, struct tm_details);
};

struct tm_free_slots_map {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1); /* loader */
	__type(value, u32);
};

struct tm_series_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_series);
};

struct tm_buckets_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_buckets);
};

struct tm_ledgers_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_ledger);
};

struct tm_probes_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TM_PROBES_MAX);
	__type(key, u32);
	__type(value, struct tm_probe);
};

struct tm_targets_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u32); /* tgid */
	__type(value, u8);
};

/* Processes that made a context of their own with makecontext(). */
struct tm_switchers_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u32); /* tgid */
	__type(value, u8);
};

/* Processes that submit operations which complete later. */
struct tm_submitters_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u32); /* tgid */
	__type(value, u8);
};

struct tm_cgroup_map {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
};

struct tm_arrivals_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536); /* bytes */
};

struct tm_rings_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* bytes */
};

struct tm_cgroups_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, TM_CGROUPS_BYTES);
};

struct tm_cgroup_names_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_cgroup_name);
};

/* Only its address matters. */
struct tm_copies_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
};

/* Which number a process has. */
struct tm_numbers_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);	/* tgid */
	__type(value, u32);
};

struct tm_processes_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_process);
};

/* Accounts of processes: only where they are kept. */
struct tm_accounts_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_account);
};

struct tm_account_numbers_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);	/* tgid */
	__type(value, u32);
};

struct tm_free_accounts_map {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1); /* loader */
	__type(value, u32);
};

struct tm_environments_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* bytes; loader */
};

struct tm_call_ledgers_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_call_ledger);
};

struct tm_calls_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* bytes; loader */
};

struct tm_addb_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* bytes; loader */
};

struct tm_addb_ledgers_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_addb_ledger);
};

/* Where ADDB2 records are summed up: which, as the loader says. */
struct tm_addb_summed_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TM_ADDB_SUMMED);
	__type(key, u32);
	__type(value, struct tm_addb_summed);
};

struct tm_addb_machines_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, struct tm_addb_machine_key);
	__type(value, struct tm_addb_machine);
};

/* Only where ADDB2 records are told or summed up. */
struct tm_addb_threads_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_addb_thread);
};

/* The outer half of a thread's labels, and the inner one of threads that have so many. */
struct tm_addb_labels_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_addb_labels);
};

struct tm_threads_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_thread);
};

/* Only where single calls are recorded. */
struct tm_described_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_descriptions);
};

/* Only where their stacks are, too. */
struct tm_walkers_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_walker);
};

struct tm_stacks_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_stack);
};

/* Requests in flight: one insert and one delete each, no memory allocated. */
struct tm_aio_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct tm_aio_key);
	__type(value, struct tm_request);
};

struct tm_uring_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u64); /* address of the request */
	__type(value, struct tm_request);
};

struct tm_operations_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct tm_operation_key);
	__type(value, struct tm_operation);
};

/* Those that are recorded one by one, by their ids: what is said of them when they end. */
struct tm_launched_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, u64);
	__type(value, struct tm_operation_event);
};

/* Block requests that are recorded one by one, the same. */
struct tm_started_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, u64);
	__type(value, struct tm_call_event);
};

struct tm_openings_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_openings);
};

struct tm_handles_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, struct tm_handle_key);
	__type(value, struct tm_handle);
};

struct tm_associations_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);	/* tgid */
	__type(value, struct tm_association);
};

struct tm_pools_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, struct tm_pool_key);
	__type(value, struct tm_pool);
};

struct tm_handle_calls_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tm_handle_calls);
};

struct tm_requests_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct tm_block_key);
	__type(value, struct tm_block_request);
};

/*
 * Who started the block request at a place, where requests have no address: lost at worst, when it
 * grows at its front before it is issued.
 */
struct tm_starts_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, struct tm_block_key);
	__type(value, struct tm_block_start);
};

/* Files and objects: only where they are counted. */
struct tm_object_slots_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* loader */
	__type(key, struct tm_object_key);
	__type(value, u32);
};

struct tm_objects_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_object);
};

struct tm_object_names_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* loader */
	__type(key, u32);
	__type(value, struct tm_object_name);
};

struct tm_free_objects_map {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1); /* loader */
	__type(value, u32);
};

extern struct tm_object_slots_map tm_object_slots SEC(".maps");
extern struct tm_objects_map tm_objects SEC(".maps");
extern struct tm_object_names_map tm_object_names SEC(".maps");
extern struct tm_free_objects_map tm_free_objects SEC(".maps");
extern struct tm_addb_map tm_addb SEC(".maps");
extern struct tm_addb_ledgers_map tm_addb_ledgers SEC(".maps");
extern struct tm_addb_summed_map tm_addb_summed SEC(".maps");
extern struct tm_addb_machines_map tm_addb_machines SEC(".maps");
extern struct tm_addb_threads_map tm_addb_threads SEC(".maps");
extern struct tm_addb_labels_map tm_addb_outer SEC(".maps");
extern struct tm_addb_labels_map tm_addb_inner SEC(".maps");
extern struct tm_starts_map tm_starts SEC(".maps");
extern struct tm_arrivals_map tm_arrivals SEC(".maps");
extern struct tm_rings_map tm_rings SEC(".maps");
extern struct tm_cgroups_map tm_cgroups SEC(".maps");
extern struct tm_cgroup_names_map tm_cgroup_names SEC(".maps");
extern struct tm_copies_map tm_copies SEC(".maps");
extern struct tm_numbers_map tm_numbers SEC(".maps");
extern struct tm_processes_map tm_processes SEC(".maps");
extern struct tm_accounts_map tm_accounts SEC(".maps");
extern struct tm_account_numbers_map tm_account_numbers SEC(".maps");
extern struct tm_free_accounts_map tm_free_accounts SEC(".maps");
extern struct tm_environments_map tm_account_environments SEC(".maps");
extern struct tm_environments_map tm_environments SEC(".maps");
extern struct tm_call_ledgers_map tm_call_ledgers SEC(".maps");
extern struct tm_calls_map tm_calls SEC(".maps");
extern struct tm_aio_map tm_aio SEC(".maps");
extern struct tm_uring_map tm_uring SEC(".maps");
extern struct tm_operations_map tm_operations SEC(".maps");
extern struct tm_openings_map tm_openings SEC(".maps");
extern struct tm_launched_map tm_launched SEC(".maps");
extern struct tm_started_map tm_started SEC(".maps");
extern struct tm_handles_map tm_handles SEC(".maps");
extern struct tm_associations_map tm_associations SEC(".maps");
extern struct tm_pools_map tm_pools SEC(".maps");
extern struct tm_handle_calls_map tm_handle_calls SEC(".maps");
extern struct tm_requests_map tm_requests SEC(".maps");
extern struct tm_job_details_map tm_job_details SEC(".maps");
extern struct tm_slots_map tm_slots SEC(".maps");
extern struct tm_free_slots_map tm_free_slots SEC(".maps");
extern struct tm_series_map tm_series SEC(".maps");
extern struct tm_buckets_map tm_buckets SEC(".maps");
extern struct tm_ledgers_map tm_ledgers SEC(".maps");
extern struct tm_probes_map tm_probes SEC(".maps");
extern struct tm_targets_map tm_targets SEC(".maps");
extern struct tm_switchers_map tm_switchers SEC(".maps");
extern struct tm_submitters_map tm_submitters SEC(".maps");
extern struct tm_cgroup_map tm_cgroup SEC(".maps");
extern struct tm_threads_map tm_threads SEC(".maps");
extern struct tm_stacks_map tm_stacks SEC(".maps");
extern struct tm_described_map tm_described SEC(".maps");
extern struct tm_walkers_map tm_walkers SEC(".maps");

extern const volatile struct tm_config tm_config;

/* The next slot never used, and how many are in use; the loader takes from that. */
extern __u32 tm_next_slot;
extern __u32 tm_used_slots;
/* How often there was no room for a series of a job: it was looked for among others. */
extern __u64 tm_slots_folded;
/*
 * System calls that no probe counts, but that were looked at, by processor: each a cache line.
 * About, as some are lost where processors share one, or a program is preempted.
 */
#define TM_LOOKED_AT 64
extern __u64 tm_looked_at[TM_LOOKED_AT][8];
/* What was taken from threads, and what the loader says of it (tmtrace/toll.h). */
extern struct tm_toll_cell tm_toll_cells[TM_TOLL_CELLS];
extern struct tm_toll_prices tm_toll_prices;
/* The same of objects, counted from TM_OBJECT_NOBODY. */
extern __u32 tm_next_object;
/* The next number of a process never used; from 1. */
extern __u32 tm_next_process;
/* The same of accounts; how many of them have ended, and how many processes had no room for one. */
extern __u32 tm_next_account;
extern __u64 tm_accounts_ended;
extern __u64 tm_accounts_folded;
/* The last environment's id. */
extern __u64 tm_account_environment;
/* There was no room to tell all processes apart. */
extern __u32 tm_folded;
/* Environments that could not be read, or told of. */
extern __u64 tm_environments_lost;
/* Set by the loader: nothing is counted any more. */
extern __u32 tm_stopped;
/* Set by the loader: the tracer's own process, never traced. */
extern __u32 tm_self_tgid;
/* Set by the loader: how deep its PID namespace is below the first one. */
extern __u32 tm_pid_level;
/* Is there anything in tm_switchers? */
extern __u32 tm_any_switcher;
/* Set by the loader: a trial of the mechanisms, of which only tm_targets are counted. */
extern __u32 tm_trial;
/*
 * Set by the loader, at any time: functions of the kernel's layers of which nothing is counted, as
 * bits by the numbers of their probes. What had begun is counted when it ends.
 */
extern __u32 tm_off;
/*
 * Set by the loader, at any time: system calls that began before were not all seen to end; by
 * bpf_ktime_get_ns().
 */
extern __u64 tm_seen_since;
/* Set by the loader: what is told of new series, of the node; is there anything in tm_job_details?
 */
extern struct tm_details tm_details;
extern __u32 tm_any_job_detail;
/* Set by the loader: which single calls. */
extern struct tm_choice tm_choices[TM_CHOICES];
/* Set by the loader: how structs of operations are read, by their numbers, less 1. */
extern struct tm_fields tm_fields[TM_FIELDS_MAX];
/* Threads that have a number in the ids of their calls. */
extern __u64 tm_call_threads;
/* Block requests that have an id, and those of which one in N was to be chosen. */
extern __u64 tm_request_ids;
extern __u64 tm_requests_seen;
/* Calls that were recorded without their stack. */
extern __u64 tm_stackless[TM_STACKLESS];
/* What is not known of objects that have a handle. */
extern __u64 tm_handles_lost[TM_HANDLE_LOSSES];
/* What is missing in the sums over ADDB2 records. */
extern __u64 tm_addb_sums_lost[TM_ADDB_SUM_LOSSES];
extern struct tm_addb_spent tm_addb_spent;
/* System calls of 32-bit programs: seen, not understood. */
extern __u64 tm_compat_calls;
/* The last processes that were ended by SIGTRAP, and how many there were. */
extern struct tm_trap tm_traps[TM_TRAPS];
extern __u32 tm_n_traps;

/* Files that need no ring. */
extern __u64 tm_known_files[TM_FILE_PLACES];
/* Processes that came into the cgroup and could not be told of. */
extern __u64 tm_arrivals_lost;
/* Cgroups that came or went and could not be told of. */
extern __u64 tm_cgroups_lost;
/* Cgroups whose names were not kept for want of room. */
extern __u64 tm_cgroup_names_lost;
/* How many went whose names were kept, ever; how many kept names are of users' now. */
extern __u64 tm_cgroup_names_gone;
extern __u64 tm_cgroup_names_of_users;
/* Cgroups that were made in other hierarchies than that of the jobs. */
extern __u64 tm_other_cgroups;

#define TM_INLINE static __attribute__((always_inline)) inline

/*
 * Keeps the compiler from computing with a value before this point: an address that is derived
 * from an index before the index is checked is refused by the verifier.
 */
#define TM_PIN(value) asm volatile("" : "+r"(value))

/* The element that goes with the frame at an index, of an array of TM_FRAMES; NULL: too deep. */
#define TM_OF_FRAME(array, index)                                 \
	({                                                        \
		u32 at_ = (index);                                \
		typeof(&(array)[0]) found_ = NULL;                \
		if (at_ < TM_FRAMES) {                            \
			TM_PIN(at_);                              \
			found_ = &(array)[at_ & (TM_FRAMES - 1)]; \
		}                                                 \
		found_;                                           \
	})

#endif
