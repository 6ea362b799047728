/* SPDX-License-Identifier: GPL-2.0-only */
/* What the catalogue says of a layer: its functions, and how operations of it are read. */
#ifndef USER_CATALOGUE_LAYER_H
#define USER_CATALOGUE_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/file_marks.h"
#include "tmtrace/spec.h"

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

/* Functions by their names: function_index.h. */
struct function_index {
	const struct catalogue_function **names; /* in order of the names, then as they stand */
	size_t n_names;
	const struct catalogue_function **patterns; /* as they stand; of the same allocation */
	size_t n_patterns;
};

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

/* Does one of n glob patterns match the name? */
bool catalogue__matches_one(const char *const *patterns, size_t n, const char *name);

#endif
