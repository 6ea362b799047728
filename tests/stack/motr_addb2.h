/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDB2, Motr's telemetry: sizes and offsets are those of Motr 2.0.0 on x86-64. */
#ifndef STACK_MOTR_ADDB2_H
#define STACK_MOTR_ADDB2_H

#include <stddef.h>
#include <stdint.h>

enum {
	M0_ADDB2_WORDS_MAX = 15,
	M0_ADDB2_LABELS_MAX = 64,
	M0_ADDB2_BUCKETS = 14,
};

struct m0_addb2_value {
	uint64_t va_id;
	uint64_t va_time;
	uint32_t va_nr;
	const uint64_t *va_data;
};

struct m0_addb2_record {
	struct m0_addb2_value ar_val;
	uint32_t ar_label_nr;
	struct m0_addb2_value ar_label[M0_ADDB2_LABELS_MAX];
};
_Static_assert(sizeof(struct m0_addb2_record) == 2088, "as in Motr");

struct m0_addb2_sensor;
struct m0_addb2_sensor_ops {
	void (*so_snapshot)(struct m0_addb2_sensor *s, uint64_t *area);
	void (*so_fini)(struct m0_addb2_sensor *s);
};

struct m0_addb2_sensor {
	uint64_t s_magix;
	const struct m0_addb2_sensor_ops *s_ops;
	void *s_linkage[2];
	uint64_t s_id;
	uint32_t s_nr;
};
_Static_assert(offsetof(struct m0_addb2_sensor, s_id) == 32, "as in Motr");

struct m0_addb2_counter {
	struct m0_addb2_sensor co_sensor;
	uint64_t co_val[6]; /* number, min, max, sum, sum of squares, datum */
};

struct m0_addb2_hist {
	struct m0_addb2_counter hi_counter;
	int hi_skip;
	int64_t hi_min, hi_max;
	uint32_t hi_bucket[M0_ADDB2_BUCKETS];
};
_Static_assert(sizeof(struct m0_addb2_hist) == 176, "as in Motr");

struct m0_thread_tls {
	void *tls_self[3];
	struct m0_addb2_mach *tls_addb2_mach; /* NULL: records of the thread are not kept */
};
_Static_assert(offsetof(struct m0_thread_tls, tls_addb2_mach) == 24, "as in Motr");

/* Of the calling thread. */
struct m0_thread_tls *m0_thread_tls(void);

/* A machine has labels of its own; threads that share one take turns. */
struct m0_addb2_mach *m0_addb2_mach_init(const void *ops, void *cookie);
void m0_addb2_mach_fini(struct m0_addb2_mach *mach);

void m0_addb2_push(uint64_t id, int n, const uint64_t *value);
void m0_addb2_pop(uint64_t id);
void m0_addb2_add(uint64_t id, int n, const uint64_t *value);
/* Every record of a machine comes by here. */
void m0_addb2_consume(void *source, const struct m0_addb2_record *record);

void m0_addb2_sensor_add(struct m0_addb2_sensor *s, uint64_t id, unsigned int nr, int idx,
			 const struct m0_addb2_sensor_ops *ops);
void m0_addb2_sensor_del(struct m0_addb2_sensor *s);
void m0_addb2_clock_add(struct m0_addb2_sensor *s, uint64_t id, int idx);
void m0_addb2_clock_del(struct m0_addb2_sensor *s);
void m0_addb2_hist_add(struct m0_addb2_hist *h, int64_t min, int64_t max, uint64_t id, int idx);
void m0_addb2_hist_del(struct m0_addb2_hist *h);
void m0_addb2_hist_mod(struct m0_addb2_hist *h, int64_t val);
void m0_addb2_hist_mod_with(struct m0_addb2_hist *h, int64_t val, uint64_t datum);
void m0_addb2_counter_mod_with(struct m0_addb2_counter *c, int64_t val, uint64_t datum);

#endif
