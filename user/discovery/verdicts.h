/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remembers which mapped files need not be opened again. Most of what a process maps at its start
 * was mapped a thousand times before.
 */
#ifndef USER_DISCOVERY_VERDICTS_H
#define USER_DISCOVERY_VERDICTS_H

#include <stdbool.h>

#include "host/watch.h"

struct verdicts;

enum verdict {
	VERDICT_NONE,	/* it is to be looked into */
	VERDICT_PLAIN,	/* neither its name nor what is in it concerns anybody */
	VERDICT_WANTED, /* its name does; what is in it was dealt with, and has not changed */
};

struct verdicts *verdicts__new(void);		/* NULL: no memory */
void verdicts__free(struct verdicts *verdicts); /* NULL is fine */

/*
 * What is known of a file, under the name by which it is mapped (without " (deleted)"). Whether a
 * wanted one has changed is asked once for all mappings before that.
 */
enum verdict verdicts__ask(struct verdicts *verdicts, const struct watch_mapping *mapping,
			   const char *name);

/*
 * When the file was changed last, in ns of CLOCK_REALTIME; 0: under that name is another one here
 * (of another mount namespace, say), or none, or its file system may not answer (host/reach.h).
 */
__u64 verdicts__changed_ns(const struct watch_mapping *mapping, const char *name);

/*
 * What came of looking into it. One that is wanted will be looked into again once it has changed:
 * changed_ns was asked for before, so that no change is missed; with 0, nothing is kept of it.
 */
void verdicts__note(struct verdicts *verdicts, const struct watch_mapping *mapping,
		    const char *name, enum verdict verdict, __u64 changed_ns);

/* Those with that inode number are to be looked into again: they are not probed any more. */
void verdicts__forget(struct verdicts *verdicts, __u64 ino);
/* All are to be looked into again: probes were taken away from one. */
void verdicts__clear(struct verdicts *verdicts);

#endif
