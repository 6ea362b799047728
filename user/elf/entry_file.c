// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/code.h"
#include "elf/entry_branches.h"
#include "elf/entry_file.h"

/* Libraries have a few MiB. Searching more would take a noticeable time at every start. */
#define CODE_MAX (64UL << 20)

/* A function and where its code is. */
struct place {
	struct entry_function *function;
	const unsigned char *bytes;
	__u64 address, end;
};

struct search {
	struct code code;
	bool past_nop5;
	struct place *places; /* sorted by address */
	size_t n;
	__u64 *begins; /* of all functions of the file: offsets, sorted */
	size_t n_begins;
};

static int compare_numbers(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_begins(const void *left, const void *right)
{
	return compare_numbers(*(const __u64 *)left, *(const __u64 *)right);
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return compare_numbers(a->address, b->address);
}

static int collect_begins(struct search *search, const struct elf_file *elf)
{
	search->n_begins = elf_file__n_functions(elf);
	search->begins = calloc(search->n_begins + 1, sizeof(*search->begins));
	if (!search->begins)
		return -ENOMEM;
	for (size_t i = 0; i < search->n_begins; i++)
		search->begins[i] = elf_file__function(elf, i)->offset;
	qsort(search->begins, search->n_begins, sizeof(*search->begins), compare_begins);
	return 0;
}

/* Does another function begin at one of the n bytes behind this offset? */
static bool begins_behind(const struct search *search, __u64 offset, __u32 n)
{
	size_t first = SEARCH_FIRST(search->n_begins, i, search->begins[i] <= offset);

	return first < search->n_begins && search->begins[first] - offset <= n;
}

/* Where the function ends, by its symbol and by the unwind table; and why it is not to be trusted.
 */
static enum entry_bar bound(const struct search *search, struct place *place)
{
	__u64 size = place->function->size;
	struct elf_range range;

	if (!elf_unwind__find(&search->code.unwind, place->address, &range)) {
		place->end = place->address + size;
		return size ? ENTRY_BAR_NONE : ENTRY_BAR_UNBOUND;
	}
	place->end = range.end;
	if (size && size < range.end - place->address)
		place->end = place->address + size;
	return range.start == place->address ? ENTRY_BAR_NONE : ENTRY_BAR_OVERLAP;
}

/* What the probe would skip: behind the entry, up to and with the site. */
static struct elf_range skipped(const struct place *place)
{
	__u64 first = place->address + 1;

	return (struct elf_range){ first, first + place->function->entry.moved };
}

static void find_in_function(struct search *search, struct place *place,
			     const struct code_segment *segment)
{
	struct entry_site *entry = &place->function->entry;
	__u64 left = segment->address + segment->n - place->address;
	enum entry_bar bar = bound(search, place);
	struct entry_code code = {
		.bytes = place->bytes,
		.address = place->address,
		.relro_start = search->code.image.relro.start,
		.relro_end = search->code.image.relro.end,
		.file_start = search->code.all.start,
		.file_end = search->code.all.end,
		.past_nop5 = search->past_nop5,
	};
	struct elf_range range;

	if (bar == ENTRY_BAR_UNBOUND || place->end - place->address > left)
		place->end = segment->address + segment->n;
	code.n = place->end - place->address;
	entry__find(entry, &code);
	if (!entry->moved)
		return;
	range = skipped(place);
	if (!bar && (begins_behind(search, place->function->offset, entry->moved) ||
		     elf_unwind__begins_in(&search->code.unwind, &range)))
		bar = ENTRY_BAR_OVERLAP;
	if (!bar && entry_branches__jumps_anywhere(place->bytes, code.n))
		bar = ENTRY_BAR_INDIRECT;
	if (bar)
		entry__stay(entry, bar);
}

static int find_in_functions(struct search *search, struct entry_function *functions, size_t n)
{
	search->places = calloc(n + 1, sizeof(*search->places));
	if (!search->places)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct code_segment *segment =
			code__segment_at(&search->code, functions[i].offset);
		struct place *place = &search->places[search->n];
		__u64 at;

		functions[i].entry = (struct entry_site){ .bar = ENTRY_BAR_OVERLAP };
		if (!segment)
			continue;
		at = functions[i].offset - segment->offset;
		place->function = &functions[i];
		place->bytes = segment->bytes + at;
		place->address = segment->address + at;
		find_in_function(search, place, segment);
		search->n++;
	}
	qsort(search->places, search->n, sizeof(*search->places), compare_places);
	return 0;
}

/* The last function that begins before this address; NULL: none. */
static struct place *place_before(const struct search *search, __u64 address)
{
	size_t end = SEARCH_FIRST(search->n, i, search->places[i].address < address);

	return end ? &search->places[end - 1] : NULL;
}

/* Something that looks like a branch between a function's entry and its site. */
static void check_branch(void *ctx, __u64 from, __u64 to)
{
	struct search *search = ctx;
	struct place *place = place_before(search, to);
	struct elf_range range;
	__u64 start;

	if (!place)
		return;
	if (from >= place->address && from < place->end)
		start = place->address;
	else if (elf_unwind__find(&search->code.unwind, from, &range))
		start = range.start;
	else
		start = from;
	if (!entry_branches__is_branch(&search->code, start, from, to))
		return;
	/* It may be there under several names. */
	for (__u64 address = place->address; place->address == address; place--) {
		entry__stay(&place->function->entry, ENTRY_BAR_BRANCH);
		if (place == search->places)
			break;
	}
}

static int find_branches(struct search *search)
{
	struct branch_targets targets;
	size_t moved = 0;
	int ret;

	for (size_t i = 0; i < search->n; i++)
		moved += search->places[i].function->entry.moved != 0;
	if (!moved)
		return 0;
	ret = branch_targets__init(&targets, &search->code);
	if (ret)
		return ret;
	for (size_t i = 0; i < search->n; i++) {
		struct elf_range range = skipped(&search->places[i]);

		if (search->places[i].function->entry.moved)
			branch_targets__add(&targets, &range);
	}
	entry_branches__find(&search->code, &targets, check_branch, search);
	branch_targets__free(&targets);
	return 0;
}

int entry_file__find(int fd, const char *name, const struct elf_file *elf,
		     struct entry_function *functions, size_t n, bool past_nop5, struct error *err)
{
	struct search search = { .past_nop5 = past_nop5 };
	int ret;

	ret = code__open(&search.code, fd, name, CODE_MAX, err);
	if (ret)
		goto cleanup;
	ret = collect_begins(&search, elf);
	if (!ret)
		ret = find_in_functions(&search, functions, n);
	if (!ret)
		ret = find_branches(&search);
	if (ret)
		error__set(err, ret, "%s: %s", name, strerror(-ret));
cleanup:
	for (size_t i = 0; ret && i < n; i++)
		functions[i].entry = (struct entry_site){ 0 };
	code__close(&search.code);
	free(search.places);
	free(search.begins);
	return ret;
}
