// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <grp.h>
#include <string.h>
#include <unistd.h>

#include "command/child.h"
#include "command/user_file.h"

typedef int (*make_function)(void *context, const char *path, struct error *err);

static int make_as(const struct child_user *user, make_function make, void *context,
		   const char *path, struct error *err)
{
	int rc;

	/* Without root's groups, for good: the command gets its own from its user's entry. */
	if (setgroups(0, NULL) || setegid(user->gid) || seteuid(user->uid))
		rc = error__set(err, -errno, "cannot act as user %u: %s", user->uid,
				strerror(errno));
	else
		rc = make(context, path, err);
	if (seteuid(0) || setegid(0))
		return error__set(err, -errno, "cannot become root again: %s", strerror(errno));
	return rc < 0 ? error__prefix(err, "as user %u", user->uid) : rc;
}

int user_file__make(const char *path, const char *user, make_function make, void *context,
		    struct error *err)
{
	struct child_user owner;
	int rc = child__user(&owner, user, err);

	if (rc < 0)
		return rc;
	if (geteuid() != 0 || owner.uid == 0)
		return make(context, path, err);
	if (!user)
		return make_as(&owner, make, context, path, err);
	rc = make(context, path, err);
	if (rc >= 0 && lchown(path, owner.uid, owner.gid) < 0)
		rc = error__set(err, -errno, "%s: cannot give it to its user: %s", path,
				strerror(errno));
	return rc;
}
