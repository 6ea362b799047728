// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "story/stories.h"

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "no memory");
}

/* Were block requests traced, so that single ones were recorded with the calls? */
static bool traces_block(const struct report_run *run)
{
	for (size_t i = 0; i < run->n_mechanisms; i++)
		if (!strcmp(run->mechanisms[i].layer, "block"))
			return true;
	return false;
}

static int open_one(struct stories *stories, const char *path, struct error *err)
{
	__u32 number = (__u32)stories->n;
	const struct report_run *run;
	int ret = recording__open(&stories->recordings[number], path, err);

	if (ret < 0)
		return ret;
	stories->n++;
	run = recording__run(stories->recordings[number]);
	ret = story_input__run(stories->input, run->hostname, traces_block(run));
	if (ret < 0)
		return no_memory(err);
	return story_reader__operations(stories->input, number, stories->recordings[number], err);
}

/* Runs are numbered as the files are. */
int stories__open(struct stories *stories, const char *const *files, size_t n, struct error *err)
{
	int ret = 0;

	*stories = (struct stories){ .input = story_input__new() };
	stories->recordings = calloc(n, sizeof(*stories->recordings));
	if (!stories->input || !stories->recordings)
		return no_memory(err);
	for (size_t i = 0; i < n && ret >= 0; i++)
		ret = open_one(stories, files[i], err);
	if (ret < 0)
		return ret;
	if (story_input__finish(stories->input))
		return no_memory(err);
	stories->clock = story_clock__new(stories->input);
	return stories->clock ? 0 : no_memory(err);
}

void stories__close(struct stories *stories)
{
	for (size_t i = 0; i < stories->n; i++)
		recording__close(stories->recordings[i]);
	free((void *)stories->recordings);
	free(stories->windows);
	story_clock__free(stories->clock);
	story_input__free(stories->input);
}

static int add_window(struct stories *stories, struct story_window window)
{
	if (array__grow((void **)&stories->windows, &stories->room, stories->n_windows,
			sizeof(window)) < 0)
		return -ENOMEM;
	stories->windows[stories->n_windows++] = window;
	return 0;
}

int stories__tell_of(struct stories *stories, const struct story_operation *operation)
{
	__u32 own = story_input__host(stories->input, operation->run);
	int ret = 0;

	for (__u32 host = 0; host < story_input__n_hosts(stories->input) && !ret; host++) {
		struct story_offset offset = story_clock__offset(stories->clock, host, own);
		__u64 ahead = (__u64)offset.ahead_ns;

		ret = add_window(stories,
				 (struct story_window){
					 .host = host,
					 .start_ns = operation->launch_ns + ahead - offset.error_ns,
					 .end_ns = operation->noticed_ns + ahead + offset.error_ns,
				 });
	}
	return ret;
}

int stories__add_window(struct stories *stories, __u32 run, __u64 start_ns, __u64 end_ns)
{
	return add_window(stories, (struct story_window){
					   .host = story_input__host(stories->input, run),
					   .start_ns = start_ns,
					   .end_ns = end_ns,
				   });
}

int stories__read_calls(struct stories *stories, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < stories->n && ret >= 0; i++)
		ret = story_reader__calls(stories->input, (__u32)i, stories->recordings[i],
					  stories->windows, stories->n_windows, err);
	if (ret < 0)
		return ret;
	return story_input__finish(stories->input) ? no_memory(err) : 0;
}
