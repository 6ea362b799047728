/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading catalogues from texts and files. To be included after cmocka.h. */
#ifndef TESTS_UNIT_CATALOGUE_SAMPLE_H
#define TESTS_UNIT_CATALOGUE_SAMPLE_H

#include <string.h>

#include "catalogue/catalogue.h"
#include "source_path.h"

#define HEAD  "layer: x\nlibraries: [libx.so]\n"
#define FUNCS HEAD "functions:\n" /* functions begin in line 4 */

static inline int load_text_len(struct catalogue **cat, const char *text, size_t len,
				struct error *err)
{
	struct catalogue_text input = { "t.yaml", text, len };

	*cat = NULL;
	memset(err, 0, sizeof(*err));
	return catalogue__load_texts(cat, &input, 1, err);
}

static inline struct catalogue *load_text(const char *text)
{
	struct catalogue *cat;
	struct error err;

	if (load_text_len(&cat, text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	return cat;
}

static inline struct catalogue *load_path(const char *path)
{
	struct catalogue *cat = NULL;
	struct error err = { 0 };

	if (catalogue__load(&cat, NULL, &path, 1, &err) < 0)
		fail_msg("%s", err.text);
	return cat;
}

/* One line, no control character, no full stop at the end. */
static inline void check_message(const struct error *err, int code)
{
	assert_int_equal(err->code, code);
	assert_true(strlen(err->text) > 0);
	for (const char *c = err->text; *c; c++)
		assert_true((unsigned char)*c >= ' ');
	assert_int_not_equal(err->text[strlen(err->text) - 1], '.');
}

static inline const struct catalogue_function *find(const struct catalogue *cat, const char *layer,
						    const char *soname, const char *symbol)
{
	int i = catalogue__find_layer(cat, layer);

	assert_true(i >= 0);
	return catalogue__find_function(catalogue__layer(cat, (size_t)i), soname, symbol);
}

#endif
