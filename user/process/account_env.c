// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "process/account_env.h"
#include "process/env_block.h"

struct entry {
	__u64 id;
	struct env_block block; /* while its pieces come */
	struct start_env start;
	struct process_variable *variables; /* of those that are asked for, room for all */
	size_t n_variables;
};

struct account_env {
	const char *const *names;
	size_t n_names;
	struct entry *entries; /* in the order of their ids */
	size_t n, room;
};

struct account_env *account_env__new(const char *const *names, size_t n)
{
	struct account_env *env = calloc(1, sizeof(*env));

	if (!env)
		return NULL;
	env->names = names;
	env->n_names = n;
	return env;
}

static void release(struct entry *entry)
{
	env_block__drop(&entry->block);
	for (size_t i = 0; i < entry->n_variables; i++)
		free((char *)entry->variables[i].value);
	free(entry->variables);
}

void account_env__free(struct account_env *env)
{
	if (!env)
		return;
	for (size_t i = 0; i < env->n; i++)
		release(&env->entries[i]);
	free(env->entries);
	free(env);
}

/* Where an id is among the entries, or would be. */
static size_t place_of(const struct account_env *env, __u64 id)
{
	return SEARCH_FIRST(env->n, i, env->entries[i].id < id);
}

static struct entry *find_environment(const struct account_env *env, __u64 id)
{
	size_t place = place_of(env, id);

	return place < env->n && env->entries[place].id == id ? &env->entries[place] : NULL;
}

static struct entry *find_or_add(struct account_env *env, __u64 id)
{
	struct entry *entry = find_environment(env, id);
	size_t place;

	if (entry || array__grow((void **)&env->entries, &env->room, env->n, sizeof(*entry)) < 0)
		return entry;
	place = place_of(env, id);
	entry = &env->entries[place];
	memmove(entry + 1, entry, (env->n++ - place) * sizeof(*entry));
	*entry = (struct entry){ .id = id, .start.rank = -1 };
	return entry;
}

/* The value of a variable in a block of VAR=VALUE; NULL: none, or empty. */
static const char *value_of(const char *block, size_t bytes, const char *name)
{
	const char *end = block + bytes, *next;
	size_t length = strlen(name);

	for (const char *at = block; at < end; at = next + 1) {
		next = memchr(at, '\0', (size_t)(end - at));
		if (!next)
			return NULL; /* cut: the value may be, too */
		if (!strncmp(at, name, length) && at[length] == '=' && at[length + 1])
			return at + length + 1;
	}
	return NULL;
}

static void read_variables(const struct account_env *env, struct entry *entry, const char *block,
			   size_t bytes)
{
	entry->variables = calloc(env->n_names, sizeof(*entry->variables));
	for (size_t i = 0; entry->variables && i < env->n_names; i++) {
		const char *value = value_of(block, bytes, env->names[i]);
		char *copy = value ? strdup(value) : NULL;

		if (copy)
			entry->variables[entry->n_variables++] =
				(struct process_variable){ env->names[i], copy };
	}
}

static void read_block(const struct account_env *env, struct entry *entry, const char *block,
		       size_t bytes)
{
	start_env__read(&entry->start, block, bytes);
	if (env->n_names && !entry->variables)
		read_variables(env, entry, block, bytes);
}

void account_env__take(struct account_env *env, const struct tm_environment *piece)
{
	struct entry *entry = piece->id ? find_or_add(env, piece->id) : NULL;

	if (!entry || !env_block__add(&entry->block, piece))
		return;
	read_block(env, entry, entry->block.text, entry->block.total);
	env_block__drop(&entry->block);
}

void account_env__add(struct account_env *env, __u64 id, const char *block, size_t bytes)
{
	struct entry *entry = id ? find_or_add(env, id) : NULL;

	if (entry)
		read_block(env, entry, block, bytes);
}

/* NULL for an empty one. */
static const char *text_of(const char *text)
{
	return text[0] ? text : NULL;
}

void account_env__describe(const struct account_env *env, __u64 id, struct process_account *account)
{
	const struct entry *entry = id ? find_environment(env, id) : NULL;

	if (!entry)
		return;
	account->info.rank = entry->start.rank;
	account->info.jobid = text_of(entry->start.jobid);
	account->info.step = text_of(entry->start.step);
	account->info.workflow = text_of(entry->start.workflow);
	account->info.component = text_of(entry->start.component);
	account->variables = entry->variables;
	account->n_variables = entry->n_variables;
}

size_t account_env__n(const struct account_env *env)
{
	return env->n;
}

static int compare_ids(const void *left, const void *right)
{
	const __u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

void account_env__keep(struct account_env *env, __u64 *ids, size_t n)
{
	size_t kept = 0;

	qsort(ids, n, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < env->n; i++) {
		struct entry *entry = &env->entries[i];

		if (bsearch(&entry->id, ids, n, sizeof(*ids), compare_ids))
			env->entries[kept++] = *entry;
		else
			release(entry);
	}
	env->n = kept;
}
