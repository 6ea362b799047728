// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADDB2 records, from the program's memory into a ring buffer. A record is 2 KB where it lies, most
 * of it unused: labels are packed on the way. The ring buffer hands out only what has a size that
 * is known before: of three sizes the one that the labels probably need is tried first.
 */
#include "addb.bpf.h"
#include "ring.bpf.h"
#include "series.bpf.h"

/* Bytes for labels, powers of two, and how many labels usually fit. */
#define SMALL	      256
#define SMALL_LABELS  7
#define MEDIUM	      1024
#define MEDIUM_LABELS 28
#define LARGE	      8192 /* all labels there can be, with all words */
/* A label may begin at the last byte, as far as the verifier knows. */
#define SLACK 136

struct addb_small {
	struct tm_addb_event event;
	u8 labels[SMALL + SLACK];
};

struct addb_medium {
	struct tm_addb_event event;
	u8 labels[MEDIUM + SLACK];
};

struct addb_large {
	struct tm_addb_event event;
	u8 labels[LARGE + SLACK];
};

struct addb_source {
	struct tm_addb_head head;
	u64 labels; /* address */
	u64 job;
};

TM_INLINE struct tm_addb_ledger *addb__ledger(enum tm_addb_role role)
{
	u32 index = role * tm_config.shards + this_shard();

	return bpf_map_lookup_elem(&tm_addb_ledgers, &index);
}

TM_INLINE bool addb__wants(u64 id)
{
	u32 n = tm_config.addb.n_ranges;

	for (u32 i = 0; i < TM_ADDB_RANGES && i < n; i++)
		if (id >= tm_config.addb.ranges[i].first && id <= tm_config.addb.ranges[i].last)
			return true;
	return !n;
}

TM_INLINE void addb__describe(struct tm_addb_event *event, const struct addb_source *source)
{
	u64 ids = bpf_get_current_pid_tgid();

	event->time_ns = bpf_ktime_get_ns();
	event->stamp_ns = source->head.value.time_ns;
	event->job = source->job;
	event->id = source->head.value.id;
	event->pid = ids >> 32;
	event->tid = ids;
	event->role = TM_ADDB_CONSUME;
	event->n = source->head.value.n;
	event->n_labels = source->head.n_labels;
}

/* Packs the labels; returns how many bytes they take, negative where they do not fit. */
TM_INLINE s32 addb__pack(u8 *labels, u32 room, const struct addb_source *source, u8 *unreadable)
{
	u32 used = 0, lost = 0;

	for (u32 i = 0; i < TM_ADDB_LABELS && i < source->head.n_labels; i++) {
		struct tm_addb_value label;
		u32 size, at;

		if (bpf_probe_read_user(&label, sizeof(label),
					(void *)(source->labels + i * sizeof(label)))) {
			label.id = 0;
			label.n = TM_ADDB_WORDS + 1;
		}
		size = label.n > TM_ADDB_WORDS ? 0 : label.n * sizeof(u64);
		if (used + sizeof(u64) + size > room)
			return -1;
		at = used & (room - 1);
		TM_PIN(at);
		at &= room - 1;
		if (label.n > TM_ADDB_WORDS ||
		    (size && bpf_probe_read_user(labels + at + sizeof(u64), size & 127,
						 (void *)label.words))) {
			label.n = 0;
			size = 0;
			lost++;
		}
		*(u64 *)(labels + at) = (label.id & TM_ADDB_ID) | (u64)label.n << TM_ADDB_ID_BITS;
		used += sizeof(u64) + size;
	}
	*unreadable = lost;
	return used;
}

TM_INLINE u64 addb__wakeup(u64 size)
{
	return ring__wakeup(&tm_addb, tm_config.addb.wakeup, size);
}

enum addb_result {
	ADDB_DONE,
	ADDB_TOO_SMALL,
	ADDB_UNREADABLE,
	ADDB_NO_ROOM,
};

/* A function for each size: reserves, fills, submits. */
#define DEFINE_PUT(kind, room)                                                                  \
	static __attribute__((noinline)) int addb__put_##kind(const struct addb_source *source, \
							      struct tm_addb_ledger *ledger)    \
	{                                                                                       \
		struct addb_##kind *record = bpf_ringbuf_reserve(&tm_addb, sizeof(*record), 0); \
		u32 n = source->head.value.n;                                                   \
		s32 bytes;                                                                      \
                                                                                                \
		if (!record)                                                                    \
			return ADDB_NO_ROOM;                                                    \
		if (n > TM_ADDB_WORDS ||                                                        \
		    (n && bpf_probe_read_user(record->event.words, (n * sizeof(u64)) & 127,     \
					      (void *)source->head.value.words))) {             \
			bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);                          \
			return ADDB_UNREADABLE;                                                 \
		}                                                                               \
		bytes = addb__pack(record->labels, room, source, &record->event.unreadable);    \
		if (bytes < 0) {                                                                \
			bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);                          \
			return ADDB_TOO_SMALL;                                                  \
		}                                                                               \
		addb__describe(&record->event, source);                                         \
		record->event.bytes = bytes;                                                    \
		ADD(ledger->recorded, 1);                                                       \
		if (record->event.unreadable)                                                   \
			ADD(ledger->labels_unreadable, record->event.unreadable);               \
		bpf_ringbuf_submit(record, addb__wakeup(sizeof(*record)));                      \
		return ADDB_DONE;                                                               \
	}

DEFINE_PUT(small, SMALL)
DEFINE_PUT(medium, MEDIUM)
DEFINE_PUT(large, LARGE)

TM_INLINE void addb__lose(struct tm_addb_ledger *ledger, u64 size)
{
	if (ring__is_full(&tm_addb, size))
		ADD(ledger->full, 1);
	else
		ADD(ledger->busy, 1);
}

static __attribute__((noinline)) int addb__take(u64 address, u64 job)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_CONSUME);
	struct addb_source source = { .job = job };
	int result = ADDB_TOO_SMALL;
	u64 size = 0;

	if (!ledger)
		return 0;
	if (bpf_probe_read_user(&source.head, sizeof(source.head), (void *)address) ||
	    source.head.n_labels > TM_ADDB_LABELS) {
		ADD(ledger->unreadable, 1);
		return 0;
	}
	if (!addb__wants(source.head.value.id)) {
		ADD(ledger->unwanted, 1);
		return 0;
	}
	source.labels = address + sizeof(source.head);
	if (source.head.n_labels <= SMALL_LABELS) {
		size = sizeof(struct addb_small);
		result = addb__put_small(&source, ledger);
	}
	if (result == ADDB_TOO_SMALL && source.head.n_labels <= MEDIUM_LABELS) {
		size = sizeof(struct addb_medium);
		result = addb__put_medium(&source, ledger);
	}
	if (result == ADDB_TOO_SMALL) {
		size = sizeof(struct addb_large);
		result = addb__put_large(&source, ledger);
	}
	if (result == ADDB_UNREADABLE)
		ADD(ledger->unreadable, 1);
	else if (result == ADDB_NO_ROOM)
		addb__lose(ledger, size);
	return 0;
}

/*
 * Where nobody asks, the verifier must not look further: before 6.13 programs have 512 bytes of
 * stack with all that they call.
 */
int addb__consume(u64 address, u64 job)
{
	return tm_config.addb.on ? addb__take(address, job) : 0;
}
