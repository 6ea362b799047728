// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/document.h"
#include "page/html.h"
#include "sink/record_tree.h"

static void add_bytes(struct page_document *document, const char *bytes, size_t n)
{
	if (!document->failure)
		document->failure = record_text__add_bytes(&document->text, bytes, n);
}

static void add_text(struct page_document *document, const char *text)
{
	add_bytes(document, text, strlen(text));
}

/* Names are the program's own: nothing in them is to be escaped. */
static void begin_member(struct page_document *document, const char *name)
{
	if (!document->failure)
		document->failure = document->text.record.failure;
	add_text(document, document->text.n ? ",\n\"" : "{\n\"");
	add_text(document, name);
	add_text(document, "\":");
}

struct page_document page_document__new(struct page_common common)
{
	return (struct page_document){ .text = record_text__new(NULL), .common = common };
}

struct record *page_document__member(struct page_document *document, const char *name)
{
	begin_member(document, name);
	return &document->text.record;
}

void page_document__put(struct page_document *document, const char *name, struct json_object *value)
{
	record_tree__walk(value, page_document__member(document, name), NULL);
	json_object_put(value);
}

int page_document__end(struct page_document *document)
{
	add_text(document, document->text.n ? "\n}\n" : "{}\n");
	return document->failure ? document->failure : document->text.record.failure;
}

struct page_list page_list__new(const struct page_document *document, size_t bytes)
{
	return (struct page_list){
		.document = document,
		.text = record_text__new(NULL),
		.room = bytes,
	};
}

/* With the comma and the newline before it. */
static int add_row(struct page_list *list, struct json_object *record)
{
	const char *before = list->n ? ",\n" : "\n";
	int ret = record_text__add_bytes(&list->text, before, strlen(before));

	if (!ret) {
		record_tree__walk(record, &list->text.record, NULL);
		ret = list->text.record.failure;
	}
	return ret;
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
	record_tree__walk(rest, &document->text.record, NULL);
	add_text(document, "}");
	if (!document->failure)
		document->failure = list->failure;
	json_object_put(rest);
	free(list->text.bytes);
	*list = (struct page_list){ 0 };
}
