// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/document.h"
#include "page/html.h"

static void add_bytes(struct page_document *document, const char *bytes, size_t n)
{
	if (!document->failure)
		document->failure = json_text__add_bytes(&document->text, bytes, n);
}

static void add_text(struct page_document *document, const char *text)
{
	add_bytes(document, text, strlen(text));
}

/* Names are the program's own: nothing in them is to be escaped. */
static void begin_member(struct page_document *document, const char *name)
{
	add_text(document, document->text.n ? ",\n\"" : "{\n\"");
	add_text(document, name);
	add_text(document, "\":");
}

void page_document__put(struct page_document *document, const char *name, struct json_object *value)
{
	begin_member(document, name);
	if (!document->failure)
		document->failure = json_text__add(&document->text, value);
	json_object_put(value);
}

int page_document__end(struct page_document *document)
{
	add_text(document, document->text.n ? "\n}\n" : "{}\n");
	return document->failure;
}

struct page_list page_list__new(const struct page_document *document, size_t bytes)
{
	return (struct page_list){ .document = document, .room = bytes };
}

/* With the comma and the newline before it. */
static int add_row(struct page_list *list, struct json_object *record)
{
	int ret = list->n ? json_text__add_bytes(&list->text, ",", 1) : 0;

	if (!ret)
		ret = json_text__add_newline(&list->text);
	return ret ? ret : json_text__add(&list->text, record);
}

/* As it is. */
static bool add_as_is(struct page_list *list, struct json_object *record)
{
	size_t before = list->text.n, size;

	list->failure = add_row(list, record);
	size = html__json_size(list->text.bytes + before, list->text.n - before);
	list->is_full = size > list->room;
	if (list->is_full || list->failure) {
		list->text.n = before;
		return false;
	}
	list->room -= size;
	list->n++;
	return true;
}

bool page_list__add(struct page_list *list, struct json_object *record)
{
	bool fits = false;

	if (!record && !list->is_full)
		list->failure = -ENOMEM;
	if (record && !list->is_full && !list->failure) {
		page_trim__record(record, &list->document->common);
		fits = add_as_is(list, record);
	}
	json_object_put(record);
	return fits;
}

void page_document__put_array(struct page_document *document, const char *name,
			      struct json_object *array, size_t room)
{
	struct page_list list = page_list__new(document, room);

	for (size_t i = 0; array && i < json_object_array_length(array) && !list.is_full; i++)
		add_as_is(&list, json_object_array_get_idx(array, i));
	begin_member(document, name);
	add_text(document, "[");
	add_bytes(document, list.text.bytes, list.text.n);
	add_text(document, "]");
	if (!document->failure)
		document->failure = list.failure;
	free(list.text.bytes);
	json_object_put(array);
}

void page_document__put_list(struct page_document *document, const char *name,
			     struct page_list *list, struct json_object *rest)
{
	begin_member(document, name);
	add_text(document, "{\"rows\":[");
	add_bytes(document, list->text.bytes, list->text.n);
	add_text(document, "],\"rest\":");
	if (!document->failure)
		document->failure = json_text__add(&document->text, rest);
	add_text(document, "}");
	if (!document->failure)
		document->failure = list->failure;
	json_object_put(rest);
	free(list->text.bytes);
	*list = (struct page_list){ 0 };
}
