/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Acting as somebody else. Commands run as a user, and what a user names on the command line of
 * sudo is read and written with that user's rights: a sudo rule for tmtrace is none for files. Some
 * file systems let their own user in alone, and not root (FUSE, NFS with root_squash).
 */
#ifndef USER_BASE_IDENTITY_H
#define USER_BASE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct identity {
	uid_t uid;
	gid_t gid;
	char name[64];	 /* "" where the machine has no entry for the number */
	char home[4096]; /* the same */
};

/*
 * The user named, else (NULL) who called sudo, else who runs this. The environment of sudo is
 * believed where we are root alone. Errors: no such user (-ENOENT), not permitted (-EPERM), a sudo
 * environment that makes no sense (-EINVAL).
 */
int identity__choose(struct identity *out, const char *name, struct error *err);

/*
 * From here to identity__leave() the calling thread, and no other, is that user with all that file
 * systems ask for, but keeps the capabilities that tracing needs; those over files are put aside.
 * Nobody of that user can look into the process. Nothing happens where we are that user, or where
 * the user is root. Not to be nested. 0, or a negative errno: -EPERM.
 */
int identity__enter(const struct identity *who, struct error *err);

/* The same with the numbers of a user, which may have no name. */
int identity__enter_numbers(uid_t uid, gid_t gid, const gid_t *groups, size_t n_groups,
			    struct error *err);
void identity__leave(void);

/*
 * Remembers who called sudo, for what follows, whatever becomes of the environment. 0, also where
 * nobody has; -EINVAL: it makes no sense.
 */
int identity__keep_caller(struct error *err);

/* The same as who called sudo, for what is named on the command line. */
int identity__enter_caller(struct error *err);

/*
 * For what was refused meanwhile, or after identity__become_caller(): the message says to whom,
 * where that is who called sudo, and how root does it. Its code.
 */
int identity__explain_caller(struct error *err);

/*
 * The process becomes that user for good, with the user's groups, and executes nothing: so the
 * kernel lets no other process of the user look into it. Nothing to do where it is that user
 * already. 0, or a negative errno: -ENOENT: the machine does not know the user's groups; -EPERM.
 */
int identity__become(uid_t uid, struct error *err);

/* The same as who called sudo, for commands that need no privileges. */
int identity__become_caller(struct error *err);

#endif
