// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "page/report_stories.h"
#include "story/stories.h"
#include "story/story_call.h"
#include "sink/record_tree.h"
#include "story/story_json.h"

/* Of what is below a call, so many are told. */
#define CHAIN_NODES 60

/* One of the slowest, as stories know it: recordings have their numbers in both. */
struct wanted {
	__u32 run;
	__u64 id, parent, start_ns, end_ns;
	bool is_inside; /* another one of the list */
};

struct list {
	struct wanted *at;
	size_t n, room;
};

struct telling {
	const struct report_parts *parts;
	struct stories stories;
	struct list calls, operations;
	const struct story_operation **told; /* those of the operations that stories are told of */
	size_t n_told, most;
};

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "no memory");
}

static __u32 run_of(const struct report_parts *parts, const struct report_run *run)
{
	__u32 i = 0;

	while (i < parts->n && parts->at[i].run != run)
		i++;
	return i;
}

static int take_call(struct list *list, const struct telling *telling, const struct report_run *run,
		     const struct tm_call *call)
{
	if (array__grow((void **)&list->at, &list->room, list->n, sizeof(*list->at)) < 0)
		return -ENOMEM;
	list->at[list->n++] = (struct wanted){
		.run = run_of(telling->parts, run),
		.id = call->id,
		.parent = call->parent,
		.start_ns = call->start_ns,
		.end_ns = call->start_ns + call->duration_ns,
	};
	return 0;
}

/* Of slowest__each(): a batch has one alone. */
static int take_batch(void *context, const struct report_run *run, const struct call_batch *batch)
{
	struct telling *telling = context;

	if (batch->n_calls)
		return take_call(&telling->calls, telling, run, &batch->calls[0]);
	return take_call(&telling->operations, telling, run, &batch->operations[0].call);
}

static bool is_there(const struct list *list, __u32 run, __u64 id)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].run == run && list->at[i].id == id)
			return true;
	return false;
}

/* In the order of the slowest; those that are steps of others are parts of their stories. */
static int choose_operations(struct telling *telling)
{
	const struct story_input *input = telling->stories.input;
	size_t all = story_input__n_operations(input);

	telling->told = calloc(telling->most + 1, sizeof(*telling->told));
	if (!telling->told)
		return -ENOMEM;
	for (size_t i = 0; i < telling->operations.n; i++) {
		const struct wanted *wanted = &telling->operations.at[i];

		for (size_t j = 0; j < all && telling->n_told < telling->most; j++) {
			const struct story_operation *operation = story_input__operation(input, j);

			if (operation->run != wanted->run || operation->id != wanted->id ||
			    operation->parent)
				continue;
			telling->told[telling->n_told++] = operation;
			break;
		}
	}
	return 0;
}

/* Leaves those calls that are in no other one of the list, and of these the slowest. */
static void choose_calls(struct telling *telling)
{
	struct list *calls = &telling->calls;
	size_t n = 0;

	for (size_t i = 0; i < calls->n; i++)
		calls->at[i].is_inside = is_there(calls, calls->at[i].run, calls->at[i].parent);
	for (size_t i = 0; i < calls->n && n < telling->most; i++)
		if (!calls->at[i].is_inside)
			calls->at[n++] = calls->at[i];
	calls->n = n;
}

static int read_calls(struct telling *telling, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < telling->n_told && !ret; i++)
		ret = stories__tell_of(&telling->stories, telling->told[i]);
	for (size_t i = 0; i < telling->calls.n && !ret; i++)
		ret = stories__add_window(&telling->stories, telling->calls.at[i].run,
					  telling->calls.at[i].start_ns,
					  telling->calls.at[i].end_ns);
	return ret ? no_memory(err) : stories__read_calls(&telling->stories, err);
}

static int tell_operation(const struct telling *telling, const struct story_operation *operation,
			  struct json_object *out)
{
	const struct stories *stories = &telling->stories;
	struct record_tree tree = record_tree__new(NULL);
	struct story story;
	int ret = story__join(&story, stories->input, stories->clock, operation);

	if (ret)
		return ret;
	story_json__add(&tree.record, recording__run(stories->recordings[operation->run]), &story);
	json_object_array_add(out, record_tree__take(&tree));
	story__free(&story);
	return 0;
}

static int tell_call(const struct telling *telling, const struct wanted *wanted,
		     struct json_object *out)
{
	const struct stories *stories = &telling->stories;
	const struct story_call *call = story_input__call(stories->input, wanted->run, wanted->id);
	struct record_tree tree = record_tree__new(NULL);
	struct story story;
	int ret = call ? story_call__join(&story, stories->input, call, CHAIN_NODES) : 0;

	if (ret || !call)
		return ret;
	story_json__add_call(&tree.record, recording__run(stories->recordings[call->run]), &story,
			     call);
	json_object_array_add(out, record_tree__take(&tree));
	story__free(&story);
	return 0;
}

static int tell(const struct telling *telling, struct report_stories *out)
{
	int ret;

	out->stories = json_object_new_array();
	out->chains = json_object_new_array();
	ret = out->stories && out->chains ? 0 : -ENOMEM;
	for (size_t i = 0; i < telling->n_told && !ret; i++)
		ret = tell_operation(telling, telling->told[i], out->stories);
	for (size_t i = 0; i < telling->calls.n && !ret; i++)
		ret = tell_call(telling, &telling->calls.at[i], out->chains);
	return ret;
}

/* By the paths of the parts, so that their numbers are the same. */
static int open_stories(struct telling *telling, struct error *err)
{
	const struct report_parts *parts = telling->parts;
	const char **files = calloc(parts->n, sizeof(*files));
	int ret;

	if (!files)
		return no_memory(err);
	for (size_t i = 0; i < parts->n; i++)
		files[i] = parts->files[i].path;
	ret = stories__open(&telling->stories, files, parts->n, err);
	free((void *)files);
	return ret;
}

static int make_stories(struct telling *telling, struct report_stories *out, struct error *err)
{
	int ret = open_stories(telling, err);

	if (ret < 0)
		return ret;
	if (choose_operations(telling) < 0)
		return no_memory(err);
	choose_calls(telling);
	ret = read_calls(telling, err);
	if (ret < 0)
		return ret;
	return tell(telling, out) < 0 ? no_memory(err) : 0;
}

int report_stories__make(struct report_stories *out, const struct report_parts *parts,
			 const struct slowest *slowest, size_t most, struct error *err)
{
	struct telling telling = { .parts = parts, .most = most };
	int ret = slowest__each(slowest, take_batch, &telling);

	*out = (struct report_stories){ 0 };
	if (ret < 0)
		ret = no_memory(err);
	else if (telling.calls.n || telling.operations.n)
		ret = make_stories(&telling, out, err);
	stories__close(&telling.stories);
	free((void *)telling.told);
	free(telling.calls.at);
	free(telling.operations.at);
	return ret;
}

void report_stories__free(struct report_stories *stories)
{
	json_object_put(stories->stories);
	json_object_put(stories->chains);
}
