// SPDX-License-Identifier: GPL-2.0-only
/* ADDB2 records in batches: what is packed is read again, and what is no batch is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "addb/pack.h"

/* Three words, and two labels, of one word and of none; the record's own time says which it is. */
static struct addb_record make(__u64 number)
{
	return (struct addb_record){
		.value = { .id = 0x2006, .time_ns = number, .n = 3, .words = { 1, 2, 3 } },
		.n_labels = 2,
		.labels = { { .id = 0x1002, .n = 1, .words = { 1574 } }, { .id = 0x210f } },
	};
}

static const struct addb_origin origin = {
	.time_ns = 1500,
	.job = 7,
	.pid = 11,
	.tid = 12,
	.role = TM_ADDB_CONSUME,
	.unreadable = 1,
};

/* Takes a batch apart, which has n records. */
static void check_batch(const struct addb_batch *made, size_t n)
{
	static struct addb_record record, wanted;
	struct addb_batch batch;
	struct addb_origin from;

	assert_int_equal(addb_batch__open(&batch, made->data, made->size), 0);
	assert_int_equal(batch.n_records, n);
	for (size_t i = 0; i < n; i++) {
		memset(&record, 0xff, sizeof(record));
		wanted = make(i);
		assert_true(addb_batch__next(&batch, &record, &from));
		assert_memory_equal(&record.value, &wanted.value, sizeof(record.value));
		assert_int_equal(record.n_labels, 2);
		assert_memory_equal(record.labels, wanted.labels, 2 * sizeof(*record.labels));
		assert_int_equal(from.time_ns, 1500);
		assert_int_equal(from.job, 7);
		assert_int_equal(from.pid, 11);
		assert_int_equal(from.tid, 12);
		assert_int_equal(from.role, TM_ADDB_CONSUME);
		assert_int_equal(from.unreadable, 1);
	}
	assert_false(addb_batch__next(&batch, &record, &from));
}

static void test_batches(void **state)
{
	struct addb_pack *pack = addb_pack__new(4096);
	struct addb_record record;
	struct addb_batch made;

	(void)state;
	assert_non_null(pack);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0;; i++) {
			record = make(i);
			if (addb_pack__add(pack, &record, &origin) < 0)
				break;
		}
		/* 4096 bytes less the header; 48, three words, three words of labels. */
		assert_int_equal(addb_pack__n(pack), (4096 - 8) / 96);
		addb_pack__finish(pack, &made);
		assert_int_equal(addb_pack__n(pack), 0);
		check_batch(&made, (4096 - 8) / 96);
	}
	addb_pack__finish(pack, &made);
	check_batch(&made, 0);
	addb_pack__free(pack);
}

/* One that no batch has room for leaves nothing behind. */
static void test_large_record(void **state)
{
	struct addb_pack *pack = addb_pack__new(256);
	struct addb_record record = make(0);
	struct addb_batch made;

	(void)state;
	assert_null(addb_pack__new(7));
	record.n_labels = TM_ADDB_LABELS;
	assert_int_equal(addb_pack__add(pack, &record, &origin), -ENOSPC);
	assert_int_equal(addb_pack__n(pack), 0);
	record = make(0);
	assert_int_equal(addb_pack__add(pack, &record, &origin), 0);
	addb_pack__finish(pack, &made);
	check_batch(&made, 1);
	addb_pack__free(pack);
}

/* A batch of one record, to be spoilt. */
struct spoilt {
	struct addb_batch_header header;
	struct addb_batch_record record;
	__u64 words[3], labels[3];
	__u64 behind;
};

static struct spoilt good_batch(void)
{
	struct addb_pack *pack = addb_pack__new(4096);
	struct addb_record record = make(0);
	struct spoilt spoilt = { 0 };
	struct addb_batch made;

	assert_int_equal(addb_pack__add(pack, &record, &origin), 0);
	addb_pack__finish(pack, &made);
	assert_int_equal(made.size, offsetof(struct spoilt, behind));
	memcpy(&spoilt, made.data, made.size);
	addb_pack__free(pack);
	return spoilt;
}

static int open_spoilt(const struct spoilt *spoilt)
{
	struct addb_batch batch;

	return addb_batch__open(&batch, spoilt, offsetof(struct spoilt, behind));
}

static void test_bad_batches(void **state)
{
	struct spoilt spoilt = good_batch();
	struct addb_batch batch;

	(void)state;
	assert_int_equal(open_spoilt(&spoilt), 0);
	for (size_t cut = 0; cut < offsetof(struct spoilt, behind); cut++)
		assert_int_equal(addb_batch__open(&batch, &spoilt, cut), -EBADMSG);
	assert_int_equal(addb_batch__open(&batch, &spoilt, sizeof(spoilt)), -EBADMSG);
	spoilt.header.version++;
	assert_int_equal(open_spoilt(&spoilt), -ENOTSUP);
	spoilt = good_batch();
	spoilt.header.n_records = ~0U;
	assert_int_equal(open_spoilt(&spoilt), -EBADMSG);
	spoilt = good_batch();
	spoilt.record.n_labels++; /* more than there are */
	assert_int_equal(open_spoilt(&spoilt), -EBADMSG);
	spoilt.record.n_labels = TM_ADDB_LABELS + 1;
	assert_int_equal(open_spoilt(&spoilt), -EBADMSG);
	spoilt = good_batch();
	spoilt.record.label_bytes = ~7U;
	assert_int_equal(open_spoilt(&spoilt), -EBADMSG);
	spoilt = good_batch();
	spoilt.record.n = TM_ADDB_WORDS + 1;
	assert_int_equal(open_spoilt(&spoilt), -EBADMSG);
	spoilt = good_batch();
	spoilt.labels[2] |= 15ULL << TM_ADDB_ID_BITS;
	assert_int_equal(open_spoilt(&spoilt), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_large_record),
		cmocka_unit_test(test_bad_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
