// SPDX-License-Identifier: GPL-2.0-only
/* The table of files and objects: making records, and counting into them. */
#include "object.bpf.h"
#include "path.bpf.h"

static long walk_up(u32 i, struct path_walk *walk)
{
	enum path_step step = path__step(walk);
	u32 slot = walk->slot;

	return step == PATH_NAME ? path__copy(walk, bpf_map_lookup_elem(&tm_object_names, &slot))
				 : step;
}

/* Notes the path of a file: as the kernel knows it, from the root of its mounts. */
TM_INLINE bool note_path(u32 slot, u64 address)
{
	struct path_walk walk = { .slot = slot };
	struct tm_object_name *name;

	path__begin(&walk, (void *)address);
	bpf_loop(PATH_PARTS, walk_up, &walk, 0);
	name = bpf_map_lookup_elem(&tm_object_names, &slot);
	if (!name)
		return false;
	path__end(&walk, name);
	return walk.is_whole;
}

static __attribute__((noinline)) int note_name(u32 slot, const struct tm_name_words *words)
{
	struct tm_object_name *name = bpf_map_lookup_elem(&tm_object_names, &slot);

	if (name)
		*(struct tm_name_words *)name->text = *words;
	return 0;
}

/* A slot that nobody has: one that was given back, or one never used. Jobs' own go further. */
static __attribute__((noinline)) u32 take_slot(bool is_reserved)
{
	u32 end = tm_config.objects - TM_OBJECT_NOBODY, slot = 0;

	if (!bpf_map_pop_elem(&tm_free_objects, &slot))
		return slot;
	if (!is_reserved)
		end -= TM_OBJECT_RESERVED;
	/* Without this, a full table would move the counter on and wrap it one day. */
	if (*(volatile u32 *)&tm_next_object >= end)
		return TM_NO_OBJECT;
	slot = __sync_fetch_and_add(&tm_next_object, 1) + TM_OBJECT_NOBODY;
	return slot < tm_config.objects ? slot : TM_NO_OBJECT;
}

TM_INLINE u32 make(const struct tm_object_key *key, u64 file, const struct tm_name_words *name)
{
	u32 slot = take_slot(key->what == TM_OBJECT_PATHS || key->what == TM_OBJECT_OTHERS);
	struct tm_object *object = bpf_map_lookup_elem(&tm_objects, &slot);
	u32 *winner;

	if (!object)
		return TM_NO_OBJECT;
	object->key = *key;
	if (file)
		object->is_cut = !note_path(slot, file);
	else if (name)
		note_name(slot, name);
	if (bpf_map_update_elem(&tm_object_slots, key, &slot, BPF_NOEXIST)) {
		/* Another CPU was faster; or the bucket is locked by what we interrupted. */
		bpf_map_push_elem(&tm_free_objects, &slot, BPF_ANY);
		winner = bpf_map_lookup_elem(&tm_object_slots, key);
		return winner ? *winner : TM_NO_OBJECT;
	}
	/* x86 keeps stores in order; the barrier is for the compiler. */
	asm volatile("" ::: "memory");
	object->state = TM_OBJECT_LIVE;
	return slot;
}

/* The record of all of a job and layer that there is no room for. */
TM_INLINE u32 find_others(struct tm_object_key *key)
{
	u32 *slot;

	key->what = TM_OBJECT_OTHERS;
	key->tgid = 0;
	key->id[0] = key->id[1] = 0;
	slot = bpf_map_lookup_elem(&tm_object_slots, key);
	return slot ? *slot : make(key, 0, NULL);
}

__hidden __attribute__((noinline)) u32 object__find(struct tm_object_key *key, u64 file,
						    const struct tm_name_words *name)
{
	u32 *found = bpf_map_lookup_elem(&tm_object_slots, key);
	u32 slot = found ? *found : make(key, file, name);

	return slot == TM_NO_OBJECT ? find_others(key) : slot;
}

/*
 * Of what has lost its record while it was under way, or got none: of no job. No deeper calls from
 * here: where AIO ends, little is left of the stack.
 */
TM_INLINE struct tm_object *nobody(u8 layer)
{
	u32 slot = layer % TM_OBJECT_NOBODY;
	struct tm_object *object = bpf_map_lookup_elem(&tm_objects, &slot);

	if (object && object->state != TM_OBJECT_LIVE) {
		object->key.layer = layer;
		object->key.what = TM_OBJECT_OTHERS;
		object->state = TM_OBJECT_LIVE;
	}
	return object;
}

/* A size that has no place yet: it takes that of one that has come down to 0, or makes all less. */
static __attribute__((noinline)) int count_rare_size(struct tm_access *access, u64 tag)
{
	for (int i = 0; i < TM_OBJECT_COMMON; i++) {
		struct tm_common_size *common = &access->common[i];
		u64 old = *(volatile u64 *)&common->tag;

		if (old && *(volatile u64 *)&common->count)
			continue;
		if (old == tag || __sync_val_compare_and_swap(&common->tag, old, tag) == old ||
		    *(volatile u64 *)&common->tag == tag) {
			ADD(common->count, 1);
			return 0;
		}
	}
	for (int i = 0; i < TM_OBJECT_COMMON; i++) {
		if (*(volatile u64 *)&access->common[i].count)
			ADD(access->common[i].count, -1ULL);
	}
	return 0;
}

TM_INLINE void count_size(struct tm_access *access, u64 bytes)
{
	u64 tag = bytes + 1;
	u64 class = tm_object_size_class(bytes);

	TM_PIN(class);
	ADD(access->sizes[class < TM_OBJECT_SIZES ? class : 0], 1);
	if (bytes)
		ADD(access->bytes, bytes);
	for (int i = 0; i < TM_OBJECT_COMMON; i++) {
		if (*(volatile u64 *)&access->common[i].tag == tag) {
			ADD(access->common[i].count, 1);
			return;
		}
	}
	count_rare_size(access, tag);
}

/* Where it was, beside the one before. */
TM_INLINE void count_place(struct tm_access *access, u64 offset, u64 bytes)
{
	u64 next = *(volatile u64 *)&access->next, end = offset + bytes;

	if (next && offset == next - 1)
		ADD(access->consecutive, 1);
	else if (next && offset > next - 1)
		ADD(access->forward, 1);
	access->next = end + 1;
	atomic__max(&access->end, end);
}

/* What there is of the slowest one changes together, unless two are the slowest at once. */
TM_INLINE void note_slowest(struct tm_access *access, const struct operation *operation)
{
	if (operation->ns <= *(volatile u64 *)&access->slowest_ns)
		return;
	access->slowest_ns = operation->ns;
	access->slowest_start_ns = operation->start_ns;
	access->slowest_bytes = operation->bytes;
	access->slowest_offset = operation->offset;
}

TM_INLINE void note_span(u64 *first, u64 *last, u64 begin, u64 end)
{
	if (!*(volatile u64 *)first)
		__sync_val_compare_and_swap(first, 0, begin);
	*last = end;
}

static __attribute__((noinline)) int count_access(struct tm_object *object,
						  const struct operation *operation)
{
	u32 direction = operation->direction & 1;
	struct tm_access *access = &object->access[direction];

	ADD(access->total_ns, operation->ns);
	note_span(&access->first_ns, &access->last_ns, operation->start_ns,
		  operation->start_ns + operation->ns);
	if (object->direction != direction + 1) {
		if (object->direction)
			ADD(object->switches, 1);
		object->direction = direction + 1;
	}
	if (!operation->is_sized) {
		ADD(access->unsized, 1);
		return 0;
	}
	if (operation->offset != TM_NO_OFFSET)
		count_place(access, operation->offset, operation->bytes);
	note_slowest(access, operation);
	count_size(access, operation->bytes);
	return 0;
}

static __attribute__((noinline)) int count_other(struct tm_object *object,
						 const struct operation *operation)
{
	bool vfs = operation->layer == TM_LAYER_VFS;
	u64 function = vfs ? operation->function : 0; /* 64 bits: 6.1 checks bounds of no less */
	u64 start = operation->start_ns;

	TM_PIN(function);
	ADD(object->others[function < TM_OBJECT_FUNCTIONS ? function : 0], 1);
	ADD(object->others_ns, operation->ns);
	if (operation->is_sized && operation->bytes)
		ADD(object->others_bytes, operation->bytes);
	if (function == TM_VFS_OPEN || function == TM_VFS_CREATE)
		note_span(&object->opens.first_ns, &object->opens.last_ns, start, start);
	else if (function == TM_VFS_CLOSE)
		note_span(&object->closes.first_ns, &object->closes.last_ns, start, start);
	return 0;
}

__attribute__((noinline)) int object__count(struct operation *operation)
{
	struct tm_object *object;
	u32 slot;

	if (!operation)
		return 0;
	slot = operation->object.slot;
	object = bpf_map_lookup_elem(&tm_objects, &slot);
	if (!object || object->serial != operation->object.serial)
		object = nobody(operation->layer);
	if (!object)
		return 0;
	if (operation->has_failed)
		ADD(object->errors, 1);
	if (operation->is_retry)
		ADD(object->retries, 1);
	return operation->direction < TM_DIRECTIONS ? count_access(object, operation)
						    : count_other(object, operation);
}
