/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The figures of a page: one JSON object, put together member by member, and lists of records in
 * it that have room for so many bytes. What does not fit, the caller adds up and puts beside it.
 */
#ifndef USER_PAGE_DOCUMENT_H
#define USER_PAGE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <json-c/json.h>

#include "page/trim.h"
#include "sink/record_text.h"

/* What fails once fails for good. */
struct page_document {
	struct record_text text; /* to be freed by its owner */
	struct page_common common;
	int failure; /* 0 or -ENOMEM */
};

struct page_document page_document__new(struct page_common common);

/*
 * Begins a member: one value is to be added to the record that is returned, without a name, before
 * anything else is.
 */
struct record *page_document__member(struct page_document *document, const char *name);
/* Adds a member; the value is given back, NULL: null. */
void page_document__put(struct page_document *document, const char *name,
			struct json_object *value);
/* Ends the object. 0, or what failed. */
int page_document__end(struct page_document *document);

/* The same of an array, as long as its elements fit into so many bytes of the page. */
void page_document__put_array(struct page_document *document, const char *name,
			      struct json_object *array, size_t room);

struct page_list {
	const struct page_document *document;
	struct record_text text;
	size_t room;  /* bytes */
	size_t n;     /* records */
	bool is_full; /* one did not fit: nor does any that comes later */
	int failure;
};

/* bytes: as they will be in the page. Ended by page_document__put_list(). */
struct page_list page_list__new(const struct page_document *document, size_t bytes);
/*
 * Adds a record, which is given back, without what is the same in all records of a page. False: it
 * did not fit, and is to be added up; then, and where the list is full, record may be NULL.
 */
bool page_list__add(struct page_list *list, struct json_object *record);

/* As {"rows": [...], "rest": ...}; rest: the sums of what did not fit, NULL: everything did. */
void page_document__put_list(struct page_document *document, const char *name,
			     struct page_list *list, struct json_object *rest);

#endif
