// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADDB2's producer calls. A thread may have a machine, which keeps the labels and tells each record
 * with them; what is recorded goes into a buffer and nowhere else.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "motr.h"
#include "truth.h"

#define TRUTH_LAYER "addb"

enum { TRACE_WORDS = 1024 };

struct m0_addb2_mach {
	struct m0_addb2_record record; /* labels; the value is the current one's */
	uint64_t words[M0_ADDB2_LABELS_MAX][M0_ADDB2_WORDS_MAX];
	int nesting;
	int used;
	uint64_t trace[TRACE_WORDS];
};

struct m0_thread_tls *m0_thread_tls(void)
{
	static __thread struct m0_thread_tls tls;

	return &tls;
}

struct m0_addb2_mach *m0_addb2_mach_init(const void *ops, void *cookie)
{
	(void)ops;
	(void)cookie;
	return calloc(1, sizeof(struct m0_addb2_mach));
}

void m0_addb2_mach_fini(struct m0_addb2_mach *mach)
{
	free(mach);
}

static void put(struct m0_addb2_mach *mach, uint64_t tag, uint64_t id, int n, const uint64_t *value)
{
	if (mach->used + n + 1 > TRACE_WORDS)
		mach->used = 0;
	mach->trace[mach->used++] = (tag | (uint64_t)n) << 56 | id;
	if (n)
		memcpy(&mach->trace[mach->used], value, (size_t)n * sizeof(*value));
	mach->used += n;
}

void m0_addb2_push(uint64_t id, int n, const uint64_t *value)
{
	struct m0_addb2_mach *mach = m0_thread_tls()->tls_addb2_mach;
	struct m0_addb2_record *record;

	TRUTH();
	TRUTH_SIZE((uint64_t)n * sizeof(*value));
	assert(n >= 0 && n <= M0_ADDB2_WORDS_MAX);
	if (!mach)
		return;
	record = &mach->record;
	assert(record->ar_label_nr < M0_ADDB2_LABELS_MAX);
	if (n)
		memcpy(mach->words[record->ar_label_nr], value, (size_t)n * sizeof(*value));
	record->ar_label[record->ar_label_nr] = (struct m0_addb2_value){
		.va_id = id,
		.va_nr = (uint32_t)n,
		.va_data = mach->words[record->ar_label_nr],
	};
	record->ar_label_nr++;
	put(mach, 0x10, id, n, value);
}

void m0_addb2_pop(uint64_t id)
{
	struct m0_addb2_mach *mach = m0_thread_tls()->tls_addb2_mach;

	TRUTH();
	if (!mach)
		return;
	assert(mach->record.ar_label_nr > 0);
	mach->record.ar_label_nr--;
	assert(mach->record.ar_label[mach->record.ar_label_nr].va_id == id);
	put(mach, 0xf0, id, 0, NULL);
}

void m0_addb2_consume(void *source, const struct m0_addb2_record *record)
{
	(void)source;
	(void)record;
	TRUTH();
}

/* Of measurements and of sensors. */
static void tell(uint64_t tag, uint64_t id, int n, const uint64_t *value)
{
	struct m0_addb2_mach *mach = m0_thread_tls()->tls_addb2_mach;

	assert(n >= 0 && n <= M0_ADDB2_WORDS_MAX);
	if (!mach || mach->nesting++)
		return;
	put(mach, tag, id, n, value);
	mach->record.ar_val = (struct m0_addb2_value){
		.va_id = id,
		.va_nr = (uint32_t)n,
		.va_data = value,
	};
	m0_addb2_consume(NULL, &mach->record);
	mach->nesting = 0;
}

void m0_addb2_add(uint64_t id, int n, const uint64_t *value)
{
	TRUTH();
	TRUTH_SIZE((uint64_t)n * sizeof(*value));
	tell(0x20, id, n, value);
}

static void snapshot(struct m0_addb2_sensor *s)
{
	uint64_t area[M0_ADDB2_WORDS_MAX] = { 0 };

	s->s_ops->so_snapshot(s, area);
	tell(0x30, s->s_id, (int)s->s_nr, area);
}

void m0_addb2_sensor_add(struct m0_addb2_sensor *s, uint64_t id, unsigned int nr, int idx,
			 const struct m0_addb2_sensor_ops *ops)
{
	(void)idx;
	TRUTH();
	s->s_id = id;
	s->s_nr = nr;
	s->s_ops = ops;
	snapshot(s);
}

void m0_addb2_sensor_del(struct m0_addb2_sensor *s)
{
	TRUTH();
	snapshot(s);
}
