// SPDX-License-Identifier: GPL-2.0-only
#ifndef _GNU_SOURCE
#endif
#include <stdio.h>
#include <string.h>

#include "report/names.h"
#include "target/cgroup_names.h"
#include "target/devices.h"
#include "target/mounts.h"

/* A device number as the kernel keeps it (linux/kdev_t.h). */
static unsigned int major_of(__u64 where)
{
	return (__u32)where >> 20;
}

static unsigned int minor_of(__u64 where)
{
	return (__u32)where & 0xfffff;
}

const char *names__layer(const struct report_run *run, const struct tm_key *key)
{
	return probe_table__layer_name(run->probes, key->layer);
}

const char *names__function(const struct report_run *run, const struct tm_key *key)
{
	return probe_table__function_name(run->probes, key->layer, key->function);
}

const char *names__cgroup(const struct report_run *run, __u64 job)
{
	return run->cgroups && job ? cgroup_names__path(run->cgroups, job) : NULL;
}

/* The mount of a series; one that got its id since, for another file system, is not meant. */
static const struct mount_entry *find_mount(const struct report_run *run,
					    const struct tm_series *series)
{
	__u64 where = series->key.where;
	const struct mount_entry *mount;

	if (!run->mounts || !where)
		return NULL;
	mount = mounts__find(run->mounts, (int)(where >> 32), (pid_t)series->creator);
	if (!mount || mount->major != major_of(where) || mount->minor != minor_of(where))
		return NULL;
	return mount;
}

const char *names__mount(const struct report_run *run, const struct tm_series *series)
{
	const struct mount_entry *mount = find_mount(run, series);

	return mount ? mount->point : NULL;
}

/* The label need not have a NUL at its end. */
static void copy_label(char out[NAMES_ROOM], const struct tm_series *series)
{
	snprintf(out, NAMES_ROOM, "%.*s", (int)sizeof(series->label), series->label);
}

const char *names__fs_type(const struct report_run *run, const struct tm_series *series,
			   char out[NAMES_ROOM])
{
	const struct mount_entry *mount;

	copy_label(out, series);
	if (out[0])
		return out;
	mount = find_mount(run, series);
	if (mount)
		snprintf(out, NAMES_ROOM, "%s", mount->type);
	return out;
}

const char *names__device(const struct report_run *run, const struct tm_series *series,
			  char out[NAMES_ROOM])
{
	__u64 where = series->key.where;

	if (series->key.flags & TM_KEY_NO_DISK) {
		snprintf(out, NAMES_ROOM, "%u:%u", major_of(where), minor_of(where));
		return out;
	}
	copy_label(out, series);
	/* A label of full length may be cut. */
	if (!where || (out[0] && strlen(out) < sizeof(series->label) - 1))
		return out;
	if (run->devices)
		snprintf(out, NAMES_ROOM, "%s",
			 devices__name(run->devices, major_of(where), minor_of(where)));
	else if (!out[0])
		snprintf(out, NAMES_ROOM, "%u:%u", major_of(where), minor_of(where));
	return out;
}

bool names__has_size(const struct report_run *run, const struct tm_key *key)
{
	const struct tm_spec *spec;

	switch (key->layer) {
	case TM_LAYER_VFS:
		return key->function == TM_VFS_READ || key->function == TM_VFS_WRITE ||
		       key->function == TM_VFS_SPLICE || key->function == TM_VFS_COPY_RANGE;
	case TM_LAYER_BLOCK:
		return true;
	default:
		spec = probe_table__spec(run->probes, key->layer, key->function);
		return spec && spec->size.kind != TM_SIZE_NONE;
	}
}

static bool fails_with_errno(const struct report_run *run, const struct tm_key *key)
{
	const struct tm_spec *spec;

	if (key->layer < TM_LAYER_USER)
		return true;
	spec = probe_table__spec(run->probes, key->layer, key->function);
	return spec && spec->fail == TM_FAIL_NEGATIVE_ERRNO;
}

const char *names__error(const struct report_run *run, const struct tm_key *key, __s32 code,
			 char out[NAMES_ROOM])
{
	const char *name = fails_with_errno(run, key) ? strerrorname_np(code) : NULL;

	if (code == 0)
		snprintf(out, NAMES_ROOM, "other");
	else if (name)
		snprintf(out, NAMES_ROOM, "%s", name);
	else
		snprintf(out, NAMES_ROOM, "code:%d", code);
	return out;
}
