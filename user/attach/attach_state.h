/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of attach share. Internal to them. */
#ifndef USER_ATTACH_ATTACH_STATE_H
#define USER_ATTACH_ATTACH_STATE_H

#include "attach/attach.h"
#include "attach/file_watch.h"
#include "attach/link_set.h"
#include "attach/parking.h"
#include "attach/shares.h"
#include "elf/elf_file.h"
#include "host/scout.h"

/* A file that is open. One of a far file system is never asked itself what it is (host/reach.h). */
struct open_file {
	int fd;				/* its content */
	int node;			/* itself, to be probed: the same, or of O_PATH */
	const struct scout_answer *far; /* what is known of it; NULL: it is near, fd tells all */
};

/* Which files are left alone by their names, see alone.h. */
struct alone_rule {
	char *pattern; /* NULL: all */
	char *reason;
};

struct attach {
	struct attach_options options;
	struct link_set *links;	 /* NULL: nothing is attached, only listed */
	struct parking *parking; /* NULL: no probe can be parked */
	struct seen_files *files;
	struct file_watcher *watcher; /* of probed files; NULL: nothing is attached */
	struct shares *shares;
	pid_t mapped_by; /* the process of which files are met just now; 0: of none */
	const char **patterns;
	size_t n_patterns, patterns_room;
	struct file_marks *marks; /* by layer: of libraries that no pattern knows */
	struct file_marks_list marks_list;
	struct file_set *looked; /* into, by attach__wants_mapping() */
	struct alone_rule *rules;
	size_t n_rules, rules_room;
};

/* A file to look at. */
struct attach_request {
	const char *path;  /* what can be opened */
	const char *shown; /* what people know it by */
	const char *layer; /* the one that --lib names, NULL: those that match */
	bool program;	   /* not a library */
	bool expected;	   /* by attach__expect() */
};

/*
 * Looks into a file, and probes what there is. It is opened once, and read and probed through its
 * descriptor: a file that takes its place meanwhile is another one. The number of probes, which may
 * be 0, or a negative errno.
 */
int attach__probe_file(struct attach *attach, const struct attach_request *request,
		       struct error *err);
/* Is a library of that name one that link_set__guard() looks into? */
bool attach__is_guarded(const struct attach *attach, const char *name);
/* Works out by what libraries are known. 0 or -ENOMEM; attach__free_wanted() also then. */
int attach__prepare_wanted(struct attach *attach);
void attach__free_wanted(struct attach *attach);
/* Is it a library of that layer, which is traced? The layer that a request names decides alone. */
bool attach__has_layer(const struct attach *attach, const struct elf_file *elf, size_t layer,
		       const struct attach_request *request);
/* Does the file load one of the layer's libraries? Then what it calls is there. */
bool attach__needs_layer(const struct elf_file *elf, const struct catalogue_layer *layer);
/* What a file calls itself, else what it is called; valid as long as elf and request. */
const char *attach__file_name(const struct elf_file *elf, const struct attach_request *request);
/*
 * Adds to sites those of all layers that the file has and does not have probes of yet. 0 or
 * -ENOMEM.
 */
int attach__collect(struct attach *attach, struct seen_file *seen, const struct elf_file *elf,
		    const struct attach_request *request, struct site_list *sites);
/* Notes what the catalogue has of a layer that is not to be probed in one of its libraries. */
void attach__note_unmatched(struct attach *attach, size_t layer, const struct elf_file *elf,
			    const char *name);
/* Takes a file's probes away, which then have failed for that reason. */
void attach__take_away(struct attach *attach, struct seen_file *file, const char *reason);
/* Leaves a file of that name alone if a rule says so. 0, or -ENOMEM. */
int attach__leave_by_rules(struct attach *attach, struct seen_file *seen, const char *name);
void attach__free_rules(struct attach *attach);
/*
 * Opens what reach__open_path() has found, or any other path, and says which file it is, for the
 * kernel's probes. 0, or a negative errno; attach__close().
 */
int attach__open(const struct attach *attach, const char *path, struct open_file *file,
		 struct tm_file *id);
void attach__close(const struct open_file *file);
/*
 * Gives every site its number in the table and its description in the kernel. 0, or a negative
 * errno: attach__undo().
 */
int attach__number_sites(struct attach *attach, struct site_list *sites, const char *shown);
/* What was begun in a file is undone: it cannot have its probes. */
void attach__undo(struct attach *attach, const struct seen_file *seen, struct site_list *sites);
/*
 * Takes so much of a user's share for a file. 0; -EDQUOT with the text in err,
 * -EALREADY where that was said before; or -ENOMEM.
 */
int attach__charge(struct attach *attach, struct seen_file *seen, const struct open_file *file,
		   size_t n, struct error *err);
/*
 * Numbers of a file whose probes are gone, or go, may be another one's from now on; why: NULL: the
 * reason that each has.
 */
void attach__release(struct attach *attach, struct seen_file *file, const char *why);
/* Nobody watches or parks a file's probes any more; what is open goes with its links. */
void attach__let_go(struct attach *attach, struct seen_file *file);
/* Takes a file's probes away soon, and forgets it: by its number in attach->files; and why. */
void attach__give_up(struct attach *attach, size_t i, const char *why);
/* How long a file stays that is expected to be used, open as fd. */
enum seen_stay attach__stay_of(int fd);
/* Takes a file's probes away: from here on it is another one. Who waits to write to it goes on. */
void attach__drop(struct attach *attach, struct seen_file *file);
/*
 * One that was taken over is met, open as file: it is watched from now on; NULL where it has
 * changed meanwhile: then its probes are gone. Others, and NULL, stay as they are.
 */
struct seen_file *attach__meet(struct attach *attach, struct seen_file *seen,
			       const struct open_file *file);
/* Watches a file from now on; none where that cannot be. */
struct file_watch attach__watch(const struct attach *attach, const struct open_file *file);
/* Nobody watches a file any more; who waits to write to it, until its probes are gone. */
void attach__end_watch(struct attach *attach, struct seen_file *file);
/* Are calls that are timed where functions return timed at the `ret` only? */
bool attach__on_ret(const struct attach *attach);
/* Calls options.changed. */
void attach__tell(const struct attach *attach);
/* What stat() says of it. 0, or a negative errno. */
int attach__stat(const struct open_file *file, struct stat *st);
/* Which content an open file has. 0, or a negative errno. */
int attach__version(const struct open_file *file, struct file_version *version);

#endif
