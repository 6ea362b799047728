// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "attach/alone.h"
#include "attach/attach_state.h"
#include "base/array.h"
#include "base/path.h"

void attach__free_rules(struct attach *attach)
{
	for (size_t i = 0; i < attach->n_rules; i++) {
		free(attach->rules[i].pattern);
		free(attach->rules[i].reason);
	}
	free(attach->rules);
}

static bool is_of_rule(const struct alone_rule *rule, const char *name)
{
	return !rule->pattern || !fnmatch(rule->pattern, name, 0);
}

/* From now on; its probes, if it has some, are taken away. 0, or -ENOMEM. */
static int leave(struct attach *attach, struct seen_file *seen, const char *reason)
{
	seen->alone = strdup(reason);
	if (!seen->alone)
		return -ENOMEM;
	if (seen->n_numbers || seen->guarded) {
		attach__take_away(attach, seen, reason);
		seen->guarded = false;
		seen->group = 0;
		seen->n_links = seen->n_probes = 0;
		attach__tell(attach);
	}
	return 0;
}

int attach__leave_by_rules(struct attach *attach, struct seen_file *seen, const char *name)
{
	int ret = 0;

	for (size_t i = 0; !ret && !seen->alone && i < attach->n_rules; i++)
		if (is_of_rule(&attach->rules[i], name) ||
		    is_of_rule(&attach->rules[i], path__base_name(seen->path)))
			ret = leave(attach, seen, attach->rules[i].reason);
	return ret;
}

static int find_file(const struct attach *attach, const char *path, struct tm_file *id,
		     struct seen_file **seen)
{
	struct open_file file;
	int ret = attach__open(attach, path, &file, id);

	if (ret < 0)
		return ret;
	*seen = seen_files__find(attach->files, id);
	attach__close(&file);
	return 0;
}

int attach__leave_file(struct attach *attach, const char *path, const char *shown,
		       const char *reason, struct error *err)
{
	struct seen_file *seen = NULL;
	struct tm_file id;
	int ret;

	for (size_t i = 0; i < attach->n_rules; i++)
		if (!attach->rules[i].pattern)
			return 0; /* as all are */
	ret = find_file(attach, path, &id, &seen);

	if (ret < 0)
		return error__set(err, ret, "%s: %s", shown, strerror(-ret));
	if (!seen)
		seen = seen_files__add(attach->files, &id, shown);
	if (seen && seen->alone)
		return 0;
	if (!seen || leave(attach, seen, reason) < 0)
		return error__set(err, -ENOMEM, "%s: no memory", shown);
	return 1;
}

int attach__leave_names(struct attach *attach, const char *pattern, const char *reason)
{
	struct alone_rule *rule;

	if (array__grow((void **)&attach->rules, &attach->rules_room, attach->n_rules,
			sizeof(*attach->rules)) < 0)
		return -ENOMEM;
	rule = &attach->rules[attach->n_rules];
	*rule = (struct alone_rule){ .pattern = pattern ? strdup(pattern) : NULL,
				     .reason = strdup(reason) };
	attach->n_rules++;
	if (!rule->reason || (pattern && !rule->pattern))
		return -ENOMEM;
	for (size_t i = 0; i < seen_files__n(attach->files); i++) {
		struct seen_file *seen = seen_files__at(attach->files, i);

		if (!seen->gone && !seen->alone && is_of_rule(rule, path__base_name(seen->path)) &&
		    leave(attach, seen, reason) < 0)
			return -ENOMEM;
	}
	return 0;
}

const char *attach__left_alone(const struct attach *attach, const char *path)
{
	struct seen_file *seen = NULL;
	struct tm_file id;

	return find_file(attach, path, &id, &seen) < 0 || !seen ? NULL : seen->alone;
}
