// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "story/story_select.h"
#include "tmtrace/number.h"

/* All of the text up to end is a number. */
static bool read_number(const char *text, const char *end, int base, __u64 *out)
{
	char *stop;

	errno = 0;
	*out = strtoull(text, &stop, base);
	return text != end && *text != '-' && *text != '+' && *text != ' ' && stop == end && !errno;
}

int story_selection__set_operation(struct story_selection *selection, const char *text,
				   struct error *err)
{
	const char *seqno = strrchr(text, ':'), *pid = NULL, *digits;
	__u64 number = 0;
	size_t length;

	for (const char *at = text; seqno && at < seqno; at++)
		if (*at == ':')
			pid = at;
	digits = pid ? pid + 1 + (pid[1] == '-') : NULL;
	if (!pid || pid == text || !read_number(digits, seqno, 10, &number) || number > ~0U ||
	    !read_number(seqno + 1, seqno + strlen(seqno), 0, &selection->seqno))
		return error__set(err, -EINVAL,
				  "--op %s: is a host, a process and the operation's number there, "
				  "as in node1:4711:17",
				  text);
	length = (size_t)(pid - text);
	if (length >= sizeof(selection->host))
		return error__set(err, -EINVAL, "--op %s: no host has so long a name", text);
	memcpy(selection->host, text, length);
	selection->host[length] = '\0';
	selection->pid = digits == pid + 1 ? (__u32)number : tm_outside((__u32)number);
	selection->one = true;
	return 0;
}

int story_selection__set_object(struct story_selection *selection, const char *text,
				struct error *err)
{
	const char *colon = strchr(text, ':');

	if (!colon || !read_number(text, colon, 16, &selection->object[0]) ||
	    !read_number(colon + 1, text + strlen(text), 16, &selection->object[1]))
		return error__set(err, -EINVAL,
				  "--object %s: is an object's two halves in hex, as in "
				  "0x500000000001267:0x0",
				  text);
	selection->of_object = true;
	return 0;
}

__u64 story_operation__ns(const struct story_operation *operation)
{
	return operation->noticed_ns > operation->launch_ns
		       ? operation->noticed_ns - operation->launch_ns
		       : 0;
}

static bool passes(const struct story_selection *selection, const struct story_input *input,
		   const struct story_operation *operation)
{
	const char *host = story_input__hostname(input, story_input__host(input, operation->run));

	if (selection->of_object &&
	    (!operation->has_object || operation->object[0] != selection->object[0] ||
	     operation->object[1] != selection->object[1]))
		return false;
	if (!selection->one)
		return !operation->parent;
	return operation->has_seqno && operation->seqno == selection->seqno &&
	       operation->pid == selection->pid && !strcmp(host, selection->host);
}

static int by_time(const void *a, const void *b)
{
	const struct story_operation *x = *(const struct story_operation *const *)a;
	const struct story_operation *y = *(const struct story_operation *const *)b;
	__u64 of_x = story_operation__ns(x), of_y = story_operation__ns(y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return (x->launch_ns > y->launch_ns) - (x->launch_ns < y->launch_ns);
}

/* The same one, from two recordings of a host. */
static bool same_operation(const struct story_input *input, const struct story_operation *a,
			   const struct story_operation *b)
{
	return a->run != b->run &&
	       story_input__host(input, a->run) == story_input__host(input, b->run) &&
	       a->pid == b->pid && a->launch_ns / 1000 == b->launch_ns / 1000 &&
	       a->kind == b->kind && a->seqno == b->seqno && a->sm_id == b->sm_id;
}

int story_selection__find(const struct story_selection *selection, const struct story_input *input,
			  const struct story_operation ***out, size_t *n)
{
	size_t all = story_input__n_operations(input), found = 0, kept = 0;
	const struct story_operation **list = calloc(all + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++) {
		const struct story_operation *operation = story_input__operation(input, i);

		if (passes(selection, input, operation))
			list[found++] = operation;
	}
	qsort(list, found, sizeof(*list), by_time);
	for (size_t i = 0; i < found && kept < selection->slowest; i++)
		if (!kept || !same_operation(input, list[kept - 1], list[i]))
			list[kept++] = list[i];
	*out = list;
	*n = kept;
	return 0;
}
