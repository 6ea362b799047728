// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/identity.h"
#include "command/user_file.h"

typedef int (*make_function)(void *context, const char *path, struct error *err);

static int make_as(const struct identity *user, make_function make, void *context, const char *path,
		   struct error *err)
{
	int rc;

	rc = identity__enter(user, err);
	if (rc < 0)
		return rc;
	rc = make(context, path, err);
	identity__leave();
	return rc < 0 ? error__prefix(err, "as user %u", user->uid) : rc;
}

int user_file__make(const char *path, const char *user, make_function make, void *context,
		    struct error *err)
{
	struct identity owner;
	int rc = identity__choose(&owner, user, err);

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
