// SPDX-License-Identifier: GPL-2.0-only
#include "report/table_estimate.h"
#include "report/title.h"

/* "3.2 %", "0.041 %" */
static void print_share(FILE *out, double share)
{
	fprintf(out,
		share >= 0.1	 ? "%.0f %%"
		: share >= 0.001 ? "%.1f %%"
				 : "%.2g %%",
		100 * share);
}

static void print_part(FILE *out, const char *what, double share, const char *after)
{
	print_share(out, share);
	fprintf(out, " of the %s%s", what, after);
}

bool table_estimate__print_files(const struct table_options *options,
				 const struct coverage *coverage, bool any_rows)
{
	FILE *out = options->out;

	if (!coverage->missed)
		return false;
	if (any_rows) {
		fprintf(out, "  ~ estimated: ");
	} else {
		title__heading(options, "vfs");
		fprintf(out, ": no file operations were seen: ");
	}
	fprintf(out, "as vfs was parked, or left out, for a part of the time, it saw ");
	print_part(out, "calls that read", coverage__share(coverage, TM_VFS_READ), ", ");
	print_part(out, "calls that write", coverage__share(coverage, TM_VFS_WRITE), ", and ");
	print_share(out, coverage__share(coverage, TM_VFS_OPEN));
	fprintf(out, " of both for all other operations, of those in kernel_io\n");
	return true;
}

void table_estimate__print_calls(const struct table_options *options, const struct table_row *rows,
				 size_t n)
{
	double least = 1, unseen = 0, timed;
	bool known = true;

	for (size_t i = 0; i < n; i++) {
		const struct estimate *estimate = &rows[i].estimate;

		if (estimate->unseen > unseen)
			unseen = estimate->unseen;
		timed = estimate->unseen < 1 ? estimate->coverage / (1 - estimate->unseen) : 1;
		if (timed < least)
			least = timed;
		known &= estimate->known || !estimate->unseen;
	}
	if (least >= 1 && !unseen)
		return;
	fprintf(options->out, "  ~ estimated: ");
	if (unseen) {
		fprintf(options->out, "functions were parked for a part of the time, and one was "
				      "counted for ");
		print_share(options->out, 1 - unseen);
		fprintf(options->out, " of it%s",
			known ? "" : "; what has no ~ is but what was seen");
	} else {
		fprintf(options->out, "all calls were counted");
	}
	if (least < 1 - 1e-9) {
		fprintf(options->out, ", and of a function at least ");
		print_part(options->out, "calls timed", least, "");
	}
	fputc('\n', options->out);
}
