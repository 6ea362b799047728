/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the files to probe, for each kind of scope, and has them probed. */
#ifndef USER_DISCOVERY_TARGETS_H
#define USER_DISCOVERY_TARGETS_H

#include <sys/types.h>

#include "attach/attach.h"
#include "base/note_list.h"
#include "host/file_set.h"
#include "discovery/left_alone.h"
#include "host/watch.h"
#include "options/options.h"

/* The --lib files, read as who called sudo. An error names the file. */
int targets__named(struct attach *attach, const struct options *options, struct error *err);

/*
 * The file of the command that is to be run, looked up as the user who will run it: as
 * loader__find_program().
 */
int targets__program(const struct options *options, char **out, struct error *err);

/*
 * Of a command about to start, with the eyes of the user who will run it: the libraries that it
 * will load, those that its children may load (every library of the catalogue on the loader's
 * paths), and functions linked into it; nothing of it where left finds that it copies code.
 */
int targets__command(struct attach *attach, struct left_alone *left, const struct options *options,
		     const char *program, struct note_list *notes, struct error *err);

/* Is a file of that name the C library, or a part of it? */
bool targets__is_c_library(const char *name);

/*
 * Can a command about to start make calls of the catalogue, by itself or through what it loads or
 * executes? False only if that is known: then what it begins with is all that it is to have.
 * listing: of the layers that are traced, without a kernel.
 */
bool targets__may_call(struct attach *listing, const struct options *options, const char *program);

/* Every library of the catalogue on the loader's paths. */
int targets__machine(struct attach *attach, struct note_list *notes, struct error *err);
/* The same of those that were found so far, and are within ms. True: these were all. */
struct library_search; /* discovery/library_search.h */
bool targets__found(struct attach *attach, struct library_search *search, int ms,
		    struct note_list *notes);

/*
 * Of a process that runs: what it maps now, and what is linked into it. Files that are known are
 * looked at only if their names are of the catalogue; NULL: none is. as_owner: files that root may
 * not open are opened as the process's user, whose file system then answers, or lets us wait: not
 * where all of the machine is traced. The number of new probes; -ESRCH where it is gone.
 */
int targets__process(struct attach *attach, pid_t pid, struct file_set *known, bool as_owner,
		     struct note_list *notes, struct error *err);

/*
 * A file that was just mapped, of a program that was started or a library; probed if it is of the
 * catalogue. as_owner: as above. The number of new probes; negative, and a note says it: the file
 * cannot be read, or its file system does not answer (-EAGAIN, host/reach.h), or a user has too
 * many (-EDQUOT); -ESRCH without one: the process is gone; -EALREADY: that was said before.
 * *wanted: it is a library of the catalogue, as far as that could be told.
 */
int targets__mapping(struct attach *attach, const struct watch_mapping *mapping, bool as_owner,
		     bool *wanted, struct note_list *notes);

#endif
