/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps probes out of libraries that a program maps which is known to copy code (elf/copiers.h).
 * The program would copy the breakpoints of the probes, too, and die of one. Every process that
 * maps a probed file has its breakpoints, so that programs count, too, that are not traced.
 */
#ifndef USER_DISCOVERY_LEFT_ALONE_H
#define USER_DISCOVERY_LEFT_ALONE_H

#include "attach/attach.h"
#include "base/note_list.h"
#include "discovery/mappers.h"
#include "elf/libraries.h"
#include "elf/loader.h"
#include "host/watch.h"
#include "options/options.h"

struct left_alone;

/* What it is given must outlive it. 0, or -ENOMEM. */
int left_alone__new(struct left_alone **out, struct attach *attach, const struct options *options,
		    struct note_list *notes);
void left_alone__free(struct left_alone *left); /* NULL is fine */

/*
 * Looks at every process of the machine, before anything is probed: at all files of those that are
 * to be traced or map a traced library, at the names of the others'. What is found is left alone,
 * with a note. 0, or -ENOMEM.
 */
int left_alone__machine(struct left_alone *left, struct error *err);

/*
 * Looks at a command that is about to start, whose libraries (NULL: not known) loader has found,
 * and at the programs that its arguments name: where one copies code, every library is left alone,
 * with a note. 0, or -ENOMEM.
 */
int left_alone__command(struct left_alone *left, struct loader *loader,
			const struct libraries *libraries);

/*
 * A file was just mapped. Before it is probed, and whoever mapped it. Does it copy code? harmless:
 * this was asked before, it does not, and the file has not changed.
 */
bool left_alone__mapping(struct left_alone *left, const struct watch_mapping *mapping,
			 bool harmless);

/* Has a process shown that it copies all code, also of files that it maps from now on? */
bool left_alone__is_copying(const struct left_alone *left, pid_t pid);

/* The file was probed after that: its process has mapped a traced one. */
void left_alone__probed(struct left_alone *left, const struct watch_mapping *mapping);

/* Who has mapped a traced library, as far as the two above have seen it. */
const struct mappers *left_alone__mappers(const struct left_alone *left);

#endif
