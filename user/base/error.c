// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int error__set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

int error__prefix(struct error *err, const char *format, ...)
{
	char rest[sizeof(err->text)];
	va_list args;
	size_t n;

	memcpy(rest, err->text, sizeof(rest));
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %.*s", (int)(sizeof(rest) - n - 3), rest);
	return err->code;
}
