// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "attach/shares.h"
#include "base/array.h"

struct share {
	uid_t user;
	size_t n;
	bool is_full;
};

struct shares {
	size_t most;
	struct share *of; /* those who have something, or were refused */
	size_t n, room;
};

struct shares *shares__new(size_t most)
{
	struct shares *shares = calloc(1, sizeof(*shares));

	if (shares)
		shares->most = most;
	return shares;
}

void shares__free(struct shares *shares)
{
	if (!shares)
		return;
	free(shares->of);
	free(shares);
}

static struct share *find_user(const struct shares *shares, uid_t user)
{
	for (size_t i = 0; i < shares->n; i++)
		if (shares->of[i].user == user)
			return &shares->of[i];
	return NULL;
}

static struct share *add_user(struct shares *shares, uid_t user)
{
	struct share *share = find_user(shares, user);

	if (share)
		return share;
	if (array__grow((void **)&shares->of, &shares->room, shares->n, sizeof(*share)) < 0)
		return NULL;
	share = &shares->of[shares->n++];
	*share = (struct share){ .user = user };
	return share;
}

int shares__take(struct shares *shares, uid_t user, size_t n)
{
	struct share *share = add_user(shares, user);

	if (!share)
		return -ENOMEM;
	if (shares->most && user && share->n + n > shares->most) {
		share->is_full = true;
		return -EDQUOT;
	}
	share->n += n;
	return 0;
}

void shares__force(struct shares *shares, uid_t user, size_t n)
{
	struct share *share = add_user(shares, user);

	if (share)
		share->n += n;
}

void shares__give(struct shares *shares, uid_t user, size_t n)
{
	struct share *share = find_user(shares, user);

	if (!share)
		return;
	share->n -= n < share->n ? n : share->n;
	share->is_full = false;
	if (!share->n)
		*share = shares->of[--shares->n];
}

bool shares__is_full(const struct shares *shares, uid_t user)
{
	const struct share *share = find_user(shares, user);

	return share && share->is_full;
}

size_t shares__of(const struct shares *shares, uid_t user)
{
	const struct share *share = find_user(shares, user);

	return share ? share->n : 0;
}
