/* SPDX-License-Identifier: GPL-2.0-only */
/* One line on the terminal while probes are attached and while tracing; nothing in a pipe. */
#ifndef USER_COMMAND_PROGRESS_H
#define USER_COMMAND_PROGRESS_H

#include <stdbool.h>

#include "session/session.h"

struct progress;

struct progress *progress__new(bool quiet); /* NULL without memory: fine everywhere here */
/* Everything is attached. */
void progress__ready(struct progress *progress, const struct session *session);
void progress__tick(struct progress *progress);
/* Takes the line away, before something else is printed. */
void progress__clear(struct progress *progress);
void progress__free(struct progress *progress);

#endif
