// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "elf/entry_branches.h"
#include "elf/exit_cost.h"
#include "elf/exit_path.h"
#include "elf/exit_sites.h"
#include "elf/exits_state.h"
#include "tmtrace/exit.h"

#define REGION_MAX ((EXIT_PATH_MAX + 1) * ZYDIS_MAX_INSTRUCTION_LENGTH)

/* A way to a `ret`: from the instruction that gets the probe the code goes on at first, straight.
 */
struct way {
	struct exits_way is;
	__u64 first;
	bool dropped; /* as are all others to that `ret` */
};

struct exit_sites {
	struct way *ways;
	size_t n_ways, room;
	__u64 *plain; /* `ret` instructions that some function reaches otherwise */
	size_t n_plain, plain_room;
	struct exits_way *chosen; /* by `ret` */
	size_t n_chosen;
};

/* The search from one `ret` back: the instructions up to it, the last one first. */
struct search {
	struct exit_sites *sites;
	const struct exits *exits;
	__u64 path[EXIT_PATH_MAX];
	size_t n;
};

int exit_sites__new(struct exit_sites **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

void exit_sites__free(struct exit_sites *sites)
{
	if (!sites)
		return;
	free(sites->ways);
	free(sites->plain);
	free(sites->chosen);
	free(sites);
}

static bool decode_at(const struct exits *exits, __u64 offset, struct instruction *in)
{
	const struct code_segment *code = code__segment_at(&exits->code, offset);

	return code && instruction__decode(in, code->bytes + (offset - code->offset),
					   code->n - (offset - code->offset));
}

/* How many instructions go on to the next one, which is at this offset; *before: the last. */
static size_t find_before(const struct exits *exits, __u64 offset, __u64 *before)
{
	size_t found = 0;

	for (__u64 i = 1; i <= ZYDIS_MAX_INSTRUCTION_LENGTH && i <= offset; i++) {
		const struct place *place = exits__place(exits, offset - i);

		if (!place || place->length != i || !place->falls)
			continue;
		*before = offset - i;
		found++;
	}
	return found;
}

/* What happens from a probed instruction on; false: too much. */
static bool code_path(const struct search *search, unsigned int when, __u64 *code)
{
	struct instruction in;
	struct exit_path path;

	exit_path__start(&path);
	for (size_t i = search->n; i > 1; i--)
		if (!decode_at(search->exits, search->path[i - 1], &in) ||
		    !exit_path__step(&path, &in))
			return false;
	return exit_path__code(&path, when, code);
}

/* 1, or 0: the probe cannot be there; or -ENOMEM. */
static int add_way(struct search *search, __u64 site, const struct instruction *in, bool taken)
{
	bool branches = in->head.meta.category == ZYDIS_CATEGORY_COND_BR;
	unsigned int when = branches ? 1 + ((in->head.opcode & 15) ^ (taken ? 0U : 1U)) : 0;
	struct exit_sites *sites = search->sites;
	struct way way = {
		.is = { .ret = search->path[0], .offset = site },
		.first = search->path[search->n - 1],
	};

	if (!exit_path__may_begin(in) || !exits__is_instruction(search->exits, site) ||
	    !code_path(search, when, &way.is.code))
		return 0;
	if (array__grow((void **)&sites->ways, &sites->room, sites->n_ways, sizeof(way)) < 0)
		return -ENOMEM;
	sites->ways[sites->n_ways++] = way;
	return 1;
}

/* Every branch to an offset, where the path begins. 1, 0 or -ENOMEM, as above. */
static int add_branches(struct search *search, __u64 offset, size_t *n)
{
	const struct exits *exits = search->exits;
	size_t i = SEARCH_FIRST(exits->n_edges, k, exits->edges[k].to < offset);
	struct instruction in;
	int ret = 1;

	for (*n = 0; ret > 0 && i < exits->n_edges && exits->edges[i].to == offset; i++, (*n)++)
		ret = decode_at(exits, exits->edges[i].from, &in)
			      ? add_way(search, exits->edges[i].from, &in, true)
			      : 0;
	return ret;
}

/* All ways that lead to an offset, from where the path goes on to the `ret`. 1, 0 or -ENOMEM. */
static int find_ways(struct search *search, __u64 offset)
{
	while (search->n < EXIT_PATH_MAX && offset != search->exits->function) {
		struct instruction in;
		__u64 before = 0;
		size_t n;
		int ret;

		search->path[search->n++] = offset;
		ret = add_branches(search, offset, &n);
		if (ret <= 0)
			return ret;
		switch (find_before(search->exits, offset, &before)) {
		case 0:
			return n != 0;
		case 1:
			break;
		default:
			return 0;
		}
		if (!decode_at(search->exits, before, &in) ||
		    in.head.meta.category == ZYDIS_CATEGORY_CALL)
			return 0;
		if (exit_path__may_begin(&in) || in.head.meta.category == ZYDIS_CATEGORY_COND_BR)
			return add_way(search, before, &in, false);
		offset = before;
	}
	return 0;
}

static int compare_edges(const void *left, const void *right)
{
	const struct code_edge *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int compare_sources(const void *left, const void *right)
{
	const struct code_edge *a = left, *b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

static int sort_edges(struct exits *exits)
{
	while (exits->sources_room < exits->n_edges)
		if (array__grow((void **)&exits->sources, &exits->sources_room, exits->sources_room,
				sizeof(*exits->sources)) < 0)
			return -ENOMEM;
	if (!exits->n_edges)
		return 0;
	memcpy(exits->sources, exits->edges, exits->n_edges * sizeof(*exits->edges));
	qsort(exits->sources, exits->n_edges, sizeof(*exits->sources), compare_sources);
	qsort(exits->edges, exits->n_edges, sizeof(*exits->edges), compare_edges);
	return 0;
}

static int add_exit(struct search *search, __u64 ret)
{
	struct exit_sites *sites = search->sites;
	size_t before = sites->n_ways;
	int ways;

	search->n = 0;
	ways = find_ways(search, ret);
	if (ways <= 0)
		sites->n_ways = before;
	return ways < 0 ? ways : 0;
}

/* Leaves out what is not worth it of what has been found from the first on. */
static int drop_costly(struct exit_sites *sites, struct exits *exits, size_t first)
{
	size_t n = sites->n_ways - first, kept;
	struct exits_way *ways = calloc(n + 1, sizeof(*ways));

	if (!ways)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ways[i] = sites->ways[first + i].is;
	kept = exit_cost__choose(exits, ways, n);
	sites->n_ways = first;
	/* Those that are kept are in the same order. */
	for (size_t i = 0, k = 0; k < kept; i++)
		if (sites->ways[first + i].is.ret == ways[k].ret &&
		    sites->ways[first + i].is.offset == ways[k].offset) {
			sites->ways[sites->n_ways++] = sites->ways[first + i];
			k++;
		}
	free(ways);
	return 0;
}

/* A `ret` to which no way has been found keeps its probe, whatever other functions say. */
static int add_plain(struct exit_sites *sites, const struct exits *exits, size_t first)
{
	for (size_t i = 0; i < exits->n_found; i++) {
		bool found = false;

		for (size_t k = first; !found && k < sites->n_ways; k++)
			found = sites->ways[k].is.ret == exits->found[i];
		if (found)
			continue;
		if (array__grow((void **)&sites->plain, &sites->plain_room, sites->n_plain,
				sizeof(*sites->plain)) < 0)
			return -ENOMEM;
		sites->plain[sites->n_plain++] = exits->found[i];
	}
	return 0;
}

int exit_sites__add(struct exit_sites *sites, struct exits *exits)
{
	struct search search = { .sites = sites, .exits = exits };
	size_t first = sites->n_ways;
	int ret = sort_edges(exits);

	for (size_t i = 0; !ret && i < exits->n_found; i++)
		ret = add_exit(&search, exits->found[i]);
	if (!ret)
		ret = drop_costly(sites, exits, first);
	return ret ?: add_plain(sites, exits, first);
}

static int compare_numbers(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_offsets(const void *left, const void *right)
{
	return compare_numbers(*(const __u64 *)left, *(const __u64 *)right);
}

static int compare_by_site(const void *left, const void *right)
{
	const struct way *a = left, *b = right;

	return compare_numbers(a->is.offset, b->is.offset) ?:
	       compare_numbers(a->is.ret, b->is.ret) ?:
	       compare_numbers(a->is.code, b->is.code);
}

static int compare_by_ret(const void *left, const void *right)
{
	const struct way *a = left, *b = right;

	return compare_numbers(a->is.ret, b->is.ret) ?: compare_numbers(a->is.offset, b->is.offset);
}

static bool is_in(const __u64 *sorted, size_t n, __u64 number)
{
	size_t end = SEARCH_FIRST(n, i, sorted[i] <= number);

	return end && sorted[end - 1] == number;
}

/* The same way is found once for each function that takes it. */
static void drop_doubles(struct exit_sites *sites)
{
	size_t n = 0;

	for (size_t i = 0; i < sites->n_ways; i++)
		if (!n || compare_by_site(&sites->ways[n - 1], &sites->ways[i]) != 0)
			sites->ways[n++] = sites->ways[i];
	sites->n_ways = n;
}

/*
 * One probe says one thing: an instruction stands in for one `ret`. And where a function begins the
 * call would end before it has begun.
 */
static void drop_conflicts(struct exit_sites *sites, const __u64 *entries, size_t n_entries)
{
	for (size_t i = 0; i < sites->n_ways; i++) {
		struct way *way = &sites->ways[i];

		way->dropped |= (i && way[-1].is.offset == way->is.offset) ||
				is_in(sites->plain, sites->n_plain, way->is.ret) ||
				is_in(entries, n_entries, way->is.offset);
	}
}

/* Ways in the order of their `ret`: all of one are dropped where one is. */
static void drop_together(struct exit_sites *sites)
{
	size_t begin = 0, end;

	for (; begin < sites->n_ways; begin = end) {
		bool dropped = false;

		for (end = begin;
		     end < sites->n_ways && sites->ways[end].is.ret == sites->ways[begin].is.ret;
		     end++)
			dropped |= sites->ways[end].dropped;
		for (size_t i = begin; i < end; i++)
			sites->ways[i].dropped = dropped;
	}
}

struct check {
	struct exit_sites *sites;
	const struct exits *exits;
};

static __u64 address_of(const struct exits *exits, __u64 offset)
{
	const struct code_segment *code = code__segment_at(&exits->code, offset);

	return code ? code->address + (offset - code->offset) : 0;
}

static bool is_known(const struct exit_sites *sites, __u64 ret, __u64 from)
{
	size_t i = SEARCH_FIRST(sites->n_ways, k, sites->ways[k].is.ret < ret);

	for (; i < sites->n_ways && sites->ways[i].is.ret == ret; i++)
		if (sites->ways[i].is.offset == from)
			return true;
	return false;
}

/* Something that looks like a branch into a way. */
static void check_branch(void *context, __u64 from, __u64 to)
{
	const struct check *check = context;
	struct exit_sites *sites = check->sites;
	const struct code *code = &check->exits->code;
	const struct code_segment *segment = code__segment_of(code, to);
	const struct code_segment *source = code__segment_of(code, from);
	__u64 at = segment->offset + (to - segment->address);
	__u64 by = source->offset + (from - source->address);
	size_t i = SEARCH_FIRST(sites->n_ways, k, sites->ways[k].is.ret < at);
	struct elf_range range;

	for (; i < sites->n_ways && sites->ways[i].is.ret - at < REGION_MAX; i++) {
		struct way *way = &sites->ways[i];

		if (way->dropped || at < way->first || is_known(sites, way->is.ret, by))
			continue;
		way->dropped = entry_branches__is_branch(
			code, elf_unwind__find(&code->unwind, from, &range) ? range.start : from,
			from, to);
	}
}

/* Code that was not followed, as that where exceptions are caught, may lead there, too. */
static int check_branches(struct exit_sites *sites, const struct exits *exits)
{
	struct check check = { .sites = sites, .exits = exits };
	struct branch_targets targets;
	int ret = branch_targets__init(&targets, &exits->code);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < sites->n_ways; i++) {
		const struct way *way = &sites->ways[i];
		struct elf_range range = { address_of(exits, way->first),
					   address_of(exits, way->is.ret) + 1 };

		if (!way->dropped)
			branch_targets__add(&targets, &range);
	}
	entry_branches__find(&exits->code, &targets, check_branch, &check);
	branch_targets__free(&targets);
	return 0;
}

int exit_sites__choose(struct exit_sites *sites, const struct exits *exits, const __u64 *entries,
		       size_t n_entries)
{
	int ret;

	free(sites->chosen);
	sites->n_chosen = 0;
	sites->chosen = calloc(sites->n_ways + 1, sizeof(*sites->chosen));
	if (!sites->chosen)
		return -ENOMEM;
	if (!sites->n_ways)
		return 0;
	if (sites->n_plain)
		qsort(sites->plain, sites->n_plain, sizeof(*sites->plain), compare_offsets);
	qsort(sites->ways, sites->n_ways, sizeof(*sites->ways), compare_by_site);
	drop_doubles(sites);
	drop_conflicts(sites, entries, n_entries);
	qsort(sites->ways, sites->n_ways, sizeof(*sites->ways), compare_by_ret);
	drop_together(sites);
	ret = check_branches(sites, exits);
	if (ret == -E2BIG) /* no library is so large: its probes stay on the `ret` */
		return 0;
	if (ret < 0)
		return ret;
	drop_together(sites);
	for (size_t i = 0; i < sites->n_ways; i++)
		if (!sites->ways[i].dropped)
			sites->chosen[sites->n_chosen++] = sites->ways[i].is;
	return 0;
}

const struct exits_way *exit_sites__ways(const struct exit_sites *sites, __u64 ret, size_t *n)
{
	size_t begin = SEARCH_FIRST(sites->n_chosen, i, sites->chosen[i].ret < ret);

	for (*n = 0; begin + *n < sites->n_chosen && sites->chosen[begin + *n].ret == ret;)
		(*n)++;
	return *n ? &sites->chosen[begin] : NULL;
}
