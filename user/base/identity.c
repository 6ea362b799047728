// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/identity.h"

/* With them, no file is refused, and no quota holds. */
#define BIT(capability) (1U << (capability))
#define OVER_FILES                                                                             \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) | \
	 BIT(CAP_FSETID) | BIT(CAP_LINUX_IMMUTABLE) | BIT(CAP_MKNOD) | BIT(CAP_SYS_RESOURCE))

/* What a thread was before. */
struct before {
	bool is_kept;
	int dumpable;
	uid_t real_uid, uid, saved_uid;
	gid_t real_gid, gid, saved_gid;
	gid_t *groups;
	int n_groups;
	struct __user_cap_data_struct capabilities[2];
};

static _Thread_local struct before before;

/* Who called sudo, where that is not to be asked of the environment again. */
static struct identity caller;
static bool is_caller_kept;

/* A number in the environment that sudo has set; false: it is not there, or not one. */
static bool sudo_number(const char *name, unsigned int *number)
{
	const char *text = getenv(name);
	unsigned long value;
	char *end;

	if (!text)
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*number = (unsigned int)value;
	return end != text && !*end && !errno && value < UINT_MAX;
}

static bool is_under_sudo(void)
{
	return geteuid() == 0 && getenv("SUDO_UID");
}

int identity__choose(struct identity *out, const char *name, struct error *err)
{
	const struct passwd *pw;

	*out = (struct identity){ .uid = geteuid(), .gid = getegid() };
	if (name) {
		pw = getpwnam(name);
		if (!pw)
			return error__set(err, -ENOENT, "--user %s: there is no such user", name);
		if (geteuid() != 0 && pw->pw_uid != geteuid())
			return error__set(err, -EPERM,
					  "--user %s: only root can run as another user", name);
	} else {
		if (!is_under_sudo())
			return 0;
		/* Who is not understood is not root. */
		if (!sudo_number("SUDO_UID", &out->uid) || !sudo_number("SUDO_GID", &out->gid))
			return error__set(err, -EINVAL,
					  "SUDO_UID=%s: not a user of this machine; name one with "
					  "--user",
					  getenv("SUDO_UID"));
		pw = getpwuid(out->uid);
		if (!pw)
			return 0;
	}
	out->uid = pw->pw_uid;
	out->gid = pw->pw_gid;
	snprintf(out->name, sizeof(out->name), "%s", pw->pw_name);
	snprintf(out->home, sizeof(out->home), "%s", pw->pw_dir);
	return 0;
}

static int set_capabilities(const struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* Not by libc, which would do it in all threads. */
static int set_ids(const gid_t *groups, size_t n_groups, const gid_t gids[3], const uid_t uids[3])
{
	return syscall(SYS_setgroups, n_groups, groups) ||
			       syscall(SYS_setresgid, gids[0], gids[1], gids[2]) ||
			       syscall(SYS_setresuid, uids[0], uids[1], uids[2])
		       ? -errno
		       : 0;
}

static int keep_before(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	before = (struct before){ .n_groups = getgroups(0, NULL) };
	before.dumpable = prctl(PR_GET_DUMPABLE);
	before.groups = calloc(before.n_groups + 1, sizeof(*before.groups));
	if (!before.groups)
		return -ENOMEM;
	if (getgroups(before.n_groups, before.groups) < 0 ||
	    getresuid(&before.real_uid, &before.uid, &before.saved_uid) ||
	    getresgid(&before.real_gid, &before.gid, &before.saved_gid) ||
	    syscall(SYS_capget, &head, before.capabilities) || prctl(PR_SET_KEEPCAPS, 1))
		return -errno;
	before.is_kept = true;
	return 0;
}

void identity__leave(void)
{
	int ret = 0;

	if (before.is_kept) {
		/* What is put aside includes what it takes to come back. */
		ret = set_capabilities(before.capabilities);
		if (!ret)
			ret = set_ids(before.groups, before.n_groups,
				      (gid_t[]){ before.real_gid, before.gid, before.saved_gid },
				      (uid_t[]){ before.real_uid, before.uid, before.saved_uid });
		if (!ret)
			ret = set_capabilities(before.capabilities);
		prctl(PR_SET_KEEPCAPS, 0);
		/* 2, of a process that is nobody's to look into, cannot be set, and is what it is.
		 */
		if (before.dumpable == 1)
			prctl(PR_SET_DUMPABLE, 1);
	}
	free(before.groups);
	before = (struct before){ 0 };
	if (ret < 0) {
		/* Nothing that follows could be trusted. */
		fprintf(stderr, "tmtrace: cannot become root again: %s\n", strerror(-ret));
		abort();
	}
}

int identity__enter_numbers(uid_t uid, gid_t gid, const gid_t *groups, size_t n_groups,
			    struct error *err)
{
	struct __user_cap_data_struct fewer[2];
	int ret;

	if (uid == 0 || uid == geteuid())
		return 0;
	ret = keep_before();
	if (!ret)
		ret = set_ids(groups, n_groups, (gid_t[]){ gid, gid, gid },
			      (uid_t[]){ uid, uid, uid });
	if (!ret) {
		memcpy(fewer, before.capabilities, sizeof(fewer));
		fewer[0].effective &= ~OVER_FILES;
		ret = set_capabilities(fewer);
	}
	if (!ret)
		return 0;
	identity__leave();
	return error__set(err, ret, "cannot act as user %u: %s", uid, strerror(-ret));
}

/* A user without an entry has no groups but the own one. */
static gid_t *groups_of(const struct identity *who, int *n)
{
	gid_t *groups = NULL, *grown;
	int room = 32;

	*n = 0;
	do {
		*n = room;
		grown = realloc(groups, room * sizeof(*groups));
		if (!grown)
			break;
		groups = grown;
		if (!*who->name) {
			groups[0] = who->gid;
			*n = 1;
			return groups;
		}
		if (getgrouplist(who->name, who->gid, groups, n) >= 0)
			return groups;
		room = *n > room ? *n : 2 * room;
	} while (room <= 2 * 65536);
	free(groups);
	return NULL;
}

int identity__enter(const struct identity *who, struct error *err)
{
	gid_t *groups;
	int n, ret;

	if (who->uid == 0 || who->uid == geteuid())
		return 0;
	groups = groups_of(who, &n);
	if (!groups)
		return error__set(err, -ENOMEM, "no memory");
	ret = identity__enter_numbers(who->uid, who->gid, groups, (size_t)n, err);
	free(groups);
	return ret;
}

int identity__keep_caller(struct error *err)
{
	int ret;

	if (is_caller_kept || !is_under_sudo())
		return 0;
	ret = identity__choose(&caller, NULL, err);
	is_caller_kept = ret == 0;
	return ret;
}

int identity__enter_caller(struct error *err)
{
	int ret = identity__keep_caller(err);

	return ret < 0 || !is_caller_kept ? ret : identity__enter(&caller, err);
}

int identity__explain_caller(struct error *err)
{
	size_t n;

	if ((err->code != -EACCES && err->code != -EPERM) || !is_caller_kept || caller.uid == 0)
		return err->code;
	error__prefix(err, "as user %u, who called sudo", caller.uid);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, "; env -u SUDO_UID does it as root");
	return err->code;
}

static int become(const char *name, uid_t uid, gid_t gid, struct error *err)
{
	if ((*name ? initgroups(name, gid) : setgroups(0, NULL)) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		return error__set(err, -errno, "cannot act as user %u: %s", uid, strerror(errno));
	return 0;
}

int identity__become(uid_t uid, struct error *err)
{
	const struct passwd *entry;

	if (getuid() == uid && geteuid() == uid)
		return 0;
	entry = getpwuid(uid);
	if (!entry)
		return error__set(err, -ENOENT, "user %u is not known here, nor which groups", uid);
	return become(entry->pw_name, uid, entry->pw_gid, err);
}

int identity__become_caller(struct error *err)
{
	int ret = identity__keep_caller(err);

	if (ret < 0 || !is_caller_kept || caller.uid == geteuid())
		return ret;
	return become(caller.name, caller.uid, caller.gid, err);
}
