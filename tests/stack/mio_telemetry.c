// SPDX-License-Identifier: GPL-2.0-only
/* MIO's telemetry: with MIO_TELEMETRY_STORE: ADDB, each record becomes one of ADDB2's. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "mio.h"
#include "truth.h"

#define TRUTH_LAYER "mio"

enum { RECORD_BYTES = 120, STORE_ADDB = 2, MAX_VALUES = 8 };

struct record {
	uint8_t bytes[RECORD_BYTES];
	size_t used;
	bool full;
};

static void put(struct record *r, const void *p, size_t n)
{
	if (r->full || n > sizeof(r->bytes) - r->used) {
		r->full = true;
		return;
	}
	memcpy(r->bytes + r->used, p, n);
	r->used += n;
}

static void put_byte(struct record *r, uint8_t b)
{
	put(r, &b, 1);
}

static void put_text(struct record *r, const char *text)
{
	size_t n = strnlen(text, 255);

	put_byte(r, (uint8_t)n);
	put(r, text, n);
}

static size_t width(enum mio_telemetry_type type)
{
	switch (type) {
	case MIO_TM_TYPE_NONE:
	case MIO_TM_TYPE_STRING:
		return 0;
	case MIO_TM_TYPE_UINT16:
	case MIO_TM_TYPE_ARRAY_UINT16:
		return 2;
	case MIO_TM_TYPE_UINT32:
	case MIO_TM_TYPE_ARRAY_UINT32:
		return 4;
	default:
		return 8;
	}
}

/* Little endian, as the machine is; padded to whole words. */
static int store(const char *prefix, const char *topic, enum mio_telemetry_type type, int nr,
		 const uint64_t *values)
{
	struct record r = { .bytes = { 0x2e, 0x20 }, .used = 2 };
	uint64_t words[RECORD_BYTES / 8];

	if (!mio_instance || mio_instance->m_telem_store_type != STORE_ADDB)
		return 0;
	put_byte(&r, prefix != NULL);
	if (prefix)
		put_text(&r, prefix);
	put_text(&r, topic);
	put_byte(&r, (uint8_t)type);
	if (type >= MIO_TM_TYPE_ARRAY_UINT16)
		put_byte(&r, (uint8_t)nr);
	for (int i = 0; i < nr; i++)
		put(&r, &values[i], width(type));
	if (r.full)
		return -E2BIG;
	memcpy(words, r.bytes, sizeof(words));
	m0_addb2_add(M0_ADDB2__EXT_RANGE_3, (int)((r.used + 7) / 8), words);
	return 0;
}

static int store_value(const char *prefix, const char *topic, enum mio_telemetry_type type,
		       const void *value)
{
	uint64_t word = 0;

	if (!topic)
		return -EINVAL;
	if (value)
		memcpy(&word, value, width(type));
	return store(prefix, topic, type, type != MIO_TM_TYPE_NONE && value, &word);
}

static int store_array(const char *prefix, const char *topic, enum mio_telemetry_type type, int nr,
		       va_list values)
{
	uint64_t words[MAX_VALUES];

	if (!topic || nr < 1 || nr > MAX_VALUES)
		return -EINVAL;
	for (int i = 0; i < nr; i++)
		words[i] = va_arg(values, uint64_t);
	return store(prefix, topic, type, nr, words);
}

static const char *prefix_text(void)
{
	return mio_instance ? mio_instance->m_telem_prefix : NULL;
}

int mio_telemetry_advertise(const char *topic, enum mio_telemetry_type type, void *value)
{
	TRUTH();
	return TRUTH_ERRNO(store_value(prefix_text(), topic, type, value));
}

int mio_telemetry_advertise_noprefix(const char *topic, enum mio_telemetry_type type, void *value)
{
	TRUTH();
	return TRUTH_ERRNO(store_value(NULL, topic, type, value));
}

int mio_telemetry_array_advertise(const char *topic, enum mio_telemetry_type type, int nr, ...)
{
	TRUTH();
	va_list values;
	int rc;

	va_start(values, nr);
	rc = store_array(prefix_text(), topic, type, nr, values);
	va_end(values);
	return TRUTH_ERRNO(rc);
}

int mio_telemetry_array_advertise_noprefix(const char *topic, enum mio_telemetry_type type, int nr,
					   ...)
{
	TRUTH();
	va_list values;
	int rc;

	va_start(values, nr);
	rc = store_array(NULL, topic, type, nr, values);
	va_end(values);
	return TRUTH_ERRNO(rc);
}
