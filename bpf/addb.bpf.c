// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADDB2 records, from the program's memory into a ring buffer. A record is 2 KB where it lies, most
 * of it unused: labels are packed on the way. The ring buffer hands out only what has a size that
 * is known before: of three sizes the one that the labels probably need is tried first.
 */
#include "addb_labels.bpf.h"
#include "number.bpf.h"
#include "ring.bpf.h"

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
	u64 labels; /* address; 0: those that the thread has pushed */
	u64 job;
	enum tm_addb_role role;
};

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
	u64 ids = number__current();

	event->time_ns = bpf_ktime_get_ns();
	event->stamp_ns = source->head.value.time_ns;
	event->job = source->job;
	event->id = source->head.value.id;
	event->pid = ids >> 32;
	event->tid = ids;
	event->role = source->role;
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

/* The same of the labels that the thread has pushed, without those of machines. */
TM_INLINE s32 addb__pack_own(u8 *labels, u32 room, const struct addb_source *source,
			     struct tm_addb_event *event)
{
	/* Counted in the record: the verifier would tell all their values apart. */
	event->n_labels = event->unreadable = 0;
	event->bytes = 0;
	for (u32 i = 0; i < TM_ADDB_LABELS && i < source->head.n_labels; i++) {
		struct tm_addb_label *label = addb__label(i, false);
		u32 size, at, used = event->bytes;

		if (!label)
			break;
		if (label->head & (TM_ADDB_GONE | TM_ADDB_OF_MACHINE))
			continue;
		size = (label->head >> TM_ADDB_ID_BITS & TM_ADDB_WORDS) * sizeof(u64);
		if (used > room || used + sizeof(u64) + size > room)
			return -1;
		at = used & (room - 1);
		TM_PIN(at);
		at &= room - 1;
		*(u64 *)(labels + at) =
			label->head & (TM_ADDB_ID | (u64)TM_ADDB_WORDS << TM_ADDB_ID_BITS);
		bpf_probe_read_kernel(labels + at + sizeof(u64), size & 127, label->words);
		event->bytes = used + sizeof(u64) + size;
		event->unreadable += !!(label->head & TM_ADDB_WORDLESS);
		event->n_labels++;
	}
	return event->bytes;
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
		addb__describe(&record->event, source);                                         \
		if (source->labels)                                                             \
			bytes = addb__pack(record->labels, room, source,                        \
					   &record->event.unreadable);                          \
		else                                                                            \
			bytes = addb__pack_own(record->labels, room, source, &record->event);   \
		if (bytes < 0) {                                                                \
			bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);                          \
			return ADDB_TOO_SMALL;                                                  \
		}                                                                               \
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

/* Tells a record, if it is asked for. */
TM_INLINE void addb__tell(const struct addb_source *source, struct tm_addb_ledger *ledger)
{
	int result = ADDB_TOO_SMALL;
	u64 size = 0;

	if (!addb__wants(source->head.value.id)) {
		ADD(ledger->unwanted, 1);
		return;
	}
	if (source->head.n_labels <= SMALL_LABELS) {
		size = sizeof(struct addb_small);
		result = addb__put_small(source, ledger);
	}
	if (result == ADDB_TOO_SMALL && source->head.n_labels <= MEDIUM_LABELS) {
		size = sizeof(struct addb_medium);
		result = addb__put_medium(source, ledger);
	}
	if (result == ADDB_TOO_SMALL) {
		size = sizeof(struct addb_large);
		result = addb__put_large(source, ledger);
	}
	if (result == ADDB_UNREADABLE)
		ADD(ledger->unreadable, 1);
	else if (result == ADDB_NO_ROOM)
		addb__lose(ledger, size);
}

static __attribute__((noinline)) int addb__take(u64 address, u64 job, u64 sp)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_CONSUME);
	struct addb_source source = { .job = job, .role = TM_ADDB_CONSUME };

	if (!ledger)
		return 0;
	if (bpf_probe_read_user(&source.head, sizeof(source.head), (void *)address) ||
	    source.head.n_labels > TM_ADDB_LABELS) {
		ADD(ledger->unreadable, 1);
		return 0;
	}
	source.labels = address + sizeof(source.head);
	addb__cover(sp, source.labels, source.head.n_labels);
	addb__tell(&source, ledger);
	return 0;
}

/* A call of m0_addb2_add ended: was its record told by no machine? It is in thread->added, then. */
static __attribute__((noinline)) int addb__is_bare(struct tm_addb_thread *thread, u64 sp)
{
	struct tm_addb_open *open;

	addb__forget_below(thread, sp);
	open = addb__innermost(thread);
	if (!open || open->sp != sp)
		return false;
	thread->added = *open;
	thread->n_open--;
	return !thread->added.covered;
}

static __attribute__((noinline)) int addb__take_added(struct tm_addb_thread *thread)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_ADD);
	struct addb_source source = { .job = thread->added.job, .role = TM_ADDB_ADD };

	if (!ledger)
		return 0;
	source.head.value.id = thread->added.id;
	source.head.value.n = thread->added.n;
	source.head.value.words = thread->added.words;
	source.head.n_labels = thread->depth;
	addb__tell(&source, ledger);
	return 0;
}

/*
 * Where nobody asks, the verifier must not look further: before 6.13 programs have 512 bytes of
 * stack with all that they call.
 */
int addb__consume(u64 address, const struct tm_key *key, u64 sp)
{
	if (!key)
		return 0;
	if (tm_config.addb.sums)
		addb__sum_consumed(address, key);
	if (tm_config.addb.on)
		addb__take(address, key->job, sp);
	else if (tm_config.addb.sums && tm_config.addb.adds)
		addb__cover(sp, 0, 0);
	return 0;
}

int addb__added(u64 sp, u32 slot)
{
	struct tm_addb_thread *thread;

	if (!tm_config.addb.adds || (!tm_config.addb.on && !tm_config.addb.sums))
		return 0;
	thread = addb__thread(false);
	if (!thread || !addb__is_bare(thread, sp))
		return 0;
	if (tm_config.addb.sums)
		addb__sum_added(slot);
	if (tm_config.addb.on)
		addb__take_added(thread);
	return 0;
}
