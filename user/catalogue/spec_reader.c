// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "catalogue/operand_reader.h"
#include "catalogue/readers.h"
#include "tmtrace/addb.h"

_Static_assert(sizeof(struct tm_size) == 24 && sizeof(struct tm_object_spec) == 16 &&
		       sizeof(struct tm_spec) == 200,
	       "the BPF side reads these by layout");

const struct tm_spec spec_reader__default = {
	.fail = TM_FAIL_NEVER,
	.return_width = 4,
	.return_signed = 1,
};

/* Of a call: without anything else in hand. */
static int read_operand(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			enum operand_rule rule, struct tm_operand *out, struct error *err)
{
	return operand_reader__read(doc, node, what, rule, NULL, out, err);
}

static int read_product(struct yaml_doc *doc, const yaml_node_t *node, struct tm_size *size,
			struct error *err)
{
	int ret;

	if (node->type != YAML_SEQUENCE_NODE || yaml_doc__n_items(node) != 2)
		return yaml_doc__fail(
			doc, node, err,
			"product needs a list of two operands, as in [arg3.s32, arg4]");
	size->kind = TM_SIZE_PRODUCT;
	ret = read_operand(doc, yaml_doc__item(doc, node, 0), "product", ANY_OPERAND, &size->a,
			   err);
	if (ret < 0)
		return ret;
	return read_operand(doc, yaml_doc__item(doc, node, 1), "product", ANY_OPERAND, &size->b,
			    err);
}

/* One item offset or two; the numbers of an item must lie inside it. */
static int read_item_offsets(struct yaml_doc *doc, const yaml_node_t *node, struct tm_size *size,
			     struct error *err)
{
	const long max = (long)size->stride - size->item_width;
	long first, second;
	size_t n = yaml_doc__n_items(node);
	int ret;

	if (n < 1 || n > 2)
		return yaml_doc__fail(doc, node, err,
				      "offset has %zu numbers, one or two are needed", n);
	ret = yaml_doc__read_number(doc, yaml_doc__item(doc, node, 0), "offset", 0, max, &first,
				    err);
	if (ret < 0)
		return ret;
	size->item_offset[0] = (__u16)first;
	if (n == 1)
		return 0;
	ret = yaml_doc__read_number(doc, yaml_doc__item(doc, node, 1), "offset", first + 1, max,
				    &second, err);
	if (ret == 0)
		size->item_offset[1] = (__u16)second;
	return ret;
}

/* The key when of a sum: complete, or nothing. */
static int read_when(struct yaml_doc *doc, const yaml_node_t *node, struct tm_size *size,
		     struct error *err)
{
	const char *text;
	int ret = yaml_doc__read_text(doc, node, "when", &text, err);

	if (ret == 0 && strcmp(text, "complete") != 0)
		ret = yaml_doc__fail(doc, node, err, "when is %s, known is: complete",
				     yaml_doc__quote(text).text);
	size->kind = TM_SIZE_BROUGHT;
	return ret;
}

static int read_sum(struct yaml_doc *doc, const yaml_node_t *size_node, struct tm_size *size,
		    struct error *err)
{
	static const char *const known[] = { "sum",   "count", "stride", "offset",
					     "width", "when",  NULL };
	const yaml_node_t *when = yaml_doc__get(doc, size_node, "when");
	const yaml_node_t *count = yaml_doc__get(doc, size_node, "count");
	const yaml_node_t *stride = yaml_doc__get(doc, size_node, "stride");
	const yaml_node_t *width = yaml_doc__get(doc, size_node, "width");
	const yaml_node_t *offset = yaml_doc__get(doc, size_node, "offset");
	long number = 8;
	int ret;

	ret = yaml_doc__check_keys(doc, size_node, "a size of kind sum", known, err);
	if (ret < 0)
		return ret;
	if (!count || !stride)
		return yaml_doc__fail(
			doc, size_node, err,
			"a size of kind sum has no %s, it needs count (an operand) and "
			"stride (bytes from item to item)",
			count ? "stride" : "count");
	size->kind = TM_SIZE_SUM;
	ret = read_operand(doc, yaml_doc__get(doc, size_node, "sum"), "sum", NO_CONSTANT, &size->a,
			   err);
	if (ret == 0)
		ret = read_operand(doc, count, "count", ANY_OPERAND, &size->b, err);
	if (ret == 0 && width)
		ret = yaml_doc__read_number(doc, width, "width", 4, 8, &number, err);
	if (ret == 0 && number != 4 && number != 8)
		ret = yaml_doc__fail(doc, width, err, "width is %ld, 4 or 8 bytes are needed",
				     number);
	if (ret < 0)
		return ret;
	size->item_width = (__u8)number;
	ret = yaml_doc__read_number(doc, stride, "stride", number, USHRT_MAX, &number, err);
	if (ret < 0)
		return ret;
	size->stride = (__u16)number;
	if (when)
		ret = read_when(doc, when, size, err);
	if (ret < 0)
		return ret;
	return offset ? read_item_offsets(doc, offset, size, err) : 0;
}

/* A size that is one operand, under the key of its kind. */
static int read_single(struct yaml_doc *doc, const yaml_node_t *node, const char *kind,
		       struct tm_size *size, struct error *err)
{
	const char *const known[] = { kind, NULL };
	int ret;

	ret = yaml_doc__check_keys(doc, node, "a size of this kind", known, err);
	if (ret < 0)
		return ret;
	if (strcmp(kind, "product") == 0)
		return read_product(doc, yaml_doc__get(doc, node, kind), size, err);
	size->kind = strcmp(kind, "delta") == 0 ? TM_SIZE_DELTA : TM_SIZE_AFTER;
	return read_operand(doc, yaml_doc__get(doc, node, kind), kind, ONLY_MEMORY, &size->a, err);
}

static int read_size(struct yaml_doc *doc, const yaml_node_t *node, struct tm_size *size,
		     struct error *err)
{
	static const char *const kinds[] = { "product", "delta", "after" };
	const char *text;
	int ret;

	memset(size, 0, sizeof(*size));
	if (node->type == YAML_MAPPING_NODE) {
		if (yaml_doc__get(doc, node, "sum"))
			return read_sum(doc, node, size, err);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			if (yaml_doc__get(doc, node, kinds[i]))
				return read_single(doc, node, kinds[i], size, err);
		}
	}
	if (node->type != YAML_SCALAR_NODE)
		return yaml_doc__fail(
			doc, node, err,
			"size is of no known kind; it is an operand, return, none, or a "
			"mapping with product, sum, delta or after");
	ret = yaml_doc__read_text(doc, node, "size", &text, err);
	if (ret < 0 || strcmp(text, "none") == 0)
		return ret;
	size->kind = strcmp(text, "return") == 0 ? TM_SIZE_RETURN : TM_SIZE_VALUE;
	if (size->kind == TM_SIZE_RETURN)
		return 0;
	return read_operand(doc, node, "size", ANY_OPERAND, &size->a, err);
}

static int read_object(struct yaml_doc *doc, const yaml_node_t *node, struct tm_object_spec *object,
		       struct error *err)
{
	static const char *const known[] = { "value", "u128", "u128be", "string", "handle", NULL };
	static const __u8 kinds[] = { TM_OBJECT_VALUE, TM_OBJECT_U128, TM_OBJECT_U128,
				      TM_OBJECT_STRING, TM_OBJECT_HANDLE };
	const yaml_node_t *operand = NULL;
	size_t k;
	int ret;

	memset(object, 0, sizeof(*object));
	if (node->type == YAML_SCALAR_NODE && strcmp((char *)node->data.scalar.value, "none") == 0)
		return 0;
	ret = yaml_doc__check_keys(doc, node, "object", known, err);
	if (ret < 0)
		return ret;
	if (yaml_doc__n_pairs(node) != 1)
		return yaml_doc__fail(doc, node, err,
				      "object needs exactly one of value, u128, u128be, string and "
				      "handle");
	for (k = 0; known[k] && !operand; k++)
		operand = yaml_doc__get(doc, node, known[k]);
	object->kind = kinds[k - 1];
	object->big_endian = strcmp(known[k - 1], "u128be") == 0;
	return read_operand(doc, operand, "object", NO_CONSTANT, &object->a, err);
}

static int read_access(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
		       struct error *err)
{
	static const char *const names[] = { "read", "write", NULL };
	int choice = yaml_doc__read_choice(doc, node, "access", names, err);

	if (choice >= 0)
		spec->access = choice ? TM_ACCESS_WRITE : TM_ACCESS_READ;
	return choice < 0 ? choice : 0;
}

static int read_fail(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
		     struct error *err)
{
	static const char *const names[] = {
		[TM_FAIL_NEVER] = "never",	 [TM_FAIL_NEGATIVE_ERRNO] = "negative-errno",
		[TM_FAIL_NEGATIVE] = "negative", [TM_FAIL_NONZERO] = "nonzero",
		[TM_FAIL_NULL] = "null",	 NULL,
	};
	int choice = yaml_doc__read_choice(doc, node, "fail", names, err);

	if (choice >= 0)
		spec->fail = (__u8)choice;
	return choice < 0 ? choice : 0;
}

static int read_returns(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			struct error *err)
{
	static const struct {
		const char *name;
		__u8 width, is_signed;
	} types[] = { { "void", 0, 0 }, { "u8", 1, 0 },	 { "s32", 4, 1 },
		      { "u32", 4, 0 },	{ "s64", 8, 1 }, { "u64", 8, 0 } };
	const char *names[sizeof(types) / sizeof(types[0]) + 1] = { NULL };
	int choice;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		names[i] = types[i].name;
	choice = yaml_doc__read_choice(doc, node, "returns", names, err);
	if (choice < 0)
		return choice;
	spec->return_width = types[choice].width;
	spec->return_signed = types[choice].is_signed;
	return 0;
}

static int read_addb(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
		     struct error *err)
{
	static const char *const names[] = {
		[TM_ADDB_CONSUME - 1] = "consume", [TM_ADDB_ADD - 1] = "add",
		[TM_ADDB_PUSH - 1] = "push",	   [TM_ADDB_POP - 1] = "pop",
		[TM_ADDB_MODIFY - 1] = "modify",   [TM_ADDB_ROLES - 1] = NULL,
	};
	int choice = yaml_doc__read_choice(doc, node, "addb2", names, err);

	if (choice >= 0)
		spec->addb = (__u8)(choice + 1);
	return choice < 0 ? choice : 0;
}

int spec_reader__read_result(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
			     struct error *err)
{
	const yaml_node_t *fail = yaml_doc__get(doc, node, "fail");
	const yaml_node_t *returns = yaml_doc__get(doc, node, "returns");
	int ret = 0;

	if (returns)
		ret = read_returns(doc, returns, spec, err);
	if (ret == 0 && fail)
		ret = read_fail(doc, fail, spec, err);
	else if (ret == 0 && returns && !spec->return_width)
		spec->fail = TM_FAIL_NEVER; /* whatever the defaults say */
	return ret;
}

/* A reading that would silently give wrong numbers is refused. */
static int check_result(struct yaml_doc *doc, const yaml_node_t *node, const struct tm_spec *spec,
			struct error *err)
{
	bool negative = spec->fail == TM_FAIL_NEGATIVE || spec->fail == TM_FAIL_NEGATIVE_ERRNO;

	if (!spec->return_width && spec->fail != TM_FAIL_NEVER)
		return yaml_doc__fail(doc, node, err,
				      "the function returns void and cannot fail, set fail: never");
	if (!spec->return_width && spec->size.kind == TM_SIZE_RETURN)
		return yaml_doc__fail(
			doc, node, err,
			"size is the return value of a function that returns void, set "
			"returns");
	if (negative && !spec->return_signed)
		return yaml_doc__fail(
			doc, node, err,
			"fail asks for a negative value of an unsigned type, set returns "
			"to s32 or s64, or fail");
	return 0;
}

int spec_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_spec *spec,
		      struct error *err)
{
	const yaml_node_t *size = yaml_doc__get(doc, node, "size");
	const yaml_node_t *object = yaml_doc__get(doc, node, "object");
	const yaml_node_t *access = yaml_doc__get(doc, node, "access");
	const yaml_node_t *calls_back = yaml_doc__get(doc, node, "calls_back");
	const yaml_node_t *addb = yaml_doc__get(doc, node, "addb2");
	bool flag = spec->calls_back;
	int ret;

	ret = spec_reader__read_result(doc, node, spec, err);
	if (ret == 0 && calls_back)
		ret = yaml_doc__read_bool(doc, calls_back, "calls_back", &flag, err);
	spec->calls_back = flag;
	if (ret == 0 && access)
		ret = read_access(doc, access, spec, err);
	if (ret == 0 && size)
		ret = read_size(doc, size, &spec->size, err);
	if (ret == 0 && object)
		ret = read_object(doc, object, &spec->object, err);
	if (ret == 0 && addb)
		ret = read_addb(doc, addb, spec, err);
	return ret < 0 ? ret : check_result(doc, node, spec, err);
}
