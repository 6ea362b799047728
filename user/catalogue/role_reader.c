// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "catalogue/operand_reader.h"
#include "catalogue/readers.h"

_Static_assert(sizeof(struct tm_role) == 64, "the BPF side reads it by layout");

/* What an operand may be counted from, beside arguments. */
#define THE_OPERATION "op"
#define THE_ITEM      "item"

/* The value of a key that must be there; NULL with err set. */
static const yaml_node_t *need(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			       const char *key, struct error *err)
{
	const yaml_node_t *value = yaml_doc__get(doc, node, key);

	if (!value)
		yaml_doc__fail(doc, node, err, "%s has no %s", what, key);
	return value;
}

/* A role that may be the operation alone. */
static int read_address(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			struct tm_role *role, struct error *err)
{
	const yaml_node_t *operation = node;

	if (node->type == YAML_MAPPING_NODE)
		operation = need(doc, node, what, "operation", err);
	if (!operation)
		return -EINVAL;
	return operand_reader__read(doc, operation, "operation", NO_CONSTANT, NULL,
				    &role->operation, err);
}

static int read_launch(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		       const char **layer, struct error *err)
{
	static const char *const known[] = { "operation", NULL };
	int ret = 0;

	(void)layer;
	if (node->type == YAML_MAPPING_NODE)
		ret = yaml_doc__check_keys(doc, node, "launches", known, err);
	return ret < 0 ? ret : read_address(doc, node, "launches", role, err);
}

static int read_forget(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		       const char **layer, struct error *err)
{
	static const char *const known[] = { "operation", NULL };
	int ret = 0;

	(void)layer;
	if (node->type == YAML_MAPPING_NODE)
		ret = yaml_doc__check_keys(doc, node, "forgets", known, err);
	return ret < 0 ? ret : read_address(doc, node, "forgets", role, err);
}

/* How a result says failure: errno: negative (default) or positive. */
static int read_errno(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		      struct error *err)
{
	static const char *const names[] = { "negative", "positive", NULL };
	int choice = yaml_doc__read_choice(doc, node, "errno", names, err);

	if (choice > 0)
		role->flags |= TM_ROLE_POSITIVE;
	return choice < 0 ? choice : 0;
}

/* The keys result and errno, of a role that knows when an operation is complete. */
static int read_result(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		       struct error *err)
{
	const yaml_node_t *result = yaml_doc__get(doc, node, "result");
	const yaml_node_t *sign = yaml_doc__get(doc, node, "errno");
	int ret = 0;

	if (result)
		ret = operand_reader__read(doc, result, "result", NO_CONSTANT, THE_OPERATION,
					   &role->result, err);
	/* By the time a poll returns its arguments are gone. */
	if (ret == 0 && result && role->kind == TM_ROLE_POLL && role->result.arg != TM_ARG_BASE)
		ret = yaml_doc__fail(doc, result, err,
				     "result of polls is read from the operation when the call "
				     "returns, write it as \"[op+28].s32\"");
	if (ret == 0 && sign)
		ret = read_errno(doc, sign, role, err);
	return ret;
}

static int read_complete(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
			 const char **layer, struct error *err)
{
	static const char *const known[] = { "operation", "result", "errno", NULL };
	int ret = 0;

	(void)layer;
	if (node->type == YAML_MAPPING_NODE)
		ret = yaml_doc__check_keys(doc, node, "completes", known, err);
	if (ret == 0)
		ret = read_address(doc, node, "completes", role, err);
	return ret < 0 ? ret : read_result(doc, node, role, err);
}

static int read_step(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		     const char **layer, struct error *err)
{
	static const char *const known[] = { "operation", "step", "layer", NULL };
	const yaml_node_t *step, *name;
	int ret;

	ret = yaml_doc__check_keys(doc, node, "adds_step", known, err);
	if (ret == 0)
		ret = read_address(doc, node, "adds_step", role, err);
	if (ret < 0)
		return ret;
	step = need(doc, node, "adds_step", "step", err);
	name = step ? need(doc, node, "adds_step", "layer", err) : NULL;
	if (!step || !name)
		return -EINVAL;
	ret = operand_reader__read(doc, step, "step", NO_CONSTANT, NULL, &role->other, err);
	return ret < 0 ? ret : yaml_doc__read_text(doc, name, "layer", layer, err);
}

/* The items that a poll goes through. */
static int read_items(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		      struct error *err)
{
	const yaml_node_t *count = need(doc, node, "polls with items", "count", err);
	const yaml_node_t *stride =
		count ? need(doc, node, "polls with items", "stride", err) : NULL;
	long number = 0;
	int ret;

	if (!count || !stride)
		return -EINVAL;
	ret = operand_reader__read(doc, yaml_doc__get(doc, node, "items"), "items", NO_CONSTANT,
				   NULL, &role->other, err);
	if (ret == 0)
		ret = operand_reader__read(doc, count, "count", ANY_OPERAND, NULL, &role->count,
					   err);
	if (ret == 0)
		ret = yaml_doc__read_number(doc, stride, "stride", 1, USHRT_MAX, &number, err);
	role->stride = (__u16)number;
	return ret;
}

static int read_states(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
		       struct tm_role *role, struct error *err)
{
	size_t n = yaml_doc__n_items(node);
	long number;
	int ret = 0;

	if (n < 1 || n > TM_ROLE_STATES)
		return yaml_doc__fail(doc, node, err, "%s has %zu numbers, 1 to %d are possible",
				      what, n, TM_ROLE_STATES);
	for (size_t i = 0; ret == 0 && i < n; i++) {
		ret = yaml_doc__read_number(doc, yaml_doc__item(doc, node, i), what, 0, INT_MAX,
					    &number, err);
		if (ret == 0)
			role->states[role->n_states++] = (__s32)number;
	}
	return ret;
}

/* The state of a poll's operation: in the item, where there are items, or in the operation. */
static int read_state_operand(struct yaml_doc *doc, const yaml_node_t *state, struct tm_role *role,
			      bool has_items, struct error *err)
{
	const char *base = has_items ? THE_ITEM : THE_OPERATION, *text;
	int ret = yaml_doc__read_text(doc, state, "state", &text, err);

	if (ret == 0 && has_items &&
	    strncmp(text, "[" THE_OPERATION, strlen("[" THE_OPERATION)) == 0) {
		base = THE_OPERATION;
		role->flags |= TM_ROLE_OWN_STATE;
	}
	if (ret == 0)
		ret = operand_reader__read(doc, state, "state", ONLY_MEMORY, base, &role->state,
					   err);
	if (ret == 0 &&
	    (role->state.arg != TM_ARG_BASE || (has_items && role->operation.arg != TM_ARG_BASE)))
		ret = yaml_doc__fail(doc, state, err,
				     "state of polls%s is read when the call returns, write it as "
				     "\"[%s+8].s32\"",
				     has_items ? " with items, and operation," : "", base);
	return ret;
}

/* Where a poll's operation is, and what its state must be. */
static int read_state(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		      bool has_items, struct error *err)
{
	const yaml_node_t *operation = need(doc, node, "polls", "operation", err);
	const yaml_node_t *state = operation ? need(doc, node, "polls", "state", err) : NULL;
	const yaml_node_t *done = yaml_doc__get(doc, node, "done");
	const yaml_node_t *pending = yaml_doc__get(doc, node, "pending");
	int ret;

	if (!operation || !state)
		return -EINVAL;
	if (!done == !pending)
		return yaml_doc__fail(doc, node, err,
				      "polls needs either done or pending: the states of what is "
				      "complete, or of what is not");
	ret = operand_reader__read(doc, operation, "operation", NO_CONSTANT,
				   has_items ? THE_ITEM : NULL, &role->operation, err);
	if (ret == 0)
		ret = read_state_operand(doc, state, role, has_items, err);
	if (pending)
		role->flags |= TM_ROLE_PENDING;
	return ret < 0 ? ret
		       : read_states(doc, done ? done : pending, done ? "done" : "pending", role,
				     err);
}

static int read_poll(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		     const char **layer, struct error *err)
{
	static const char *const known[] = { "items", "count",	 "stride", "operation", "state",
					     "done",  "pending", "result", "errno",	NULL };
	bool has_items;
	int ret;

	(void)layer;
	ret = yaml_doc__check_keys(doc, node, "polls", known, err);
	if (ret < 0)
		return ret;
	has_items = yaml_doc__get(doc, node, "items") != NULL;
	if (!has_items && (yaml_doc__get(doc, node, "count") || yaml_doc__get(doc, node, "stride")))
		return yaml_doc__fail(doc, node, err,
				      "polls has count or stride, but no items that they are of");
	if (has_items)
		ret = read_items(doc, node, role, err);
	if (ret == 0)
		ret = read_state(doc, node, role, has_items, err);
	return ret < 0 ? ret : read_result(doc, node, role, err);
}

static const struct {
	const char *key;
	enum tm_role_kind kind;
	int (*read)(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		    const char **layer, struct error *err);
} roles[] = {
	{ "launches", TM_ROLE_LAUNCH, read_launch },
	{ "adds_step", TM_ROLE_STEP, read_step },
	{ "polls", TM_ROLE_POLL, read_poll },
	{ "completes", TM_ROLE_COMPLETE, read_complete },
	{ "forgets", TM_ROLE_FORGET, read_forget },
};

int role_reader__read(struct yaml_doc *doc, const yaml_node_t *node, struct tm_role *role,
		      const char **layer, struct error *err)
{
	*layer = NULL;
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		const yaml_node_t *value = yaml_doc__get(doc, node, roles[i].key);
		int ret;

		if (!value)
			continue;
		if (role->kind)
			return yaml_doc__fail(doc, value, err,
					      "a function has one role in operations: one of "
					      "launches, adds_step, polls, completes, forgets");
		role->kind = roles[i].kind;
		ret = roles[i].read(doc, value, role, layer, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}
