// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "selftest/scenario.h"

/* Of each stack that is switched between. */
#define STACK_SIZE (128UL << 10)

/* Calls a site's function n times; false: it noticed a change. */
static bool call(struct scenario *scenario, enum subject_site site, unsigned int n)
{
	subject_function function = subject__function(scenario->subject, site);
	__u64 *calls = &scenario->log->calls[site], *sum = &scenario->log->sums[site];
	long x;

	for (x = 0; x < (long)n; x++) {
		if (function(x) != x + 1)
			return false;
		__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(sum, x + 1, __ATOMIC_RELAXED);
	}
	return true;
}

/* A range of sites, and what is called there. */
struct range {
	struct scenario *scenario;
	enum subject_site first, last;
	unsigned int calls;
	bool ok;
};

static void *call_range(void *context)
{
	struct range *range = context;
	enum subject_site site;

	range->ok = true;
	for (site = range->first; range->ok && site <= range->last; site++)
		if (range->scenario->probed[site])
			range->ok = call(range->scenario, site, range->calls);
	return NULL;
}

/* Half of the calls in this thread, half in another. */
static int call_both(struct scenario *scenario, enum subject_site first, enum subject_site last)
{
	struct range here = { .scenario = scenario, .first = first, .last = last };
	struct range there;
	pthread_t thread = 0;

	here.calls = scenario->threads ? scenario->calls / 2 : scenario->calls;
	there = here;
	if (scenario->threads && pthread_create(&thread, NULL, call_range, &there))
		return SCENARIO_IMPOSSIBLE;
	call_range(&here);
	if (scenario->threads)
		pthread_join(thread, NULL);
	return here.ok && (!scenario->threads || there.ok) ? SCENARIO_OK : SCENARIO_CHANGED;
}

/* What subject__keeps_registers() calls with: see there. */
#define REGISTERS_ARGUMENT 0x5a5a1005L

int scenario__calls(struct scenario *scenario, enum subject_site first, enum subject_site last)
{
	int ret = call_both(scenario, first, last);
	enum subject_site site;

	for (site = first; !ret && site <= last; site++) {
		if (!scenario->probed[site])
			continue;
		if (!subject__keeps_registers(subject__function(scenario->subject, site)))
			return SCENARIO_CHANGED;
		scenario->log->calls[site]++;
		scenario->log->sums[site] += REGISTERS_ARGUMENT + 1;
	}
	return ret;
}

int scenario__stranger(struct scenario *scenario)
{
	subject_function function = subject__function(scenario->subject, SITE_PUSH);
	long x;

	for (x = 0; x < (long)scenario->calls; x++) {
		if (function(x) != x + 1)
			return SCENARIO_CHANGED;
		scenario->log->strange++;
	}
	return SCENARIO_OK;
}

/* In a quick trial, too, the first state has no flag set, and the last one all. */
static unsigned int state_of(const struct scenario *scenario, unsigned int i)
{
	return i * (MACHINE_STATES - 1) / (scenario->states - 1);
}

static void run_instruction(const struct scenario *scenario, size_t i, unsigned int state)
{
	machine__set(scenario->machine, state_of(scenario, state));
	machine__run(scenario->machine, subject__instruction_code(scenario->subject, i));
}

void scenario__expect(const struct scenario *scenario, struct machine *expected)
{
	for (size_t i = 0; i < subject__n_instructions(); i++) {
		for (unsigned int state = 0; state < scenario->states; state++) {
			run_instruction(scenario, i, state);
			expected[i * scenario->states + state] = *scenario->machine;
		}
	}
}

int scenario__instructions(struct scenario *scenario)
{
	const struct machine *expected = scenario->expected;
	struct scenario_log *log = scenario->log;

	for (size_t i = 0; i < subject__n_instructions(); i++) {
		for (unsigned int state = 0; state < scenario->states; state++, expected++) {
			log->instruction = i + 1;
			run_instruction(scenario, i, state);
			log->calls[SITE_INSTRUCTION]++;
			log->difference = machine__difference(scenario->machine, expected);
			if (log->difference)
				return SCENARIO_CHANGED;
		}
	}
	log->instruction = 0;
	return SCENARIO_OK;
}

int scenario__leaves(struct scenario *scenario, enum subject_site first, enum subject_site last)
{
	return call_both(scenario, first, last);
}

/* A thread with its stack, and one that lies above. */
struct stacks {
	struct scenario *scenario;
	char *low, *high;
	ucontext_t here, there;
	bool ok;
};

/* A signal handler and a context have no argument that a pointer fits into. */
static struct stacks *current;

static void call_inner(void)
{
	current->ok &= call(current->scenario, SITE_INNER, 2);
}

static void on_signal(int sig)
{
	(void)sig;
	call_inner();
}

static void raise_signal(void *unused)
{
	(void)unused;
	raise(SIGUSR1);
}

static void switch_stack(void *context)
{
	struct stacks *stacks = context;

	if (getcontext(&stacks->there)) {
		stacks->ok = false;
		return;
	}
	stacks->there.uc_stack.ss_sp = stacks->high;
	stacks->there.uc_stack.ss_size = STACK_SIZE;
	stacks->there.uc_link = &stacks->here;
	makecontext(&stacks->there, call_inner, 0);
	stacks->ok &= !swapcontext(&stacks->here, &stacks->there);
}

static void call_outer(struct stacks *stacks, void (*back)(void *))
{
	struct scenario_log *log = stacks->scenario->log;
	subject_outer outer = subject__outer(stacks->scenario->subject);
	long x;

	for (x = 0; stacks->ok && x < 3; x++) {
		stacks->ok &= outer(x, back, stacks) == x + 1;
		log->calls[SITE_OUTER]++;
		log->sums[SITE_OUTER] += x + 1;
		call_inner();
	}
}

static void *switch_stacks(void *context)
{
	struct stacks *stacks = context;
	stack_t alternate = { .ss_sp = stacks->high, .ss_size = STACK_SIZE };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	call_outer(stacks, switch_stack);
	if (sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL)) {
		stacks->ok = false;
		return NULL;
	}
	call_outer(stacks, raise_signal);
	return NULL;
}

int scenario__stacks(struct scenario *scenario)
{
	char *map = mmap(NULL, 3 * STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	struct stacks stacks = { .scenario = scenario, .ok = true };
	pthread_attr_t attr;
	pthread_t thread;

	if (map == MAP_FAILED)
		return SCENARIO_IMPOSSIBLE;
	stacks.low = map;
	stacks.high = map + 2 * STACK_SIZE;
	current = &stacks;
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stacks.low, STACK_SIZE) ||
	    pthread_create(&thread, &attr, switch_stacks, &stacks)) {
		current = NULL;
		return SCENARIO_IMPOSSIBLE;
	}
	pthread_join(thread, NULL);
	current = NULL;
	return stacks.ok ? SCENARIO_OK : SCENARIO_CHANGED;
}

/* Allows exit, and kills for everything else. */
static bool install_filter(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = sizeof(rules) / sizeof(*rules), .filter = rules };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

_Noreturn void scenario__seccomp(struct scenario *scenario, bool strict, enum subject_site site)
{
	int status = SCENARIO_IMPOSSIBLE;

	/* A process with a filter, as services of systemd have one, cannot be made strict. */
	if ((strict && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) || install_filter()) {
		status = SCENARIO_CHANGED;
		if (call(scenario, site, scenario->calls))
			status = SCENARIO_OK;
	}
	/* The C library's own would end the thread group, which is not allowed. */
	for (;;)
		syscall(SYS_exit, status);
}

/* Newer than some headers (1446e1df9eb1, 5.11). */
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH  59
#define PR_SYS_DISPATCH_ON	      1
#define SYSCALL_DISPATCH_FILTER_ALLOW 0
#define SYSCALL_DISPATCH_FILTER_BLOCK 1
#endif

int scenario__dispatch(struct scenario *scenario, enum subject_site site)
{
	static volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	bool ok;

	/* Where the kernel has it not, nobody uses it. */
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector))
		return SCENARIO_OK;
	selector = SYSCALL_DISPATCH_FILTER_BLOCK;
	ok = call(scenario, site, scenario->calls);
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	return ok ? SCENARIO_OK : SCENARIO_CHANGED;
}

static void measure_hit(struct scenario *scenario, enum subject_site site)
{
	subject_function function = subject__function(scenario->subject, site);
	unsigned int batch, i;
	__u64 start;

	/* The first calls make what the others find. */
	for (i = 0; i < COST_CALLS; i++)
		function(i);
	for (batch = 0; batch < scenario->batches; batch++) {
		start = clock__ns(CLOCK_MONOTONIC);
		for (i = 0; i < COST_CALLS; i++)
			function(i);
		scenario->log->batch_ns[site][batch] =
			(__u32)((clock__ns(CLOCK_MONOTONIC) - start) / COST_CALLS);
	}
}

int scenario__costs(struct scenario *scenario)
{
	static const enum subject_site sites[] = { SITE_BARE,	    SITE_PUSH,
						   SITE_NOP5,	    SITE_ENDBR,
						   SITE_COUNT_PUSH, SITE_COUNT_NOP5,
						   SITE_COUNT_ENDBR };
	size_t i;

	for (i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		if (scenario->probed[sites[i]] || sites[i] == SITE_BARE)
			measure_hit(scenario, sites[i]);
	return SCENARIO_OK;
}
