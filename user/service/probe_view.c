// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "service/probe_view.h"

/* A function, how often it was called in what is seen, and whether the view has it already. */
struct called {
	__u64 function; /* and its layer */
	__u64 calls;
	bool is_shown;
};

struct calls {
	struct called *functions; /* sorted */
	size_t n;
};

static __u64 number_of(__u8 layer, __u32 function)
{
	return (__u64)layer << 32 | function;
}

static int compare_functions(const void *left, const void *right)
{
	const struct called *a = left, *b = right;

	return a->function < b->function ? -1 : a->function > b->function;
}

/* All libraries that have a function are as one. */
static int count_calls(struct calls *calls, const struct snapshot *snapshot)
{
	size_t n = 0;

	calls->n = 0;
	calls->functions = calloc(snapshot->n_series + 1, sizeof(*calls->functions));
	if (!calls->functions)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct tm_series *total = &snapshot->series[i]->total;

		if (!key__is_beside(&total->key))
			calls->functions[n++] = (struct called){
				.function = number_of(total->key.layer, total->key.function),
				.calls = total->count,
			};
	}
	qsort(calls->functions, n, sizeof(*calls->functions), compare_functions);
	for (size_t i = 0; i < n; i++) {
		struct called *last = calls->n ? &calls->functions[calls->n - 1] : NULL;

		if (last && last->function == calls->functions[i].function)
			last->calls += calls->functions[i].calls;
		else
			calls->functions[calls->n++] = calls->functions[i];
	}
	return 0;
}

/* NULL: it was never called. */
static struct called *find_calls(const struct calls *calls, const struct probe *probe)
{
	const struct called wanted = { .function = number_of(probe->layer_id, probe->function_id) };
	struct called *found = NULL;

	if (calls->n)
		found = bsearch(&wanted, calls->functions, calls->n, sizeof(wanted),
				compare_functions);
	return found && found->calls ? found : NULL;
}

static int make_room(struct probe_view *view, size_t n, bool has_calls)
{
	size_t align = __alignof__(struct tm_ledger);
	size_t bytes = (n + 1) * sizeof(*view->ledgers);

	view->probes = calloc(n + 1, sizeof(*view->probes));
	view->ledgers = aligned_alloc(align, (bytes + align - 1) / align * align);
	if (has_calls)
		view->call_ledgers = calloc(n + 1, sizeof(*view->call_ledgers));
	return view->probes && view->ledgers && (!has_calls || view->call_ledgers) ? 0 : -ENOMEM;
}

static void show_probes(struct probe_view *view, size_t n, struct report_run *run,
			struct snapshot *snapshot)
{
	run->probes = view->probes;
	run->n_probes = n;
	snapshot->ledgers = view->ledgers;
	snapshot->n_ledgers = n;
	if (view->call_ledgers)
		snapshot->call_ledgers = view->call_ledgers;
}

int probe_view__hide_node(struct probe_view *view, struct report_run *run,
			  struct snapshot *snapshot)
{
	const struct probe *all = run->probes;
	struct calls calls;
	size_t n = 0;

	if (count_calls(&calls, snapshot) < 0 ||
	    make_room(view, TM_PROBE_USER + calls.n, false) < 0) {
		free(calls.functions);
		return -ENOMEM;
	}
	for (size_t i = 0; i < run->n_probes; i++) {
		struct called *called = find_calls(&calls, &all[i]);
		__u64 count = called ? called->calls : 0;

		/* Those of the kernel keep their numbers. */
		if (i >= TM_PROBE_USER && (!called || called->is_shown))
			continue;
		view->probes[n] = all[i];
		if (i >= TM_PROBE_USER)
			view->probes[n].library = all[i].layer;
		if (called)
			called->is_shown = true;
		view->ledgers[n++] = (struct tm_ledger){ .hits = count, .recorded = count };
	}
	free(calls.functions);
	run->n_notes = run->n_start_notes = 0;
	show_probes(view, n, run, snapshot);
	return 0;
}

static bool is_wanted(const struct calls *calls, const struct snapshot *snapshot,
		      const struct report_run *run, size_t i)
{
	return i < TM_PROBE_USER || find_calls(calls, &run->probes[i]) ||
	       probe__parked_ns(&run->probes[i], snapshot->time_ns);
}

/* Their numbers: few of all. */
static size_t list_wanted(size_t *wanted, const struct calls *calls,
			  const struct snapshot *snapshot, const struct report_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers; i++)
		if (is_wanted(calls, snapshot, run, i))
			wanted[n++] = i;
	return n;
}

static int copy_wanted(struct probe_view *view, const size_t *wanted, size_t n,
		       struct report_run *run, struct snapshot *snapshot)
{
	int ret = make_room(view, n, snapshot->call_ledgers);

	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++) {
		view->probes[i] = run->probes[wanted[i]];
		view->ledgers[i] = snapshot->ledgers[wanted[i]];
		if (view->call_ledgers)
			view->call_ledgers[i] = snapshot->call_ledgers[wanted[i]];
	}
	show_probes(view, n, run, snapshot);
	return 0;
}

int probe_view__choose_called(struct probe_view *view, struct report_run *run,
			      struct snapshot *snapshot)
{
	size_t *wanted = calloc(run->n_probes + 1, sizeof(*wanted)), n;
	struct calls calls = { 0 };
	int ret = wanted ? count_calls(&calls, snapshot) : -ENOMEM;

	if (!ret) {
		n = list_wanted(wanted, &calls, snapshot, run);
		ret = copy_wanted(view, wanted, n, run, snapshot);
	}
	free(calls.functions);
	free(wanted);
	return ret;
}

void probe_view__clear(struct probe_view *view)
{
	free(view->probes);
	free(view->ledgers);
	free(view->call_ledgers);
	*view = (struct probe_view){ 0 };
}
