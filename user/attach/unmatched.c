// SPDX-License-Identifier: GPL-2.0-only
/* Notes what a catalogue names that is not to be probed in a library: misspelt names, IFUNCs. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach_state.h"
#include "base/nearest.h"

/* Names in one note; of more there is their number. */
#define NAMES_MAX 5

/* What users build may be large, and is looked at while others wait. */
#define SYMBOLS_MAX 20000

struct names {
	char text[1024];
	size_t n;
};

static void add_name(struct names *names, const char *name, const char *meant)
{
	size_t length = strlen(names->text), room = sizeof(names->text) - length;

	if (names->n++ >= NAMES_MAX)
		return;
	snprintf(names->text + length, room, "%s%s%s%s%s", length ? ", " : "", name,
		 meant ? " (did you mean " : "", meant ?: "", meant ? "?)" : "");
}

/* How many there are beside those that are named. */
static const char *show_rest(const struct names *names, char *text, size_t room)
{
	*text = '\0';
	if (names->n > NAMES_MAX)
		snprintf(text, room, " and %zu more", names->n - NAMES_MAX);
	return text;
}

/* Is it in the file, also as an IFUNC? */
static bool is_in_file(const struct catalogue_function *function, const struct elf_file *elf)
{
	size_t n = elf_file__n_functions(elf) + elf_file__n_chosen(elf);

	if (!function->pattern)
		return elf_file__has_function(elf, function->name);
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(function->name, elf_file__function(elf, i)->name, 0))
			return true;
	return false;
}

/* The name of a function that is near to it; NULL: none is, or there are too many to look at. */
static const char *find_meant(const struct catalogue_function *function, const struct elf_file *elf)
{
	struct nearest nearest = nearest__begin(function->name);
	size_t n = elf_file__n_functions(elf);

	for (size_t i = 0; i < n && n <= SYMBOLS_MAX && !function->pattern; i++)
		nearest__try(&nearest, elf_file__function(elf, i)->name);
	return nearest.name;
}

/* What is shipped names functions of several versions of a library: of these nothing is said. */
static bool is_asked_for(const struct catalogue_function *function, const char *name)
{
	return function->named && function->enabled &&
	       (!function->only || catalogue__matches_one(function->only, function->n_only, name));
}

static void note_missing(struct attach *attach, const struct catalogue_layer *layer,
			 const struct elf_file *elf, const char *name)
{
	struct names missing = { 0 };
	const char *file = NULL;
	char rest[32];

	for (size_t i = 0; i < layer->n_functions; i++) {
		const struct catalogue_function *function = &layer->functions[i];

		if (!is_asked_for(function, name) || is_in_file(function, elf))
			continue;
		file = file ?: function->file;
		add_name(&missing, function->name,
			 missing.n < NAMES_MAX ? find_meant(function, elf) : NULL);
	}
	if (missing.n)
		note_list__add(attach->options.notes,
			       "%s: none of %s's functions is called so: %s%s", file, name,
			       missing.text, show_rest(&missing, rest, sizeof(rest)));
}

static void note_chosen(struct attach *attach, const struct catalogue_layer *layer,
			const struct elf_file *elf, const char *name)
{
	size_t first = elf_file__n_functions(elf);
	struct names chosen = { 0 };
	char rest[32];

	for (size_t i = 0; i < elf_file__n_chosen(elf); i++) {
		const char *symbol = elf_file__function(elf, first + i)->name;
		const struct catalogue_function *function =
			catalogue__find_function(layer, name, symbol);

		if (function && function->enabled)
			add_name(&chosen, symbol, NULL);
	}
	if (chosen.n)
		note_list__add(attach->options.notes,
			       "%s: %s%s: not traced, as the library chooses the code when it is "
			       "loaded (IFUNC); name the functions that it chooses from",
			       name, chosen.text, show_rest(&chosen, rest, sizeof(rest)));
}

void attach__note_unmatched(struct attach *attach, size_t layer, const struct elf_file *elf,
			    const char *name)
{
	const struct catalogue_layer *l = catalogue__layer(attach->options.catalogue, layer);

	note_missing(attach, l, elf, name);
	note_chosen(attach, l, elf, name);
}
