// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "kernel/hooks.h"
#include "tmtrace/syscalls.h"

#define PREFIX "__x64_sys_"

#define ON_FILES(name, symbol, class, operation, fd, flags) \
	{ .function = PREFIX #symbol, .returns = true },

static const struct hook all[HOOKS_MAX] = {
	TM_SYSCALLS_ON_FILES(ON_FILES)
	/* Of 32-bit programs only the number is told: their commonest. */
	{ .function = "__ia32_sys_read" },
	{ .function = "__ia32_sys_write" },
	{ .function = "__ia32_sys_close" },
	{ .function = "__ia32_compat_sys_openat" },
};

static struct hook *find_hook(struct hooks *hooks, const char *function)
{
	size_t i;

	/* Most functions of the kernel are none. */
	if (strncmp(function, PREFIX, strlen(PREFIX)) && strncmp(function, "__ia32_", 7))
		return NULL;
	for (i = 0; i < hooks->n; i++)
		if (!strcmp(hooks->at[i].function, function))
			return &hooks->at[i];
	return NULL;
}

/* What transfers data, of the calls that nearly every program uses. */
static bool is_called_often(const char *function)
{
	static const char *const functions[] = { PREFIX "read", PREFIX "write", PREFIX "pread64",
						 PREFIX "pwrite64" };
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i], function))
			return true;
	return false;
}

void hooks__find(struct hooks *hooks, const struct btf *btf)
{
	__u32 id, n = btf__type_cnt(btf);

	*hooks = (struct hooks){ 0 };
	memcpy(hooks->at, all, sizeof(all));
	while (hooks->n < HOOKS_MAX && hooks->at[hooks->n].function)
		hooks->n++;
	for (id = 1; id < n; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		struct hook *hook;

		if (!btf_is_func(type))
			continue;
		hook = find_hook(hooks, btf__name_by_offset(btf, type->name_off));
		if (hook) {
			hook->btf_id = id;
			hook->prototype = type->type;
			hook->often = is_called_often(hook->function);
		}
	}
}

void hooks__report(const struct hooks *hooks, struct note_list *notes)
{
	char missing[512] = "";
	size_t used = 0, i;

	for (i = 0; i < hooks->n; i++) {
		const struct hook *hook = &hooks->at[i];

		if (hook->hooked || !hook->returns || used >= sizeof(missing))
			continue;
		used += snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? ", " : "",
				 hook->function + strlen(PREFIX));
	}
	if (used)
		note_list__add(notes,
			       "these system calls cannot be hooked on this kernel and are "
			       "not seen: %s",
			       missing);
}
