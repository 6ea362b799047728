/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The catalogue: which functions of which libraries are traced, and how a call is read.
 * It is data (probes/NAME.yaml); this module reads and checks it. A catalogue is immutable once
 * loaded, and owns every string in it.
 */
#ifndef USER_CATALOGUE_CATALOGUE_H
#define USER_CATALOGUE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "catalogue/layer.h"

struct catalogue;

/* A file's content that is in memory already, e.g. built in. */
struct catalogue_text {
	const char *name; /* for messages */
	const char *text;
	size_t len; /* bytes */
};

/*
 * Reads files and folders (*.yaml in them, sorted by name), in this order: what is shipped (NULL:
 * none), and what somebody has named, that as who called sudo (base/identity.h). A later file of a
 * layer that is there already adds to it: its functions go before the earlier ones, so that they
 * win; its sonames are added; what neither its functions nor its defaults say about fail and
 * returns is as in the layer's first file. An overriding function says all of its reading again. So
 * it is with operations. Returns 0 and *out (free with catalogue__free()), or a negative errno and
 * err "FILE:LINE: ...", "FILE: ..." where no line is to blame.
 */
int catalogue__load(struct catalogue **out, const char *shipped, const char *const *named,
		    size_t n_named, struct error *err);
/* The same from memory; the texts are not needed any more afterwards. */
int catalogue__load_texts(struct catalogue **out, const struct catalogue_text *texts,
			  size_t n_texts, struct error *err);
void catalogue__free(struct catalogue *cat);

size_t catalogue__n_layers(const struct catalogue *cat);
const struct catalogue_layer *catalogue__layer(const struct catalogue *cat, size_t i);
/* The index of the layer of that name, or -ENOENT. */
int catalogue__find_layer(const struct catalogue *cat, const char *name);

/* Does one of the layer's patterns match this soname or base name? */
bool catalogue__matches(const struct catalogue_layer *layer, const char *soname);

/*
 * The entry for a symbol of the library with this soname (or base name): the exact name if there
 * is one, else the first pattern that matches; NULL where the layer does not know it. Entries with
 * `only` count where it matches soname. With soname NULL, all entries count.
 */
const struct catalogue_function *catalogue__find_function(const struct catalogue_layer *layer,
							  const char *soname, const char *symbol);

/*
 * What a function is in a run: full: its layer is traced in full; one_by_one: single ADDB2 records
 * are told, so that the functions are needed that say what a thread adds, and below which labels.
 */
enum catalogue_brief catalogue__brief(const struct catalogue_function *function, bool full,
				      bool one_by_one);

/*
 * How the structs of operations of the library with this soname (or base name) are read: the first
 * of the layer's operations that is for it; NULL: none is.
 */
const struct catalogue_operation *catalogue__find_operation(const struct catalogue_layer *layer,
							    const char *soname);
/* That of a number, in whatever layer; NULL: there is none. */
const struct catalogue_operation *catalogue__operation(const struct catalogue *cat, __u8 number);

#endif
