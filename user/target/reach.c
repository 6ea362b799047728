// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/reach.h"

/* So many may wait at a time, and so many of one user's processes. */
#define SCOUTS	      8
#define SCOUTS_A_USER 2
#define WAITING_MAX   64
/* A file that is larger is not read as a whole: what is needed of it is at its begin and its end.
 */
#define READ_MAX (64LL << 20)
/* One that has waited so long is given up, and its file system asked again after a pause. */
#define PATIENCE_NS  (5 * NS_PER_S)
#define PAUSE_MAX_NS (60 * NS_PER_S)

/* A process that looks at files. */
struct scout {
	pid_t pid; /* 0: there is none */
	int socket;
	bool busy, killed;
	uid_t user;	/* whose process maps what it looks at, */
	dev_t device;	/* of this file system, */
	__u64 since_ns; /* since then */
};

/* A file system that did not answer. */
struct silent {
	dev_t device;
	__u64 pause_ns, until_ns;
};

static struct {
	bool on;
	dev_t near[2]; /* of / and /usr */
	struct scout scouts[SCOUTS];
	struct reach_mapping waiting[WAITING_MAX];
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

void reach__start(void)
{
	struct stat st;

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
	*scout = (struct scout){ 0 };
	return true;
}

void reach__end(void)
{
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

/* Reads a file, so that others find it in the page cache. */
static void read_through(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	static char bytes[1 << 20];
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= READ_MAX)
		while (read(fd, bytes, sizeof(bytes)) > 0)
			;
	close(fd);
}

/* What a scout does: nothing of the service's is open in it, so that it holds up nothing. */
static void __attribute__((noreturn)) scout_on(int socket)
{
	static struct reach_mapping question;
	char path[PATH_MAX];
	struct error ignored;
	ssize_t n;

	prctl(PR_SET_NAME, "tmtrace-reach");
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	dup2(socket, 0);
	syscall(SYS_close_range, 1U, ~0U, 0);
	if (chdir("/"))
		_exit(1);
	while ((n = recv(0, &question, sizeof(question), 0)) == (ssize_t)sizeof(question)) {
		question.mapping.path = question.name;
		if (!process__find_path(question.pid, &question.mapping, path, sizeof(path),
					&ignored))
			read_through(path);
		if (send(0, "", 1, MSG_NOSIGNAL) != 1)
			break;
	}
	_exit(0);
}

static int start_scout(struct scout *scout)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (!pid)
		scout_on(pair[1]);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	*scout = (struct scout){ .pid = pid, .socket = pair[0] };
	return 0;
}

/* Has it answered within so many ms, or ended? */
static bool has_answered(struct scout *scout, int ms)
{
	struct pollfd wait = { .fd = scout->socket, .events = POLLIN };
	char byte;

	if (scout->killed || poll(&wait, 1, ms) <= 0)
		return false;
	if (recv(scout->socket, &byte, sizeof(byte), MSG_DONTWAIT) == 1)
		scout->busy = false;
	else
		end(scout);
	return !scout->busy;
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
static struct scout *send_there(const struct reach_mapping *question)
{
	struct scout *scout;
	uid_t user = 0;

	process__user(question->pid, &user);
	scout = find_scout(user);
	if (!scout)
		return NULL;
	if (send(scout->socket, question, sizeof(*question), MSG_NOSIGNAL) != sizeof(*question)) {
		end(scout);
		return NULL;
	}
	scout->busy = true;
	scout->user = user;
	scout->device = device_of(&question->mapping);
	scout->since_ns = clock__ns(CLOCK_MONOTONIC);
	return scout;
}

static void wait_for(const struct reach_mapping *question)
{
	for (size_t i = 0; i < reach.n_waiting; i++)
		if (reach.waiting[i].pid == question->pid &&
		    reach.waiting[i].mapping.ino == question->mapping.ino)
			return;
	if (reach.n_waiting == WAITING_MAX)
		return;
	reach.waiting[reach.n_waiting] = *question;
	reach.waiting[reach.n_waiting++].since_ns = clock__ns(CLOCK_MONOTONIC);
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
static bool answers_soon(struct scout *scout)
{
	__u64 begin_ns = clock__ns(CLOCK_MONOTONIC), most_ns = REACH_MS * (__u64)NS_PER_MS;
	bool answered;

	if (reach.second != begin_ns / NS_PER_S) {
		reach.second = begin_ns / NS_PER_S;
		reach.waited_ns = 0;
	}
	if (reach.waited_ns > most_ns)
		reach.waited_ns = most_ns;
	answered = has_answered(scout, (int)((most_ns - reach.waited_ns) / NS_PER_MS));
	reach.waited_ns += clock__ns(CLOCK_MONOTONIC) - begin_ns;
	return answered;
}

int reach__ask(pid_t pid, const struct process_mapping *mapping)
{
	static struct reach_mapping question;
	dev_t device = device_of(mapping);
	struct scout *scout = NULL;

	if (!reach__is_far(mapping->major, mapping->minor))
		return 0;
	question = (struct reach_mapping){ .pid = pid, .mapping = *mapping };
	snprintf(question.name, sizeof(question.name), "%s", mapping->path);
	if (!is_asked(device) && !find_silent(device))
		scout = send_there(&question);
	if (scout && answers_soon(scout))
		return 0;
	wait_for(&question);
	return -EAGAIN;
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
		dev_t device = scout->device;
		bool busy = scout->busy, late = now_ns - scout->since_ns > PATIENCE_NS;

		if (!scout->pid)
			continue;
		if (busy && has_answered(scout, 0))
			forget_silent(device);
		else if ((scout->killed || late) && end(scout) && busy)
			note_silent(device);
	}
}

static struct reach_mapping take_waiting(size_t i)
{
	struct reach_mapping taken = reach.waiting[i];

	memmove(&reach.waiting[i], &reach.waiting[i + 1],
		(--reach.n_waiting - i) * sizeof(*reach.waiting));
	return taken;
}

bool reach__next(struct reach_mapping *out)
{
	__u64 now_ns = clock__ns(CLOCK_MONOTONIC);

	look_after();
	for (size_t i = 0; i < reach.n_waiting; i++) {
		struct reach_mapping *waiting = &reach.waiting[i];
		dev_t device = device_of(&waiting->mapping);
		const struct silent *silent = find_silent(device);

		if (is_asked(device))
			continue;
		if (!silent) {
			*out = take_waiting(i);
			out->mapping.path = out->name;
			return true;
		}
		if (silent->until_ns <= now_ns)
			send_there(waiting);
	}
	return false;
}
