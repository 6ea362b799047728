// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups as this machine has them, and which processes are in them. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/cgroup.h"
#include "host/cgroup_names.h"
#include "host/files.h"
#include "host/mountinfo.h"
#include "host/process_list.h"

static bool contains(const pid_t *pids, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

static void test_list_all(void **state)
{
	struct error err;
	pid_t *pids;
	size_t n;

	(void)state;
	assert_int_equal(process_list__all(&pids, &n, &err), 0);
	assert_true(contains(pids, n, getpid()));
	assert_false(contains(pids, n, 0));
	free(pids);
	assert_int_equal(process_list__cgroup("/nonexistent", &pids, &n, &err), -ENOENT);
}

/* The first mounted hierarchy of a version, or skip. */
static struct cgroup *root_cgroup(const char *type)
{
	struct cgroup *cgroup = NULL;
	char *text, *rest = NULL;
	struct mountinfo mount;
	struct error err;

	assert_int_equal(files__read("/proc/self/mountinfo", MOUNTINFO_MAX, &text, NULL), 0);
	for (char *line = strtok_r(text, "\n", &rest); line && !cgroup;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (mountinfo__parse(line, &mount) && strcmp(mount.type, type) == 0)
			assert_int_equal(cgroup__find(&cgroup, mount.point, &err), 0);
	}
	free(text);
	if (!cgroup)
		skip();
	return cgroup;
}

/* So many cgroups that were made and have gone are not all remembered. */
#define FLOOD 100000

static void flood(struct cgroup_names *names, __u64 parent)
{
	const __u64 first = 1ULL << 60;
	char name[32];

	for (__u64 i = 0; i < FLOOD; i++) {
		snprintf(name, sizeof(name), "flood-%llu", (unsigned long long)i);
		assert_int_equal(cgroup_names__add(names, first + i, parent, name), 0);
		cgroup_names__note_end(names, first + i);
	}
	assert_in_range(cgroup_names__n(names), 16384, FLOOD / 2);
	/* In order, and not. */
	for (__u64 i = FLOOD - 9; i < FLOOD; i++) {
		snprintf(name, sizeof(name), "/flood-%llu", (unsigned long long)i);
		assert_string_equal(cgroup_names__path(names, first + i), name);
	}
	assert_string_equal(cgroup_names__path(names, first + FLOOD - 3), "/flood-99997");
	assert_string_equal(cgroup_names__path(names, first + FLOOD - 3), "/flood-99997");
	assert_null(cgroup_names__path(names, first));
}

static void check_renames(struct cgroup_names *names, __u64 parent)
{
	const __u64 one = (1ULL << 60) - 1;

	assert_int_equal(cgroup_names__renames(names), 0);
	assert_int_equal(cgroup_names__add(names, one, parent, "one"), 0);
	assert_int_equal(cgroup_names__add(names, one, parent, "one"), 0);
	assert_int_equal(cgroup_names__renames(names), 0);
	assert_int_equal(cgroup_names__add(names, one, parent, "another"), 0);
	assert_int_equal(cgroup_names__renames(names), 1);
	assert_string_equal(cgroup_names__path(names, one), "/another");
}

static void check_cgroup(const char *type, int version)
{
	struct cgroup *cgroup = root_cgroup(type);
	struct cgroup_names *names;
	struct error err;
	struct stat st;
	pid_t *pids;
	size_t n;

	assert_int_equal(cgroup->version, version);
	assert_int_equal(cgroup->hierarchy > 0, version == 1);
	assert_int_equal(cgroup->controllers[0] != '\0', version == 1);
	assert_string_equal(cgroup->name, "/");
	assert_string_equal(cgroup->path, cgroup->mount);
	assert_int_equal(stat(cgroup->path, &st), 0);
	assert_int_equal(cgroup->id, st.st_ino);
	assert_int_equal(process_list__cgroup(cgroup->path, &pids, &n, &err), 0);
	assert_true(contains(pids, n, getpid()));
	free(pids);
	assert_int_equal(cgroup_names__open(&names, cgroup->mount, &err), 0);
	assert_string_equal(cgroup_names__path(names, cgroup->id), "/");
	assert_null(cgroup_names__path(names, ~0ULL - 1));
	assert_int_equal(cgroup_names__refresh(names), 0);
	assert_int_equal(cgroup_names__refresh(names), 0);
	assert_string_equal(cgroup_names__path(names, cgroup->id), "/");
	assert_true(cgroup_names__n(names) >= 1);
	check_renames(names, cgroup->id);
	flood(names, cgroup->id);
	assert_string_equal(cgroup_names__path(names, cgroup->id), "/");
	cgroup_names__close(names);
	free(cgroup);
}

static void test_cgroup_v2(void **state)
{
	(void)state;
	check_cgroup("cgroup2", 2);
}

static void test_cgroup_v1(void **state)
{
	(void)state;
	check_cgroup("cgroup", 1);
}

static void test_cgroup_errors(void **state)
{
	struct cgroup *cgroup;
	char path[PATH_MAX];
	struct error err;

	(void)state;
	free(root_cgroup("cgroup2"));
	assert_int_equal(cgroup__find(&cgroup, "/tmp", &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "/tmp: not a cgroup"));
	assert_int_equal(cgroup__find(&cgroup, "no/such", &err), -ENOENT);
	assert_non_null(strstr(err.text, "no/such"));
	assert_int_equal(cgroup__find(&cgroup, "x/../../../etc", &err), -ENOENT);
	cgroup = root_cgroup("cgroup2");
	snprintf(path, sizeof(path), "%.4000s/cgroup.procs", cgroup->path);
	free(cgroup);
	assert_int_equal(cgroup__find(&cgroup, path, &err), -ENOTDIR);
}

/* Each hierarchy is there once, version 2 first, and is found by its name and its controllers. */
static void test_roots(void **state)
{
	struct cgroup *v1 = root_cgroup("cgroup"), **roots;
	bool found = false;
	size_t n;

	(void)state;
	assert_int_equal(cgroup__roots(&roots, &n), 0);
	assert_true(n >= 1);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(roots[i]->name, "/");
		assert_true(cgroup__is_of(roots[i], cgroup__hierarchy(roots[i])));
		assert_int_equal(cgroup__is_of(roots[i], CGROUP_V2), roots[i]->version == 2);
		assert_true(i == 0 || roots[i]->version == 1);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(roots[i]->hierarchy, roots[j]->hierarchy);
		found |= roots[i]->hierarchy == v1->hierarchy;
	}
	assert_true(found);
	cgroup__free_roots(roots, n);
	snprintf(v1->controllers, sizeof(v1->controllers), "cpu,cpuacct");
	assert_true(cgroup__is_of(v1, "cpuacct"));
	assert_true(cgroup__is_of(v1, "cpu,cpuacct"));
	assert_false(cgroup__is_of(v1, "cpua"));
	free(v1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list_all),  cmocka_unit_test(test_cgroup_v2),
		cmocka_unit_test(test_cgroup_v1), cmocka_unit_test(test_cgroup_errors),
		cmocka_unit_test(test_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
