// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/operand.h"

#define MAX_ARG 14

static int fail(const char **reason, const char *text)
{
	*reason = text;
	return -EINVAL;
}

/* An unsigned number, decimal or 0x, at *text, which then points behind it. */
static int take_number(const char **text, __s32 *out, const char **reason)
{
	bool hex = strncmp(*text, "0x", 2) == 0;
	const char *start = *text + (hex ? 2 : 0);
	unsigned long value;
	char *end;

	/* strtoul() alone would take blanks and signs. */
	if (hex ? !isxdigit((unsigned char)*start) : !isdigit((unsigned char)*start))
		return fail(reason, "a number is missing");
	errno = 0;
	value = strtoul(start, &end, hex ? 16 : 10);
	if (errno || value > INT_MAX)
		return fail(reason, "the number is larger than 2147483647");
	*text = end;
	*out = (__s32)value;
	return 0;
}

static int take_arg(const char **text, const char *base, struct tm_operand *out,
		    const char **reason)
{
	size_t len = base ? strlen(base) : 0;
	__s32 arg;
	int ret;

	if (len && strncmp(*text, base, len) == 0) {
		*text += len;
		out->arg = TM_ARG_BASE;
		return 0;
	}
	if (strncmp(*text, "arg", 3) != 0 || !isdigit((unsigned char)(*text)[3]))
		return fail(reason, "it does not begin with arg1 to arg14");
	*text += 3;
	ret = take_number(text, &arg, reason);
	if (ret < 0 || arg < 1 || arg > MAX_ARG)
		return fail(reason, "arguments are arg1 to arg14");
	out->arg = (__u8)arg;
	return 0;
}

/* "+8", "-8" or nothing. */
static int take_offset(const char **text, struct tm_operand *out, const char **reason)
{
	char sign = **text;
	int ret;

	if (sign != '+' && sign != '-')
		return 0;
	++*text;
	ret = take_number(text, &out->offset, reason);
	if (ret == 0 && sign == '-')
		out->offset = -out->offset;
	return ret;
}

/* ".s32" or nothing. */
static int take_type(const char **text, struct tm_operand *out, const char **reason)
{
	static const struct {
		const char *name;
		size_t len;
		__u8 width;
	} types[] = { { "8", 1, 1 }, { "16", 2, 2 }, { "32", 2, 4 }, { "64", 2, 8 } };

	if (**text != '.')
		return 0;
	if ((*text)[1] != 'u' && (*text)[1] != 's')
		return fail(reason, "types are u8, u16, u32, u64, s8, s16, s32, s64");
	out->is_signed = (*text)[1] == 's';
	*text += 2;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strncmp(*text, types[i].name, types[i].len) != 0)
			continue;
		*text += types[i].len;
		out->width = types[i].width;
		return 0;
	}
	return fail(reason, "types are u8, u16, u32, u64, s8, s16, s32, s64");
}

/* "argN+offset].type", behind the opening bracket. */
static int take_memory(const char **text, const char *base, struct tm_operand *out,
		       const char **reason)
{
	int ret;

	out->memory = 1;
	ret = take_arg(text, base, out, reason);
	if (ret == 0)
		ret = take_offset(text, out, reason);
	if (ret < 0)
		return ret;
	if (**text != ']')
		return fail(reason,
			    "the bracket holds an argument and an offset, as in [arg1+120]");
	++*text;
	return take_type(text, out, reason);
}

int operand__parse(const char *text, const char *base, struct tm_operand *out, const char **reason)
{
	int ret;

	memset(out, 0, sizeof(*out));
	out->width = 8;
	if (*text == '[') {
		text++;
		ret = take_memory(&text, base, out, reason);
	} else if (isdigit((unsigned char)*text)) {
		ret = take_number(&text, &out->offset, reason);
	} else {
		ret = take_arg(&text, base, out, reason);
		if (ret == 0)
			ret = take_type(&text, out, reason);
		if (ret == 0)
			ret = take_offset(&text, out, reason);
	}
	if (ret < 0)
		return ret;
	if (*text)
		return fail(reason, "something follows that does not belong to it");
	return 0;
}
