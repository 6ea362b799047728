/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of governing share. Internal to them.
 *
 * The governor knows a probe of the kernel's layers as one load, and one on a library's function as
 * two: the function's, which is what it costs to count its calls, and behind it that of its exits,
 * which is what it costs more to time them.
 */
#ifndef USER_GOVERNOR_GOVERNING_STATE_H
#define USER_GOVERNOR_GOVERNING_STATE_H

#include "attach/parking.h"
#include "base/clock.h"
#include "governor/governing.h"
#include "governor/governor.h"
#include "job/sampling.h"
#include "job/unseen.h"

/* The governor's group of what is seen only there; its own are system calls that nobody counts. */
#define TAP_GROUP 1

struct governing {
	struct governing_parts parts;
	const struct report_run *run;
	struct governor *governor;
	enum governing_what what;
	struct loop *loop;
	int timer;
	double wait_s; /* of the timer */
	/* At the last reading: */
	struct tm_ledger *ledgers; /* by probe */
	size_t n, ledgers_room;
	struct governor_load *loads; /* by unit */
	size_t n_loads, loads_room;
	unsigned int cpus;		 /* that are online, */
	__u64 asked_ns;			 /* as it was asked then */
	double kernel_ns[KERNEL_LAYERS]; /* of a hit in them */
	pid_t payer; /* the process of the thread that paid most, at the last reading; 0: not known
		      */
	__u64 payer_job;	      /* its job */
	double thread_share;	      /* what it paid, of its time; 1: not known */
	bool was_trying;	      /* as the governor was at the last reading */
	__u64 begun_ns;		      /* the last one began to be parked then */
	bool left_out[KERNEL_LAYERS]; /* by who wrote the configuration */
	bool untapped;		      /* system calls are not looked at */
	bool told;		      /* what is not known therefore */
	struct sampling *sampling;    /* of the time in which operations on files are counted */
	__u64 missing;		      /* before a change: TM_MISSING_... */
	double switch_ns; /* what it took to change that, the last time, there and back */
	/* The same of the probe, or the exits, of one function of a library; 0: not known yet. */
	double probe_switch_ns;
};

/* What the governor parks: a probe, or its exits alone. */
struct governed {
	size_t probe;
	bool exits;
};

/* The governor's number of it, and back. */
size_t governed__number(struct governed governed);
struct governed governed__of(size_t number);

/* What a hit of a library's probe takes, as it is probed now, in ns. */
double governing__price(const struct governing *governing, const struct probe *probe);

/* NULL: no library's probe can be parked. */
struct parking *governing__parking(const struct governing *governing);

/* Is this probe one of the kernel's, and left out by the configuration? */
bool governing__is_left_out(const struct governing *governing, size_t probe);

/*
 * To be called before operations on files are counted no more, or again, and after: what the kernel
 * counts of each job is told apart by that, and what was counted until then is a slice. Whatever
 * takes long is to be done before or after, so that both change at the same moment.
 */
void governing__begin_change(struct governing *governing);
void governing__end_change(struct governing *governing);

/*
 * A library's probe counts nothing from now on, or counts again: what comes of its function between
 * two gaps is a sample of what there is in them. Of a session that parks no whole probes, nothing
 * is kept.
 */
int governing__open_gaps(struct governing *governing); /* 0, or -ENOMEM */
void governing__begin_gap(struct governing *governing, size_t i);
void governing__end_gap(struct governing *governing, size_t i);
void governing__tend_gaps(struct governing *governing);

/* What has come since the last reading. 0, or -ENOMEM. */
int governing__read_loads(struct governing *governing, struct governor_reading *out);

/* What creates a file is an open until it has: neither is seen without the other. */
#define GOVERNED_OPEN	(TM_PROBE_VFS + TM_VFS_OPEN)
#define GOVERNED_CREATE (TM_PROBE_VFS + TM_VFS_CREATE)

#endif
