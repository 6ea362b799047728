// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "output/addb_output.h"
#include "output/recorder.h"

struct addb_output {
	struct addb_reader *reader;
	struct sinks *sinks;
};

static void take_record(void *context, const struct addb_record *record,
			const struct addb_origin *origin)
{
	const struct addb_output *output = context;

	SINKS_TELL(output->sinks, addb, record, origin);
}

int addb_output__start(struct addb_output **out, const struct kernel *kernel, struct sinks *sinks,
		       struct error *err)
{
	struct addb_reader_options options = {
		.jobs = live_run__jobs(sinks->live),
		.take = take_record,
		.filter = sinks->options->addb.filter,
	};
	struct addb_output *output;
	struct kernel_addb maps;

	if (!options.filter || !kernel__addb(kernel, &maps))
		return 0;
	output = calloc(1, sizeof(*output));
	if (!output)
		return error__set(err, -ENOMEM, "no memory");
	*out = output;
	output->sinks = sinks;
	options.context = output;
	options.ring = maps.ring;
	options.ledgers = maps.ledgers;
	options.shards = maps.shards;
	return addb_reader__open(&output->reader, &options, err);
}

int addb_output__fd(const struct addb_output *output)
{
	return output ? addb_reader__fd(output->reader) : -1;
}

int addb_output__drain(struct addb_output *output, bool over, struct error *err)
{
	int ret;

	if (!output)
		return 0;
	ret = addb_reader__drain(output->reader, over, err);
	SINKS_TELL(output->sinks, flush);
	return ret;
}

static void count(const struct addb_output *output, struct addb_counts *counts)
{
	const struct recorder *recorder = output->sinks->recorder;

	addb_reader__count(output->reader, counts);
	counts->large = recorder ? recorder__large_addb(recorder) : 0;
}

void addb_output__record(struct addb_output *output)
{
	struct addb_counts counts;
	struct error told;

	if (!output || !output->sinks->recorder)
		return;
	count(output, &counts);
	SINK_CALL(recorder__sink(output->sinks->recorder), addb_counts, &counts, &told);
}

static void note_losses(const struct addb_counts *counts, struct note_list *notes)
{
	if (counts->kernel.full)
		note_list__add(notes,
			       "%llu of %llu ADDB2 records were lost: there was no room; a larger "
			       "--addb-buffer or fewer identifiers in --addb help",
			       counts->kernel.full, counts->kernel.full + counts->kernel.recorded);
	if (counts->kernel.busy)
		note_list__add(notes, "%llu ADDB2 records were lost: the kernel was busy",
			       counts->kernel.busy);
	if (counts->kernel.unreadable)
		note_list__add(notes, "%llu ADDB2 records were lost: they could not be read",
			       counts->kernel.unreadable);
	if (counts->kernel.labels_unreadable)
		note_list__add(notes, "%llu labels of ADDB2 records could not be read",
			       counts->kernel.labels_unreadable);
	if (counts->labels_lost)
		note_list__add(notes,
			       "%llu labels of threads without an ADDB2 machine were not kept: "
			       "there are more than 64, or the kernel was busy",
			       counts->labels_lost);
	if (counts->kernel.misplaced)
		note_list__add(notes,
			       "%llu ADDB2 labels were taken off that were not the last one their "
			       "thread had put on",
			       counts->kernel.misplaced);
	if (counts->large)
		note_list__add(notes,
			       "%llu ADDB2 records are not in the recording: they are larger than "
			       "a block of it; a larger --size helps",
			       counts->large);
}

void addb_output__finish(struct addb_output *output, struct note_list *notes)
{
	struct addb_counts counts;

	if (!output)
		return;
	count(output, &counts);
	SINKS_TELL(output->sinks, addb_counts, &counts);
	note_losses(&counts, notes);
}

void addb_output__close(struct addb_output *output)
{
	if (!output)
		return;
	addb_reader__close(output->reader);
	free(output);
}
