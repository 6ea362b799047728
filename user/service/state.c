// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "service/state.h"

/* Changes with what follows it. */
#define VERSION "tmtrace state 4"

#define HASH_BYTES 8

static void put_choice(const struct service_state *state, struct pack *pack)
{
	pack__u64(pack, state->choice.mechanism);
	pack__u64(pack, state->choice.spares_confined);
	pack__u64(pack, PROOFS);
	for (size_t i = 0; i < PROOFS; i++) {
		pack__u64(pack, state->proven.proofs[i].outcome);
		pack__string(pack, state->proven.proofs[i].reason);
	}
	pack__u64(pack, ENTRY_CLASSES);
	for (size_t i = 0; i < ENTRY_CLASSES; i++) {
		pack__u64(pack, state->proven.costs[i].timed_ns);
		pack__u64(pack, state->proven.costs[i].inside_ns);
		pack__u64(pack, state->proven.costs[i].counted_ns);
	}
}

static void put_probe(const struct probe *probe, struct pack *pack)
{
	pack__u64(pack, probe->layer_id);
	pack__u64(pack, probe->function_id);
	pack__string(pack, probe->function);
	pack__string(pack, probe->library);
	pack__u64(pack, probe->site);
	pack__u64(pack, probe->entry.first);
	pack__u64(pack, probe->entry.site);
	pack__u64(pack, probe->entry.moved);
	pack__u64(pack, probe->entry.bar);
	pack__string(pack, probe->mechanism);
	pack__u64(pack, probe->state);
	pack__string(pack, probe->reason);
	pack__u64(pack, probe->entry_only);
}

static void put_file(const struct seen_file *file, size_t n_layers, struct pack *pack)
{
	pack__u64(pack, file->id.inode);
	pack__u64(pack, file->id.number);
	pack__u64(pack, file->id.device);
	pack__u64(pack, file->version.size);
	pack__s64(pack, file->version.changed_ns);
	pack__string(pack, file->path);
	pack__string(pack, file->layers);
	for (size_t i = 0; i < n_layers; i++)
		pack__u64(pack, file->probed[i]);
	pack__u64(pack, (file->complete ? 1 : 0) | (file->guarded ? 2 : 0));
	pack__u64(pack, file->group);
	pack__u64(pack, file->n_links);
	pack__u64(pack, file->n_probes);
	pack__u64(pack, file->stay);
	pack__u64(pack, file->user);
	pack__u64(pack, file->charged);
	pack__u64(pack, file->n_numbers);
	for (size_t i = 0; i < file->n_numbers; i++)
		pack__u64(pack, (__u64)file->probes[i]);
}

static bool is_moved(const struct service_state *state, size_t i)
{
	static const struct probe_counts nothing;

	return state->moved && memcmp(&state->moved[i], &nothing, sizeof(nothing)) != 0;
}

static void put_moved(const struct service_state *state, struct pack *pack)
{
	size_t n = 0;

	for (size_t i = 0; i < state->n_probes; i++)
		n += is_moved(state, i);
	pack__u64(pack, n);
	for (size_t i = 0; i < state->n_probes; i++) {
		if (!is_moved(state, i))
			continue;
		pack__u64(pack, i);
		pack__numbers(pack, (const __u64 *)&state->moved[i], PROBE_COUNTS_WORDS);
	}
}

void service_state__encode(const struct service_state *state, struct pack *pack)
{
	size_t n_files = 0;
	__u64 hash;

	pack__start(pack);
	pack__string(pack, VERSION);
	pack__u64(pack, state->version);
	pack__u64(pack, state->layout);
	pack__u64(pack, state->catalogue);
	pack__string(pack, state->epoch);
	pack__u64(pack, state->start_ns);
	pack__u64(pack, state->restarts);
	pack__string(pack, state->hierarchy);
	put_choice(state, pack);
	pack__numbers(pack, state->missed, MISSED_KINDS);
	pack__u64(pack, state->n_layers);
	for (size_t i = 0; i < state->n_layers; i++)
		pack__string(pack, state->layers[i]);
	pack__u64(pack, state->n_names);
	for (size_t i = 0; i < state->n_names; i++) {
		pack__u64(pack, state->names[i].layer_id);
		pack__string(pack, state->names[i].name);
	}
	pack__u64(pack, state->n_probes);
	for (size_t i = 0; i < state->n_probes; i++)
		put_probe(&state->probes[i], pack);
	put_moved(state, pack);
	for (size_t i = 0; i < state->n_files; i++)
		n_files += !state->files[i].gone;
	pack__u64(pack, n_files);
	for (size_t i = 0; i < state->n_files; i++)
		if (!state->files[i].gone)
			put_file(&state->files[i], state->n_layers, pack);
	/* Last, so that it covers all: in bytes of seven bits, as every number. */
	hash = pack__hash(pack);
	for (int i = 0; i < HASH_BYTES; i++)
		pack__u64(pack, hash >> (8 * i) & 0x7f);
}

/* What is read, and where to. */
struct reader {
	struct unpack unpack;
	struct service_state *state;
	bool no_memory;
};

/* NULL also for none. */
static const char *get_string(struct reader *r)
{
	char *text = unpack__string(&r->unpack);
	const char *kept = text ? strings__keep(&r->state->strings, text) : NULL;

	r->no_memory |= text && !kept;
	free(text);
	return kept;
}

/* One that must be there. */
static const char *get_name(struct reader *r)
{
	const char *text = get_string(r);

	r->unpack.failed |= !text;
	return text ? text : "";
}

/* How many there are of what takes a byte at least; then they fit in the bytes that are left. */
static size_t get_count(struct reader *r)
{
	return unpack__below(&r->unpack, (__u64)(r->unpack.end - r->unpack.at) + 1);
}

/* n elements, all 0; NULL without memory. */
static void *get_room(struct reader *r, size_t n, size_t size)
{
	void *room = calloc(n + 1, size);

	r->no_memory |= !room;
	return room;
}

static void get_choice(struct reader *r)
{
	struct unpack *u = &r->unpack;
	struct service_state *state = r->state;
	const char *reason;

	state->choice.mechanism = unpack__below(u, UPROBE_MECHANISMS);
	state->choice.spares_confined = unpack__below(u, 2);
	u->failed |= unpack__u64(u) != PROOFS;
	for (size_t i = 0; i < PROOFS; i++) {
		struct proof_result *proof = &state->proven.proofs[i];

		proof->outcome = unpack__below(u, OUTCOME_FAILED + 1);
		reason = get_string(r);
		strncpy(proof->reason, reason ? reason : "", sizeof(proof->reason) - 1);
	}
	u->failed |= unpack__u64(u) != ENTRY_CLASSES;
	for (size_t i = 0; i < ENTRY_CLASSES; i++) {
		struct hit_cost *cost = &state->proven.costs[i];

		cost->timed_ns = (__u32)unpack__below(u, 1ULL << 32);
		cost->inside_ns = (__u32)unpack__below(u, 1ULL << 32);
		cost->counted_ns = (__u32)unpack__below(u, 1ULL << 32);
	}
}

static void get_layers(struct reader *r)
{
	size_t n = get_count(r);
	const char **layers = get_room(r, n, sizeof(*layers));

	if (!layers)
		return;
	r->state->layers = layers;
	for (size_t i = 0; i < n; i++)
		layers[i] = get_name(r);
	r->state->n_layers = n;
}

static void get_names(struct reader *r)
{
	size_t n = get_count(r);
	struct service_name *names;

	if (r->unpack.failed)
		return;
	names = get_room(r, n, sizeof(*names));
	r->state->names = names;
	for (size_t i = 0; names && i < n && !r->unpack.failed; i++) {
		names[i].layer_id = (__u8)unpack__below(&r->unpack, UINT8_MAX + 1);
		names[i].name = get_name(r);
		r->state->n_names = i + 1;
	}
}

static void get_probe(struct reader *r, struct probe *probe)
{
	struct unpack *u = &r->unpack;

	probe->layer_id = (__u8)unpack__below(u, UINT8_MAX + 1);
	probe->function_id = (__u32)unpack__below(u, TM_PROBES_MAX);
	probe->function = get_name(r);
	probe->library = get_string(r);
	probe->site = unpack__u64(u);
	probe->entry.first = unpack__below(u, ENTRY_CLASSES);
	probe->entry.site = unpack__below(u, ENTRY_CLASSES);
	probe->entry.moved = (__u32)unpack__below(u, 1ULL << 32);
	probe->entry.bar = unpack__below(u, ENTRY_BARS);
	probe->mechanism = get_string(r);
	probe->state = unpack__below(u, PROBE_OFF + 1);
	probe->reason = get_string(r);
	probe->entry_only = unpack__below(u, 2);
}

static void get_probes(struct reader *r)
{
	size_t n = get_count(r);
	struct probe *probes;

	if (n > TM_PROBES_MAX) {
		r->unpack.failed = true;
		return;
	}
	probes = get_room(r, n, sizeof(*probes));
	r->state->probes = probes;
	if (!probes)
		return;
	for (size_t i = 0; i < n && !r->unpack.failed; i++)
		get_probe(r, &probes[i]);
	r->state->n_probes = n;
}

static void get_moved(struct reader *r)
{
	size_t n = get_count(r), bytes = (r->state->n_probes + 1) * sizeof(struct probe_counts);
	struct probe_counts *moved;

	if (!n || r->unpack.failed)
		return;
	moved = aligned_alloc(__alignof__(*moved), bytes);
	r->state->moved = moved;
	r->no_memory |= !moved;
	if (!moved)
		return;
	memset(moved, 0, bytes);
	for (size_t i = 0; i < n && !r->unpack.failed; i++) {
		size_t at = (size_t)unpack__below(&r->unpack, r->state->n_probes);

		unpack__numbers(&r->unpack, (__u64 *)&moved[at], PROBE_COUNTS_WORDS);
	}
}

static void get_numbers(struct reader *r, struct seen_file *file)
{
	size_t n = get_count(r);

	if (r->unpack.failed)
		return;
	file->probes = get_room(r, n, sizeof(*file->probes));
	for (size_t i = 0; file->probes && i < n; i++)
		file->probes[file->n_numbers++] =
			(int)unpack__below(&r->unpack, (__u64)TM_PROBE_USER + r->state->n_probes);
	file->room = file->n_numbers;
}

static void get_file(struct reader *r, struct seen_file *file)
{
	struct unpack *u = &r->unpack;
	__u64 flags;

	file->watch = FILE_WATCH_NONE;
	file->id.inode = unpack__u64(u);
	file->id.number = unpack__u64(u);
	file->id.device = unpack__u64(u);
	file->version.size = unpack__u64(u);
	file->version.changed_ns = unpack__s64(u);
	file->path = unpack__string(u);
	file->layers = unpack__string(u);
	file->probed = get_room(r, r->state->n_layers, sizeof(*file->probed));
	for (size_t i = 0; file->probed && i < r->state->n_layers; i++)
		file->probed[i] = unpack__below(u, 2);
	flags = unpack__below(u, 4);
	file->complete = flags & 1;
	file->guarded = flags & 2;
	file->group = (unsigned int)unpack__below(u, 1ULL << 31);
	file->n_links = (size_t)unpack__below(u, 1ULL << 31);
	file->n_probes = (size_t)unpack__below(u, 1ULL << 31);
	file->stay = unpack__below(u, SEEN_STAYS + 1);
	file->user = (uid_t)unpack__below(u, 1ULL << 32);
	file->charged = (size_t)unpack__below(u, 1ULL << 31);
	get_numbers(r, file);
	u->failed |= !file->path || !file->layers;
}

static void get_files(struct reader *r)
{
	size_t n = get_count(r);
	struct seen_file *files;

	if (r->unpack.failed)
		return;
	files = get_room(r, n, sizeof(*files));
	r->state->files = files;
	for (size_t i = 0; files && i < n && !r->unpack.failed; i++) {
		r->state->n_files = i + 1;
		get_file(r, &files[i]);
	}
}

/* Are they the bytes that were put together? */
static bool is_intact(const unsigned char *bytes, size_t n)
{
	struct pack covered = { .bytes = (unsigned char *)bytes, .n = n - HASH_BYTES };
	__u64 hash;

	if (n < HASH_BYTES)
		return false;
	hash = pack__hash(&covered);
	for (int i = 0; i < HASH_BYTES; i++)
		if (bytes[n - HASH_BYTES + (size_t)i] != (hash >> (8 * i) & 0x7f))
			return false;
	return true;
}

int service_state__decode(struct service_state *out, const void *bytes, size_t n)
{
	struct reader r = { .state = out };
	const char *version;

	*out = (struct service_state){ 0 };
	if (!is_intact(bytes, n))
		return -EBADMSG;
	r.unpack = (struct unpack){ .at = bytes,
				    .end = (const unsigned char *)bytes + n - HASH_BYTES };
	version = get_string(&r);
	if (!version || strcmp(version, VERSION) != 0)
		r.unpack.failed = true;
	out->version = unpack__u64(&r.unpack);
	out->layout = unpack__u64(&r.unpack);
	out->catalogue = unpack__u64(&r.unpack);
	out->epoch = get_name(&r);
	out->start_ns = unpack__u64(&r.unpack);
	out->restarts = unpack__u64(&r.unpack);
	out->hierarchy = get_string(&r);
	get_choice(&r);
	unpack__numbers(&r.unpack, out->missed, MISSED_KINDS);
	get_layers(&r);
	get_names(&r);
	get_probes(&r);
	get_moved(&r);
	get_files(&r);
	if (!r.no_memory && !r.unpack.failed && r.unpack.at == r.unpack.end)
		return 0;
	service_state__free(out);
	return r.no_memory ? -ENOMEM : -EBADMSG;
}

void service_state__free(struct service_state *state)
{
	for (size_t i = 0; i < state->n_files; i++) {
		free(state->files[i].probed);
		free(state->files[i].path);
		free(state->files[i].layers);
		free(state->files[i].probes);
	}
	free((void *)state->files);
	free((void *)state->names);
	free((void *)state->probes);
	free((void *)state->moved);
	free((void *)state->layers);
	strings__free(&state->strings);
	*state = (struct service_state){ 0 };
}
