// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "command/made_file.h"
#include "command/report_page.h"
#include "page/page.h"
#include "page/report_stories.h"

/* So many of the slowest calls and operations are followed. */
#define STORIES 6

static int write_page(void *context, FILE *out, struct error *err)
{
	return page__write(out, context, err);
}

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "no memory");
}

/* The text of a report; to be freed. NULL: why is in the error. */
static char *text_of(const struct report_part *whole,
		     int (*print)(void *context, const struct report_part *whole, FILE *out,
				  struct error *err),
		     void *context, struct error *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	int ret = out ? print(context, whole, out, err) : no_memory(err);

	if (out && fclose(out) && ret >= 0)
		ret = no_memory(err);
	if (ret >= 0)
		return text;
	free(text);
	return NULL;
}

int report_page__make(const struct report_page_options *options,
		      const struct report_page_input *input,
		      int (*print)(void *context, const struct report_part *whole, FILE *out,
				   struct error *err),
		      void *context, struct error *err)
{
	const struct report_parts *parts = input->parts;
	struct report_part whole = parts->at[0];
	struct report_stories stories = { 0 };
	struct combined *combined = NULL;
	char *text = NULL;
	int ret = parts->n > 1 ? combined__new(&combined, parts->at, parts->n) : 0;

	if (ret < 0)
		return no_memory(err);
	if (combined)
		whole = (struct report_part){ .run = combined__run(combined),
					      .snapshot = combined__snapshot(combined) };
	/* All that is read, is read before the process becomes another user. */
	ret = report_stories__make(&stories, parts, input->slowest, STORIES, err);
	if (ret >= 0) {
		text = text_of(&whole, print, context, err);
		ret = text ? 0 : err->code;
	}
	if (ret >= 0) {
		struct page_input page = {
			.whole = &whole,
			.parts = parts->at,
			.n = parts->n,
			.volumes = input->volumes,
			.calls = { input->slowest, stories.stories, stories.chains },
			.text = text,
		};

		ret = made_file__write(options->path, options->force, parts, write_page, &page,
				       err);
	}
	report_stories__free(&stories);
	free(text);
	combined__free(combined);
	return ret;
}
