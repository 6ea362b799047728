// SPDX-License-Identifier: GPL-2.0-only
/* The catalogue reader on any bytes; a 0xff byte (never in YAML) divides them into two files. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct catalogue *cat)
{
	for (size_t i = 0; i < catalogue__n_layers(cat); i++) {
		const struct catalogue_layer *layer = catalogue__layer(cat, i);

		catalogue__matches(layer, "libmio.so.0");
		for (size_t k = 0; k < layer->n_functions && k < 64; k++) {
			const struct catalogue_function *function = &layer->functions[k];

			if (!function->pattern && !function->only &&
			    !catalogue__find_function(layer, "libmio.so.0", function->name))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *split = size ? memchr(data, 0xff, size) : NULL;
	size_t first = split ? (size_t)(split - data) : size;
	struct catalogue_text texts[2] = {
		{ "first.yaml", (const char *)data, first },
		{ "second.yaml", split ? (const char *)split + 1 : NULL,
		  split ? size - first - 1 : 0 },
	};
	struct catalogue *cat = NULL;
	struct error err = { 0 };
	int rc = catalogue__load_texts(&cat, texts, split ? 2 : 1, &err);

	/* An error is one line, and says its code; success gives a catalogue. */
	if (rc < 0 && (err.code != rc || !err.text[0] || strpbrk(err.text, "\n\r\033")))
		abort();
	if (rc == 0)
		look_up(cat);
	catalogue__free(cat);
	return 0;
}
