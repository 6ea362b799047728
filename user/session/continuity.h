/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets the probes and counters of a service outlive it, in a folder of the BPF file system
 * (kernel/pins.h), so that the next service goes on with them. Each step is written down before it
 * is taken: the service may be killed at any moment, and the next one removes what was begun and is
 * not whole.
 */
#ifndef USER_SESSION_CONTINUITY_H
#define USER_SESSION_CONTINUITY_H

#include <stdbool.h>

#include "attach/attach.h"
#include "base/error.h"
#include "base/note_list.h"
#include "kernel/pins.h"

struct continuity;
struct session;

/*
 * Opens what is kept in a folder; *out is NULL, with a note, where there is no BPF file system.
 * 0; -EADDRINUSE where another service has it; or another negative errno.
 */
int continuity__open(struct continuity **out, const char *dir, struct session *session,
		     struct error *err);
/* Leaves what is kept. NULL is fine. */
void continuity__close(struct continuity *continuity);

/* Where all that is loaded and attached is to be kept. NULL: nowhere. */
struct pins *continuity__pins(const struct continuity *continuity);

/* The layout of the kernel side that is kept; 0: there is nothing to go on with. NULL: 0. */
__u64 continuity__layout(const struct continuity *continuity);
/* The hierarchy of cgroups by which it tells jobs; NULL: none, or there is nothing. NULL: NULL. */
const char *continuity__hierarchy(const struct continuity *continuity);
/*
 * The session is to go on: gets the mechanism, what it costs, and the table of probes. 0; -ESTALE:
 * what is kept is of other layers or functions; or another negative errno.
 */
int continuity__restore(struct continuity *continuity, struct error *err);
/* Has the session got what is kept, so that it can be read, whether or not it is to go on? */
bool continuity__is_readable(const struct continuity *continuity);
/* There is nothing to go on with: removes what is kept, for that reason, which is a note. */
int continuity__renew(struct continuity *continuity, const char *reason, struct error *err);

/* Nothing is to be kept in this session, for that reason, which is a note. */
void continuity__give_up(struct continuity *continuity, const char *reason);
/* Is something? NULL: no. */
bool continuity__keeps(const struct continuity *continuity);

/* The probes of libraries, before others are made. Nothing where there are none to go on with. */
int continuity__adopt(struct continuity *continuity, struct attach *attach, struct error *err);
/* Notes on libraries that came while nobody looked, once all were looked for. */
void continuity__note_new(struct continuity *continuity, const struct attach *attach);

/* All is in place: the counting begins, or goes on. NULL: nothing is kept. */
int continuity__start(struct continuity *continuity, struct session *session, struct error *err);
/* Writes what has changed, for struct attach_options. */
void continuity__changed(void *context);

/* The epoch of the counters, and when it began (CLOCK_REALTIME). */
struct continuity_epoch {
	const char *name;
	__u64 start_ns;
	__u64 restarts;	     /* since then */
	bool continued;	     /* it did not begin with this process */
	size_t files, links; /* libraries whose probes were in place, and links of all kinds */
};

/* From continuity__start() on. */
struct continuity_epoch continuity__epoch(const struct continuity *continuity);

/*
 * The end: what is kept stays, or all of it is removed, where the session has let go of it. NULL is
 * fine. Before the start there is nothing worth keeping but what was there.
 */
void continuity__end(struct continuity *continuity, bool keep);

#endif
