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
#include "base/file_marks.h"
#include "catalogue/function_index.h"
#include "tmtrace/spec.h"

struct catalogue;

/* What a function is where its layer is traced in brief, which it is unless all of it is asked for.
 */
enum catalogue_brief {
	CATALOGUE_FULL,	   /* traced as ever */
	CATALOGUE_COUNTED, /* its calls are counted, not timed */
	CATALOGUE_LEFT_OUT,
};

struct catalogue_function {
	const char *name; /* a symbol, or a glob pattern (fnmatch) when pattern is set */
	bool pattern;
	bool named;   /* in a file that somebody has named, not in what is shipped */
	bool enabled; /* false: in the catalogue, but off unless asked for */
	enum catalogue_brief brief;
	const char *const *only; /* for libraries that match one of these patterns; NULL: for all */
	size_t n_only;
	struct tm_spec spec;
	const char *step_layer; /* the layer of the operations that are steps; NULL: none are */
	const char *const *pool_types; /* names of types of pools, by number; NULL: none are */
	size_t n_pool_types;
	const char *file; /* where it was declared, for messages */
	int line;
};

/* A kind of operation, by the number that the library has for it. */
struct catalogue_code {
	__u32 number;
	const char *name;
	bool has_session;
};

#define CATALOGUE_CODES	    64
#define CATALOGUE_CODE_NAME 31 /* characters */

/* What is known of operations from the library's struct. */
struct catalogue_operation {
	const char *const *only; /* for libraries that match one of these patterns; NULL: for all */
	size_t n_only;
	struct tm_fields fields;
	__u8 number; /* in the catalogue, from 1: what tm_role.fields says */
	size_t n_codes;
	struct catalogue_code codes[CATALOGUE_CODES];
};

/* What the catalogue calls fields. */
extern const char *const catalogue_field_names[TM_FIELDS];

struct catalogue_layer {
	const char *name; /* [a-z][a-z0-9_]*, at most 15 characters */
	const char *title;
	int order; /* 1-99: libraries that call others come before them */
	const char *file;
	const char *const *sonames; /* glob patterns of the libraries' sonames or file names */
	size_t n_sonames;
	struct file_marks marks; /* of libraries that have other names */
	const struct catalogue_function *functions;
	size_t n_functions;
	struct function_index by_name;
	const struct catalogue_operation *operations;
	size_t n_operations;
};

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

/* Does one of n glob patterns match the name? */
bool catalogue__matches_one(const char *const *patterns, size_t n, const char *name);
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
