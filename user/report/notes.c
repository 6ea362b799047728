// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/layer_sum.h"
#include "report/names.h"
#include "report/notes.h"

enum probe_note {
	NOTE_NONE,
	NOTE_FAILED,
	NOTE_WAITING,
	NOTE_PARKED,
	NOTE_COUNTED, /* entry only */
	NOTE_UNTIMED, /* the same for now */
	NOTE_DEGRADED,
};

static enum probe_note note_of(const struct probe *probe)
{
	switch (probe->state) {
	case PROBE_FAILED:
		return NOTE_FAILED;
	case PROBE_WAITING:
		/* One that was there before, and that nobody needs any more, is as it should be. */
		return probe->reason ? NOTE_NONE : NOTE_WAITING;
	case PROBE_PARKED:
		return NOTE_PARKED;
	case PROBE_ARMED:
		if (probe->entry_only)
			return NOTE_COUNTED;
		if (probe->untimed.since_ns)
			return NOTE_UNTIMED;
		return probe->reason ? NOTE_DEGRADED : NOTE_NONE;
	default:
		return NOTE_NONE;
	}
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Is its reason of this probe alone? */
static bool is_governed(enum probe_note note)
{
	return note == NOTE_PARKED || note == NOTE_UNTIMED;
}

/* Would the two be one line? Those that are parked have one each. */
static bool same_note(const struct probe *a, const struct probe *b)
{
	return a == b || (!is_governed(note_of(a)) && note_of(a) == note_of(b) &&
			  a->layer_id == b->layer_id && same_text(a->library, b->library) &&
			  same_text(a->reason, b->reason));
}

/* One line for n probes like this one. */
static void add_probe_note(struct note_list *notes, const struct probe *probe, __u64 n)
{
	static const char *const states[] = {
		[NOTE_FAILED] = "not traced", [NOTE_WAITING] = "not loaded yet",
		[NOTE_PARKED] = "parked",     [NOTE_COUNTED] = "counted, not timed",
		[NOTE_UNTIMED] = "untimed",   [NOTE_DEGRADED] = "degraded",
	};
	enum probe_note note = note_of(probe);
	/* The reason of what is traced all the same says itself what is the matter. */
	bool traced = note == NOTE_COUNTED || note == NOTE_DEGRADED;
	const char *state = traced && probe->reason ? probe->reason : states[note];
	const char *reason = !traced && probe->reason ? probe->reason : NULL;
	const char *library = probe->library ? probe->library : "kernel";
	char text[PROBE_REASON];

	if (is_governed(note))
		note_list__add(notes, "%s (%s): %s", probe->function, library,
			       probe__reason(probe, text));
	else if (n == 1)
		note_list__add(notes, "%s (%s): %s%s%s", probe->function, library, state,
			       reason ? ": " : "", reason ? reason : "");
	else
		note_list__add(notes, "%llu %s functions (%s), %s among them: %s%s%s", n,
			       probe->layer, library, probe->function, state, reason ? ": " : "",
			       reason ? reason : "");
}

/* A degraded probe is worth a line once it is hit. */
static bool is_worth_telling(const struct probe *probe, const struct snapshot *snapshot, size_t i)
{
	if (note_of(probe) == NOTE_NONE)
		return false;
	return probe->state != PROBE_ARMED ||
	       (i < snapshot->n_ledgers && snapshot->ledgers[i].hits);
}

static void add_probe_notes(struct note_list *notes, const struct report_run *run,
			    const struct snapshot *snapshot)
{
	size_t n = run->n_probes;
	bool *told = calloc(n + 1, sizeof(*told));

	for (size_t i = 0; told && i < n; i++) {
		const struct probe *probe = &run->probes[i];
		__u64 alike = 0;

		if (told[i] || !is_worth_telling(probe, snapshot, i))
			continue;
		for (size_t j = i; j < n; j++) {
			if (told[j] || !same_note(probe, &run->probes[j]) ||
			    !is_worth_telling(&run->probes[j], snapshot, j))
				continue;
			told[j] = true;
			alike++;
		}
		add_probe_note(notes, probe, alike);
	}
	free(told);
}

/* Those that were parked for a while, and count again. */
static void add_gaps(struct note_list *notes, const struct report_run *run,
		     const struct snapshot *snapshot)
{
	char text[UNITS_ROOM];

	for (size_t i = 0; i < run->n_probes; i++) {
		const struct probe *probe = &run->probes[i];
		__u64 ns = probe__parked_ns(probe, snapshot->time_ns);

		if (ns && probe->state != PROBE_PARKED)
			note_list__add(notes,
				       "%s (%s): not counted for %s in all, when it was parked",
				       probe->function, probe->library ? probe->library : "kernel",
				       units__time(text, ns));
	}
}

/* Those that were timed for a part of the time only. */
static void add_samples(struct note_list *notes, const struct report_run *run,
			const struct snapshot *snapshot)
{
	char text[UNITS_ROOM];

	for (size_t i = 0; i < run->n_probes; i++) {
		const struct probe *probe = &run->probes[i];
		__u64 ns = probe__untimed_ns(probe, snapshot->time_ns);
		struct layer_sum sum;

		if (!ns)
			continue;
		layer_sum__of(&sum, snapshot, (__u8)probe->layer_id, (long)probe->function_id);
		if (sum.figures.timed < sum.figures.count)
			note_list__add(notes,
				       "%s (%s): times, sizes and errors are those of a sample, "
				       "%llu of %llu calls: for %s in all its calls were counted, "
				       "not timed",
				       probe->function, probe->library ? probe->library : "kernel",
				       sum.figures.timed, sum.figures.count, units__time(text, ns));
	}
}

enum { UNARMED, NOT_HIT, HIT }; /* a function, by all its probes */

/* How a layer's functions, by their numbers, fared; n of them. */
static void find_hits(const struct report_run *run, const struct snapshot *snapshot, __u8 layer,
		      char *functions, size_t n)
{
	for (size_t i = TM_PROBE_USER; i < snapshot->n_ledgers; i++) {
		const struct probe *probe;

		if (i >= run->n_probes)
			break;
		probe = &run->probes[i];
		if (probe->layer_id != layer || probe->function_id >= n)
			continue;
		if (snapshot->ledgers[i].hits)
			functions[probe->function_id] = HIT;
		else if (probe->state == PROBE_ARMED && functions[probe->function_id] == UNARMED)
			functions[probe->function_id] = NOT_HIT;
	}
}

static void add_never_hit(struct note_list *notes, const struct report_run *run,
			  const struct snapshot *snapshot, __u8 layer)
{
	size_t n = 0, counts[HIT + 1] = { 0 };
	struct tm_key key = { .layer = layer };
	const char *name = names__layer(run, layer);
	char *functions;

	while (names__function(run, &key))
		n = ++key.function;
	functions = calloc(n + 1, 1);
	if (!functions)
		return;
	find_hits(run, snapshot, layer, functions, n);
	for (size_t i = 0; i < n; i++)
		counts[(int)functions[i]]++;
	free(functions);
	if (counts[NOT_HIT] && !counts[HIT])
		note_list__add(notes, "none of the %zu %s functions was called", counts[NOT_HIT],
			       name);
	else if (counts[NOT_HIT])
		note_list__add(notes, "%zu of %zu %s functions were never called", counts[NOT_HIT],
			       counts[NOT_HIT] + counts[HIT], name);
}

/* What a layer's probes lost, together. */
static struct tm_ledger sum_layer(const struct report_run *run, const struct snapshot *snapshot,
				  __u8 layer)
{
	struct tm_ledger sum = { 0 };

	for (size_t i = 0; i < snapshot->n_ledgers && i < run->n_probes; i++) {
		const struct tm_ledger *ledger = &snapshot->ledgers[i];

		if (run->probes[i].layer_id != layer)
			continue;
		for (int loss = 0; loss < TM_LOSSES; loss++)
			sum.lost[loss] += ledger->lost[loss];
		sum.unsized += ledger->unsized;
		sum.in_flight += ledger->in_flight;
	}
	return sum;
}

/* "1 mio call", "12 mio calls" */
static const char *calls(char out[64], __u64 count, const char *layer)
{
	char text[UNITS_ROOM];

	snprintf(out, 64, "%s %s call%s", units__count(text, count), layer, count == 1 ? "" : "s");
	return out;
}

static void add_losses(struct note_list *notes, const struct report_run *run,
		       const struct snapshot *snapshot, __u8 layer)
{
	static const char *const why[TM_LOSSES] = {
		[TM_LOSS_UNWOUND] = "left by longjmp or an exception",
		[TM_LOSS_KILLED] = "the thread ended, or called exec, inside",
		[TM_LOSS_FOREIGN_STACK] = "made on another stack, where a return probe is not safe",
		[TM_LOSS_TOO_DEEP] = "more calls open in the thread than are followed",
		[TM_LOSS_NO_MEMORY] = "no memory for the thread",
		[TM_LOSS_NO_SLOT] = "the table of series is full",
		[TM_LOSS_NO_ENTRY] = "the table of requests in flight is full",
		[TM_LOSS_UNSEEN] = "completed, but the kernel did not say so",
		[TM_LOSS_CONFINED] =
			"made under seccomp, where a return probe is not safe on this kernel",
		[TM_LOSS_PARKED] = "open when its probe was parked",
	};
	const char *name = names__layer(run, layer);
	struct tm_ledger sum = sum_layer(run, snapshot, layer);
	char text[64];

	for (int loss = 0; loss < TM_LOSSES; loss++) {
		bool counted = layer >= TM_LAYER_USER && loss != TM_LOSS_NO_SLOT;

		if (sum.lost[loss])
			note_list__add(notes, "%s %s: %s (%s)", calls(text, sum.lost[loss], name),
				       counted ? "counted, not timed" : "not counted",
				       probe_loss_names[loss], why[loss]);
	}
	if (sum.unsized)
		note_list__add(notes, "%s without a size: it could not be read",
			       calls(text, sum.unsized, name));
	if (sum.in_flight)
		note_list__add(notes, "%s still open", calls(text, sum.in_flight, name));
}

/* The run-time's own small tables are mapped shared by nearly every program: not worth a line. */
#define MAPPED_WORTH_NOTING (1 << 20)

static void add_unseen(struct note_list *notes, const struct snapshot *snapshot)
{
	char text[UNITS_ROOM];
	__u64 mapped = 0;

	for (size_t i = 0; i < snapshot->n_series; i++)
		if (snapshot->series[i]->total.key.layer == TM_LAYER_VFS)
			mapped += snapshot->series[i]->total.mapped;
	if (mapped >= MAPPED_WORTH_NOTING)
		note_list__add(
			notes,
			"%s of files were mapped shared: I/O through a mapping (mmap) is not "
			"seen by system calls",
			units__bytes(text, mapped));
}

/* What was counted, and should have been recorded one by one. */
static void tell_lost(struct note_list *notes, const char *what, __u64 full, __u64 busy)
{
	if (full)
		note_list__add(notes,
			       "%llu %s were counted, but not recorded one by one: the buffer "
			       "was full; --call-buffer makes it larger, --sample and "
			       "--min-duration need less of it",
			       full, what);
	if (busy)
		note_list__add(notes,
			       "%llu %s were counted, but not recorded one by one: the kernel "
			       "had no memory or no access to the buffer for them",
			       busy, what);
}

static void add_lost_calls(struct note_list *notes, const struct snapshot *snapshot)
{
	const struct tm_call_ledger *ledgers = snapshot->call_ledgers;
	struct tm_call_fates calls = { 0 }, operations = { 0 };

	for (size_t i = 0; ledgers && i < snapshot->n_ledgers; i++) {
		calls.full += ledgers[i].calls.full;
		calls.busy += ledgers[i].calls.busy;
		operations.full += ledgers[i].operations.full;
		operations.busy += ledgers[i].operations.busy;
	}
	tell_lost(notes, "calls", calls.full, calls.busy);
	tell_lost(notes, "operations", operations.full, operations.busy);
}

void notes__collect(struct note_list *out, const struct report_run *run,
		    const struct snapshot *snapshot)
{
	for (size_t i = 0; i < run->n_notes; i++)
		note_list__add(out, "%s", run->notes[i]);
	if (!snapshot)
		return;
	add_probe_notes(out, run, snapshot);
	add_gaps(out, run, snapshot);
	add_samples(out, run, snapshot);
	for (__u8 layer = 0; names__layer(run, layer); layer++) {
		if (layer >= TM_LAYER_USER)
			add_never_hit(out, run, snapshot, layer);
		add_losses(out, run, snapshot, layer);
	}
	add_unseen(out, snapshot);
	add_lost_calls(out, snapshot);
}
