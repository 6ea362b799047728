/* SPDX-License-Identifier: GPL-2.0-only */
/* One line on the terminal while probes are attached and while tracing; nothing in a pipe. */
#ifndef USER_COMMAND_PROGRESS_H
#define USER_COMMAND_PROGRESS_H

#include <stdbool.h>

#include "attach/attach.h"

struct progress;

struct progress *progress__new(bool quiet); /* NULL without memory: fine everywhere here */
/* Everything is attached; NULL: no library. From here on a command has the terminal to itself. */
void progress__ready(struct progress *progress, const struct attach *attach, bool command);
void progress__tick(struct progress *progress);
/* Takes the line away, before something else is printed. */
void progress__clear(struct progress *progress);
void progress__free(struct progress *progress);

#endif
