/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures of tmtrace top from the service: what who asks may see, as a recording each time. */
#ifndef USER_COMMAND_TOP_ASKED_H
#define USER_COMMAND_TOP_ASKED_H

#include <stdbool.h>

#include "base/error.h"
#include "top/top_source.h"

struct top_asked;

/* May this process not trace by itself, so that the service has to be asked? */
bool top_asked__is_needed(void);

/*
 * socket: NULL: the machine's; job: that is asked for, as its scheduler calls it; NULL: all. 0 and
 * *out, or -ENOMEM.
 */
int top_asked__open(struct top_asked **out, const char *socket, const char *job, struct error *err);
/*
 * What came since the read before; the first one has no length. 0, or a negative errno: the service
 * does not answer, or says why not. Then the next read is of all that came since the last answer.
 */
int top_asked__read(struct top_asked *asked, struct top_source *out, struct error *err);
void top_asked__close(struct top_asked *asked); /* NULL is fine */

#endif
