// SPDX-License-Identifier: GPL-2.0-only
/* --mechanism: what it takes over, and what it refuses with the names that are known. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/ladder.h"
#include "options/mechanism_option.h"

static const struct options nothing_forced = { .mechanism = -1, .kernel_mechanisms = { -1, -1 } };

static void test_user(void **state)
{
	struct options options = nothing_forced;
	struct error err;

	(void)state;
	for (int i = 0; i < UPROBE_MECHANISMS; i++) {
		char text[64];

		snprintf(text, sizeof(text), "user=%s", uprobe_mechanism_names[i]);
		assert_int_equal(mechanism_option__set(&options, text, &err), 0);
		assert_int_equal(options.mechanism, i);
	}
	for (int layer = 0; layer < KERNEL_LAYERS; layer++)
		assert_int_equal(options.kernel_mechanisms[layer], -1);
}

static void test_every_rung(void **state)
{
	(void)state;
	for (int layer = 0; layer < KERNEL_LAYERS; layer++)
		for (int rung = 0; ladder__name(layer, rung); rung++) {
			struct options options = nothing_forced;
			struct error err;
			char text[64];

			snprintf(text, sizeof(text), "%s=%s", ladder__layer(layer),
				 ladder__name(layer, rung));
			assert_int_equal(mechanism_option__set(&options, text, &err), 0);
			assert_int_equal(options.kernel_mechanisms[layer], rung);
			assert_int_equal(options.kernel_mechanisms[!layer], -1);
			assert_int_equal(options.mechanism, -1);
		}
}

static void check_refused(const char *text, const char *known)
{
	struct options options = nothing_forced;
	struct error err;

	assert_int_equal(mechanism_option__set(&options, text, &err), -EINVAL);
	assert_non_null(strstr(err.text, known));
	assert_int_equal(options.mechanism, -1);
}

static void test_refused(void **state)
{
	static const char *const no_layer[] = { "",	    "user",  "=multi",	   "users=multi",
						"us=multi", "multi", "USER=multi", "mio=multi" };

	(void)state;
	for (size_t i = 0; i < sizeof(no_layer) / sizeof(*no_layer); i++)
		check_refused(no_layer[i], "user, vfs and block");
	check_refused("user=magic", "session, multi, perf");
	check_refused("user=", "session, multi, perf");
	check_refused("vfs=magic", "tp_btf");
	check_refused("vfs=tp", "tp_btf");
	check_refused("block=tp_btf2", "tp_btf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_every_rung),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
