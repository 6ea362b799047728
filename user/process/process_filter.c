// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "process/process_filter.h"

struct process_filter {
	regex_t *excluded;
	size_t n, room;
	__u64 min_wall_ns;
};

struct process_filter *process_filter__new(void)
{
	return calloc(1, sizeof(struct process_filter));
}

void process_filter__free(struct process_filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->n; i++)
		regfree(&filter->excluded[i]);
	free(filter->excluded);
	free(filter);
}

int process_filter__exclude(struct process_filter *filter, const char *pattern, struct error *err)
{
	char why[128];
	int ret;

	if (array__grow((void **)&filter->excluded, &filter->room, filter->n,
			sizeof(*filter->excluded)) < 0)
		return error__set(err, -ENOMEM, "no memory");
	ret = regcomp(&filter->excluded[filter->n], pattern, REG_EXTENDED | REG_NOSUB);
	if (ret) {
		regerror(ret, &filter->excluded[filter->n], why, sizeof(why));
		return error__set(err, -EINVAL, "not an extended regular expression: %s", why);
	}
	filter->n++;
	return 0;
}

void process_filter__set_min_wall(struct process_filter *filter, __u64 ns)
{
	filter->min_wall_ns = ns;
}

bool process_filter__lets(const struct process_filter *filter,
			  const struct process_account *account)
{
	const struct process_info *info = &account->info;

	/* What several did together is told in any case. */
	if (!info->pid)
		return true;
	if (account->time_ns - info->start_ns < filter->min_wall_ns)
		return false;
	for (size_t i = 0; account->program && i < filter->n; i++)
		if (!regexec(&filter->excluded[i], account->program, 0, NULL, 0))
			return false;
	return true;
}
