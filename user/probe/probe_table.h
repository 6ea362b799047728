/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every probe of a run by its number: what it is on, how it is attached, and how it fares. The
 * kernel layers' probes come first (TM_PROBE_VFS, TM_PROBE_BLOCK), libraries' follow.
 */
#ifndef USER_PROBE_PROBE_TABLE_H
#define USER_PROBE_PROBE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "catalogue/catalogue.h"
#include "elf/entry.h"
#include "elf/exits.h"
#include "tmtrace/call.h"
#include "tmtrace/config.h"
#include "tmtrace/series.h"

enum probe_state {
	PROBE_ARMED,
	PROBE_WAITING, /* for its library */
	PROBE_FAILED,
	PROBE_PARKED,
	PROBE_OFF, /* not asked for; kernel layers' probes are so until they are attached */
};

/* How a probe was parked; times are CLOCK_REALTIME in ns. Recordings have it as it is. */
struct probe_parking {
	__u64 since_ns;	  /* parked since; 0: it is not */
	__u64 until_ns;	  /* it comes back then, at the earliest */
	__u64 parked_ns;  /* in all, up to since_ns */
	__u64 count;	  /* how often it was */
	__u64 bound_ppm;  /* what it was too much for: thread_ppm tells of what; 0: it was left out
			   */
	__u64 hits_per_s; /* before it was parked last */
	__u64 cost_ns;	  /* the CPU time that these took a second */
	/*
	 * What probes took of a thread's time, where that was too much; 0: the bound is what probes
	 * may cost of what all processors can do.
	 */
	__u64 thread_ppm;
	/* Whose thread it was, or else from whose most was taken then; 0: not known. */
	__u64 thread_pid, thread_job;
};

struct probe {
	const char *layer;
	const char *function;
	__u32 function_id; /* of the key; the same function in two libraries has one */
	__u8 layer_id;
	bool entry_only;
	struct tm_spec spec;	 /* of a library's function; 0 for kernel layers */
	const char *library;	 /* path; NULL for kernel layers */
	__u64 site;		 /* offset in the library */
	struct entry_site entry; /* how its first instructions are handled */
	enum exit_class exits;	 /* where it returns */
	const char *mechanism;
	enum probe_state state;
	const char *reason; /* of a failure or a degradation, NULL: none */
	struct probe_parking parking;
	struct probe_parking untimed; /* the same of its exits: its calls were counted, not timed */
	__u64 counted; /* about so many of those that are recorded were only counted for that */
	__u32 texts;   /* another number: its texts may be others */
};

/*
 * What a number has counted; or, by number, what is to be added to what the kernel has counted
 * under it (modulo 2^64), as numbers were given to other functions.
 */
struct probe_counts {
	struct tm_ledger ledger;
	struct tm_call_ledger calls;
};

#define PROBE_COUNTS_WORDS (sizeof(struct probe_counts) / sizeof(__u64))

struct probe_table;

/* With the kernel layers' probes; 0 and *out (free with probe_table__free()), or -ENOMEM. */
int probe_table__new(struct probe_table **out, const struct catalogue *cat);
void probe_table__free(struct probe_table *table); /* NULL is fine */

size_t probe_table__n(const struct probe_table *table);
/* The same as it is at any time: numbers beyond it have counted nothing. */
const size_t *probe_table__numbered(const struct probe_table *table);
/* Valid until a probe is added; its strings until it changes. */
const struct probe *probe_table__at(const struct probe_table *table, size_t i);

/* Names of a key's layer and function; NULL where the table has none. */
const char *probe_table__layer_name(const struct probe_table *table, __u8 layer_id);
const char *probe_table__function_name(const struct probe_table *table, __u8 layer_id,
				       __u32 function_id);

/*
 * How a function is read, as its first probe says; NULL for kernel layers and where there is no
 * probe on it. Valid until a probe is added.
 */
const struct tm_spec *probe_table__spec(const struct probe_table *table, __u8 layer_id,
					__u32 function_id);

/*
 * Adds a probe on a function of a library; strings are copied. Returns its number, which is the
 * cookie + TM_PROBE_USER; -ENOSPC with TM_PROBES_MAX of them; -EINVAL for a layer or function
 * number that the table did not give; -ENOMEM.
 */
int probe_table__add(struct probe_table *table, const struct probe *probe);

/*
 * The same, under a number that was given back by a probe of the function, if there is one: that of
 * the same place, if there is. What was counted under it is the function's, and goes on.
 */
int probe_table__place(struct probe_table *table, const struct probe *probe);

/*
 * Where that is -ENOSPC: the same under a number that a probe of any other function has given back.
 * What was counted under it is moved to another one of that function, as read(context, number)
 * tells. -ENOSPC: there is none.
 */
int probe_table__recycle(struct probe_table *table, const struct probe *probe,
			 struct probe_counts (*read)(void *context, size_t number), void *context);
/* What was moved, by number, with room for all; *it is NULL until something is. */
const struct probe_counts *const *probe_table__moved(const struct probe_table *table);
/* Something was moved by the process before. 0, or -ENOMEM. */
int probe_table__move(struct probe_table *table, size_t i, const struct probe_counts *counts);

/*
 * A probe's file has it no more: it waits, and another one may get its number. 0, or -ENOMEM: then
 * with the reason that it had.
 */
int probe_table__release(struct probe_table *table, size_t i, const char *reason);
bool probe_table__is_free(const struct probe_table *table, size_t i);

/* These copy the string, which may be NULL. 0 or -ENOMEM: then the probe is as it was. */
int probe_table__set_state(struct probe_table *table, size_t i, enum probe_state state,
			   const char *reason);
/* A probe is parked; what parking says of other times than this one is kept. */
void probe_table__park(struct probe_table *table, size_t i, const struct probe_parking *parking);
/* It comes back, or goes for good: then with the state that it has. */
void probe_table__unpark(struct probe_table *table, size_t i, __u64 now_ns);
/* The same of its exits: its calls are counted only, or timed again. */
void probe_table__untime(struct probe_table *table, size_t i, const struct probe_parking *parking);
void probe_table__time(struct probe_table *table, size_t i, __u64 now_ns);
/*
 * The clocks are so now. Where CLOCK_REALTIME was set, what is parked has been so since another
 * time of it: for how long stays right. To be called before one of these, and before that is asked
 * for.
 */
void probe_table__follow_clock(struct probe_table *table, __u64 realtime_ns, __u64 monotonic_ns);
/* So many calls were counted only. */
void probe_table__add_counted(struct probe_table *table, size_t i, __u64 calls);
int probe_table__set_mechanism(struct probe_table *table, size_t i, const char *mechanism);
/* A kernel layer's probes are armed, all by one mechanism. 0 or -ENOMEM. */
int probe_table__arm_layer(struct probe_table *table, __u8 layer_id, const char *mechanism);

/*
 * The key's number of a function, the same for every library of the layer; -EINVAL for a layer
 * that the table does not have, or -ENOMEM.
 */
int probe_table__function_id(struct probe_table *table, __u8 layer_id, const char *name);

/* "armed", "waiting", "failed", "parked", "off" */
const char *probe_state__name(enum probe_state state);

/* For how long it was parked in all, at a time of CLOCK_REALTIME. */
__u64 probe__parked_ns(const struct probe *probe, __u64 now_ns);
/* The same of its exits: for how long calls were counted, not timed. */
__u64 probe__untimed_ns(const struct probe *probe, __u64 now_ns);
/* Why it does not count, or counts less: its reason, or why it is parked; NULL: it has none. */
#define PROBE_REASON 448
const char *probe__reason(const struct probe *probe, char text[PROBE_REASON]);

/* Names of the kernel layers' functions, as records have them; of losses, with "_" for spaces. */
extern const char *const probe_vfs_names[TM_VFS_FUNCTIONS];
extern const char *const probe_block_names[TM_BLOCK_FUNCTIONS];
extern const char *const probe_loss_names[TM_LOSSES];

#endif
