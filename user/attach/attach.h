/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts probes on library functions: once per file (inode), for every process that maps it. What is
 * probed is decided by the catalogue; who is counted, by the kernel side.
 */
#ifndef USER_ATTACH_ATTACH_H
#define USER_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "attach/parking.h"
#include "attach/seen_files.h"
#include "attach/site_list.h"
#include "base/error.h"
#include "base/note_list.h"
#include "catalogue/catalogue.h"
#include "host/process.h"
#include "kernel/kernel.h"
#include "probe/probe_table.h"

struct attach;

struct attach_options {
	const struct catalogue *catalogue;
	const bool *layers;	   /* by index of the catalogue: traced or not */
	const bool *full;	   /* the same: in full, not in brief; NULL: none is */
	bool one_by_one;	   /* single ADDB2 records are told: see catalogue__brief() */
	struct probe_table *table; /* gets the probes */
	struct kernel *kernel;	   /* NULL: only list, attach nothing */
	enum uprobe_mechanism mechanism;
	struct site_choice choice;
	bool parkable; /* single probes can be taken away and put back */
	bool gives_up; /* files that nobody maps lose their probes, see unused.h */
	size_t share;  /* most probes and files of one user but root; 0: any */
	/*
	 * Called when the table has numbers for which links are about to be made, and when links
	 * were made or removed; NULL: by nobody.
	 */
	void (*changed)(void *context);
	void *context;
	/* What a number of the table has counted; NULL: numbers stay their functions'. */
	struct probe_counts (*counts)(void *context, size_t number);
	void *counts_context;
	struct note_list *notes; /* of what the catalogue names in vain; NULL: nobody reads them */
};

int attach__new(struct attach **out, const struct attach_options *options, struct error *err);

/*
 * Takes the probes away. Where that takes long, a process in the background does it: its number,
 * *probes: of how many; else 0.
 */
pid_t attach__free(struct attach *attach, size_t *probes); /* NULL is fine */

/*
 * Takes over the links that are kept (kernel__pins()), of files that another process has probed,
 * before anything else is probed. Where links of a file are missing, the others are removed, and
 * its probes wait until it is met. 0, or a negative errno.
 */
int attach__adopt(struct attach *attach, const struct seen_file *files, size_t n,
		  struct error *err);

/*
 * Probes a library: path is what can be opened, shown what people know it by. Its layers are those
 * whose patterns match its soname or base name; or the one named, if that is not NULL. Returns the
 * number of probes, 0 where it is known already or has none, or a negative errno: -ENOEXEC for
 * what is not a library, ...
 */
int attach__library(struct attach *attach, const char *path, const char *shown, const char *layer,
		    struct error *err);

/*
 * The same, of one that programs are expected to use, whether or not any does so now: it keeps its
 * probes for longer. It is of nobody's share.
 */
int attach__expect(struct attach *attach, const char *path, const char *shown, const char *layer,
		   struct error *err);

/*
 * What is probed from here on is mapped by this process, 0: by none. Who runs it has the files in
 * its share; those of root's processes are their owners'. A file that is more than the share gets
 * no probes: -EDQUOT; -EALREADY where another one was refused before.
 */
void attach__mapped_by(struct attach *attach, pid_t pid);

/* How files of far file systems are looked at (host/reach.h), as long as it is there. */
struct scout_tools; /* host/scout.h */
struct scout_tools attach__scout_tools(struct attach *attach);

/*
 * Probes functions of the catalogue that are linked into a program itself: those that it names
 * outright (not by pattern), of layers of which it needs no library.
 */
int attach__program(struct attach *attach, const char *path, const char *shown, struct error *err);

/* Does any traced layer's pattern match the base name of this path? */
bool attach__wants(const struct attach *attach, const char *path);
/*
 * The same of a file that is called `shown` and can be opened at path, which is done unless its
 * name matches: by the name that it gives itself, or by what it exports (the catalogue's
 * recognize).
 */
bool attach__wants_file(const struct attach *attach, const char *path, const char *shown);
/* The same of a file that a process maps, which is read once. */
bool attach__wants_mapping(const struct attach *attach, pid_t pid,
			   const struct process_mapping *mapping);
/*
 * As attach__wants(), attach__wants_file() and attach__wants_mapping(), but for libraries of which
 * no function is counted: those that are only watched.
 */
bool attach__traces(const struct attach *attach, const char *path);
bool attach__traces_file(const struct attach *attach, const char *path, const char *shown);
bool attach__traces_mapping(const struct attach *attach, pid_t pid,
			    const struct process_mapping *mapping);
/* Has a file that is known by this path probes on functions? */
bool attach__has_probes(const struct attach *attach, const char *shown);

/* The patterns of the traced layers' libraries, for loader__match(); *n of them. */
const char *const *attach__patterns(const struct attach *attach, size_t *n);

/* NULL: none can be parked. */
struct parking *attach__parking(const struct attach *attach);

size_t attach__n_files(const struct attach *attach);
const struct seen_file *attach__file(const struct attach *attach, size_t i);

#endif
