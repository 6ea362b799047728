// SPDX-License-Identifier: GPL-2.0-only
/* Prints the shared table as JSON: the sum over all processes, then each process. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"
#include "truth_table.h"

static void add_codes(struct truth_slot *sum, const struct truth_slot *s)
{
	for (int i = 0; i < TRUTH_CODES && s->codes[i].code; i++) {
		for (int k = 0; k < TRUTH_CODES; k++) {
			if (sum->codes[k].code && sum->codes[k].code != s->codes[i].code)
				continue;
			sum->codes[k].code = s->codes[i].code;
			sum->codes[k].count += s->codes[i].count;
			break;
		}
	}
}

static void add(struct truth_slot *sum, const struct truth_slot *s)
{
	sum->is_errno = sum->is_errno || s->is_errno;
	sum->calls += s->calls;
	sum->returns += s->returns;
	sum->errors += s->errors;
	sum->bytes += s->bytes;
	sum->sized += s->sized;
	sum->inherited_returns += s->inherited_returns;
	sum->total_ns += s->total_ns;
	if (s->min_ns < sum->min_ns)
		sum->min_ns = s->min_ns;
	if (s->max_ns > sum->max_ns)
		sum->max_ns = s->max_ns;
	add_codes(sum, s);
}

static void print_codes(FILE *out, const struct truth_slot *s)
{
	for (int i = 0; i < TRUTH_CODES && s->codes[i].code; i++) {
		int64_t code = s->codes[i].code;
		const char *name = s->is_errno ? strerrorname_np((int)code) : NULL;

		fputs(i ? "," : "", out);
		if (name)
			fprintf(out, "\"%s\":", name);
		else
			fprintf(out, "\"%" PRId64 "\":", code);
		fprintf(out, "%" PRIu64, s->codes[i].count);
	}
}

static void print_slot(FILE *out, const struct truth_slot *s, bool first)
{
	fprintf(out, "%s\n{\"layer\":\"%s\",\"function\":\"%s\"", first ? "" : ",", s->layer,
		s->function);
	fprintf(out, ",\"calls\":%" PRIu64 ",\"returns\":%" PRIu64, s->calls, s->returns);
	if (s->inherited_returns)
		fprintf(out, ",\"inherited_returns\":%" PRIu64, s->inherited_returns);
	fprintf(out, ",\"errors\":%" PRIu64 ",\"errors_by\":{", s->errors);
	print_codes(out, s);
	fprintf(out, "},\"bytes\":%" PRIu64 ",\"sized\":%" PRIu64, s->bytes, s->sized);
	fprintf(out, ",\"total_ns\":%" PRIu64, s->total_ns);
	fprintf(out, ",\"min_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 "}", s->returns ? s->min_ns : 0,
		s->max_ns);
}

static int by_name(const void *a, const void *b)
{
	const struct truth_slot *x = *(struct truth_slot *const *)a;
	const struct truth_slot *y = *(struct truth_slot *const *)b;
	int order = strcmp(x->layer, y->layer);

	if (!order)
		order = strcmp(x->function, y->function);
	return order ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

static int by_process(const void *a, const void *b)
{
	const struct truth_slot *x = *(struct truth_slot *const *)a;
	const struct truth_slot *y = *(struct truth_slot *const *)b;

	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) : by_name(a, b);
}

static void print_sums(FILE *out, struct truth_slot **used, size_t n)
{
	fputs("\"functions\":[", out);
	for (size_t i = 0, next; i < n; i = next) {
		struct truth_slot sum = { .min_ns = UINT64_MAX };

		memcpy(sum.layer, used[i]->layer, sizeof(sum.layer));
		memcpy(sum.function, used[i]->function, sizeof(sum.function));
		for (next = i; next < n && !strcmp(used[next]->layer, sum.layer) &&
			       !strcmp(used[next]->function, sum.function);
		     next++)
			add(&sum, used[next]);
		print_slot(out, &sum, i == 0);
	}
	fputs("]", out);
}

static void print_processes(FILE *out, struct truth_slot **used, size_t n)
{
	fputs(",\n\"processes\":[", out);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || used[i]->pid != used[i - 1]->pid;

		if (first)
			fprintf(out, "%s{\"pid\":%d,\"functions\":[", i ? "]},\n" : "",
				used[i]->pid);
		print_slot(out, used[i], first);
	}
	fputs(n ? "]}]" : "]", out);
}

void truth_print(FILE *out)
{
	struct truth_table *t = truth_table();
	struct truth_slot **used = calloc(TRUTH_SLOTS, sizeof(*used));
	size_t n = 0;

	for (int i = 0; t && used && i < TRUTH_SLOTS; i++)
		if (t->slots[i].state == TRUTH_READY)
			used[n++] = &t->slots[i];
	if (n)
		qsort(used, n, sizeof(*used), by_name);
	print_sums(out, used, n);
	if (n)
		qsort(used, n, sizeof(*used), by_process);
	print_processes(out, used, n);
	fprintf(out, ",\n\"unwound\":%" PRIu64, t ? t->unwound : 0);
	fprintf(out, ",\"killed\":%" PRIu64 ",\"lost\":%" PRIu64, t ? t->killed : 0,
		t ? t->lost : 0);
	free(used);
}
