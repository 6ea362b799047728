// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums over ADDB2 records: how long state machines are in each state and from begin to end, and the
 * times and sizes that records hold. Which records have what, the loader says by identifier
 * (tm_addb_summed). Nothing of it is on the stack: what is summed up lies in the thread's storage.
 */
#include "addb_labels.bpf.h"
#include "number.bpf.h"
#include "processes.bpf.h"

/* Labels: a fom and its type; what runs on the side of it; what encloses all foms. */
#define LABEL_FOM    0x2004
#define LABEL_AST    0x210f
#define LABEL_THREAD 0x2002

TM_INLINE void lose(enum tm_addb_sum_loss loss)
{
	ADD(tm_addb_sums_lost[loss], 1);
}

/* The slot of a part of an identifier's sums; all processors have the same: they are not hot. */
static __attribute__((noinline)) u32 slot_of(struct tm_addb_summand *s, u32 id, u32 fom, u32 part)
{
	u32 *known, slot;

	s->key.where = TM_ADDB_WHERE(id, fom, part);
	known = bpf_map_lookup_elem(&tm_slots, &s->key);
	slot = known ? *known : series__create(&s->key);
	if (slot == TM_NO_SLOT)
		lose(TM_ADDB_SUM_NO_SLOT);
	return slot;
}

/*
 * The type of the fom that works, as the innermost of n labels at an address says that is one; 0:
 * none does. What an ast does is of no fom, whichever was interrupted. Global as others here, so
 * that the verifier looks at it once.
 */
__attribute__((noinline)) u32 addb__fom_of(u64 labels, u32 n)
{
	struct tm_addb_value label;
	u64 type;

	if (!labels)
		return 0;
	for (u32 i = 0; i < TM_ADDB_LABELS && i < n; i++) {
		u64 at = labels + (u64)(n - 1 - i) * sizeof(label);

		if (bpf_probe_read_user(&label, sizeof(label), (void *)at) ||
		    label.id == LABEL_AST || label.id == LABEL_THREAD)
			return 0;
		if (label.id != LABEL_FOM)
			continue;
		if (label.n < 2 ||
		    bpf_probe_read_user(&type, sizeof(type), (void *)(label.words + sizeof(u64))))
			return 0;
		return type <= 0xffff ? type : 0;
	}
	return 0;
}

TM_INLINE u32 fom_of(const struct tm_addb_summand *s)
{
	return addb__fom_of(s->labels, s->head.n_labels);
}

TM_INLINE struct tm_addb_machine *machine_of(struct tm_addb_summand *s, u32 id, u64 number)
{
	s->machine.number = number;
	s->machine.tgid = number__current_tgid();
	s->machine.id = id;
	return bpf_map_lookup_elem(&tm_addb_machines, &s->machine);
}

/* One more machine, or (n: -1) one less is in what a slot is of. */
TM_INLINE void shift(u32 slot, u64 n)
{
	struct tm_series *series = series__at(slot);

	if (series)
		ADD(series->in_flight, n);
}

/* One more in what a slot is of took so long. Always 0. */
__attribute__((noinline)) int addb__add_time(u32 slot, u64 ns)
{
	struct tm_series *series = series__at(slot);

	if (series)
		series__time(series, slot, ns);
	return 0;
}

__attribute__((noinline)) int addb__add_size(u32 slot, u64 size)
{
	struct tm_series *series = series__at(slot);

	if (series)
		series__size(series, slot, size);
	return 0;
}

TM_INLINE void leave_state(struct tm_addb_machine *machine, u64 now)
{
	addb__add_time(machine->state, now - machine->since_ns);
	shift(machine->state, -1ULL);
}

TM_INLINE void finish(struct tm_addb_machine *machine, u64 now)
{
	if (!series__at(machine->whole))
		return;
	addb__add_time(machine->whole, now - machine->begin_ns);
	if (machine->sized)
		addb__add_size(machine->whole, machine->bytes);
	shift(machine->whole, -1ULL);
}

/* Of a machine whose fom was not known; what it is in now is that fom's from the begin. */
static __attribute__((noinline)) int learn_fom(struct tm_addb_summand *s,
					       struct tm_addb_machine *machine, u32 fom)
{
	struct tm_series *series = series__at(machine->state);
	u32 id = s->machine.id, slot;

	machine->fom = fom;
	if (series) {
		slot = slot_of(s, id, fom, tm_addb_where_part(series->key.where));
		series__move(machine->state, slot);
		machine->state = slot;
	}
	if (machine->whole != TM_NO_SLOT) {
		slot = slot_of(s, id, fom, TM_ADDB_WHOLE);
		series__move(machine->whole, slot);
		machine->whole = slot;
	}
	return 0;
}

/* A machine that nothing was known of, by the key in s; NULL: there is no room. */
static __attribute__((noinline)) struct tm_addb_machine *make(struct tm_addb_summand *s, u64 now,
							      bool begins)
{
	s->fresh.begin_ns = begins ? now : 0;
	s->fresh.bytes = 0;
	s->fresh.fom = s->fom;
	s->fresh.sized = 0;
	s->fresh.state = TM_NO_SLOT;
	s->fresh.whole = begins ? slot_of(s, s->id, s->fom, TM_ADDB_WHOLE) : TM_NO_SLOT;
	if (bpf_map_update_elem(&tm_addb_machines, &s->machine, &s->fresh, BPF_ANY)) {
		lose(TM_ADDB_SUM_UNFOLLOWED);
		return NULL;
	}
	shift(s->fresh.whole, 1);
	process__note_submitter(s->machine.tgid);
	return bpf_map_lookup_elem(&tm_addb_machines, &s->machine);
}

TM_INLINE void enter_state(struct tm_addb_summand *s, struct tm_addb_machine *machine, u64 state,
			   u64 now)
{
	machine->state = slot_of(s, s->id, machine->fom, state < 64 ? state : TM_ADDB_STATE_OTHER);
	machine->since_ns = now;
	shift(machine->state, 1);
}

TM_INLINE bool has_state(u64 states, u64 state)
{
	return state < 64 && states >> state & 1;
}

/* A machine goes over into a state. */
static __attribute__((noinline)) int follow(struct tm_addb_summand *s,
					    const struct tm_addb_summed *how)
{
	bool steps = how->summing == TM_ADDB_SUM_STEPS;
	bool registration = !steps && (u32)s->words[1] == TM_ADDB_REGISTRATION;
	u64 state = steps ? s->words[1] : s->words[2], now = bpf_ktime_get_ns();
	struct tm_addb_machine *machine;

	if (s->head.value.n != (steps ? 2 : 3))
		return 0;
	machine = machine_of(s, s->id, s->words[0]);
	if (machine && registration) { /* its number is used once more: after an exec */
		shift(machine->state, -1ULL);
		shift(machine->whole, -1ULL);
		machine = NULL;
	}
	/* Who makes a fom may be another one. */
	if (how->by_fom && !registration && !(machine && machine->fom))
		s->fom = fom_of(s);
	if (machine) {
		if (s->fom && !machine->fom)
			learn_fom(s, machine, s->fom);
		leave_state(machine, now);
	}
	if (has_state(how->terminal, state)) {
		if (machine) {
			finish(machine, now);
			bpf_map_delete_elem(&tm_addb_machines, &s->machine);
		}
		return 0;
	}
	if (!machine)
		machine = make(s, now, registration || has_state(how->initial, state));
	if (machine)
		enter_state(s, machine, state, now);
	return 0;
}

/* The type of a fom's machines, by the packet that it serves. */
static __attribute__((noinline)) int learn_type(struct tm_addb_summand *s)
{
	struct tm_addb_machine *machine;
	u64 type = s->words[3]; /* service (2), sender, packet, reply, local, item, phase, state */

	if (s->head.value.n < 9 || !type || type > 0xffff)
		return 0;
	machine = machine_of(s, TM_ADDB_ID_FOM_PHASE, s->words[7]);
	if (machine && !machine->fom)
		learn_fom(s, machine, type);
	machine = machine_of(s, TM_ADDB_ID_FOM_STATE, s->words[8]);
	if (machine && !machine->fom)
		learn_fom(s, machine, type);
	return 0;
}

TM_INLINE u64 word_at(const struct tm_addb_summand *s, u64 i)
{
	TM_PIN(i);
	return s->words[i & TM_ADDB_WORDS];
}

/* What the words at these places tell; a word beyond the record's end is there as 0. */
static __attribute__((noinline)) int add_number(struct tm_addb_summand *s, u32 time, u32 size,
						s64 rc)
{
	bool timed = time != TM_ADDB_NO_WORD;
	u32 slot = slot_of(s, s->id, s->fom, TM_ADDB_WORD + (timed ? time : size));
	struct tm_series *series = series__at(slot);

	if (!series)
		return 0;
	if (timed) {
		addb__add_time(slot, word_at(s, time));
	} else {
		series__summed(series, TM_SUMMED_UNTIMED);
		ADD(series->count, 1);
	}
	if (rc < 0)
		series__fail(series, -rc, false);
	else if (size != TM_ADDB_NO_WORD)
		addb__add_size(slot, word_at(s, size));
	return 0;
}

/* Times and sizes in a record. */
static __attribute__((noinline)) int add_numbers(struct tm_addb_summand *s,
						 const struct tm_addb_summed *how)
{
	const struct tm_addb_number *numbers = how->numbers;
	s64 rc = how->fail_word ? word_at(s, how->fail_word) : 0;

	if (how->by_fom && !s->fom)
		s->fom = fom_of(s);
	add_number(s, numbers[0].time, numbers[0].size, rc);
	if (how->n_numbers > 1) /* no loop: the verifier would not see its end */
		add_number(s, numbers[1].time, numbers[1].size, rc);
	return 0;
}

/*
 * An attribute of a machine: how its value is summed up, which may be the size of what the machine
 * does; NULL: not at all.
 */
static __attribute__((noinline)) struct tm_addb_summed *attribute_of(struct tm_addb_summand *s)
{
	struct tm_addb_machine *machine;
	struct tm_addb_summed *how;

	if (s->head.value.n < 3 || s->words[1] > ~0U)
		return NULL;
	s->id = s->words[1];
	how = bpf_map_lookup_elem(&tm_addb_summed, &s->id);
	if (!how)
		return NULL;
	machine = how->machine ? machine_of(s, how->machine, s->words[0]) : NULL;
	if (machine) {
		machine->bytes += s->words[2];
		machine->sized = 1;
		s->fom = how->by_fom ? machine->fom : 0;
	}
	return how;
}

/* The words of s->head.value. False: they cannot be read. */
TM_INLINE bool read_words(struct tm_addb_summand *s)
{
	u32 n = s->head.value.n;

	__builtin_memset(s->words, 0, sizeof(s->words));
	if (n > TM_ADDB_WORDS || (n && bpf_probe_read_user(s->words, (n * sizeof(u64)) & 127,
							   (void *)s->head.value.words))) {
		lose(TM_ADDB_SUM_UNREADABLE);
		return false;
	}
	return true;
}

/* Sums up the record whose head, labels and key the thread has. Always 0. */
__attribute__((noinline)) int addb__sum_up(void)
{
	struct tm_addb_thread *thread = addb__thread(false);
	struct tm_addb_summand *s;
	struct tm_addb_summed *how;

	if (!thread)
		return 0;
	s = &thread->summand;
	if (s->head.value.id > ~0U)
		return 0;
	s->id = s->head.value.id;
	s->fom = 0;
	how = bpf_map_lookup_elem(&tm_addb_summed, &s->id);
	if (!how || !read_words(s))
		return 0;
	if (how->summing == TM_ADDB_SUM_STATES || how->summing == TM_ADDB_SUM_STEPS)
		return follow(s, how);
	if (how->summing == TM_ADDB_SUM_FOM)
		return learn_type(s);
	if (how->summing == TM_ADDB_SUM_ATTRIBUTES)
		how = attribute_of(s);
	return how && how->summing == TM_ADDB_SUM_NUMBERS ? add_numbers(s, how) : 0;
}

/* Of the sums of what a function tells, by the key of its calls. */
TM_INLINE void set_key(struct tm_addb_summand *s, const struct tm_key *calls)
{
	s->key = *calls;
	s->key.shard = 0;
	s->key.flags = TM_KEY_ADDB;
}

/* Where the thread has what is summed up, with the key of a function's calls; NULL: no memory. */
TM_INLINE struct tm_addb_summand *summand_for(const struct tm_key *key)
{
	struct tm_addb_thread *thread = addb__thread(true);

	if (!thread) {
		lose(TM_ADDB_SUM_NO_MEMORY);
		return NULL;
	}
	set_key(&thread->summand, key);
	return &thread->summand;
}

__attribute__((noinline)) int addb__sum_consumed(u64 address, const struct tm_key *key)
{
	struct tm_addb_summand *s = key ? summand_for(key) : NULL;

	if (!s)
		return 0;
	if (bpf_probe_read_user(&s->head, sizeof(s->head), (void *)address) ||
	    s->head.n_labels > TM_ADDB_LABELS) {
		lose(TM_ADDB_SUM_UNREADABLE);
		return 0;
	}
	s->labels = address + sizeof(s->head);
	return addb__sum_up();
}

__attribute__((noinline)) int addb__sum_added(u32 slot)
{
	struct tm_series *series = series__at(slot);
	struct tm_addb_thread *thread = addb__thread(false);
	struct tm_addb_summand *s;

	if (!series || !thread)
		return 0;
	s = &thread->summand;
	set_key(s, &series->key);
	s->head.value.id = thread->added.id;
	s->head.value.n = thread->added.n;
	s->head.value.words = thread->added.words;
	s->labels = 0;
	return addb__sum_up();
}

#define SENSOR_ID 32 /* in struct m0_addb2_counter of Motr 2.0.0: co_sensor.s_id */

__attribute__((noinline)) int addb__sum_told(u64 sensor, u64 value, const struct tm_key *key)
{
	struct tm_addb_summand *s = key ? summand_for(key) : NULL;
	struct tm_addb_summed *how;
	u64 id;

	if (!s)
		return 0;
	if (bpf_probe_read_user(&id, sizeof(id), (void *)(sensor + SENSOR_ID))) {
		lose(TM_ADDB_SUM_UNREADABLE);
		return 0;
	}
	s->id = id;
	s->fom = 0;
	how = id > ~0U ? NULL : bpf_map_lookup_elem(&tm_addb_summed, &s->id);
	if (!how || how->summing != TM_ADDB_SUM_SENSOR)
		return 0;
	if ((s64)value < 0)
		value = 0;
	/* Sensors of time are told units of 1024 ns (M0_ADDB2_HIST). */
	s->words[0] = how->numbers[0].time == TM_ADDB_NO_WORD ? value : value << 10;
	return add_numbers(s, how);
}

bool addb__is_summed(u64 wanted)
{
	struct tm_addb_summed *how;
	u32 id = wanted;

	how = wanted > ~0U ? NULL : bpf_map_lookup_elem(&tm_addb_summed, &id);
	return how && how->summing != TM_ADDB_SUM_SENSOR;
}

TM_INLINE void forget(void *map, struct tm_addb_machine_key *key,
		      const struct tm_addb_machine *machine)
{
	shift(machine->state, -1ULL);
	shift(machine->whole, -1ULL);
	bpf_map_delete_elem(map, key);
}

static long sweep_one(void *map, struct tm_addb_machine_key *key, struct tm_addb_machine *machine,
		      u32 *tgid)
{
	if (key->tgid == *tgid)
		forget(map, key, machine);
	return 0;
}

static long forget_one(void *map, struct tm_addb_machine_key *key, struct tm_addb_machine *machine,
		       void *context)
{
	forget(map, key, machine);
	lose(TM_ADDB_SUM_PARKED);
	return 0;
}

__attribute__((noinline)) int addb__forget_machines(void)
{
	bpf_for_each_map_elem(&tm_addb_machines, forget_one, NULL, 0);
	return 0;
}

__attribute__((noinline)) int addb__sweep(u32 tgid)
{
	bpf_for_each_map_elem(&tm_addb_machines, sweep_one, &tgid, 0);
	return 0;
}
