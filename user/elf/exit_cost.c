// SPDX-License-Identifier: GPL-2.0-only
#include "base/search.h"
#include "elf/exit_cost.h"
#include "elf/exits_state.h"
#include "tmtrace/exit.h"

/* A probe on a `ret` costs two to four times one on a jump (docs/bench.md). */
#define PASSED_MAX	 3 /* jumps that one call passes, and returns at the last */
#define PASSED_PLAIN_MAX 1 /* and returns by a `ret` with a probe */

#define BITS	  64 /* jumps, and `ret` instructions, of one function */
#define TODO_MAX  256
#define STEPS_MAX 8192

struct graph {
	struct exits *exits;
	__u64 jumps[BITS];
	size_t n_jumps;
	/* By a bit for each of them: where one gets from a jump. */
	__u64 to_jumps[BITS], to_rets[BITS];
	/* The jumps that stand in for a `ret`, and the `ret` instructions that keep their probes.
	 */
	__u64 jumps_of[BITS], plain;
	/* Following the code. */
	__u64 todo[TODO_MAX];
	size_t n_todo, n_steps;
};

/* What one call may pass from a jump on, at worst. */
struct worst {
	int passed, passed_plain; /* jumps; 0 of the second: no `ret` with a probe is reached */
	__u64 chain, chain_plain; /* these jumps */
};

static bool is_conditional(const struct exits_way *way)
{
	return way->code >> TM_EXIT_WHEN_SHIFT & ((1U << TM_EXIT_WHEN_BITS) - 1);
}

static __u64 bit(size_t i)
{
	return 1ULL << i;
}

/* The index of an exit; BITS: too far. */
static size_t ret_index(const struct exits *exits, __u64 ret)
{
	size_t i = SEARCH_FIRST(exits->n_found, k, exits->found[k] < ret);

	return i < BITS ? i : BITS;
}

/* The index of a jump, which is added; BITS: there are too many. */
static size_t jump_index(struct graph *graph, __u64 offset)
{
	for (size_t i = 0; i < graph->n_jumps; i++)
		if (graph->jumps[i] == offset)
			return i;
	if (graph->n_jumps == BITS)
		return BITS;
	graph->jumps[graph->n_jumps] = offset;
	return graph->n_jumps++;
}

/* false: it is too large to be looked at. */
static bool collect_graph(struct graph *graph, const struct exits_way *ways, size_t n)
{
	__u64 led_to = 0;

	if (graph->exits->n_found > BITS)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t ret = ret_index(graph->exits, ways[i].ret), jump;

		led_to |= bit(ret);
		if (!is_conditional(&ways[i]))
			continue;
		jump = jump_index(graph, ways[i].offset);
		if (jump == BITS)
			return false;
		graph->jumps_of[ret] |= bit(jump);
	}
	for (size_t i = 0; i < graph->exits->n_found; i++)
		if (!(led_to & bit(i)))
			graph->plain |= bit(i);
	return true;
}

/* Marks what is looked for: jumps from 1 on, and behind them `ret` instructions; 0: it is over. */
static void mark(const struct graph *graph, bool begin)
{
	for (size_t i = 0; i < graph->n_jumps; i++)
		exits__place(graph->exits, graph->jumps[i])->tag = begin ? (__u8)(1 + i) : 0;
	for (size_t i = 0; i < graph->exits->n_found; i++)
		exits__place(graph->exits, graph->exits->found[i])->tag =
			begin ? (__u8)(1 + BITS + i) : 0;
}

/* Notes an instruction that is to be looked at. false: there are too many. */
static bool push(struct graph *graph, size_t jump, __u64 offset)
{
	struct place *place = exits__place(graph->exits, offset);

	if (!place || place->search == graph->exits->search)
		return true;
	if (graph->n_todo == TODO_MAX || ++graph->n_steps > STEPS_MAX)
		return false;
	place->search = graph->exits->search;
	if (place->tag > BITS)
		graph->to_rets[jump] |= bit(place->tag - 1U - BITS);
	else if (place->tag)
		graph->to_jumps[jump] |= bit(place->tag - 1U);
	graph->todo[graph->n_todo++] = offset;
	return true;
}

/* Where the code goes on behind an instruction. */
static bool push_next(struct graph *graph, size_t jump, __u64 offset)
{
	const struct exits *exits = graph->exits;
	const struct place *place = exits__place(exits, offset);
	size_t i = SEARCH_FIRST(exits->n_edges, k, exits->sources[k].from < offset);
	bool fits = !place->falls || push(graph, jump, offset + place->length);

	for (; fits && i < exits->n_edges && exits->sources[i].from == offset; i++)
		fits = push(graph, jump, exits->sources[i].to);
	return fits;
}

/* Where one gets from a jump; what is not known counts as the jump itself. */
static void follow(struct graph *graph, size_t jump)
{
	bool fits;

	graph->exits->search++;
	graph->n_todo = graph->n_steps = 0;
	fits = push_next(graph, jump, graph->jumps[jump]);
	while (fits && graph->n_todo)
		fits = push_next(graph, jump, graph->todo[--graph->n_todo]);
	if (!fits)
		graph->to_jumps[jump] |= bit(jump);
}

/* The worst of what may come after a jump, and the jump itself. */
static struct worst worst_from(const struct graph *graph, const struct worst *all, __u64 jumps,
			       size_t jump)
{
	struct worst worst = { .passed = 0 };

	for (size_t i = 0; i < graph->n_jumps; i++) {
		if (!(graph->to_jumps[jump] & jumps & bit(i)))
			continue;
		if (all[i].passed > worst.passed) {
			worst.passed = all[i].passed;
			worst.chain = all[i].chain;
		}
		if (all[i].passed_plain > worst.passed_plain) {
			worst.passed_plain = all[i].passed_plain;
			worst.chain_plain = all[i].chain_plain;
		}
	}
	worst.passed++;
	worst.chain |= bit(jump);
	if (worst.passed_plain || (graph->to_rets[jump] & graph->plain)) {
		worst.passed_plain++;
		worst.chain_plain |= bit(jump);
	}
	return worst;
}

/* Jumps of which one has to go; 0: none has. */
static __u64 find_costly(const struct graph *graph, __u64 jumps)
{
	struct worst all[BITS] = { 0 };

	for (size_t i = 0; i < graph->n_jumps; i++)
		if (jumps & graph->to_jumps[i] & bit(i)) /* a call may come by many times */
			return bit(i);
	/* One that leads to another leads to all that the other one does, and to more. */
	for (int rank = 0; rank <= BITS; rank++) {
		for (size_t i = 0; i < graph->n_jumps; i++) {
			if (!(jumps & bit(i)) ||
			    __builtin_popcountll(graph->to_jumps[i] & jumps) != rank)
				continue;
			all[i] = worst_from(graph, all, jumps, i);
			if (all[i].passed > PASSED_MAX)
				return all[i].chain;
			if (all[i].passed_plain > PASSED_PLAIN_MAX)
				return all[i].chain_plain;
		}
	}
	return 0;
}

/* Of the `ret` instructions that some of these jumps stand in for, the one with the most jumps. */
static size_t worst_ret(const struct graph *graph, __u64 jumps)
{
	size_t worst = 0;
	int most = 0;

	for (size_t i = 0; i < graph->exits->n_found; i++) {
		int n = __builtin_popcountll(graph->jumps_of[i]);

		if (!(graph->plain & bit(i)) && (graph->jumps_of[i] & jumps) && n > most) {
			most = n;
			worst = i;
		}
	}
	return worst;
}

static size_t keep(struct exits_way *ways, size_t n, const struct graph *graph)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!(graph->plain & bit(ret_index(graph->exits, ways[i].ret))))
			ways[kept++] = ways[i];
	return kept;
}

size_t exit_cost__choose(struct exits *exits, struct exits_way *ways, size_t n)
{
	struct graph graph = { .exits = exits };
	__u64 jumps = 0, costly;

	if (!collect_graph(&graph, ways, n))
		return 0;
	if (!graph.n_jumps)
		return n;
	mark(&graph, true);
	for (size_t i = 0; i < graph.n_jumps; i++)
		follow(&graph, i);
	mark(&graph, false);
	do {
		jumps = 0;
		for (size_t i = 0; i < exits->n_found; i++)
			if (!(graph.plain & bit(i)))
				jumps |= graph.jumps_of[i];
		costly = find_costly(&graph, jumps);
		if (costly)
			graph.plain |= bit(worst_ret(&graph, costly));
	} while (costly);
	return keep(ways, n, &graph);
}
