// SPDX-License-Identifier: GPL-2.0-only
/* ADDB2's sensors: clocks, counters, histograms. A snapshot empties them. */
#include <string.h>

#include "motr.h"
#include "truth.h"

#define TRUTH_LAYER "addb"

static void reset(struct m0_addb2_counter *c)
{
	memset(c->co_val, 0, sizeof(c->co_val));
	c->co_val[1] = ~0ULL;
}

static void snapshot_nothing(struct m0_addb2_sensor *s, uint64_t *area)
{
	(void)s;
	(void)area;
}

void m0_addb2_clock_add(struct m0_addb2_sensor *s, uint64_t id, int idx)
{
	static const struct m0_addb2_sensor_ops ops = { .so_snapshot = snapshot_nothing };

	TRUTH();
	m0_addb2_sensor_add(s, id, 0, idx, &ops);
}

void m0_addb2_clock_del(struct m0_addb2_sensor *s)
{
	TRUTH();
	m0_addb2_sensor_del(s);
}

static void snapshot_hist(struct m0_addb2_sensor *s, uint64_t *area)
{
	struct m0_addb2_hist *h = (struct m0_addb2_hist *)s;

	memcpy(area, h->hi_counter.co_val, sizeof(h->hi_counter.co_val));
	memcpy(area + 6, &h->hi_min, M0_ADDB2_WORDS_MAX * 8 - sizeof(h->hi_counter.co_val));
	reset(&h->hi_counter);
	memset(h->hi_bucket, 0, sizeof(h->hi_bucket));
}

void m0_addb2_hist_add(struct m0_addb2_hist *h, int64_t min, int64_t max, uint64_t id, int idx)
{
	static const struct m0_addb2_sensor_ops ops = { .so_snapshot = snapshot_hist };

	TRUTH();
	memset(h, 0, sizeof(*h));
	reset(&h->hi_counter);
	h->hi_min = min;
	h->hi_max = max;
	m0_addb2_sensor_add(&h->hi_counter.co_sensor, id, M0_ADDB2_WORDS_MAX, idx, &ops);
}

void m0_addb2_hist_del(struct m0_addb2_hist *h)
{
	TRUTH();
	m0_addb2_sensor_del(&h->hi_counter.co_sensor);
}

void m0_addb2_counter_mod_with(struct m0_addb2_counter *c, int64_t val, uint64_t datum)
{
	uint64_t *v = c->co_val;

	TRUTH();
	v[0]++;
	if ((uint64_t)val < v[1])
		v[1] = (uint64_t)val;
	if (val > (int64_t)v[2]) {
		v[2] = (uint64_t)val;
		v[5] = datum;
	}
	v[3] += (uint64_t)val;
	v[4] += (uint64_t)(val * val);
}

static int bucket(const struct m0_addb2_hist *h, int64_t val)
{
	if (val < h->hi_min)
		return 0;
	if (val >= h->hi_max)
		return M0_ADDB2_BUCKETS - 1;
	return (int)((val - h->hi_min) * (M0_ADDB2_BUCKETS - 2) / (h->hi_max - h->hi_min)) + 1;
}

void m0_addb2_hist_mod_with(struct m0_addb2_hist *h, int64_t val, uint64_t datum)
{
	TRUTH();
	m0_addb2_counter_mod_with(&h->hi_counter, val, datum);
	h->hi_bucket[bucket(h, val)]++;
}

void m0_addb2_hist_mod(struct m0_addb2_hist *h, int64_t val)
{
	TRUTH();
	m0_addb2_hist_mod_with(h, val, 0);
}
