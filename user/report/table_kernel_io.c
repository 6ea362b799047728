// SPDX-License-Identifier: GPL-2.0-only
#include "base/units.h"
#include "report/kernel_io.h"
#include "report/table_kernel_io.h"
#include "report/title.h"

static void print_calls(FILE *out, const char *what, __u64 calls, __u64 bytes)
{
	char count[UNITS_ROOM], text[UNITS_ROOM];

	fprintf(out, "%s %s%s, %s", units__count(count, calls), what, calls == 1 ? "" : "s",
		units__bytes(text, bytes));
}

static void subtract(struct tm_task_io *io, const struct snapshot *snapshot, size_t first,
		     size_t end)
{
	struct tm_task_io one;

	for (size_t i = first; i < end; i++) {
		if (!snapshot->before[i] || !kernel_io__of(&one, &snapshot->before[i]->total))
			continue;
		for (int count = 0; count < TM_TASK_IO_COUNTS; count++)
			io->count[count] -= one.count[count];
	}
}

bool table_kernel_io__print(const struct table_options *options, const struct snapshot *snapshot,
			    size_t first, size_t end, bool interval)
{
	struct tm_task_io io;
	FILE *out = options->out;
	char text[UNITS_ROOM];

	if (!kernel_io__sum(&io, snapshot, first, end))
		return false;
	if (interval)
		subtract(&io, snapshot, first, end);
	if (!kernel_io__any(&io))
		return false;
	title__heading(options, "kernel_io");
	fprintf(out, ": what the kernel has counted, on files and all else: ");
	print_calls(out, "read", io.count[TM_TASK_IO_SYSCR], io.count[TM_TASK_IO_RCHAR]);
	fprintf(out, "; ");
	print_calls(out, "write", io.count[TM_TASK_IO_SYSCW], io.count[TM_TASK_IO_WCHAR]);
	fprintf(out, "\n  from storage %s", units__bytes(text, io.count[TM_TASK_IO_READ_BYTES]));
	fprintf(out, ", to storage %s", units__bytes(text, io.count[TM_TASK_IO_WRITE_BYTES]));
	if (io.count[TM_TASK_IO_CANCELLED_BYTES])
		fprintf(out, ", of which %s were truncated before",
			units__bytes(text, io.count[TM_TASK_IO_CANCELLED_BYTES]));
	fputc('\n', out);
	return true;
}
