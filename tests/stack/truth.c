// SPDX-License-Identifier: GPL-2.0-only
/* Counts calls in the shared table. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "truth.h"
#include "truth_table.h"

static struct {
	_Atomic(struct truth_table *) table;
	pthread_once_t once;
	int own_pid; /* kept by the fork handler: getpid() would be a system call in every call */
	bool off;
} state = { .once = PTHREAD_ONCE_INIT };

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void after_fork(void)
{
	state.own_pid = getpid();
}

/* A new file reads as zeros, which is the empty table. */
static struct truth_table *map(const char *path)
{
	const size_t size = sizeof(struct truth_table);
	int fd = -1;
	void *p;

	if (path) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0)
			return NULL;
		if (ftruncate(fd, (off_t)size)) {
			close(fd);
			return NULL;
		}
	}
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd,
		 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void set_up(void)
{
	const char *path = getenv("STACK_TRUTH");

	state.own_pid = getpid();
	pthread_atfork(NULL, NULL, after_fork);
	if (path && !strcmp(path, "off"))
		state.off = true;
	else if (!state.table)
		state.table = map(path);
	/* Without the table every comparison would be wrong: better no run at all. */
	if (!state.off && !state.table) {
		perror(path ? path : "truth");
		abort();
	}
}

struct truth_table *truth_table(void)
{
	pthread_once(&state.once, set_up);
	return state.off ? NULL : state.table;
}

int truth_open(const char *path)
{
	if (path)
		state.table = map(path);
	if (path && !state.table)
		return -errno;
	truth_table();
	return 0;
}

static uint32_t hash(int pid, const char *layer, const char *function)
{
	uint32_t h = (uint32_t)pid * 2654435761u;

	for (; *layer; layer++)
		h = h * 31 + (unsigned char)*layer;
	for (; *function; function++)
		h = h * 31 + (unsigned char)*function;
	return h;
}

static bool claim(struct truth_slot *s, const struct truth_call *call)
{
	int expected = TRUTH_FREE;

	if (!atomic_compare_exchange_strong(&s->state, &expected, TRUTH_CLAIMED))
		return false;
	s->pid = state.own_pid;
	strncpy(s->layer, call->layer, sizeof(s->layer) - 1);
	strncpy(s->function, call->function, sizeof(s->function) - 1);
	s->min_ns = UINT64_MAX;
	atomic_store(&s->state, TRUTH_READY);
	return true;
}

static struct truth_slot *find(struct truth_table *t, const struct truth_call *call)
{
	uint32_t h = hash(state.own_pid, call->layer, call->function);

	for (uint32_t i = 0; i < TRUTH_SLOTS; i++) {
		struct truth_slot *s = &t->slots[(h + i) % TRUTH_SLOTS];

		if (claim(s, call))
			return s;
		while (atomic_load(&s->state) != TRUTH_READY)
			; /* another process is writing the name: nanoseconds */
		if (s->pid == state.own_pid && !strcmp(s->layer, call->layer) &&
		    !strcmp(s->function, call->function))
			return s;
	}
	return NULL;
}

void truth_enter(struct truth_call *call)
{
	struct truth_table *t = truth_table();
	struct truth_slot *s = __atomic_load_n(&call->site->slot, __ATOMIC_RELAXED);
	uint64_t start_ns = 0;

	if (!t)
		return;
	if (!s || s->pid != state.own_pid) {
		/* A page of the file's may have to be made: milliseconds, in the call as well. */
		start_ns = now_ns();
		s = find(t, call);
		if (!s) {
			t->lost++;
			return;
		}
		__atomic_store_n(&call->site->slot, s, __ATOMIC_RELAXED);
	}
	call->slot = s;
	atomic_fetch_add(&s->calls, 1);
	call->start_ns = start_ns ? start_ns : now_ns();
}

static void count_code(struct truth_slot *s, int64_t code)
{
	for (int i = 0; i < TRUTH_CODES; i++) {
		int64_t seen = 0;

		if (atomic_compare_exchange_strong(&s->codes[i].code, &seen, code) ||
		    seen == code || i == TRUTH_CODES - 1) {
			s->codes[i].count++;
			return;
		}
	}
}

static void count_time(struct truth_slot *s, uint64_t ns)
{
	uint64_t seen = s->min_ns;

	s->total_ns += ns;
	while (ns < seen && !atomic_compare_exchange_weak(&s->min_ns, &seen, ns))
		;
	seen = s->max_ns;
	while (ns > seen && !atomic_compare_exchange_weak(&s->max_ns, &seen, ns))
		;
}

void truth_leave(struct truth_call *call)
{
	struct truth_slot *s = call->slot;
	uint64_t end = now_ns();

	if (!s)
		return;
	if (s->pid != state.own_pid) {
		/* The call was made by the parent, which counts its own return. */
		s = find(truth_table(), call);
		if (s)
			s->inherited_returns++;
		return;
	}
	s->returns++;
	if (call->failed) {
		s->errors++;
		s->is_errno = call->is_errno;
		if (call->code)
			count_code(s, call->code);
	} else {
		s->bytes += call->bytes;
		s->sized += call->sized;
	}
	count_time(s, end - call->start_ns);
}

void truth_unwound(uint64_t calls)
{
	struct truth_table *t = truth_table();

	if (t)
		t->unwound += calls;
}

void truth_killed(uint64_t calls)
{
	struct truth_table *t = truth_table();

	if (t)
		t->killed += calls;
}
