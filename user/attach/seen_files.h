/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that were looked at, each once whatever its names, and which layers it has probes of.
 */
#ifndef USER_ATTACH_SEEN_FILES_H
#define USER_ATTACH_SEEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/types.h>

#include "attach/file_watch.h"
#include "tmtrace/file.h"

/* What tells whether a file is still the one that was read. */
struct file_version {
	__u64 size; /* bytes */
	__s64 changed_ns;
};

/* How long a file that nobody maps keeps its probes (unused.h). */
enum seen_stay {
	SEEN_GOES,	 /* a second or two */
	SEEN_STAYS_LONG, /* a minute: the machine's programs are expected to use it */
	SEEN_STAYS,	 /* as long as it has a name: nobody wants to unmount where it is, either */
};

struct seen_file {
	struct tm_file id;
	bool complete; /* looked at for all layers, not only for those that --lib named */
	bool *probed;  /* by index of the catalogue's layers */
	char *path;    /* as people know it */
	char *layers;  /* their names, separated by commas */
	size_t n_probes;
	int *probes; /* their numbers */
	size_t n_numbers, room;
	unsigned int group; /* of their links; 0: none */
	size_t n_links;	    /* that the group has, once all are made */
	struct file_version version;
	struct file_watch watch; /* none, or not yet: FILE_WATCH_NONE */
	char *alone;		 /* why it gets no probes; NULL: it may have some */
	bool guarded;		 /* it may have links that are no probe's */
	bool gone;		 /* it has changed: what is there now is another file */
	enum seen_stay stay;
	__u64 unused_ns; /* CLOCK_MONOTONIC: since then nobody has mapped it; 0: somebody does */
	__u64 checked;	 /* with nothing in it: the version that was read (tmtrace/file.h) */
	uid_t user;	 /* whose share it is of, */
	size_t charged;	 /* and how much (shares.h) */
};

struct seen_files;

/* n_layers: of the catalogue. 0 and *out (seen_files__free()), or -ENOMEM. */
int seen_files__new(struct seen_files **out, size_t n_layers);
void seen_files__free(struct seen_files *files); /* NULL is fine */

/* The file with this inode, NULL: not seen yet. Valid until one is added. */
struct seen_file *seen_files__find(const struct seen_files *files, const struct tm_file *id);
/* Adds one that is not there; NULL: no memory. */
struct seen_file *seen_files__add(struct seen_files *files, const struct tm_file *id,
				  const char *path);
/* Adds one that was seen by another process. 0, or -ENOMEM. */
int seen_files__adopt(struct seen_files *files, const struct seen_file *file);
/* Takes one away, by its number; those behind it move up. */
void seen_files__remove(struct seen_files *files, size_t i);
/* The file has got probes of a layer. 0 or -ENOMEM. */
int seen_file__add_layer(struct seen_file *file, size_t layer, const char *name);
/* It has got a probe of that number. 0 or -ENOMEM. */
int seen_file__add_probe(struct seen_file *file, int number);
/* The one that is watched by this mark; NULL: none is. */
struct seen_file *seen_files__marked(const struct seen_files *files, int mark);

size_t seen_files__n(const struct seen_files *files);
struct seen_file *seen_files__at(const struct seen_files *files, size_t i);

#endif
