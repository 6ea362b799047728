// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "kernel/load_log.h"

/* libbpf hands its callback no context. */
static _Thread_local char lacking[128], refused[64];
static _Thread_local int shortage;

/* "failed to resolve CO-RE relocation <byte_off> [262] struct io_kiocb.opcode (0:1 @ offset 8)" */
static void look_for_lacking(const char *text)
{
	static const char said[] = "failed to resolve CO-RE relocation ";
	const char *p = strstr(text, said);
	size_t n;

	p = p ? strstr(p, "] ") : NULL;
	if (!p || *lacking)
		return;
	p += 2;
	n = strcspn(p, "(\n");
	while (n && p[n - 1] == ' ')
		n--;
	snprintf(lacking, sizeof(lacking), "%.*s", (int)n, p);
}

/* "prog 'syscall_exit': -- BEGIN PROG LOAD LOG --": only where the verifier has said something */
static void look_for_refused(const char *text)
{
	static const char before[] = "prog '", after[] = "': -- BEGIN PROG LOAD LOG --";
	const char *end = strstr(text, after), *begin = strstr(text, before);

	if (!end || !begin || begin > end || *refused)
		return;
	begin += strlen(before);
	snprintf(refused, sizeof(refused), "%.*s", (int)(end - begin), begin);
}

/*
 * "failed to create map: Too many open files(-24)", "failed to load object: -24"; a verifier's
 * "(r10 -24)" is none.
 */
static void look_for_shortage(const char *text)
{
	static const int codes[] = { EMFILE, ENFILE };
	static const char *const forms[] = { "(-%d)", ": -%d\n" };
	char said[16];

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		for (size_t k = 0; !shortage && k < sizeof(forms) / sizeof(*forms); k++) {
			snprintf(said, sizeof(said), forms[k], codes[i]);
			if (strstr(text, said))
				shortage = -codes[i];
		}
		if (!shortage && strstr(text, strerror(codes[i])))
			shortage = -codes[i];
	}
}

static int print_line(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text = NULL;
	int n = 0;

	if (level == LIBBPF_DEBUG || vasprintf(&text, format, args) < 0)
		return 0;
	look_for_lacking(text);
	look_for_refused(text);
	look_for_shortage(text);
	if (getenv("TMTRACE_DEBUG"))
		n = fputs(text, stderr);
	free(text);
	return n;
}

void load_log__begin(void)
{
	*lacking = *refused = '\0';
	shortage = 0;
	libbpf_set_print(print_line);
}

const char *load_log__lacking(void)
{
	return *lacking ? lacking : NULL;
}

int load_log__shortage(void)
{
	return shortage;
}

const char *load_log__refused(void)
{
	return *refused ? refused : NULL;
}
