/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Describes a session that is under way to reports: what is traced, by which mechanisms, at which
 * cost, and with which figures.
 */
#ifndef USER_SESSION_LIVE_RUN_H
#define USER_SESSION_LIVE_RUN_H

#include "job/job_map.h"
#include "report/report.h"
#include "session/session_state.h"

struct live_run;

/*
 * Before the session is started; it must outlive the run. argv: tmtrace's own. 0 and *out, or
 * -ENOMEM.
 */
int live_run__open(struct live_run **out, struct session *session, char **argv, struct error *err);
/* The session has been started. 0, or a negative errno. */
int live_run__start(struct live_run *live, struct error *err);
/* The figures that are read from now on are the last ones. */
void live_run__finish(struct live_run *live);
/* Has what the kernel side tells of processes and cgroups read when it comes; live_run__follow():
 * now. */
int live_run__watch(struct live_run *live, struct loop *loop);
void live_run__follow(struct live_run *live);
void live_run__close(struct live_run *live); /* NULL is fine */

/* The jobs of the machine, once it was started: as long as it is open. */
struct job_map live_run__jobs(const struct live_run *live);

/*
 * All figures were told as they were at that time (CLOCK_REALTIME). Of jobs that had ended before
 * nothing is lost any more if they go among others.
 */
void live_run__note_told(struct live_run *live, __u64 time_ns);
/* Is called where some have to go that were not told; NULL: they go only when there is no room. */
void live_run__tell_with(struct live_run *live, void (*tell)(void *context), void *context);

/* What is known so far; valid until a file is probed. */
const struct report_run *live_run__report(struct live_run *live);

/*
 * Reads the figures; what is known of the run is then of the same moment. *out lives until the next
 * read. 0, or a negative errno.
 */
int live_run__read(struct live_run *live, const struct snapshot **out, struct error *err);

/*
 * The same from another drain of the session: whoever reads has intervals of its own. asked: as in
 * recorder__write().
 */
int live_run__read_from(struct live_run *live, struct drain *drain, bool asked,
			const struct snapshot **out, struct error *err);

/*
 * Puts the timelines that are kept into a snapshot that was read just now, until the next call. 0,
 * or a negative errno.
 */
int live_run__show_timelines(struct live_run *live, struct snapshot *snapshot, struct error *err);
/*
 * Of a service: takes into those that it keeps what a snapshot of what is recorded has, and puts
 * them into one.
 */
void live_run__take_timelines(struct live_run *live, const struct snapshot *snapshot);
void live_run__show_coarse(const struct live_run *live, struct snapshot *snapshot);

/* How often a job got another name so far. */
__u64 live_run__renames(const struct live_run *live);
/* Is it known but by what its scheduler calls its cgroup, so that it may get a name? */
bool live_run__awaits_name(const struct live_run *live, __u64 job);

/* Single jobs can be read from that drain, too, as follows. 0, or a negative errno. */
int live_run__index_jobs(struct live_run *live, struct drain *drain, struct error *err);
/* The same of the jobs that are chosen, alone: drain__read_jobs(). */
int live_run__read_jobs(struct live_run *live, struct drain *drain,
			const struct drain_choice *choice, const struct snapshot **out,
			struct error *err);

#endif
