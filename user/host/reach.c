// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "host/reach.h"

/* So many may wait at a time, and so many of one user's processes. */
#define SCOUTS	      8
#define SCOUTS_A_USER 2
#define WAITING_MAX   64
/* One that has waited so long is given up, and its file system asked again after a pause. */
#define PATIENCE_NS (5 * NS_PER_S)
/* One that is not asked for so long ends: others may never come. */
#define IDLE_NS	     (500 * NS_PER_MS)
#define PAUSE_MAX_NS (60 * NS_PER_S)

/* A process that looks at files. */
struct scout {
	pid_t pid; /* 0: there is none */
	int socket;
	bool busy, killed;
	uid_t user;	/* whose process maps what it looks at, */
	dev_t device;	/* of this file system, */
	__u64 since_ns; /* since then */
	struct scout_question question;
};

/* A file system that did not answer. */
struct silent {
	dev_t device;
	__u64 pause_ns, until_ns;
};

static struct {
	bool on;
	struct scout_tools tools;
	struct scout_answer answer; /* the last one, of that file: */
	struct scout_question question;
	char path[PATH_OF_FD]; /* of its content; empty: there is none */
	struct scout *by;      /* who gave it, and was asked for nothing else since; or NULL */
	__u64 answer_ns;       /* CLOCK_MONOTONIC */
	dev_t near[2];	       /* of / and /usr */
	struct scout scouts[SCOUTS];
	struct scout_question waiting[WAITING_MAX];
	__u64 waits_since_ns[WAITING_MAX]; /* CLOCK_MONOTONIC */
	size_t n_waiting;
	struct silent silent[WAITING_MAX];
	size_t n_silent;
	__u64 second;	 /* CLOCK_MONOTONIC, in whole seconds; in this one */
	__u64 waited_ns; /* so long was waited */
} reach;

static dev_t device_of(const struct process_mapping *mapping)
{
	return makedev(mapping->major, mapping->minor);
}

void reach__start(const struct scout_tools *tools)
{
	struct stat st;

	reach.tools = *tools;
	reach.near[0] = stat("/", &st) == 0 ? st.st_dev : 0;
	reach.near[1] = stat("/usr", &st) == 0 ? st.st_dev : 0;
	reach.on = true;
}

/* Ends one, and lets go of it when it has ended: one that waits in the kernel does so later. */
static bool end(struct scout *scout)
{
	if (!scout->killed)
		kill(scout->pid, SIGKILL);
	scout->killed = true;
	if (waitpid(scout->pid, NULL, WNOHANG) == 0)
		return false;
	close(scout->socket);
	if (reach.by == scout)
		reach.by = NULL;
	*scout = (struct scout){ 0 };
	return true;
}

/* So long an answer is good for all who ask for the same file. */
#define ANSWER_NS NS_PER_S

/* Nothing is held of the file that was looked at last. */
static void let_go(void)
{
	const struct scout_question question = { .errand = SCOUT_FORGET };

	if (*reach.path)
		scout__let_go(&reach.answer);
	/* Nor by the scout, whose file system could not be unmounted until it ends. */
	if (reach.by && !reach.by->busy)
		scout__ask(reach.by->socket, &question);
	*reach.path = '\0';
	reach.by = NULL;
}

void reach__end(void)
{
	let_go();
	for (size_t i = 0; i < SCOUTS; i++)
		if (reach.scouts[i].pid && !end(&reach.scouts[i]))
			close(reach.scouts[i].socket);
	memset(reach.scouts, 0, sizeof(reach.scouts));
	reach.on = false;
	reach.n_waiting = reach.n_silent = 0;
}

bool reach__is_far(unsigned int major, unsigned int minor)
{
	dev_t device = makedev(major, minor);

	return reach.on && !major && device != reach.near[0] && device != reach.near[1];
}

/* Has it answered within so many ms, or ended? The answer's descriptors are the caller's. */
static bool has_answered(struct scout *scout, int ms, struct scout_answer *answer)
{
	struct pollfd wait = { .fd = scout->socket, .events = POLLIN };

	if (scout->killed || poll(&wait, 1, ms) <= 0)
		return false;
	if (scout__receive(scout->socket, answer))
		scout->busy = false;
	else
		end(scout);
	return !scout->busy;
}

static int start_scout(struct scout *scout)
{
	pid_t pid;
	int socket, ret = scout__start(&reach.tools, &pid, &socket);

	if (!ret)
		*scout = (struct scout){ .pid = pid, .socket = socket };
	return ret;
}

/* One that is free, for that user; NULL: none may be. */
static struct scout *find_scout(uid_t user)
{
	struct scout *none = NULL, *idle = NULL;
	size_t of_user = 0;

	for (size_t i = 0; i < SCOUTS; i++) {
		struct scout *scout = &reach.scouts[i];

		if (!scout->pid)
			none = scout;
		else if (scout->busy || scout->killed)
			of_user += scout->user == user;
		else
			idle = scout;
	}
	if (user && of_user >= SCOUTS_A_USER)
		return NULL;
	if (!idle && none && start_scout(none) == 0)
		idle = none;
	return idle;
}

static struct silent *find_silent(dev_t device)
{
	for (size_t i = 0; i < reach.n_silent; i++)
		if (reach.silent[i].device == device)
			return &reach.silent[i];
	return NULL;
}

static bool is_asked(dev_t device)
{
	for (size_t i = 0; i < SCOUTS; i++)
		if (reach.scouts[i].busy && reach.scouts[i].device == device)
			return true;
	return false;
}

/* Sends a scout there. NULL: none is free. */
static struct scout *send_there(const struct scout_question *question)
{
	struct scout *scout;
	uid_t user = 0;

	process__user(question->pid, &user);
	scout = find_scout(user);
	if (!scout)
		return NULL;
	if (reach.by == scout)
		reach.by = NULL;
	if (!scout__ask(scout->socket, question)) {
		end(scout);
		return NULL;
	}
	scout->busy = true;
	scout->user = user;
	scout->device = device_of(&question->mapping);
	scout->question = *question;
	scout->since_ns = clock__ns(CLOCK_MONOTONIC);
	return scout;
}

static void wait_for(const struct scout_question *question)
{
	for (size_t i = 0; i < reach.n_waiting; i++)
		if (reach.waiting[i].pid == question->pid &&
		    reach.waiting[i].mapping.ino == question->mapping.ino)
			return;
	/* What is but a path is found when a process maps it. */
	if (reach.n_waiting == WAITING_MAX || !question->pid)
		return;
	reach.waits_since_ns[reach.n_waiting] = clock__ns(CLOCK_MONOTONIC);
	reach.waiting[reach.n_waiting++] = *question;
}

/* It did not answer: it is asked again, after longer and longer pauses. */
static void note_silent(dev_t device)
{
	struct silent *silent = find_silent(device);

	if (!silent) {
		if (reach.n_silent == WAITING_MAX)
			memmove(reach.silent, reach.silent + 1,
				--reach.n_silent * sizeof(*reach.silent));
		silent = &reach.silent[reach.n_silent++];
		*silent = (struct silent){ .device = device, .pause_ns = NS_PER_S };
	}
	silent->pause_ns =
		silent->pause_ns * 2 < PAUSE_MAX_NS ? silent->pause_ns * 2 : PAUSE_MAX_NS;
	silent->until_ns = clock__ns(CLOCK_MONOTONIC) + silent->pause_ns;
}

/* Waits for a scout, but for no longer than REACH_MS in each second, whatever is mapped. */
static bool answers_soon(struct scout *scout, struct scout_answer *answer)
{
	__u64 begin_ns = clock__ns(CLOCK_MONOTONIC), most_ns = REACH_MS * (__u64)NS_PER_MS;
	bool answered;

	if (reach.second != begin_ns / NS_PER_S) {
		reach.second = begin_ns / NS_PER_S;
		reach.waited_ns = 0;
	}
	if (reach.waited_ns > most_ns)
		reach.waited_ns = most_ns;
	answered = has_answered(scout, (int)((most_ns - reach.waited_ns) / NS_PER_MS), answer);
	reach.waited_ns += clock__ns(CLOCK_MONOTONIC) - begin_ns;
	return answered;
}

static int cannot_reach(const struct process_mapping *mapping, struct error *err)
{
	wait_for(&reach.question);
	return error__set(err, -EAGAIN,
			  "%s: its file system does not answer: what is on it is not traced until "
			  "it does",
			  mapping->path);
}

/* Is it that file of which there is an answer, which may have come late? */
static bool is_answered(pid_t pid, const struct process_mapping *mapping)
{
	const struct process_mapping *last = &reach.question.mapping;

	return *reach.path && pid && mapping->ino == last->ino &&
	       device_of(mapping) == device_of(last);
}

/* What a scout has handed over is used. */
static void take_answer(struct scout *scout, const struct scout_answer *answer)
{
	let_go();
	reach.answer = *answer;
	reach.question = scout->question;
	reach.by = scout;
	reach.answer_ns = clock__ns(CLOCK_MONOTONIC);
	path__of_fd(reach.path, answer->content);
}

int reach__ask(pid_t pid, const struct process_mapping *mapping, char *out, size_t room,
	       struct error *err)
{
	struct scout_answer answer = { .node = -1, .content = -1 };
	dev_t device = device_of(mapping);
	struct scout *scout = NULL;

	if (!reach__is_far(mapping->major, mapping->minor))
		return 0;
	if (is_answered(pid, mapping)) {
		snprintf(out, room, "%s", reach.path);
		return 1;
	}
	let_go();
	reach.question = (struct scout_question){ .pid = pid, .mapping = *mapping };
	snprintf(reach.question.name, sizeof(reach.question.name), "%s", mapping->path);
	if (!is_asked(device) && !find_silent(device))
		scout = send_there(&reach.question);
	if (!scout || !answers_soon(scout, &answer))
		return cannot_reach(mapping, err);
	if (!scout->pid || answer.code) {
		scout__let_go(&answer);
		return scout->pid ? error__set(err, answer.code, "%s", answer.text)
				  : error__set(err, -EIO, "%s: who looked at it was killed",
					       mapping->path);
	}
	take_answer(scout, &answer);
	snprintf(out, room, "%s", reach.path);
	return 1;
}

const struct scout_answer *reach__file(const char *path)
{
	return *reach.path && !strcmp(path, reach.path) ? &reach.answer : NULL;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int reach__mark(void)
{
	const struct scout_question question = { .errand = SCOUT_MARK };
	struct scout_answer answer = { .node = -1, .content = -1 };
	struct scout *scout = reach.by;

	/* What was waited for the file leaves half of it. */
	if (reach.waited_ns > REACH_MS * (__u64)NS_PER_MS / 2)
		reach.waited_ns = REACH_MS * (__u64)NS_PER_MS / 2;
	if (!scout || !scout__ask(scout->socket, &question))
		return -EAGAIN;
	scout->busy = true;
	scout->since_ns = clock__ns(CLOCK_MONOTONIC);
	if (!answers_soon(scout, &answer) || !scout->pid)
		return -EAGAIN;
	if (answer.code)
		return answer.code;
	return is_same(&answer.st, &reach.answer.st) ? answer.mark : -EAGAIN;
}

static void forget_silent(dev_t device)
{
	struct silent *silent = find_silent(device);

	if (silent)
		*silent = reach.silent[--reach.n_silent];
}

/* Those that have answered, or are waited for no longer. */
static void look_after(void)
{
	__u64 now_ns = clock__ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < SCOUTS; i++) {
		struct scout *scout = &reach.scouts[i];
		struct scout_answer late_one = { .node = -1, .content = -1 };
		dev_t device = scout->device;
		bool busy = scout->busy;
		bool late = now_ns - scout->since_ns > (busy ? PATIENCE_NS : IDLE_NS);

		if (!scout->pid)
			continue;
		if (busy && has_answered(scout, 0, &late_one))
			forget_silent(device);
		else if ((scout->killed || late) && end(scout) && busy)
			note_silent(device);
		/* Whoever asks for that file again need not have it copied again. */
		if (late_one.content >= 0 && !*reach.path && !late_one.code)
			take_answer(scout, &late_one);
		else
			scout__let_go(&late_one);
	}
}

void reach__lose(void)
{
	note_silent(device_of(&reach.question.mapping));
	wait_for(&reach.question);
	let_go();
}

static void take_waiting(size_t i, struct reach_mapping *out)
{
	const struct scout_question *taken = &reach.waiting[i];
	size_t behind = --reach.n_waiting - i;

	out->pid = taken->pid;
	out->since_ns = reach.waits_since_ns[i];
	out->mapping = taken->mapping;
	memcpy(out->name, taken->name, sizeof(out->name));
	out->mapping.path = out->name;
	memmove(&reach.waiting[i], &reach.waiting[i + 1], behind * sizeof(*reach.waiting));
	memmove(&reach.waits_since_ns[i], &reach.waits_since_ns[i + 1],
		behind * sizeof(*reach.waits_since_ns));
}

bool reach__next(struct reach_mapping *out)
{
	__u64 now_ns = clock__ns(CLOCK_MONOTONIC);

	if (*reach.path && now_ns - reach.answer_ns > ANSWER_NS)
		let_go();
	look_after();
	for (size_t i = 0; i < reach.n_waiting; i++)
		if (is_answered(reach.waiting[i].pid, &reach.waiting[i].mapping)) {
			take_waiting(i, out);
			return true;
		}
	for (size_t i = 0; i < reach.n_waiting; i++) {
		const struct scout_question *waiting = &reach.waiting[i];
		dev_t device = device_of(&waiting->mapping);
		const struct silent *silent = find_silent(device);

		if (is_asked(device))
			continue;
		if (!silent) {
			take_waiting(i, out);
			return true;
		}
		if (silent->until_ns <= now_ns)
			send_there(waiting);
	}
	return false;
}

int reach__open_path(pid_t pid, const struct process_mapping *mapping, char *out, size_t room,
		     struct error *err)
{
	int ret = reach__ask(pid, mapping, out, room, err);

	if (ret)
		return ret < 0 ? ret : 0;
	return process__find_path(pid, mapping, out, room, err);
}
