/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracks of a trace: one per thread; and where slices overlap, as operations and block requests
 * do, as many for each process or device as there are at a time, one below the other. A track is
 * described when it is used first.
 */
#ifndef USER_EXPORT_TRACKS_H
#define USER_EXPORT_TRACKS_H

#include "export/perfetto.h"

struct tracks;

/* trace must outlive it. NULL without memory. */
struct tracks *tracks__new(struct perfetto *trace);
void tracks__free(struct tracks *tracks); /* NULL is fine */

/* Processes are of another run from now on; host: told with their names, NULL: not. */
void tracks__use(struct tracks *tracks, const char *host);

/* Its number; 0 without memory. Names may be NULL. */
__u64 tracks__thread(struct tracks *tracks, __u32 pid, __u32 tid, const char *comm,
		     const char *process);
/* One of that name with room from start to end; pid 0: of no process. */
__u64 tracks__free_at(struct tracks *tracks, __u32 pid, const char *process, const char *name,
		      __u64 start_ns, __u64 end_ns);

#endif
