// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "host/files.h"
#include "host/mountinfo.h"
#include "host/mounts.h"

#define OWN	    "/proc/self/mountinfo"
#define FOREIGN_MAX 65536 /* mounts of other namespaces to remember */
/* All series of a snapshot ask one after the other: it is not asked for each what has changed. */
#define FRESH_NS NS_PER_MS

struct table {
	struct mount_entry *items;
	size_t n;
	size_t room;
};

/* Ids are unique on the whole machine: one table of the own namespace, one of all others. */
struct mounts {
	int fd;		/* of the own mountinfo: tells when it has changed */
	__u64 asked_ns; /* CLOCK_MONOTONIC: when it was asked that last */
	struct table own;
	struct table others;
};

static void free_entry(struct mount_entry *entry)
{
	free((void *)entry->point);
	free((void *)entry->source);
	free((void *)entry->type);
}

static void clear(struct table *table)
{
	for (size_t i = 0; i < table->n; i++)
		free_entry(&table->items[i]);
	free(table->items);
	*table = (struct table){ 0 };
}

static struct mount_entry *find_mount(const struct table *table, int id)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->items[i].id == id)
			return &table->items[i];
	}
	return NULL;
}

/* Adds one, or puts it in the place of an earlier one of that id. */
static int put_mount(struct table *table, const struct mountinfo *info)
{
	struct mount_entry *old = find_mount(table, info->id);
	struct mount_entry entry = { .id = info->id,
				     .major = info->major,
				     .minor = info->minor,
				     .point = strdup(info->point),
				     .source = strdup(info->source),
				     .type = strdup(info->type) };

	if (!entry.point || !entry.source || !entry.type ||
	    (!old && array__grow((void **)&table->items, &table->room, table->n,
				 sizeof(*table->items)) < 0)) {
		free_entry(&entry);
		return -ENOMEM;
	}
	if (old)
		free_entry(old);
	else
		old = &table->items[table->n++];
	*old = entry;
	return 0;
}

static int read_table(struct table *table, const char *path)
{
	char *text, *rest = NULL;
	struct mountinfo info;
	int ret;

	ret = files__read(path, MOUNTINFO_MAX, &text, NULL);
	if (ret)
		return ret;
	for (char *line = strtok_r(text, "\n", &rest); line && !ret;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (mountinfo__parse(line, &info))
			ret = put_mount(table, &info);
	}
	free(text);
	return ret;
}

static int read_own(struct mounts *mounts)
{
	struct table fresh = { 0 };
	int ret;

	ret = read_table(&fresh, OWN);
	if (ret) {
		clear(&fresh);
		return ret;
	}
	clear(&mounts->own);
	mounts->own = fresh;
	return 0;
}

int mounts__open(struct mounts **out, struct error *err)
{
	struct mounts *mounts;
	int ret = 0;

	mounts = calloc(1, sizeof(*mounts));
	if (!mounts)
		return error__set(err, -ENOMEM, "%s: out of memory", OWN);
	mounts->fd = open(OWN, O_RDONLY | O_CLOEXEC);
	if (mounts->fd < 0)
		ret = -errno;
	if (!ret)
		ret = read_own(mounts);
	if (ret) {
		mounts__close(mounts);
		return error__set(err, ret, "%s: %s", OWN, strerror(-ret));
	}
	*out = mounts;
	return 0;
}

void mounts__close(struct mounts *mounts)
{
	if (!mounts)
		return;
	clear(&mounts->own);
	clear(&mounts->others);
	if (mounts->fd >= 0)
		close(mounts->fd);
	free(mounts);
}

/* The kernel reports a change once, as an exceptional condition. */
static bool changed(struct mounts *mounts)
{
	struct pollfd wait = { .fd = mounts->fd, .events = POLLPRI };

	mounts->asked_ns = clock__ns(CLOCK_MONOTONIC);
	return poll(&wait, 1, 0) > 0 && (wait.revents & (POLLPRI | POLLERR));
}

const struct mount_entry *mounts__find(struct mounts *mounts, int id, pid_t pid)
{
	const struct mount_entry *entry;
	char path[64];

	/* After a failure the old table is still the best there is. */
	if (clock__ns(CLOCK_MONOTONIC) - mounts->asked_ns >= FRESH_NS && changed(mounts))
		read_own(mounts);
	entry = find_mount(&mounts->own, id);
	if (!entry && changed(mounts)) {
		read_own(mounts);
		entry = find_mount(&mounts->own, id);
	}
	if (!entry)
		entry = find_mount(&mounts->others, id);
	if (entry || pid <= 0)
		return entry;
	if (mounts->others.n > FOREIGN_MAX)
		clear(&mounts->others);
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", pid);
	read_table(&mounts->others, path);
	return find_mount(&mounts->others, id);
}
