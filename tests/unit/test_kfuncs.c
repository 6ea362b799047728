// SPDX-License-Identifier: GPL-2.0-only
/* The object's prototypes of the session's functions, for a kernel of either kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>
#include <linux/types.h>

#include "kernel/kfuncs.h"
#include "tmtrace/config.h"
#include "tmtrace/process.h"
#include "tmtrace.skel.h"

static const char *const names[] = { "bpf_session_is_return", "bpf_session_cookie" };

/* A kernel whose functions of a session take that many arguments. */
static struct btf *fake_kernel(int arguments)
{
	struct btf *btf = btf__new_empty();

	assert_non_null(btf);
	for (size_t i = 0; i < 2; i++) {
		int proto = btf__add_func_proto(btf, 0);

		for (int j = 0; j < arguments; j++)
			assert_int_equal(btf__add_func_param(btf, "ctx", 0), 0);
		assert_true(btf__add_func(btf, names[i], BTF_FUNC_GLOBAL, proto) > 0);
	}
	return btf;
}

/* How many arguments an object's functions take, as libbpf reads it. */
static int arguments_of(const void *object, size_t n, const char *name)
{
	struct bpf_object *opened = bpf_object__open_mem(object, n, NULL);
	const struct btf *btf;
	int id, count;

	assert_non_null(opened);
	btf = bpf_object__btf(opened);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	assert_true(id > 0);
	count = btf_vlen(btf__type_by_id(btf, btf__type_by_id(btf, id)->type));
	bpf_object__close(opened);
	return count;
}

static void expect_prototypes(int kernel_arguments)
{
	struct btf *kernel = fake_kernel(kernel_arguments);
	const void *object;
	size_t n, size = 0;
	void *adapted;

	object = tmtrace_bpf__elf_bytes(&n);
	assert_int_equal(kfuncs__adapt(&adapted, &size, object, n, kernel), 0);
	if (kernel_arguments)
		assert_null(adapted);
	else
		assert_true(adapted && size > n);
	/* The object calls this one only. */
	assert_int_equal(adapted ? arguments_of(adapted, size, "bpf_session_cookie")
				 : arguments_of(object, n, "bpf_session_cookie"),
			 kernel_arguments);
	free(adapted);
	btf__free(kernel);
}

static void test_kernel_before_7_2(void **state)
{
	(void)state;
	expect_prototypes(0);
}

static void test_kernel_since_7_2(void **state)
{
	(void)state;
	expect_prototypes(1);
}

/* A kernel without sessions has no such functions: nothing is changed. */
static void test_kernel_without(void **state)
{
	struct btf *kernel = btf__new_empty();
	const void *object;
	size_t n, size = 0;
	void *adapted;

	(void)state;
	object = tmtrace_bpf__elf_bytes(&n);
	assert_int_equal(kfuncs__adapt(&adapted, &size, object, n, kernel), 0);
	assert_null(adapted);
	btf__free(kernel);
}

static void test_not_an_object(void **state)
{
	struct btf *kernel = fake_kernel(0);
	_Alignas(8) char text[128] = "no object";
	size_t size = 0;
	void *adapted;

	(void)state;
	assert_int_equal(kfuncs__adapt(&adapted, &size, text, 3, kernel), -EBADMSG);
	assert_int_equal(kfuncs__adapt(&adapted, &size, text, sizeof(text), kernel), -EBADMSG);
	btf__free(kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_before_7_2),
		cmocka_unit_test(test_kernel_since_7_2),
		cmocka_unit_test(test_kernel_without),
		cmocka_unit_test(test_not_an_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
