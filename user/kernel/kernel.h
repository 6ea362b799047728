/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel side: its BPF object sized, configured, loaded, and its own layers attached. Library
 * functions are attached by attach/attach.h with the programs from here.
 */
#ifndef USER_KERNEL_KERNEL_H
#define USER_KERNEL_KERNEL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/note_list.h"
#include "drain/drain.h"
#include "job/env_jobs.h"
#include "job/env_walk.h"
#include "job/kept_names.h"
#include "job/task_passes.h"
#include "kernel/details.h"
#include "kernel/kernel_options.h"
#include "kernel/ladder.h"
#include "kernel/misses.h"
#include "kernel/pins.h"
#include "kernel/run_time.h"
#include "kernel/tolls.h"
#include "kernel/uprobe.h"
#include "process/accounts.h"
#include "tmtrace/call.h"
#include "tmtrace/config.h"
#include "tmtrace/detail.h"
#include "tmtrace/file.h"
#include "tmtrace/handle.h"
#include "tmtrace/process.h"

struct kernel;

/*
 * Opens and loads, or takes over what is kept. Errors name what is missing and what to do:
 * privileges, BTF, a kernel that is too old; -ESTALE: what is kept has another layout.
 */
int kernel__load(struct kernel **out, const struct kernel_options *options, struct error *err);
void kernel__free(struct kernel *kernel);

/* Attaches the VFS and block layers and the following of processes, unless that is taken over. */
int kernel__attach(struct kernel *kernel, struct error *err);

/* Of the programs and maps that this program has: equal for equal structs. */
__u64 kernel__version(void);
/* Which programs, maps and configuration these are: equal for equal counters. Not 0. */
__u64 kernel__layout(const struct kernel *kernel);
/* As in the options. */
struct pins *kernel__pins(const struct kernel *kernel);

/* Negative: it is not loaded. */
int kernel__program_fd(const struct kernel *kernel, enum kernel_program program);
struct calls_programs; /* calls_programs.h */

/*
 * Loads what was left out because of options.later. The kernel side is not changed, so that this
 * can be done in another process; *calls are the caller's.
 */
int kernel__load_calls(const struct kernel *kernel, enum uprobe_mechanism mechanism,
		       struct calls_programs *calls, struct error *err);
/* The same programs, wherever they were loaded, are the kernel side's from now on. */
void kernel__add_calls(struct kernel *kernel, const struct calls_programs *calls);

/* Does the program where functions return do the `ret` itself? It must be on one then. */
bool kernel__jumps_back(const struct kernel *kernel);
/* Descriptors stay the kernel's. */
void kernel__maps(const struct kernel *kernel, struct drain_maps *maps);

/* Where accounts of processes are kept; false: they are not asked for. */
bool kernel__accounts(const struct kernel *kernel, struct account_maps *maps);

/* Where is said how much is told of what. */
void kernel__details(const struct kernel *kernel, struct details_maps *maps);

/* Where ADDB2 records come from; descriptors stay the kernel's. */
struct kernel_addb {
	int ring;    /* tm_addb */
	int ledgers; /* tm_addb_ledgers: a struct tm_addb_ledger for each role and shard */
	__u32 shards;
};

/* false: they are not asked for. */
bool kernel__addb(const struct kernel *kernel, struct kernel_addb *addb);
/* Where is said which of them are summed up (tm_addb_summed). */
int kernel__addb_summed(const struct kernel *kernel);
/*
 * A probe that records come from is about to come back: state machines that were there before are
 * followed no more. 0, or a negative errno: then their times would be wrong.
 */
int kernel__forget_addb_machines(const struct kernel *kernel);
/* There is a series of that key from now on. 0, -ENOSPC: the table is full, or why it cannot be. */
int kernel__make_series(const struct kernel *kernel, const struct tm_key *key);
/* What a record takes beside the hit of its probe, ns, as measured of some; 0: of none yet. */
double kernel__addb_ns(const struct kernel *kernel);
/* What is not in the sums. */
__u64 kernel__lost_addb_sums(const struct kernel *kernel, enum tm_addb_sum_loss reason);

/*
 * The inode that mappings of an open file execute from, and that its probes are on: not the one
 * that stat shows where file systems are stacked. 0, or a negative errno.
 */
int kernel__inode(const struct kernel *kernel, int fd, struct tm_file *file);
/* The descriptor of the program by which it is asked, which stays the kernel's. */
int kernel__inode_program(const struct kernel *kernel);
/* Asks who is mapped, of n files as kernel__inode() has told them. 0, or a negative errno. */
int kernel__file_uses(const struct kernel *kernel, struct tm_file_question *files, size_t n);
/* The elements that a probe's cookie indexes, mmapped: write one before its link is made. */
struct tm_probe *kernel__probes(const struct kernel *kernel);
/* How structs of operations are read of which tm_role.fields has that number, from 1. */
void kernel__set_fields(struct kernel *kernel, __u8 number, const struct tm_fields *fields);

/*
 * Is the loader in another PID namespace than the first one? Its numbers are those that are given
 * and told all the same; processes outside of it have some below 0 (tmtrace/number.h).
 */
bool kernel__is_in_namespace(const struct kernel *kernel);

/* Traces a process (and, from now on, its children); TM_SCOPE_PROCESSES only. */
int kernel__add_target(struct kernel *kernel, pid_t pid);

/* May a process be traced? Of a list of processes this is known, of a cgroup it is not asked. */
bool kernel__may_trace(const struct kernel *kernel, pid_t pid);

/*
 * For a trial of the user mechanisms before the start: until its end those processes are counted
 * that kernel__add_target() names, whatever the scope; then all that was counted is forgotten. The
 * processes that were traced must be gone by then.
 */
void kernel__begin_trial(struct kernel *kernel);
int kernel__end_trial(struct kernel *kernel);
int kernel__remove_target(struct kernel *kernel, pid_t pid);

/* Everything is in place: counting begins. */
void kernel__start(struct kernel *kernel);

/* The counting, which has begun before, goes on: with what kernel__missed_before() told then. */
void kernel__resume(struct kernel *kernel, const __u64 missed_before[MISSED_KINDS]);
/* Events before the start for which no program was run: MISSED_KINDS of them. */
const __u64 *kernel__missed_before(const struct kernel *kernel);

/*
 * Nothing is counted from now on, neither begin nor end: what is read afterwards does not change
 * any more, and adds up. Waits for programs that run right now.
 */
void kernel__stop(struct kernel *kernel);

/*
 * Of a probe of the kernel's layers (below TM_PROBE_USER) nothing is counted from now on, or it is
 * again; what had begun is counted when it ends. A kernel that is loaded or taken over counts all.
 */
void kernel__leave_out(struct kernel *kernel, size_t probe, bool off);

/* Which operations on files are not counted now: TM_MISSING_... */
__u64 kernel__missing(const struct kernel *kernel);
/*
 * What the kernel itself counts from now on is told apart by that. Threads' counts until now are to
 * have been taken over before, by task_passes__run().
 */
void kernel__tell_missing(struct kernel *kernel);

/*
 * The programs that see every system call, which costs each some 0.1 us also where nothing of it is
 * counted. While they are away nothing of vfs is seen, nor where the time inside library calls
 * went; system calls that were open meanwhile are lost as unseen. A kernel that is loaded or taken
 * over has them.
 */
/* Is vfs seen by them, so that they can be taken away? Hooks on functions take too long. */
bool kernel__can_tap(const struct kernel *kernel);
/* 0, or a negative errno: they are away. */
int kernel__tap(struct kernel *kernel, bool on);
/* Are they away? False also where there are none. */
bool kernel__is_untapped(const struct kernel *kernel);
/* System calls that they looked at, since the start, and that no probe counts; about. */
__u64 kernel__looked_at(const struct kernel *kernel);
/* What that costs each, in ns of CPU time: tap__look_ns(). */
double kernel__look_ns(const struct kernel *kernel);
/* What a system call takes beside the run time of the programs that see it: tap__beside_ns(). */
double kernel__beside_ns(const struct kernel *kernel);

/*
 * What probes take from threads: nothing is added up before this was called. It stays the kernel's.
 */
struct tolls *kernel__tolls(struct kernel *kernel);

/*
 * Takes the VFS and block layers and the following of processes away again. Hooks on functions of
 * the kernel take long: a process in the background then does it, whose number this returns, and
 * *hooks is about how many there are; 0: all is done.
 */
pid_t kernel__detach(struct kernel *kernel, size_t *hooks);

/* Events since the start for which no program was run. */
__u64 kernel__missed(const struct kernel *kernel, enum missed kind);

/*
 * Lets the kernel measure how long its programs run, or no longer; that costs some 50 ns a run. 0,
 * or a negative errno. The sums are in nanoseconds.
 */
int kernel__measure_time(struct kernel *kernel, bool on);
__u64 kernel__run_time(const struct kernel *kernel, enum run_time kind);

/*
 * The ring buffer of struct tm_arrival: who comes into the traced cgroup, once kernel__attach() was
 * called. -1 where nobody has to be told of. It stays the kernel's.
 */
int kernel__arrivals_fd(const struct kernel *kernel);
/* How many there was no room for. */
__u64 kernel__lost_arrivals(const struct kernel *kernel);

/*
 * Where all of the machine is traced, and each system call is seen: who maps a file as code that is
 * not in the table rings (tmtrace/doorbell.h). false: nobody does. It stays the kernel's.
 */
struct kernel_doorbell {
	int ring;     /* of struct tm_ring */
	__u64 *files; /* TM_FILE_PLACES */
};
bool kernel__doorbell(const struct kernel *kernel, struct kernel_doorbell *out);

/*
 * The ring buffer of struct tm_cgroup_event: which cgroups of the jobs' hierarchy come and go. It
 * stays the kernel's.
 */
int kernel__cgroups_fd(const struct kernel *kernel);

/* The names of cgroups that are kept, the same; false: none are. */
bool kernel__cgroup_names(const struct kernel *kernel, struct kept_names_map *out);

/* The maps of jobs that the environment names, the same. */
void kernel__env_jobs(const struct kernel *kernel, struct env_jobs_maps *out);
/* What looks for those that run already. */
void kernel__env_walk(const struct kernel *kernel, struct env_walk *out);
/* What gives jobs the kernel's own counts; false: it has none. */
bool kernel__task_passes(const struct kernel *kernel, struct task_passes_kernel *out);
/* Of how many of their processes that is not known. */
__u64 kernel__lost_env_jobs(const struct kernel *kernel, enum tm_env_loss reason);
/* How many could not be told of. */
__u64 kernel__lost_cgroups(const struct kernel *kernel);
/* Of how many the names could not be kept. */
__u64 kernel__lost_cgroup_names(const struct kernel *kernel);
/* How many were made in other hierarchies. */
__u64 kernel__other_cgroups(const struct kernel *kernel);

/* Was there no room to tell all processes apart? */
bool kernel__folded(const struct kernel *kernel);
/* How often there was no room for a series of its job: others have it. */
__u64 kernel__folded_series(const struct kernel *kernel);
/* Environments of processes that could not be read, or not be told of. */
__u64 kernel__lost_environments(const struct kernel *kernel);
/* System calls of 32-bit programs in scope: seen, not understood. */
__u64 kernel__compat_calls(const struct kernel *kernel);

/* How many processes of the machine were ended by SIGTRAP, and one of the last TM_TRAPS, from 0. */
__u32 kernel__n_traps(const struct kernel *kernel);
void kernel__trap(const struct kernel *kernel, __u32 number, struct tm_trap *trap);

/* Calls that were recorded without their stack, for a reason. */
__u64 kernel__stackless(const struct kernel *kernel, enum tm_stackless reason);

/* Of how many objects known by handle something is not known, for a reason. */
__u64 kernel__lost_handles(const struct kernel *kernel, enum tm_handle_loss reason);

/* The name of the mechanism by which a layer is seen; NULL: it is not. */
const char *kernel__mechanism(const struct kernel *kernel, enum kernel_layer layer);

/* What had to be left out on this kernel, one line each. */
const struct note_list *kernel__notes(const struct kernel *kernel);

#endif
