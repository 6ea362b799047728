// SPDX-License-Identifier: GPL-2.0-only

#include "base/clock.h"
#include "base/units.h"
#include "recording/recording_heading.h"
#include "report/title.h"

static void print_time(FILE *out, __u64 time_ns, const char *format)
{
	char text[64];

	fputs(clock__local(text, sizeof(text), time_ns, format), out);
}

static void print_machine(FILE *out, const struct recording *recording)
{
	const struct report_run *run = recording__run(recording);
	const struct recording_about *about = recording__about(recording);

	if (about->user) {
		fprintf(out, "by ");
		title__text(out, about->user);
		fputc(' ', out);
	}
	fprintf(out, "on ");
	title__text(out, run->hostname);
	fprintf(out, ", Linux ");
	title__text(out, run->kernel);
	if (about->cpus)
		fprintf(out, ", %u CPU%s", about->cpus, about->cpus == 1 ? "" : "s");
}

static void print_arguments(FILE *out, char *const *argv)
{
	fprintf(out, "command line:");
	for (; argv && *argv; argv++) {
		fputc(' ', out);
		title__text(out, *argv);
	}
	fputc('\n', out);
}

/* How many ADDB2 records there are, and how many there were. */
static void print_addb(FILE *out, const struct recording *recording)
{
	char there[UNITS_ROOM], were[UNITS_ROOM];
	struct recording_state state;
	struct addb_counts counts;

	recording__state(recording, &state);
	if (!recording__addb_counts(recording, &counts) && !state.addb_records)
		return;
	fprintf(out, "ADDB2 records: %s", units__count(there, state.addb_records));
	if (counts.taken > state.addb_records)
		fprintf(out, " of %s", units__count(were, counts.taken));
	fprintf(out, "; tmtrace dump prints them\n");
}

/* One line for each way in which something is missing. */
static void print_missing(FILE *out, const struct recording *recording)
{
	struct recording_state state;
	struct addb_counts addb;
	const char *events =
		recording__addb_counts(recording, &addb) ? "calls and ADDB2 records" : "calls";
	char text[UNITS_ROOM];

	recording__state(recording, &state);
	if (!state.ended) {
		fprintf(out,
			"its run has not ended, or the end was cut off: figures are those of ");
		print_time(out, recording__snapshot(recording)->time_ns, "%Y-%m-%d %H:%M:%S");
		fputc('\n', out);
	}
	if (state.info.cut)
		fprintf(out, "the file is shorter than it was made\n");
	if (state.losses.damaged_blocks)
		fprintf(out, "damaged: %s blocks\n",
			units__count(text, state.losses.damaged_blocks));
	if (state.unreadable)
		fprintf(out, "damaged: %s entries\n", units__count(text, state.unreadable));
	if (state.other_version) {
		fprintf(out, "single calls or ADDB2 records are of another version of tmtrace (");
		title__text(out, recording__run(recording)->version);
		fprintf(out, "), this one is %s: %s batches are left out\n", TMTRACE_VERSION,
			units__count(text, state.other_version));
	}
	if (state.losses.overwritten)
		fprintf(out, "%s %s were overwritten by newer ones: the file was full\n",
			units__count(text, state.losses.overwritten), events);
	if (state.losses.dropped)
		fprintf(out, "%s %s were not written: the disk was too slow\n",
			units__count(text, state.losses.dropped), events);
}

void recording_heading__print(FILE *out, const char *name, const struct recording *recording)
{
	const struct report_run *run = recording__run(recording);

	title__text(out, name);
	fprintf(out, ": recorded ");
	print_machine(out, recording);
	fprintf(out, ", ");
	print_time(out, run->start_ns, "%Y-%m-%d %H:%M:%S");
	fprintf(out, " to ");
	print_time(out, recording__snapshot(recording)->time_ns, "%H:%M:%S");
	fputc('\n', out);
	print_arguments(out, run->argv);
	print_addb(out, recording);
	print_missing(out, recording);
}
