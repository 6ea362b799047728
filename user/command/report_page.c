// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "command/made_file.h"
#include "command/report_page.h"
#include "page/page.h"

static int write_page(void *context, FILE *out, struct error *err)
{
	return page__write(out, context, err);
}

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "no memory");
}

int report_page__make(const struct report_page_options *options, const struct report_parts *parts,
		      int (*print)(void *context, const struct report_part *whole, FILE *out,
				   struct error *err),
		      void *context, struct error *err)
{
	struct combined *combined = NULL;
	struct report_part whole = parts->at[0];
	struct page_input input = { .whole = &whole, .parts = parts->at, .n = parts->n };
	char *text = NULL;
	size_t n = 0;
	FILE *out;
	int rc = parts->n > 1 ? combined__new(&combined, parts->at, parts->n) : 0;

	if (rc < 0)
		return no_memory(err);
	if (combined)
		whole = (struct report_part){ .run = combined__run(combined),
					      .snapshot = combined__snapshot(combined) };
	out = open_memstream(&text, &n);
	rc = out ? print(context, &whole, out, err) : no_memory(err);
	if (out && fclose(out) && rc >= 0)
		rc = no_memory(err);
	input.text = text;
	if (rc >= 0)
		rc = made_file__write(options->path, options->force, parts, write_page, &input,
				      err);
	free(text);
	combined__free(combined);
	return rc;
}
