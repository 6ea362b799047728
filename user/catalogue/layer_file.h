/* SPDX-License-Identifier: GPL-2.0-only */
/* What one file of the catalogue says about its layer. */
#ifndef USER_CATALOGUE_LAYER_FILE_H
#define USER_CATALOGUE_LAYER_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "base/strings.h"
#include "base/yaml_doc.h"
#include "catalogue/layer.h"

/* The functions that a file may hold, each name of a list counted: aliases multiply cheaply. */
#define LAYER_FILE_MAX 16384

struct layer_file {
	const char *title;    /* NULL: not said */
	int order;	      /* 0: not said */
	const char **sonames; /* NULL: not said */
	size_t n_sonames, room_sonames;
	struct file_marks marks; /* no exports: not said */
	struct catalogue_function *functions;
	size_t n_functions, room_functions;
	struct catalogue_operation *operations;
	size_t n_operations, room_operations;
	struct tm_spec defaults; /* fail and returns */
};

/* Checks the top of the file, and gives its layer's name, which lives as long as doc. */
int layer_file__read_name(struct yaml_doc *doc, const char **name, struct error *err);

/*
 * Reads the rest. `base` holds the defaults where the file has none; `first` asks for libraries
 * and functions. Strings are kept in strings. Returns 0 (free with layer_file__free()), or
 * -EINVAL or -ENOMEM and err.
 */
int layer_file__read(struct layer_file *out, struct yaml_doc *doc, const struct tm_spec *base,
		     bool first, struct strings *strings, struct error *err);
void layer_file__free(struct layer_file *file);

#endif
