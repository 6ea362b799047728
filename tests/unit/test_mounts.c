// SPDX-License-Identifier: GPL-2.0-only
/* Mounts and devices, and the texts of /proc that they come from. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/devices.h"
#include "host/files.h"
#include "host/mountinfo.h"
#include "host/mounts.h"

#define GONE_PID (1 << 22) /* above any pid that a kernel gives */

static void test_mountinfo(void **state)
{
	char line[] = "36 35 98:0 /mnt1 /mnt\\0402\\134x rw,noatime master:1 shared:2 - fuse.sshfs "
		      "host:/a\\011b rw,errors=continue";
	char bare[] = "1 0 0:5 / /proc rw - proc  rw";
	char cut[] = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1";
	struct mountinfo info;

	(void)state;
	assert_true(mountinfo__parse(line, &info));
	assert_true(info.id == 36 && info.major == 98 && info.minor == 0);
	assert_string_equal(info.root, "/mnt1");
	assert_string_equal(info.point, "/mnt 2\\x");
	assert_string_equal(info.type, "fuse.sshfs");
	assert_string_equal(info.source, "host:/a\tb");
	assert_true(mountinfo__has_option(info.options, "errors=continue", 15));
	assert_false(mountinfo__has_option(info.options, "errors", 6));
	assert_true(mountinfo__parse(bare, &info));
	assert_string_equal(info.source, "");
	assert_false(mountinfo__parse(cut, &info));
	assert_false(mountinfo__parse((char[]){ "" }, &info));
}

static void test_mounts(void **state)
{
	const struct mount_entry *mount = NULL;
	struct mounts *mounts;
	struct error err;

	(void)state;
	assert_int_equal(mounts__open(&mounts, &err), 0);
	for (int id = 0; !mount && id < 100000; id++) {
		mount = mounts__find(mounts, id, 0);
		if (mount && strcmp(mount->type, "proc") != 0)
			mount = NULL;
	}
	assert_non_null(mount);
	assert_string_equal(mount->point, "/proc");
	assert_null(mounts__find(mounts, INT_MAX, 0));
	assert_null(mounts__find(mounts, INT_MAX, getpid()));
	assert_null(mounts__find(mounts, INT_MAX, GONE_PID));
	mounts__close(mounts);
}

static void test_devices(void **state)
{
	struct devices *devices = devices__new();

	(void)state;
	assert_non_null(devices);
	assert_string_equal(devices__name(devices, 4095, 77), "4095:77");
	assert_string_equal(devices__name(devices, 0, 0), "0:0");
	devices__free(devices);
}

static void test_files(void **state)
{
	char text[] = "a\\040b\\012\\0\\134040\\", path[8], *read_text;
	size_t n;

	(void)state;
	files__unescape(text, " \n\\");
	assert_string_equal(text, "a b\n\\0\\040\\");
	assert_int_equal(files__path(path, sizeof(path), "%s", "1234567"), 0);
	assert_int_equal(files__path(path, sizeof(path), "%s", "12345678"), -ENAMETOOLONG);
	assert_int_equal(files__read("/proc/self/maps", 1 << 20, &read_text, &n), 0);
	assert_int_equal(strlen(read_text), n);
	free(read_text);
	assert_int_equal(files__read("/proc/self/maps", 10, &read_text, &n), -EFBIG);
	assert_int_equal(files__read("/", 10, &read_text, &n), -EISDIR);
	assert_int_equal(files__read("/nonexistent", 10, &read_text, &n), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mountinfo),
		cmocka_unit_test(test_mounts),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
