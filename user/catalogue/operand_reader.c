// SPDX-License-Identifier: GPL-2.0-only
#include "catalogue/operand.h"
#include "catalogue/operand_reader.h"

int operand_reader__read(struct yaml_doc *doc, const yaml_node_t *node, const char *what,
			 enum operand_rule rule, const char *base, struct tm_operand *out,
			 struct error *err)
{
	const char *text, *reason;
	int ret;

	ret = yaml_doc__read_text(doc, node, what, &text, err);
	if (ret < 0)
		return ret;
	if (operand__parse(text, base, out, &reason) < 0)
		return yaml_doc__fail(doc, node, err,
				      "bad operand %s in %s, %s; valid are arg3, arg3.s32, arg1+8 "
				      "and \"[arg1+120].u64\"%s%s%s",
				      yaml_doc__quote(text).text, what, reason,
				      base ? ", and here " : "", base ? base : "",
				      base ? " as well as arg1" : "");
	if (rule == ONLY_MEMORY && !out->memory)
		return yaml_doc__fail(doc, node, err,
				      "%s is %s, only memory changes during a call; write it as "
				      "\"[arg1+120]\"",
				      what, yaml_doc__quote(text).text);
	if (rule != ANY_OPERAND && !out->arg)
		return yaml_doc__fail(doc, node, err,
				      "%s is the constant %s, an argument is needed", what,
				      yaml_doc__quote(text).text);
	return 0;
}
