// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/document.h"

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

/* What a byte becomes in html__json(), at the most. */
#define ESCAPED 6

static size_t size_in_page(const char *json, size_t n)
{
	size_t size = n;

	for (size_t i = 0; i < n; i++)
		if (json[i] == '<' || json[i] == '>' || json[i] == '&')
			size += ESCAPED - 1;
	return size;
}

/* With the comma and the newline before it. */
static int add_row(struct page_list *list, struct json_object *record)
{
	int ret = list->n ? json_text__add_bytes(&list->text, ",", 1) : 0;

	if (!ret)
		ret = json_text__add_newline(&list->text);
	return ret ? ret : json_text__add(&list->text, record);
}

bool page_list__add(struct page_list *list, struct json_object *record)
{
	size_t before = list->text.n, size;

	if (list->is_full || list->failure || !record) {
		if (!list->is_full && !list->failure)
			list->failure = -ENOMEM;
		json_object_put(record);
		return false;
	}
	page_trim__record(record, &list->document->common);
	list->failure = add_row(list, record);
	json_object_put(record);
	size = size_in_page(list->text.bytes + before, list->text.n - before);
	list->is_full = size > list->room;
	if (list->is_full || list->failure) {
		list->text.n = before;
		return false;
	}
	list->room -= size;
	list->n++;
	return true;
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
