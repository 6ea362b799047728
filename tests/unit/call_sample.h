/* SPDX-License-Identifier: GPL-2.0-only */
/* What batches of calls are read as. To be included after json_records.h. */
#ifndef TESTS_UNIT_CALL_SAMPLE_H
#define TESTS_UNIT_CALL_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include "calls/call_pack.h"

/* The records of the calls in a pack. */
static inline void write_calls(struct sample *sample, struct call_pack *pack,
			       struct records *records)
{
	struct call_batch batch;
	struct record_sink *sink;
	FILE *file = tmpfile();
	struct error err;

	assert_non_null(file);
	call_pack__finish(pack, &batch);
	assert_int_equal(sink_json__new(&sink, file, "records", &sample->run, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, calls, &batch, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, close, &err), 0);
	read_records(records, file);
	fclose(file);
}

/*
 * Each begin of a pack's batch is refused; with each single bit flipped it is refused or read, by a
 * function that asks for everything. Under ASan it is seen where that reads beyond the batch.
 */
static inline void check_damaged(struct call_pack *pack,
				 void (*read_all)(const struct call_batch *batch))
{
	struct call_batch batch, out;
	unsigned char *copy;

	call_pack__finish(pack, &batch);
	for (size_t size = 0; size < batch.size; size++)
		assert_true(call_batch__open(&out, batch.data, size) < 0);
	for (size_t bit = 0; bit < batch.size * 8; bit++) {
		copy = malloc(batch.size);
		assert_non_null(copy);
		memcpy(copy, batch.data, batch.size);
		copy[bit / 8] ^= (unsigned char)(1U << bit % 8);
		if (call_batch__open(&out, copy, batch.size) == 0)
			read_all(&out);
		free(copy);
	}
}

#endif
