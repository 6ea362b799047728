// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml_doc.h"

/* The catalogue needs 6; libyaml's cost grows with the square of the depth. */
#define MAX_DEPTH 16

static const char *node_kind(const yaml_node_t *node)
{
	switch (node->type) {
	case YAML_SCALAR_NODE:
		return "a single value";
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a mapping";
	default:
		return "nothing";
	}
}

static int line_at(const char *text, size_t offset)
{
	int line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* What libyaml found, as our own error. Reader errors have an offset, the others a mark. */
static int syntax_error(const yaml_parser_t *parser, const char *file, const char *text, size_t len,
			struct error *err)
{
	const char *problem = parser->problem ? parser->problem : "unknown problem";
	size_t at = parser->problem_offset < len ? parser->problem_offset : len;

	switch (parser->error) {
	case YAML_NO_ERROR: /* the document builder forgets to say so */
	case YAML_MEMORY_ERROR:
		return error__set(err, -ENOMEM, "%s: out of memory", file);
	case YAML_READER_ERROR:
		return error__set(err, -EINVAL,
				  "%s:%d: not a text file, %s; save it as plain UTF-8", file,
				  line_at(text, at), problem);
	default:
		return error__set(
			err, -EINVAL,
			"%s:%zu: not valid YAML, %s; check indentation, quotes and brackets "
			"there and above",
			file, parser->problem_mark.line + 1, problem);
	}
}

/* Looks at one event of the first pass; 1 at the end of the stream. */
static int check_event(const yaml_event_t *event, const char *file, int *depth, int *documents,
		       struct error *err)
{
	size_t line = event->start_mark.line + 1;

	switch (event->type) {
	case YAML_STREAM_END_EVENT:
		return 1;
	case YAML_DOCUMENT_START_EVENT:
		if (++*documents > 1)
			return error__set(
				err, -EINVAL,
				"%s:%zu: a second document starts here, a file holds one; "
				"split it",
				file, line);
		return 0;
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		if (++*depth > MAX_DEPTH)
			return error__set(err, -EINVAL,
					  "%s:%zu: nested more than %d levels deep; is this the "
					  "right file?",
					  file, line, MAX_DEPTH);
		return 0;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		--*depth;
		return 0;
	default:
		return 0;
	}
}

static int start_parser(yaml_parser_t *parser, const char *text, size_t len)
{
	if (!yaml_parser_initialize(parser))
		return -ENOMEM;
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser, (const unsigned char *)text, len);
	return 0;
}

/* A first pass over the events, so that the document is only built from bounded input. */
static int check_shape(const char *file, const char *text, size_t len, struct error *err)
{
	int depth = 0, documents = 0, ret;
	yaml_parser_t parser;
	yaml_event_t event;

	if (start_parser(&parser, text, len) < 0)
		return error__set(err, -ENOMEM, "%s: out of memory", file);
	do {
		if (!yaml_parser_parse(&parser, &event)) {
			ret = syntax_error(&parser, file, text, len, err);
			break;
		}
		ret = check_event(&event, file, &depth, &documents, err);
		yaml_event_delete(&event);
	} while (ret == 0);
	yaml_parser_delete(&parser);
	if (ret < 0)
		return ret;
	if (!documents)
		return error__set(err, -EINVAL,
				  "%s:1: the file is empty, a mapping (key: value) is needed",
				  file);
	return 0;
}

int yaml_doc__parse(struct yaml_doc *doc, const char *file, const char *text, size_t len,
		    struct error *err)
{
	const yaml_node_t *root;
	yaml_parser_t parser;
	int ret;

	/* libyaml takes a byte order mark for content once the encoding is given. */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	ret = check_shape(file, text, len, err);
	if (ret < 0)
		return ret;
	doc->file = file;
	if (start_parser(&parser, text, len) < 0)
		return error__set(err, -ENOMEM, "%s: out of memory", file);
	if (!yaml_parser_load(&parser, &doc->document)) {
		ret = syntax_error(&parser, file, text, len, err);
		goto out;
	}
	root = yaml_doc__root(doc);
	if (!root || root->type != YAML_MAPPING_NODE) {
		ret = error__set(
			err, -EINVAL, "%s:%d: the file holds %s, a mapping (key: value) is needed",
			file, root ? yaml_doc__line(root) : 1, root ? node_kind(root) : "nothing");
		yaml_document_delete(&doc->document);
	}
out:
	yaml_parser_delete(&parser);
	return ret;
}

void yaml_doc__free(struct yaml_doc *doc)
{
	yaml_document_delete(&doc->document);
}

const yaml_node_t *yaml_doc__root(struct yaml_doc *doc)
{
	return yaml_document_get_root_node(&doc->document);
}

int yaml_doc__line(const yaml_node_t *node)
{
	return (int)node->start_mark.line + 1;
}

int yaml_doc__fail(const struct yaml_doc *doc, const yaml_node_t *node, struct error *err,
		   const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error__set(err, -EINVAL, "%s:%d: %s", doc->file, yaml_doc__line(node), text);
}

struct yaml_quoted yaml_doc__quote(const char *text)
{
	const size_t most = sizeof(((struct yaml_quoted *)NULL)->text) - sizeof("\"...\"");
	struct yaml_quoted quoted;
	size_t n = 0;

	quoted.text[n++] = '"';
	for (; *text && n <= most; text++)
		quoted.text[n++] = *text >= ' ' && *text <= '~' ? *text : '?';
	snprintf(quoted.text + n, sizeof(quoted.text) - n, "%s\"", *text ? "..." : "");
	return quoted;
}

static const char *scalar_text(const yaml_node_t *node)
{
	return (const char *)node->data.scalar.value;
}

/* More than all words that are known in a place. */
#define WORDS_ROOM 1024

/* Words with commas between them; what does not fit is left out. */
static void list_words(char *out, size_t size, const char *const *known)
{
	size_t n = 0;

	out[0] = '\0';
	for (; *known && n < size; known++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", *known);
}

static int check_key(struct yaml_doc *doc, const yaml_node_t *key, const char *what,
		     const char *const *known, unsigned long *seen, struct error *err)
{
	char keys[WORDS_ROOM];
	size_t k = 0;

	if (!key || key->type != YAML_SCALAR_NODE)
		return yaml_doc__fail(doc, key ? key : yaml_doc__root(doc), err,
				      "a key in %s is %s, a word is needed", what,
				      key ? node_kind(key) : "missing");
	while (known[k] && strcmp(known[k], scalar_text(key)) != 0)
		k++;
	if (!known[k]) {
		list_words(keys, sizeof(keys), known);
		return yaml_doc__fail(doc, key, err, "unknown key %s in %s, known are: %s",
				      yaml_doc__quote(scalar_text(key)).text, what, keys);
	}
	if (*seen & 1UL << k)
		return yaml_doc__fail(doc, key, err, "key \"%s\" is twice in %s, remove one",
				      known[k], what);
	*seen |= 1UL << k;
	return 0;
}

int yaml_doc__check_keys(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			 const char *const *known, struct error *err)
{
	unsigned long seen = 0;
	yaml_node_pair_t *pair;
	int ret;

	if (node->type != YAML_MAPPING_NODE)
		return yaml_doc__fail(doc, node, err, "%s is %s, a mapping (key: value) is needed",
				      what, node_kind(node));
	for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
		ret = check_key(doc, yaml_document_get_node(&doc->document, pair->key), what, known,
				&seen, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

const yaml_node_t *yaml_doc__get(struct yaml_doc *doc, const yaml_node_t *node, const char *key)
{
	const yaml_node_pair_t *pair;
	const yaml_node_t *name;

	if (node->type != YAML_MAPPING_NODE)
		return NULL;
	for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
		name = yaml_document_get_node(&doc->document, pair->key);
		if (name && name->type == YAML_SCALAR_NODE && strcmp(scalar_text(name), key) == 0)
			return yaml_document_get_node(&doc->document, pair->value);
	}
	return NULL;
}

int yaml_doc__read_text(const struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			const char **out, struct error *err)
{
	if (node->type != YAML_SCALAR_NODE)
		return yaml_doc__fail(doc, node, err, "%s is %s, a single value is needed", what,
				      node_kind(node));
	if (!node->data.scalar.length)
		return yaml_doc__fail(doc, node, err, "%s is empty, give it a value or remove it",
				      what);
	if (strlen(scalar_text(node)) != node->data.scalar.length)
		return yaml_doc__fail(doc, node, err, "%s has a NUL byte in it, remove it", what);
	*out = scalar_text(node);
	return 0;
}

int yaml_doc__read_choice(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			  const char *const *names, struct error *err)
{
	char known[WORDS_ROOM];
	const char *text;
	int ret = yaml_doc__read_text(doc, node, what, &text, err);

	if (ret < 0)
		return ret;
	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	list_words(known, sizeof(known), names);
	return yaml_doc__fail(doc, node, err, "%s is %s, known are: %s", what,
			      yaml_doc__quote(text).text, known);
}

int yaml_doc__read_bool(const struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			bool *out, struct error *err)
{
	const char *text = "";
	int ret;

	ret = yaml_doc__read_text(doc, node, what, &text, err);
	if (ret < 0)
		return ret;
	*out = strcmp(text, "true") == 0;
	if (!*out && strcmp(text, "false") != 0)
		return yaml_doc__fail(doc, node, err, "%s is %s, true or false is needed", what,
				      yaml_doc__quote(text).text);
	return 0;
}

int yaml_doc__read_number(const struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			  long min, long max, long *out, struct error *err)
{
	const char *text = "";
	char *end;
	int ret;

	ret = yaml_doc__read_text(doc, node, what, &text, err);
	if (ret < 0)
		return ret;
	errno = 0;
	*out = strtol(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	if (errno || *end || *out < min || *out > max)
		return yaml_doc__fail(doc, node, err,
				      "%s is %s, a number from %ld to %ld is needed", what,
				      yaml_doc__quote(text).text, min, max);
	return 0;
}

size_t yaml_doc__n_pairs(const yaml_node_t *node)
{
	if (node->type != YAML_MAPPING_NODE)
		return 0;
	return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

const yaml_node_t *yaml_doc__key(struct yaml_doc *doc, const yaml_node_t *node, size_t i)
{
	return yaml_document_get_node(&doc->document, node->data.mapping.pairs.start[i].key);
}

const yaml_node_t *yaml_doc__value(struct yaml_doc *doc, const yaml_node_t *node, size_t i)
{
	return yaml_document_get_node(&doc->document, node->data.mapping.pairs.start[i].value);
}

size_t yaml_doc__n_items(const yaml_node_t *node)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return 1;
	return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
}

const yaml_node_t *yaml_doc__item(struct yaml_doc *doc, const yaml_node_t *node, size_t i)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return node;
	return yaml_document_get_node(&doc->document, node->data.sequence.items.start[i]);
}
