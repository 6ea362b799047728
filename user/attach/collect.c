// SPDX-License-Identifier: GPL-2.0-only
/* Which functions of a file are probed: those that the catalogue's layers have in it. */
#include <errno.h>
#include <string.h>

#include "attach/attach_state.h"
#include "base/path.h"

const char *attach__file_name(const struct elf_file *elf, const struct attach_request *request)
{
	return elf_file__soname(elf) ?: path__base_name(request->shown);
}

/* Why calls of a function are counted only. */
#define IN_BRIEF                                                                                  \
	"its layer is traced in brief, other functions of it not at all; --full (in a service's " \
	"configuration: full) has all of them, and times"

/* Adds a function, unless it is left out where its layer is traced in brief. */
static int collect_function(const struct attach *attach, size_t layer,
			    const struct elf_function *symbol,
			    const struct catalogue_function *function, struct site_list *sites)
{
	bool full = attach->options.full && attach->options.full[layer];
	enum catalogue_brief brief = catalogue__brief(function, full, attach->options.one_by_one);

	if (brief == CATALOGUE_LEFT_OUT)
		return 0;
	return site_list__add(sites, symbol, function, TM_LAYER_USER + layer,
			      brief == CATALOGUE_COUNTED ? IN_BRIEF : NULL);
}

/* Adds the functions of a layer that are in a file; outright: not those found by pattern. */
static int collect_layer(struct attach *attach, size_t layer, const struct elf_file *elf,
			 const char *name, bool outright, struct site_list *sites)
{
	const struct catalogue_layer *l = catalogue__layer(attach->options.catalogue, layer);
	size_t i;

	for (i = 0; i < elf_file__n_functions(elf); i++) {
		const struct elf_function *symbol = elf_file__function(elf, i);
		const struct catalogue_function *function =
			catalogue__find_function(l, name, symbol->name);

		if (!function || !function->enabled || (outright && function->pattern))
			continue;
		if (collect_function(attach, layer, symbol, function, sites) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* How the operations are read that the functions of a layer launch; of sites from that one on. */
static void choose_fields(const struct attach *attach, size_t layer, const char *name,
			  struct site_list *sites, size_t first)
{
	const struct catalogue_operation *operation =
		catalogue__find_operation(catalogue__layer(attach->options.catalogue, layer), name);

	if (!operation)
		return;
	for (size_t i = first; i < site_list__n(sites); i++)
		site_list__at(sites, i)->spec.role.fields = operation->number;
	if (attach->options.kernel)
		kernel__set_fields(attach->options.kernel, operation->number, &operation->fields);
}

int attach__collect(struct attach *attach, struct seen_file *seen, const struct elf_file *elf,
		    const struct attach_request *request, struct site_list *sites)
{
	const char *name = attach__file_name(elf, request);
	size_t i, before;

	for (i = 0; i < catalogue__n_layers(attach->options.catalogue); i++) {
		const struct catalogue_layer *l = catalogue__layer(attach->options.catalogue, i);

		if (seen->probed[i])
			continue;
		if (request->program ? !attach->options.layers[i] || attach__needs_layer(elf, l)
				     : !attach__has_layer(attach, elf, i, request))
			continue;
		before = site_list__n(sites);
		if (collect_layer(attach, i, elf, name, request->program, sites) < 0)
			return -ENOMEM;
		choose_fields(attach, i, name, sites, before);
		if (!request->program && attach->options.notes)
			attach__note_unmatched(attach, i, elf, name);
		if (site_list__n(sites) > before && seen_file__add_layer(seen, i, l->name) < 0)
			return -ENOMEM;
	}
	return 0;
}
